import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { MemorySessionStore } from 'toolfold/web';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { initialize, openSession, post } from './session-requests.js';
import type { Session } from './session-requests.js';

setFlagsFromString('--expose_gc');
const gc = runInNewContext('gc') as () => void;

async function measureHeap(): Promise<number> {
  for (let count = 0; count < 3; count++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    gc();
  }
  return process.memoryUsage().heapUsed;
}

const createRegistry = () =>
  new ToolRegistry({ rateLimiter: false })
    .register(
      {
        name: 'late',
        description: 'Goes on after it is answered',
        inputSchema: {},
        handler: ({ context }) => {
          setImmediate(() => {
            void context.log('error', 'x'.repeat(10_000));
            void context.progress(1);
            context.releaseConnection();
            void context.requestInput({ who: { message: 'm', schema: z.object({}) } });
          });
          return 'done';
        },
      },
      { name: 'hang', description: 'Waits', inputSchema: {}, handler: () => new Promise(() => {}) },
    )
    .registerResource({ name: 'r', uri: 'memo://1', handler: () => '' });

type Load = (face: Face, session: Session, count: number) => Promise<unknown>;

/** Requests that can be repeated any number of times. */
const loads: Readonly<Record<string, Load>> = {
  'invalid bodies': async (face) => (await post(face, '{"jsonrpc":"2.0"')).text(),
  'unknown sessions': async (face, _, count) =>
    (
      await post(face, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': `${count}`.repeat(50) })
    ).text(),
  'invalid handshakes': async (face) =>
    (await post(face, { ...initialize(), params: { capabilities: {} } })).text(),
  'sessions that are opened and deleted': async (face) => (await openSession(face)).remove(),
  'calls that continue after their answer': (_, session) => session.call('late'),
  'calls that are cancelled': async (_, session, count) => {
    const call = session.send('tools/call', { name: 'hang', arguments: {} }, count);
    await new Promise((resolve) => setImmediate(resolve));
    await session.notify('notifications/cancelled', { requestId: count });
    return (await call).text();
  },
  'streams that are opened and closed': async (_, session) => (await session.listen()).leave(),
  'subscriptions that are added and removed': async (_, session, count) => {
    await session.request('resources/subscribe', { uri: `memo://${count}` });
    await session.request('resources/unsubscribe', { uri: `memo://${count}` });
  },
};
const TIMES = 500;

describe('a server keeps nothing of', () => {
  it.each(Object.entries(loads))('%s', async (what, run) => {
    const store = new MemorySessionStore();
    const face = await faces[0]![1](createRegistry(), { sessions: { store } });
    const session = await openSession(face, { capabilities: { elicitation: {} } });
    // An open stream keeps the session in memory, and with it anything that leaks.
    const standing = what.startsWith('streams') ? undefined : await session.listen();
    const repeat = async (from: number, to: number): Promise<void> => {
      for (let count = from; count < to; count++) await run(face, session, count);
    };
    await repeat(0, 200);
    const before = await measureHeap();
    await repeat(200, 200 + TIMES);
    const grown = (await measureHeap()) - before;
    expect(store.size).toBe(1);
    // The smallest leaked call or stream takes more.
    expect(grown / TIMES).toBeLessThan(1_000);
    await standing?.leave();
    await face.close();
  });
});
