import { describe, expect, it } from 'vitest';
import { openSession, send, setUp } from './toolset-setup.js';

const count = (text: string): number => text.split('notifications/tools/list_changed').length - 1;
const DYNAMIC = { startup: { mode: 'DYNAMIC' } } as const;

describe('a client without a standing stream', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'is notified once of a change, on the answer: %s',
    async (version) => {
      const { server } = await setUp(DYNAMIC);
      const session = await openSession(server.url, version);
      const enabled = await (await session.call('enable_toolset', { toolset: 'users' })).text();
      expect(count(enabled)).toBe(1);
      const again = await (await session.call('enable_toolset', { toolset: 'users' })).text();
      expect(count(again)).toBe(0);
      const off = await (await session.call('disable_toolset', { toolset: 'users' })).text();
      expect(count(off)).toBe(1);
    },
  );

  it('is notified once of each change in a batch', async () => {
    const { server } = await setUp(DYNAMIC);
    const session = await openSession(server.url, '2025-03-26');
    const body = ['users', 'billing', 'users', 'broken'].map((toolset, id) => ({
      jsonrpc: '2.0',
      id: id + 10,
      method: 'tools/call',
      params: { name: 'enable_toolset', arguments: { toolset } },
    }));
    const text = await (await send(server.url, body, session.headers)).text();
    expect(count(text)).toBe(2);
  });
});
