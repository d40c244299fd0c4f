import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { compileForwarding } from '../compile/tool-forms.js';
import type { Forward } from '../compile/compiled-tool.js';
import type { ToolContext } from '../define/tool-definition.js';
import { ErrUnknownTool } from '@toolfold/schema/errors';
import type { ErrorReport } from '../engine/error-handler.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { RateLimiter } from '../stores/contracts.js';
import { Tool } from '../model/tool.js';
import { requiredScopesOf } from '../engine/call-errors.js';
import { taskRuleOf } from '../tasks/task-calls.js';
import { ToolRegistry } from './tool-registry.js';
import type { ToolRegistryOptions } from './registry-options.js';
import type { View } from '../views/view.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();
const codeOf = ({ _meta }: CallToolResult) => (_meta?.['toolfold/error'] as ErrorReport | undefined)?.code;

/** The tools of a registry, and one more whose calls name a target in `to`. */
function setUp(options: ToolRegistryOptions<unknown> = {}) {
  const ran = vi.fn<(input: unknown, context: ToolContext) => unknown>(() => 'ran');
  const registry = new ToolRegistry({ name: 'acme', ...options }).register(
    new GroupedToolBuilder('platform')
      .commonSchema(z.object({ workspace: z.string().optional() }))
      .action({
        name: 'ban',
        inputSchema: z.object({ id: z.string() }),
        idempotency: true,
        handler: ({ input, context }) => ran(input, context),
      })
      .action({ name: 'secret', scopes: ['admin'], handler: () => 'secret' })
      .action({ name: 'slow', task: { ttlMs: 5 }, handler: () => 'slow' }),
    { name: 'ping', description: 'Answers', inputSchema: z.object({}), handler: () => 'pong' },
  );
  const inner = registry.view();
  const forward: Forward = ({ to, ...rest }) => {
    const [name = '', action] = String(to).split('/');
    if (!inner.tools.has(name)) return () => new ErrUnknownTool(`There is no "${name}".`);
    return { tools: inner.tools, name, arguments: action === undefined ? rest : { ...rest, action } };
  };
  const tool = new Tool({ name: 'pass_on', inputSchema: { type: 'object' } });
  const view: View = { ...inner, tools: new Map([['pass_on', compileForwarding(tool, forward)]]) };
  const call = (args: Record<string, unknown>, more: object = {}) =>
    registry.executeTool({ name: 'pass_on', arguments: args, ...more }, view);
  return { registry, view, ran, call };
}

describe('a forwarded call', () => {
  it('runs the target with its arguments', async () => {
    const { call, ran } = setUp();
    expect(text(await call({ to: 'ping' }))).toBe('pong');
    expect(text(await call({ to: 'platform/ban', id: 'u1' }))).toBe('ran');
    const [input, context] = ran.mock.calls[0] ?? [];
    expect(input).toEqual({ id: 'u1' });
    expect(context).toMatchObject({
      action: 'ban',
      operation: 'platform/ban',
      rawArguments: { action: 'ban', id: 'u1' },
    });
  });

  it('is validated with the schema of the target', async () => {
    const { call } = setUp();
    const result = await call({ to: 'platform/ban', di: 'u1' });
    expect(codeOf(result)).toBe('ErrValidationFailed');
    expect(text(result)).toContain('di: is not a known field. Known fields: workspace, id');
    expect(codeOf(await call({ to: 'platform/bun' }))).toBe('ErrUnknownAction');
  });

  it('is guarded, counted, logged and observed once, under the address of the target', async () => {
    const lines: Record<string, unknown>[] = [];
    const write = (fields: object) => void lines.push({ ...fields });
    const consume = vi.fn<RateLimiter['consume']>(async () => ({ msBeforeNext: 0, remainingPoints: 1 }));
    const records: object[] = [];
    const { call } = setUp({
      logger: { debug: write, info: write, warn: write, error: write },
      rateLimiter: { consume },
      observe: async ({ record }, run) => {
        await run();
        records.push({ ...record });
      },
    });
    await call({ to: 'platform/ban', id: 'u1' });
    expect(consume).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(consume.mock.calls)).toContain('platform/ban');
    expect(records).toEqual([{ tool: 'platform', address: 'platform/ban', action: 'ban' }]);
    expect(new Set(lines.map(({ address }) => address))).toEqual(new Set(['platform/ban']));
    expect(JSON.stringify(lines)).not.toContain('pass_on');
    await call({ to: 'platform/secret' });
    expect(lines.at(-1)).toMatchObject({ tool: 'platform', address: 'platform/secret' });
  });

  it('shares idempotency keys with direct calls of the target', async () => {
    const { call, registry, ran } = setUp();
    const key = { idempotencyKey: 'k1', caller: { auth: { clientId: 'ada' } } };
    await call({ to: 'platform/ban', id: 'u1' }, key);
    await registry.executeTool({ name: 'platform', arguments: { action: 'ban', id: 'u1' }, ...key });
    expect(ran).toHaveBeenCalledTimes(1);
    const other = await registry.executeTool({
      name: 'platform',
      arguments: { action: 'ban', id: 'u2' },
      ...key,
    });
    expect(codeOf(other)).toBe('ErrIdempotencyConflict');
  });

  it('is rejected without the scopes of the target', async () => {
    const { call } = setUp();
    const result = await call({ to: 'platform/secret' });
    expect(codeOf(result)).toBe('ErrInsufficientScope');
    expect(requiredScopesOf(result)).toEqual(['admin']);
  });

  it('is an error with the reason if it has no target', async () => {
    const { call, registry, view } = setUp();
    const result = await call({ to: 'nobody' });
    expect(codeOf(result)).toBe('ErrUnknownTool');
    expect(text(result)).toBe('There is no "nobody".');
    const wrong = await registry.executeTool({ name: 'pass_on', arguments: ['ping'] as never }, view);
    expect(codeOf(wrong)).toBe('ErrValidationFailed');
  });

  it('becomes a task if the target may', () => {
    const { view } = setUp();
    const ruleOf = (args: unknown) => taskRuleOf(view, { name: 'pass_on', arguments: args as never });
    expect(ruleOf({ to: 'platform/slow' })).toEqual({ ttlMs: 5 });
    for (const args of [{ to: 'ping' }, { to: 'nobody' }, {}, undefined, 'slow'])
      expect(ruleOf(args)).toBeUndefined();
  });
});
