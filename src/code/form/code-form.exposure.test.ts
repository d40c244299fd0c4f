import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { ToolRegistry } from '../../registry/tool-registry.js';
import type { SearchLearning } from '../../stores/search-learning.js';
import { Exposure } from '../../toolsets/exposure.js';
import { createScriptedSandbox } from '../../../test/scripted-sandbox.js';

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

function createLearning() {
  const noteCall = vi.fn<SearchLearning['noteCall']>(async () => undefined);
  const learn = { recall: async () => new Map(), noteSearch: async () => undefined, noteCall };
  return { noteCall, learn: learn as unknown as SearchLearning };
}

// The first search loads the index.
beforeAll(() => import('../../search.js'));

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

  it('learns from the calls of code that succeed', async () => {
    const registry = createRegistry();
    const { learn, noteCall } = createLearning();
    const exposure = new Exposure(registry, {
      view: { form: 'code', code: { sandbox }, search: { learn } },
    });
    const view = await exposure.viewFor({});
    const run = (code: string) => registry.executeTool({ name: 'run_code', arguments: { code } }, view);
    expect(text(await run('failing'))).toContain('caught');
    expect(text(await run('orders'))).toContain('orders');
    await vi.waitFor(() => expect(noteCall).toHaveBeenCalled());
    expect(noteCall.mock.calls.map(([, address]) => address)).toEqual(['list_orders']);
  });
});
