import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { CallToolResult } from 'toolfold';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import { createScriptedSandbox } from '../../test/scripted-sandbox.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();

function createRegistry() {
  return new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
    {
      name: 'list_orders',
      description: 'Lists the orders of a customer',
      readOnly: true,
      inputSchema: z.object({ customer: z.string() }),
      handler: () => ({ orders: [1, 2] }),
    },
    {
      name: 'fail_order',
      description: 'Fails always',
      readOnly: true,
      inputSchema: {},
      handler: () => {
        throw new Error('no');
      },
    },
    {
      name: 'purge',
      description: 'Removes all orders',
      destructive: true,
      scopes: ['admin'],
      inputSchema: {},
      handler: () => 'purged',
    },
  );
}

const sandbox = createScriptedSandbox({
  orders: ({ call }) => call('list_orders', { customer: 'Ada' }),
  failing: ({ call }) => call('fail_order').catch(() => 'caught'),
  purging: ({ call }) => call('purge').catch((error: unknown) => error),
});

// The first search loads the index.
beforeAll(() => import('../../../search/src/index.js'));

describe('a server with the code form', () => {
  it.each([{}, { form: 'flat' }, { form: 'search' }] as const)(
    'rejects settings of code with another form, because they would have no effect: %j',
    (view) => {
      const registry = createRegistry();
      expect(() => new Exposure(registry, { view: { ...view, code: { allow: 'write' } } })).toThrow(
        `"code" of the view policy applies only to the code form. Write form: 'code' beside it, or leave it out.`,
      );
    },
  );

  it('lists three tools and the pinned ones, for every request', async () => {
    const exposure = new Exposure(createRegistry(), {
      view: { form: 'code', code: { sandbox }, pinned: ['call_write_tool', 'list_orders'] },
    });
    const names = async (request: object) =>
      (await exposure.viewFor(request)).listTools().map(({ name }) => name);
    const all = ['search_tools', 'describe_tools', 'run_code', 'call_write_tool', 'list_orders'];
    expect(await names({})).toEqual(all);
    expect(await names({ selection: { readOnly: true } })).toEqual(all);
    expect(await names({ selection: { tools: ['fail_order'] } })).toEqual(all.slice(0, 4));
  });

  it('hides actions from search, from declarations and from code of callers without their scopes', async () => {
    const registry = createRegistry();
    const exposure = new Exposure(registry, {
      view: { form: 'code', code: { sandbox, allow: 'write' } },
      scopes: 'hide',
    });
    const caller = (scopes: readonly string[]) => ({
      caller: { subject: 'ada', auth: { scopes } },
    });
    const call = async (request: object, name: string, args: Record<string, unknown>) =>
      registry.executeTool({ ...request, name, arguments: args }, await exposure.viewFor(request));
    const [user, admin] = [caller([]), caller(['admin'])];
    const [hidden, shown] = await Promise.all(
      [user, admin].map((request) => call(request, 'describe_tools', { tools: ['purge'] })),
    );
    expect(hidden?.isError).toBe(true);
    expect(text(shown as CallToolResult)).toContain('purge(): Promise<unknown>');
    expect(text(await call(user, 'search_tools', { query: 'remove all orders' }))).not.toContain('purge');
    expect(text(await call(admin, 'search_tools', { query: 'remove all orders' }))).toContain(
      'tools.purge()',
    );
    expect(text(await call(user, 'run_code', { code: 'purging' }))).toContain('ErrUnknownTool');
    expect(text(await call(admin, 'run_code', { code: 'purging' }))).not.toContain('ErrUnknownTool');
  });
});
