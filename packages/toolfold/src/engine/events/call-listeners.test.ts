import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { textOf } from '../../../../../test/calls.js';
import { createCodeServer } from '../../../../code/test/code-server.js';
import { GroupedToolBuilder } from '../../build/grouped-tool-builder.js';
import { ErrCancelled } from '@toolfold/schema/errors';
import { ToolRegistry } from '../../registry/tool-registry.js';
import type { ToolRegistryOptions } from '../../registry/registry-options.js';
import { emitFaults } from '../fault-report.js';
import { observeCalls } from './call-listeners.js';
import type { EndedCall } from './call-listeners.js';
import { internalsOf } from '../../registry/any-registry.js';

const users = () =>
  new GroupedToolBuilder('users')
    .action({
      name: 'get',
      inputSchema: z.object({ id: z.number() }),
      handler: ({ input }) => `user ${input.id}`,
    })
    .action({
      name: 'fail',
      handler: () => {
        throw new Error('no connection with token=hunter2secret');
      },
    })
    .action({ name: 'admin', scopes: ['admin'], handler: () => 'done' });

function observed(options: ToolRegistryOptions<unknown> = {}) {
  const registry = new ToolRegistry(options).register(users());
  const calls: EndedCall[] = [];
  const stop = observeCalls(internalsOf(registry), (call) => calls.push(call));
  return { registry, calls, stop };
}

/** The time, which passes only where a test says so. */
let now = 0;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const stepsOf = (call: EndedCall | undefined) => call?.steps.map(({ step }) => step);
const all = ['find', 'admit', 'prepare', 'validate', 'run', 'shape'];

describe('a listener of calls', () => {
  it('gets the address, the result and every step', async () => {
    const { registry, calls } = observed();
    const result = await registry.executeTool({ name: 'users', arguments: { action: 'get', id: 7 } });
    const [call] = calls;
    expect(call).toMatchObject({ address: 'users/get', result, fault: undefined });
    expect(stepsOf(call)).toEqual(all);
  });

  it('attributes time to the step that took it', async () => {
    const calls: EndedCall[] = [];
    const registry = new ToolRegistry({
      withSecurityWrapper: (_namespace, _operation, schema) => async (call, run) => {
        now += 1;
        const input = await call.arguments();
        now += 4;
        const checked = await schema.validate(input);
        const result = await run(checked.ok ? (checked.value as Record<string, unknown>) : {});
        now += 1_000;
        return result;
      },
      responseFormatter: {
        format: (value) => {
          now += 16;
          return String(value);
        },
        runWithMinifyOverride: (_minify, run) => run(),
      },
    }).register({
      name: 'slow',
      description: 'Takes its time.',
      inputSchema: z.object({ id: z.number() }),
      defaultArgumentResolver: async () => {
        await Promise.resolve();
        now += 2;
        return { id: 1 };
      },
      handler: async () => {
        await Promise.resolve();
        now += 8;
        return 8;
      },
    });
    observeCalls(internalsOf(registry), (call) => calls.push(call));
    await registry.executeTool({ name: 'slow' });
    expect(calls[0]?.steps).toEqual([
      { step: 'find', ms: 0 },
      { step: 'admit', ms: 1 },
      { step: 'prepare', ms: 2 },
      { step: 'validate', ms: 4 },
      { step: 'run', ms: 8 },
      { step: 'shape', ms: 16 },
    ]);
    expect(calls[0]?.ms).toBe(1_031);
  });

  it('sees where a call that fails has ended', async () => {
    const { registry, calls } = observed();
    await registry.executeTool({ name: 'users', arguments: { action: 'fail' } });
    await registry.executeTool({ name: 'users', arguments: { action: 'get' } });
    await registry.executeTool({ name: 'users', arguments: { action: 'admin' } });
    await registry.executeTool({ name: 'nobody' });
    expect(calls.map((call) => stepsOf(call)?.join(' '))).toEqual([
      'find admit prepare validate run error',
      'find admit prepare validate error',
      'find admit error',
      'find error',
    ]);
    expect(calls.map(({ address }) => address)).toEqual([
      'users/fail',
      'users/get',
      'users/admin',
      undefined,
    ]);
  });

  it('gets the error of the author with a redactor, and no error of the caller', async () => {
    const { registry, calls } = observed();
    await registry.executeTool({
      name: 'users',
      arguments: { action: 'fail' },
      accessToken: 'hunter2secret',
    });
    await registry.executeTool({ name: 'users', arguments: { action: 'get' } });
    const { error, redactor } = calls[0]?.fault ?? {};
    expect((error as Error).stack).toContain('hunter2secret');
    expect(redactor?.text((error as Error).stack ?? '')).toContain('no connection');
    expect(redactor?.text((error as Error).stack ?? '')).not.toContain('hunter2secret');
    expect(calls[1]?.fault).toBeUndefined();
  });

  it('ends with the error when a call is cancelled, although its handler goes on', async () => {
    const { registry, calls } = observed();
    let end: (value: string) => void = () => {};
    const handler = vi.fn<() => Promise<string>>(
      () =>
        new Promise<string>((resolve) => {
          end = resolve;
        }),
    );
    registry.register({ name: 'wait', description: 'Waits.', inputSchema: {}, handler });
    const controller = new AbortController();
    const running = registry.executeTool({ name: 'wait', signal: controller.signal });
    await vi.waitUntil(() => handler.mock.calls.length > 0);
    controller.abort(new ErrCancelled());
    await running;
    end('late');
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(stepsOf(calls[0])).toEqual(['find', 'admit', 'prepare', 'validate', 'run', 'error']);
  });

  it('sees calls that middleware of the registry answers or rejects', async () => {
    const { registry, calls } = observed();
    registry.use(async (request, next) => {
      if (request.params['arguments'] === undefined) throw new Error('no arguments');
      return next();
    });
    await registry.executeTool({ name: 'users' });
    await registry.executeTool({ name: 'users', arguments: { action: 'get', id: 1 } });
    expect(calls.map(({ result }) => result.isError)).toEqual([true, undefined]);
    expect(calls.map(stepsOf)).toEqual([[], all]);
    expect(String(calls[0]?.fault?.error)).toContain('no arguments');
  });

  it('sees all steps of the calls of mounted registries, and so does a listener of the mounted registry', async () => {
    const inner = new ToolRegistry({ name: 'inner' }).register(users());
    const outer = new ToolRegistry({ name: 'outer' }).mount('crm', inner);
    const calls: Record<'inner' | 'outer', EndedCall[]> = { inner: [], outer: [] };
    observeCalls(internalsOf(outer), (call) => calls.outer.push(call));
    const name = outer.listTools()[0]?.name ?? '';
    await outer.executeTool({ name, arguments: { action: 'get', id: 1 } });
    observeCalls(internalsOf(inner), (call) => calls.inner.push(call));
    await outer.executeTool({ name, arguments: { action: 'fail' } });
    expect(calls.outer.map(({ address }) => address)).toEqual(['crm:users/get', 'crm:users/fail']);
    expect(calls.inner.map(({ address }) => address)).toEqual(['users/fail']);
    expect(calls.outer.map(stepsOf)).toEqual([all, ['find', 'admit', 'prepare', 'validate', 'run', 'error']]);
    expect(stepsOf(calls.inner[0])).toEqual(stepsOf(calls.outer[1]));
    expect(calls.outer[1]?.fault).toBeDefined();
    expect(calls.inner[0]?.fault).toBeDefined();
  });

  it('sees the call of a task when the task has ended', async () => {
    const { registry, calls } = observed();
    let end: (value: string) => void = () => {};
    const handler = () =>
      new Promise<string>((resolve) => {
        end = resolve;
      });
    registry.register({ name: 'work', description: 'Works.', inputSchema: {}, task: true, handler });
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const request = { name: 'work', protocolVersion: '2026-07-28', caller: { capabilities } };
    expect(await internalsOf(registry).callOrStartTask(request)).toMatchObject({ resultType: 'task' });
    expect(calls).toEqual([]);
    end('worked');
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    expect(calls[0]?.result.content).toEqual([{ type: 'text', text: 'worked' }]);
    expect(stepsOf(calls[0])).toEqual(all);
  });

  it('sees the action behind a call of the search form', async () => {
    const { registry, calls } = observed();
    const { Exposure } = await import('../../toolsets/exposure.js');
    const exposure = new Exposure(registry, { view: { form: 'search' } });
    const view = await exposure.viewFor({});
    await registry.executeTool(
      { name: 'call_write_tool', arguments: { address: 'users/get', arguments: { id: 1 } } },
      view,
    );
    expect(calls[0]).toMatchObject({ address: 'users/get', request: { name: 'call_write_tool' } });
    expect(stepsOf(calls[0])).toEqual(all);
  });

  it('leaves results, other listeners and the observer of the author alone when it throws', async () => {
    const seen: string[] = [];
    const { registry, calls, stop } = observed({
      observe: async (_call, run) => {
        await run();
        seen.push('author');
      },
    });
    const stopSecond = observeCalls(internalsOf(registry), () => {
      throw new Error('a broken listener');
    });
    observeCalls(internalsOf(registry), () => seen.push('third'));
    const request = { name: 'users', arguments: { action: 'get', id: 7 } };
    const result = await registry.executeTool(request);
    expect(result.content).toEqual([{ type: 'text', text: 'user 7' }]);
    expect(seen).toEqual(['author', 'third']);
    stop();
    stopSecond();
    await registry.executeTool(request);
    expect(calls).toHaveLength(1);
    expect(seen).toEqual(['author', 'third', 'author', 'third']);
  });

  it('costs calls nothing after the last listener has gone', () => {
    const { registry, stop } = observed();
    expect(internalsOf(registry).callListeners).toBeDefined();
    stop();
    expect(internalsOf(registry).callListeners).toBeUndefined();
  });

  it('sees the fault of a call of code as a fault of that call alone, and onError gets it once', async () => {
    const fail = (): never => {
      throw new Error('no disk');
    };
    const { registry, run } = createCodeServer({
      tools: [{ name: 'broken', readOnly: true, handler: fail }],
      scripts: { tries: async ({ call }) => call('broken').catch(() => 'went on') },
    });
    const calls: EndedCall[] = [];
    observeCalls(internalsOf(registry), (call) => calls.push(call));
    const faults: unknown[] = [];
    const emit = emitFaults((error, context) => faults.push([String(error), context?.address]));
    expect(textOf(await run('tries', { emit }))).toContain('went on');
    expect(calls.map(({ address, fault }) => [address, fault && String(fault.error)])).toEqual([
      ['broken', 'Error: no disk'],
      ['run_code', undefined],
    ]);
    expect(faults).toEqual([['Error: no disk', 'broken']]);
  });

  it('sees prompts and resources, their errors, and questions that are no errors', async () => {
    const { registry, calls } = observed();
    registry
      .registerPrompt({ name: 'greet', handler: () => 'Hello' })
      .registerPrompt({
        name: 'ask',
        handler: async ({ context }) => {
          const { who } = await context.requestInput({
            who: { message: 'Who?', schema: { name: z.string() } },
          });
          return `Hello ${String(who.content?.['name'])}`;
        },
      })
      .registerResource({
        name: 'broken',
        uri: 'docs://broken',
        handler: () => {
          throw new Error('no disk');
        },
      });
    await registry.getPrompt({ name: 'greet' });
    const ask = internalsOf(registry).askInRounds({ method: 'prompts/get', params: { name: 'ask' } }, {});
    await expect(registry.getPrompt({ name: 'ask', ask })).rejects.toThrow();
    await expect(registry.readResource({ uri: 'docs://broken' })).rejects.toThrow('no disk');
    expect(
      calls.map(({ kind, address, result: { isError, resultType } }) => [kind, address, isError, resultType]),
    ).toEqual([
      ['prompt', 'greet', undefined, undefined],
      ['prompt', 'ask', undefined, 'input_required'],
      ['resource', 'docs://broken', true, undefined],
    ]);
    expect(calls[0]?.result.content).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(String(calls[2]?.fault?.error)).toContain('no disk');
  });
});
