import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { collectLogs, textOf, toolWith } from '../../test/calls.js';
import { ToolRegistry } from '../registry/tool-registry.js';

describe('a security wrapper', () => {
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
});
