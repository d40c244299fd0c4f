import { expect, it, vi } from 'vitest';
import { ToolRegistry } from '../../src/index.js';
import type { SearchLearning } from '../../src/web.js';
import { describeWithRedis } from '../stores/with-redis.js';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { openSession } from './session-requests.js';

/** Sends calls of tools of a user. */
type Call = (name: string, args: object) => Promise<Record<string, unknown>>;

const modern = (face: Face, user: string): Call => {
  const client = createModernClient(face, { user });
  return async (name, args) => (await client.request('tools/call', { name, arguments: args })).result;
};

await describeWithRedis('a search that learns on two nodes', ({ createNode, createPrefix }) => {
  const open = async (): Promise<{ nodes: [Face, Face]; learn: SearchLearning }> => {
    const prefix = createPrefix();
    const opened = await Promise.all(
      faces.map(async ([, openFace]) => {
        const shared = createNode({ prefix });
        const learn = shared.createSearchLearning();
        const registry = new ToolRegistry({ name: 'shop', shared }).register(
          {
            name: 'list_orders',
            description: 'Lists orders.',
            readOnly: true,
            inputSchema: {},
            handler: () => 'none',
          },
          {
            name: 'cancel_order',
            description: 'Cancels an order.',
            inputSchema: {},
            handler: () => 'cancelled',
          },
          {
            name: 'refund_order',
            description: 'Pays the price back.',
            inputSchema: {},
            handler: () => 'refunded',
          },
        );
        return { face: await openFace(registry, { view: { form: 'search', search: { learn } } }), learn };
      }),
    );
    const [one, two] = opened;
    if (!one || !two) return expect.unreachable();
    return { nodes: [one.face, two.face], learn: one.learn };
  };
  const first = async (call: Call, query: string): Promise<unknown> => {
    const { structuredContent } = await call('search_tools', { query });
    return (structuredContent as { tools: { address: string }[] }).tools[0]?.address;
  };
  const question = 'compensate an order';

  it('links the question of a 2026 request with a call on another node, for this caller alone', async () => {
    const { nodes, learn } = await open();
    const [one, two] = nodes;
    const [ada, adaElsewhere] = [modern(one, 'ada'), modern(two, 'ada')];
    const [eve, nobody] = [modern(one, 'eve'), modern(two, '')];
    // A call that reaches another node before the search is noted teaches nothing, so the round is repeated.
    await vi.waitFor(async () => {
      await first(ada, question);
      await first(eve, question);
      await first(ada, 'compensate: pay the price back');
      await eve('call_write_tool', { address: 'cancel_order' });
      await adaElsewhere('call_write_tool', { address: 'refund_order' });
      expect(await first(ada, question)).toBe('refund_order');
    }, 10_000);
    expect(await first(adaElsewhere, question)).toBe('refund_order');
    expect(await first(eve, question)).not.toBe('refund_order');
    expect(await first(nobody, question)).not.toBe('refund_order');
    expect(await first(ada, 'cancel order')).toBe('cancel_order');
    expect((await learn.inspect()).tenants).toHaveLength(2);
  });

  it('learns in the sessions of 2025 clients, and keeps their conversations apart', async () => {
    const { nodes, learn } = await open();
    const [face] = nodes;
    const [session, other] = [
      await openSession(face, { user: 'ada' }),
      await openSession(face, { user: 'ada' }),
    ];
    await session.call('search_tools', { query: 'the price back' });
    await other.call('call_write_tool', { address: 'refund_order' });
    await other.call('search_tools', { query: 'pay' });
    await other.call('call_write_tool', { address: 'refund_order' });
    await vi.waitFor(async () => expect((await learn.inspect()).links).toBe(1));
    await session.call('call_write_tool', { address: 'refund_order' });
    await vi.waitFor(async () => expect((await learn.inspect()).links).toBe(3));
  });
});
