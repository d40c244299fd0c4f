import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { collectLogs, textOf, toolWith } from '../../../../test/calls.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { WithSecurityWrapper } from './security-wrapper.js';

describe('a security wrapper', () => {
  it('gets the arguments as they were sent, with hints, and arguments() without them', async () => {
    const seen: unknown[] = [];
    const withSecurityWrapper: WithSecurityWrapper = () => async (call, run) => {
      seen.push(call.rawArguments, await call.arguments());
      return run({});
    };
    const registry = new ToolRegistry({ withSecurityWrapper }).register({
      name: 't',
      description: 'T',
      inputSchema: { a: z.string() },
      handler: () => 'ran',
    });
    await registry.executeTool({ name: 't', arguments: { a: 'x', minify: true } });
    expect(seen).toEqual([{ a: 'x', minify: true }, { a: 'x' }]);
  });

  it('can neither run a call twice nor return a value that the output schema rejects', async () => {
    const handler = vi.fn<() => object>(() => ({ a: 'x' }));
    const definition = toolWith(handler, { outputSchema: z.object({ a: z.string() }) });
    const twice = new ToolRegistry({
      withSecurityWrapper: () => async (_call, run) => {
        await run({});
        return run({});
      },
    }).register(definition);
    expect(textOf(await twice.executeTool({ name: 't' }))).toContain('twice');
    expect(handler).toHaveBeenCalledTimes(1);
    const inventing = new ToolRegistry({ withSecurityWrapper: () => () => ({ b: 1 }) }).register(definition);
    expect((await inventing.executeTool({ name: 't' })).isError).toBe(true);
  });

  it('can throw validation issues, and the registry names the fields and logs failures', async () => {
    const { lines, logger } = collectLogs();
    const registry = new ToolRegistry({
      logger,
      withSecurityWrapper: (_namespace, _operation, schema) => async (call, run) => {
        const checked = await schema['~standard'].validate(await call.arguments());
        if (checked.issues) throw { issues: checked.issues };
        return run(checked.value);
      },
    }).register(
      toolWith(
        () => {
          throw new Error('the database is gone');
        },
        { inputSchema: z.object({ limit: z.number().optional() }) },
      ),
    );
    expect(textOf(await registry.executeTool({ name: 't', arguments: { limt: 1 } }))).toContain(
      'Did you mean "limit"',
    );
    await registry.executeTool({ name: 't' });
    expect(JSON.stringify(lines)).toContain('the database is gone');
  });

  it('watches how calls end, and errors of a watcher reach neither the caller nor other watchers', async () => {
    const { lines, logger } = collectLogs();
    const seen: unknown[] = [];
    const failing = (): never => {
      throw new Error('a broken watcher');
    };
    const registry = new ToolRegistry({
      logger,
      withSecurityWrapper: () => async (call, run) => {
        call.watch({ end: failing, fail: failing });
        call.watch({
          end: (result) => seen.push(result),
          fail: (thrown) => seen.push(String(thrown)),
        });
        return run(await call.arguments());
      },
    }).register(
      toolWith(
        ({ input: { fails } }) => {
          if (fails) throw new Error('no');
          return 'ran';
        },
        { inputSchema: z.object({ fails: z.boolean().optional() }) },
      ),
    );
    const result = await registry.executeTool({ name: 't' });
    expect(textOf(result)).toBe('ran');
    expect(textOf(await registry.executeTool({ name: 't', arguments: { fails: true } }))).toContain('no');
    expect(seen).toEqual([result, 'Error: no']);
    expect(lines.filter((line) => JSON.stringify(line).includes('a broken watcher'))).toHaveLength(2);
  });
});
