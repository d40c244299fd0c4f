import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { textOf } from '../../../../test/calls.js';
import { createCodeServer } from '../../test/code-server.js';
import type { Guest, Script } from '../../test/scripted-sandbox.js';
import { internalsOf, neverSignal } from 'toolfold/internal';
import type { AskClient } from 'toolfold';
import { ToolRegistry } from 'toolfold';

const done: string[] = [];

/** A tool that notes its calls, with some hints. */
const noted = (name: string, hints: object = {}) => ({
  name,
  inputSchema: z.object({ id: z.number().optional() }),
  ...hints,
  handler: ({ input }: { input: { id?: number } }) => {
    done.push(`${name} ${input.id ?? ''}`.trim());
    return { name };
  },
});

/** Calls a path and returns the error that the code catches, or the value. */
const tryCall =
  (path: string, input?: unknown): Script =>
  ({ call }) =>
    call(path, input).then(
      (value) => ({ value }),
      ({ code, message, suggestions }: Error & { code: string; suggestions: string[] }) => ({
        code,
        message,
        suggestions,
      }),
    );

const parsed = async (result: ReturnType<ReturnType<typeof createCodeServer>['run']>): Promise<unknown> =>
  JSON.parse(textOf(await result));

describe('allow', () => {
  const tools = [
    noted('read', { readOnly: true }),
    noted('write', { destructive: false }),
    noted('erase', { destructive: true }),
    noted('unannotated'),
    noted('half', { readOnly: false }),
  ];
  const scripts = Object.fromEntries(tools.map(({ name }) => [name, tryCall(name)]));

  it('lets code only read by default, and suggests the tool that writes', async () => {
    done.length = 0;
    const { run } = createCodeServer({ tools, scripts });
    expect(await parsed(run('read'))).toEqual({ value: { name: 'read' } });
    for (const name of ['write', 'erase', 'unannotated', 'half']) {
      expect(await parsed(run(name))).toEqual({
        code: 'ErrCallNotAllowed',
        message: `"${name}" may change data, and code may only read here. Call it directly with call_write_tool.`,
        suggestions: ['call_write_tool'],
      });
    }
    expect(done).toEqual(['read']);
  });

  it('lets code write, and rejects calls that need a confirmation if no person can be asked', async () => {
    done.length = 0;
    const { run } = createCodeServer({ tools, scripts, code: { allow: 'write' } });
    expect(await parsed(run('read'))).toEqual({ value: { name: 'read' } });
    expect(await parsed(run('write'))).toEqual({ value: { name: 'write' } });
    for (const name of ['erase', 'unannotated', 'half']) {
      expect(await parsed(run(name))).toMatchObject({
        code: 'ErrCallNotAllowed',
        suggestions: ['call_write_tool'],
      });
    }
    expect(done).toEqual(['read', 'write']);
  });

  it('does not find actions that the view hides, nor the tools of the form itself', async () => {
    const { run } = createCodeServer({
      tools: [noted('read', { readOnly: true }), noted('hidden', { readOnly: true })],
      view: (registry) => registry.view({ exclude: ['hidden'] }),
      scripts: {
        hidden: tryCall('hidden'),
        own: tryCall('run_code', { code: 'own' }),
        search: tryCall('search_tools', {}),
        proto: tryCall('__proto__'),
        constructor: tryCall('constructor'),
      },
    });
    for (const name of ['hidden', 'own', 'search', 'proto', 'constructor'])
      expect(await parsed(run(name))).toMatchObject({ code: 'ErrUnknownTool' });
  });
});

describe('a dry run', () => {
  it('performs reads, lists writes with their arguments, and asks nobody', async () => {
    done.length = 0;
    const { run } = createCodeServer({
      tools: [noted('read', { readOnly: true }), noted('write', { destructive: false }), noted('erase')],
      code: { allow: 'write' },
      scripts: {
        all: async ({ call }) => [
          await call('read', { id: 1 }),
          await call('write', { id: 2 }),
          await call('erase', { id: 3 }),
        ],
      },
    });
    const result = await run('all', { dryRun: true });
    expect(done).toEqual(['read 1']);
    expect(result.content).toEqual([
      { type: 'text', text: '[{"name":"read"},{"dryRun":true},{"dryRun":true}]' },
      {
        type: 'text',
        text: 'Calls of this dry run:\n1. read: ok\n2. write({"id":2}): planned\n3. erase({"id":3}): planned',
      },
    ]);
  });

  it('rejects the writes that a real run rejects', async () => {
    const { run } = createCodeServer({ tools: [noted('write')], scripts: { write: tryCall('write') } });
    expect(textOf(await run('write', { dryRun: true }))).toContain('ErrCallNotAllowed');
  });
});

describe('limits', () => {
  afterEach(() => vi.useRealTimers());

  it('run at most the allowed number of calls at once', async () => {
    let running = 0;
    let most = 0;
    const { run } = createCodeServer({
      tools: [
        {
          name: 'wait',
          readOnly: true,
          handler: async () => {
            most = Math.max(most, ++running);
            // Calls start in successive turns of the event loop.
            for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
            running--;
          },
        },
      ],
      code: { limits: { concurrentCalls: 3 } },
      scripts: { many: ({ call }) => Promise.all(Array.from({ length: 20 }, () => call('wait'))) },
    });
    expect((await run('many')).isError).toBeUndefined();
    expect(most).toBe(3);
  });

  it('reject calls beyond the allowed number, and the code can catch that', async () => {
    done.length = 0;
    const { run } = createCodeServer({
      tools: [noted('read', { readOnly: true })],
      code: { limits: { calls: 3 } },
      scripts: {
        many: async ({ call }) => {
          const all = await Promise.allSettled(Array.from({ length: 1_000 }, () => call('read')));
          const rejected = all.filter(({ status }) => status === 'rejected');
          return [rejected.length, (rejected[0] as PromiseRejectedResult).reason.message];
        },
      },
    });
    const result = await run('many');
    expect(JSON.parse(textOf(result))).toEqual([
      997,
      'The code has made 3 calls, which is the limit of a run. Return what you have, and continue in another run.',
    ]);
    expect(result._meta?.['toolfold/run']).toMatchObject({ calls: 3 });
    expect(done).toHaveLength(3);
  });

  it('bound the arguments of a call in bytes, depth and number of values', async () => {
    done.length = 0;
    let deep: unknown = {};
    for (let level = 0; level < 200; level++) deep = { deep };
    const { run } = createCodeServer({
      tools: [noted('read', { readOnly: true })],
      code: { limits: { callBytes: 500_000 } },
      scripts: {
        bytes: tryCall('read', { text: 'x'.repeat(500_000) }),
        depth: tryCall('read', deep),
        values: tryCall('read', { list: Array.from({ length: 20_001 }, () => 0) }),
        list: tryCall('read', [1]),
        text: tryCall('read', 'x'),
        none: tryCall('read', null),
      },
    });
    for (const name of ['bytes', 'depth', 'values', 'list', 'text'])
      expect(await parsed(run(name))).toMatchObject({ code: 'ErrValidationFailed' });
    expect(done).toEqual([]);
    expect(await parsed(run('none'))).toEqual({ value: { name: 'read' } });
  });

  it('bound the code', async () => {
    const { run, sandbox } = createCodeServer({
      tools: [noted('read')],
      code: { limits: { codeBytes: 10 } },
    });
    const result = await run('é'.repeat(6));
    expect(textOf(result)).toContain('code: has more than 10 bytes');
    expect(sandbox.starts).toHaveLength(0);
  });

  it('end a run whose calls take too long, and abort these calls', async () => {
    let signal: AbortSignal | undefined;
    const { run, sandbox } = createCodeServer({
      tools: [
        noted('read', { readOnly: true }),
        {
          name: 'hang',
          readOnly: true,
          handler: ({ context }: { context: { signal: AbortSignal } }) => {
            ({ signal } = context);
            setImmediate(() => vi.advanceTimersByTime(50));
            return new Promise(() => undefined);
          },
        },
      ],
      code: { limits: { wallMs: 50 } },
      scripts: {
        hang: async ({ call, log }) => {
          await call('read');
          log('read');
          await call('hang');
        },
      },
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const result = await run('hang');
    expect(textOf(result)).toBe(
      'Timeout: The run took longer than 50 ms.\n\n' +
        'Make fewer calls in one run, and run independent calls at once with Promise.all.\n\n' +
        'Calls made:\n1. read: ok\n2. hang: unfinished\n\nLogs:\nread',
    );
    expect(signal?.aborted).toBe(true);
    expect(sandbox.open).toBe(0);
  });

  it('end a run that middleware never answers', async () => {
    const { run, sandbox } = createCodeServer({
      tools: [noted('read', { readOnly: true })],
      prepare: (registry) =>
        void registry.use((request, next) =>
          request.params['name'] === 'read' ? new Promise(() => undefined) : next(),
        ),
      code: { limits: { wallMs: 50 } },
      scripts: { hang: tryCall('read') },
    });
    expect(textOf(await run('hang'))).toContain('1. read: unfinished');
    expect(sandbox.open).toBe(0);
  });

  it('do not deadlock a registry that runs one call at a time', async () => {
    const { run } = createCodeServer({
      tools: [noted('read', { readOnly: true })],
      registry: { concurrency: { max: 1, queue: 10 } },
      scripts: { all: ({ call }) => Promise.all([call('read'), call('read'), call('read')]) },
    });
    const results = await Promise.all([run('all'), run('all')]);
    for (const result of results) expect(result.isError).toBeUndefined();
  });

  it('count each call and the run itself towards the rate limit of the caller', async () => {
    const { run } = createCodeServer({
      tools: [noted('read', { readOnly: true })],
      registry: { rateLimiter: { calls: 3, windowMs: 60_000 } },
      scripts: {
        four: async ({ call }) => {
          const all = await Promise.allSettled([1, 2, 3, 4].map((id) => call('read', { id })));
          return all.map((each) =>
            each.status === 'rejected' ? (each.reason as { code: string }).code : 'ok',
          );
        },
      },
    });
    const ada = { auth: { token: 'a', clientId: 'c', scopes: [], extra: { sub: 'ada', iss: 'i' } } };
    expect(await parsed(run('four', { caller: ada }))).toEqual(['ok', 'ok', 'ok', 'ErrRateLimited']);
    const others = await Promise.all([
      run('four', { caller: ada }),
      run('four', { caller: ada }),
      run('four', { caller: ada }),
    ]);
    expect(others.map(({ isError }) => isError)).toContain(true);
  });
});

describe('cancellation', () => {
  it('ends the guest and its calls, and starts nothing more', async () => {
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const { run, sandbox } = createCodeServer({
      tools: [
        {
          name: 'hang',
          readOnly: true,
          handler: ({ context }: { context: { signal: AbortSignal } }) => {
            signals.push(context.signal);
            if (signals.length === 2) controller.abort();
            return new Promise(() => undefined);
          },
        },
      ],
      code: { limits: { concurrentCalls: 2 } },
      scripts: { hang: ({ call }) => Promise.all([call('hang'), call('hang'), call('hang')]) },
    });
    const result = await run('hang', { signal: controller.signal });
    expect(result._meta?.['toolfold/error']).toMatchObject({ code: 'ErrCancelled' });
    await vi.waitFor(() => expect(sandbox.open).toBe(0));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('adds no listeners to the signal that all requests without a signal share', async () => {
    const listen = vi.spyOn(neverSignal(), 'addEventListener');
    const { run } = createCodeServer({
      tools: [noted('read', { readOnly: true })],
      scripts: { read: ({ call }) => call('read') },
    });
    const results = await Promise.all(Array.from({ length: 16 }, () => run('read')));
    expect(results.filter(({ isError }) => isError)).toEqual([]);
    expect(listen).not.toHaveBeenCalled();
    listen.mockRestore();
  });

  it('has a signal for each call, so that listeners of handlers do not pile up', async () => {
    const signals = new Set<AbortSignal>();
    const { run } = createCodeServer({
      tools: [
        {
          name: 'listen',
          readOnly: true,
          handler: ({ context }: { context: { signal: AbortSignal } }) => {
            signals.add(context.signal);
            return 'done';
          },
        },
      ],
      scripts: { listen: ({ call }) => Promise.all(Array.from({ length: 20 }, () => call('listen'))) },
    });
    await run('listen');
    expect(signals.size).toBe(20);
  });

  it('ends a run that waits for capacity', async () => {
    const controller = new AbortController();
    let disposed = 0;
    let open: (() => void) | undefined;
    const { run } = createCodeServer({
      tools: [noted('read')],
      code: {
        sandbox: {
          start: () =>
            new Promise((resolve) => {
              open = () =>
                resolve({ advance: () => new Promise(() => undefined), dispose: () => void disposed++ });
              controller.abort();
            }),
          close: async () => undefined,
        },
      },
    });
    const result = await run('x', { signal: controller.signal });
    expect(result._meta?.['toolfold/error']).toMatchObject({ code: 'ErrCancelled' });
    open?.();
    await vi.waitFor(() => expect(disposed).toBe(1));
  });
});

describe('questions, tasks and progress', () => {
  const questions = {
    form: { message: 'Sure?', schema: z.object({ ok: z.boolean() }) },
    sampling: { sampling: { messages: [], maxTokens: 1 } },
    roots: { roots: true },
  };
  const askingTools = Object.entries(questions).map(([name, question]) => ({
    name,
    readOnly: true,
    handler: ({ context }: { context: { requestInput: (asked: object) => Promise<unknown> } }) =>
      context.requestInput({ question }),
  }));
  const scripts = Object.fromEntries(askingTools.map(({ name }) => [name, tryCall(name)]));

  it('pass the questions of a tool to the client, and the answers to the tool', async () => {
    const answers: Readonly<Record<string, object>> = {
      form: { action: 'accept', content: { ok: true } },
      sampling: { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hi' } },
      roots: { roots: [] },
    };
    const { run } = createCodeServer({ tools: askingTools, scripts });
    const caller = { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } };
    for (const { name } of askingTools) {
      const ask = vi.fn<AskClient>(async () => ({ call_1_question: answers[name] }));
      expect(await parsed(run(name, { ask, caller }))).toEqual({ value: { question: answers[name] } });
      expect(ask).toHaveBeenCalledTimes(1);
    }
  });

  it('reject a question that the client cannot answer, and the code can catch that', async () => {
    const ask = vi.fn<AskClient>(async () => ({}));
    const { run } = createCodeServer({ tools: askingTools, scripts });
    const missing = { form: 'elicitation', sampling: 'sampling', roots: 'roots' };
    for (const [name, capability] of Object.entries(missing))
      expect(await parsed(run(name, { ask, caller: { capabilities: {} } }))).toEqual({
        code: 'ErrInputUnavailable',
        message: `"${name}" asks a question, and the client cannot be asked: it does not support ${capability}.`,
        suggestions: [],
      });
    expect(ask).not.toHaveBeenCalled();
    expect(await parsed(run('form', {}))).toMatchObject({ code: 'ErrInputUnavailable' });
  });

  it('run a tool to its end that clients run as a task', async () => {
    const { registry, run, view } = createCodeServer({
      tools: [
        { name: 'long', readOnly: true, task: { required: true }, handler: async () => 'done in the end' },
      ],
      scripts: { long: ({ call }) => call('long') },
    });
    expect(textOf(await run('long'))).toBe('done in the end');
    const result = await internalsOf(registry).callOrStartTask(
      {
        name: 'run_code',
        arguments: { code: 'long' },
        protocolVersion: '2026-07-28',
        caller: { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      } as never,
      view,
    );
    expect(textOf(result)).toBe('done in the end');
  });

  it('report no progress after the run has ended', async () => {
    let onEnd = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      onEnd = resolve;
    });
    let onLate = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      onLate = resolve;
    });
    const { run } = createCodeServer({
      tools: [
        { name: 'read', readOnly: true, handler: () => 1 },
        { name: 'hang', readOnly: true, handler: () => new Promise<never>(() => undefined) },
      ],
      code: { allow: 'read', limits: { wallMs: 200 } },
      // The call of `hang` is cancelled at the end of the run, and its middleware ends later.
      prepare: (registry) =>
        registry.use(async ({ params }, next) => {
          const result = await next();
          if (params['name'] === 'hang') {
            await ended;
            setImmediate(onLate);
          }
          return result;
        }),
      scripts: {
        both: async ({ call }) => {
          await call('read');
          return call('hang');
        },
      },
    });
    const reports: unknown[] = [];
    const result = await run('both', { progress: async (...report) => void reports.push(report) });
    expect(result.isError).toBe(true);
    onEnd();
    await late;
    expect(reports).toEqual([[1, undefined, 'read: ok']]);
  });

  it('report the progress of the run after each call, and none of the calls themselves', async () => {
    const reports: unknown[] = [];
    const { run } = createCodeServer({
      tools: [
        {
          name: 'read',
          readOnly: true,
          handler: async ({ context }: { context: { progress: (n: number) => Promise<void> } }) => {
            await context.progress(99);
            return 1;
          },
        },
      ],
      scripts: { two: async ({ call }) => [await call('read'), await call('nothing').catch(() => 0)] },
    });
    await run('two', { progress: async (...report) => void reports.push(report) });
    expect(reports).toEqual([
      [1, undefined, 'read: ok'],
      [2, undefined, 'nothing: ErrUnknownTool'],
    ]);
  });
});

describe('the pipeline', () => {
  it('applies the middleware of the registry and mounted registries to each call', async () => {
    const seen: unknown[] = [];
    const child = new ToolRegistry({ name: 'child', outputBudget: { bytes: 100 } });
    child.register({
      name: 'rows',
      description: 'Rows',
      inputSchema: {},
      readOnly: true,
      handler: () => Array.from({ length: 100 }, (_, id) => id),
    });
    const { run } = createCodeServer({
      tools: [noted('read', { readOnly: true })],
      prepare: (registry) => {
        registry.mount('child', child);
        registry.use((request, next) => {
          seen.push(request.params['name']);
          return next();
        });
      },
      scripts: {
        both: async ({ call }: Guest) => [
          await call('read'),
          ((await call('child.rows')) as number[]).length,
        ],
      },
    });
    expect(await parsed(run('both'))).toEqual([{ name: 'read' }, 100]);
    expect(seen).toEqual(['run_code', 'read', 'child_rows']);
  });

  it('runs calls that the code does not await, and returns its value', async () => {
    done.length = 0;
    const { run } = createCodeServer({
      tools: [noted('write', { destructive: false })],
      code: { allow: 'write', limits: { concurrentCalls: 1 } },
      scripts: {
        forgotten: ({ call }) => {
          for (let id = 1; id <= 3; id++) void call('write', { id });
          return 'started';
        },
      },
    });
    expect(textOf(await run('forgotten'))).toBe('started');
    expect(done).toEqual(['write 1', 'write 2', 'write 3']);
  });

  it('reports an error if a sandbox ends the code while calls are pending', async () => {
    done.length = 0;
    const outcome = { value: '"started"' };
    const calls = [{ id: 1, path: 'erase', input: undefined }];
    const { run } = createCodeServer({
      tools: [noted('erase', { destructive: true })],
      code: {
        allow: 'write',
        sandbox: {
          start: async () => ({
            advance: async () => ({ calls, logs: [], hasLostLogs: false, cpuMs: 1, outcome }),
            dispose: () => undefined,
          }),
          close: async () => undefined,
        },
      },
    });
    const ask = vi.fn<AskClient>(async () => ({}));
    const caller = { capabilities: { elicitation: { form: {} } } };
    expect(textOf(await run('x', { ask, caller }))).toMatch(
      /^Error: The sandbox ended the code while calls were pending\.[^]*1\. erase: not run/,
    );
    expect(ask).not.toHaveBeenCalled();
    expect(done).toEqual([]);
  });
});
