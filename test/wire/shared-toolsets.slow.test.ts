import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { HandlerOptions, SessionStore } from 'toolfold/web';
import { MemorySessionStore } from 'toolfold/web';
import type { Shared } from 'toolfold';
import { describeWithRedis } from '../stores/with-redis.js';
import { readEvents } from './events.js';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { openSession, Session } from './session-requests.js';
import { configOf } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

/** Two nodes of one server, each served in another way. */
async function open(shared: readonly Shared[], options: HandlerOptions = {}): Promise<[Face, Face]> {
  const nodes: Face[] = [];
  for (const [index, [, openFace]] of faces.entries()) {
    const given = shared[index];
    const registry = new ToolRegistry({ name: 'acme', version: '1', ...(given ? { shared: given } : {}) });
    const toolsets = configOf({ startup: { mode: 'DYNAMIC' } });
    const face = await openFace(registry, { toolsets, ...options });
    cleanUps.push(() => face.close());
    nodes.push(face);
  }
  return nodes as [Face, Face];
}

const namesOf = async (session: Session): Promise<string[]> => {
  const { result } = (await session.request('tools/list')) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
};

const CHANGED = 'notifications/tools/list_changed';

/** The notifications on the answer to a call that enables or disables a toolset. */
async function toldBy(session: Session, name: string, toolset: string): Promise<unknown[]> {
  const response = await session.send('tools/call', { name, arguments: { toolset } });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    expect(await response.json()).toMatchObject({ result: {} });
    return [];
  }
  const messages = (await readEvents(response).rest()).flatMap(({ message }) => (message ? [message] : []));
  expect(messages.at(-1)).toMatchObject({ result: {} });
  return messages.slice(0, -1).map(({ method }) => method);
}

describe('two nodes that share their sessions', () => {
  it('do not lose a toolset that is enabled on the other at the same time', async () => {
    const kept = new MemorySessionStore();
    const store: SessionStore = {
      create: (session) => kept.create(session),
      get: async (id) => (await sleep(20), kept.get(id)),
      update: async (session) => (await sleep(20), kept.update(session)),
      change: (id, derive) =>
        kept.change(id, async (session) => {
          await sleep(20);
          return derive(session);
        }),
      delete: (id) => kept.delete(id),
    };
    const [one, two] = await open([], { sessions: { store } });
    const here = await openSession(one);
    const there = new Session(two, here.id);
    await Promise.all([toldBy(here, 'enable_toolset', 'users'), toldBy(there, 'enable_toolset', 'billing')]);
    expect(kept.get(here.id)?.toolsets?.toSorted()).toEqual(['billing', 'users']);
  });
});

await describeWithRedis('nodes with toolsets and one Redis', ({ createNode, createPrefix, listening }) => {
  const start = async () => {
    const prefix = createPrefix();
    const shared = [createNode({ prefix }), createNode({ prefix })];
    const [one, two] = await open(shared);
    await listening(prefix, 2);
    const here = await openSession(one);
    return { shared, two, here, there: new Session(two, here.id) };
  };

  it('share the toolsets that a session has enabled', async () => {
    const { here, there } = await start();
    await toldBy(here, 'enable_toolset', 'users');
    for (const session of [here, there]) {
      expect(await namesOf(session)).toContain('list_users');
      expect(await session.call('list_users')).toMatchObject({
        result: { content: [{ text: 'list_users' }] },
      });
    }
    await toldBy(there, 'disable_toolset', 'users');
    for (const session of [here, there]) expect(await namesOf(session)).not.toContain('list_users');
  });

  it('do not lose a toolset that is enabled on the other at the same time', async () => {
    const { here, there, shared } = await start();
    for (let round = 0; round < 10; round++) {
      await Promise.all([
        toldBy(here, 'enable_toolset', 'users'),
        toldBy(there, 'enable_toolset', 'billing'),
      ]);
      expect((await shared[0]?.sessions.get(here.id))?.toolsets?.toSorted()).toEqual(['billing', 'users']);
      await Promise.all([
        toldBy(here, 'disable_toolset', 'billing'),
        toldBy(there, 'disable_toolset', 'users'),
      ]);
      expect((await shared[1]?.sessions.get(here.id))?.toolsets).toEqual([]);
    }
  });

  it('notify a client once of a change, on the standing stream of any node', async () => {
    const { here, there } = await start();
    for (const [listener, other] of [
      [here, there],
      [there, here],
    ] as const) {
      const standing = await listener.listen();
      expect(await toldBy(other, 'enable_toolset', 'users')).toEqual([]);
      expect(await standing.nextMessage()).toMatchObject({ method: CHANGED });
      expect(await toldBy(listener, 'disable_toolset', 'users')).toEqual([]);
      expect(await standing.nextMessage()).toMatchObject({ method: CHANGED });
      // Nothing has changed, so no further notification follows.
      expect(await toldBy(other, 'disable_toolset', 'users')).toEqual([]);
      expect(await Promise.race([standing.nextMessage(), sleep(400)])).toBeUndefined();
      await standing.leave();
    }
  });

  it('share one standing stream of a session: the later one', async () => {
    const { here, there } = await start();
    const first = await here.listen();
    const second = await there.listen();
    // The stream has ended without any message.
    expect(await Promise.race([first.rest(), sleep(2_000, 'open')])).toEqual([]);
    expect(await toldBy(here, 'enable_toolset', 'users')).toEqual([]);
    expect(await second.nextMessage()).toMatchObject({ method: CHANGED });
    const third = await here.listen();
    expect(await Promise.race([second.rest(), sleep(2_000, 'open')])).toEqual([]);
    expect(await toldBy(there, 'disable_toolset', 'users')).toEqual([]);
    expect(await third.nextMessage()).toMatchObject({ method: CHANGED });
    await third.leave();
  });

  it('share one standing stream of a session, even if a client switches nodes quickly', async () => {
    const { here, there } = await start();
    for (let round = 0; round < 10; round++) {
      const streams = await Promise.all(
        round % 2 === 0 ? [here.listen(), there.listen()] : [there.listen(), here.listen()],
      );
      const isOpen = await Promise.all(
        streams.map((stream) => Promise.race([stream.rest().then(() => false), sleep(150, true)])),
      );
      expect(isOpen.filter(Boolean)).toHaveLength(1);
      await Promise.all(streams.map((stream) => stream.leave()));
      await sleep(50);
    }
  });

  it('notify a client on the answer if no node has a standing stream, and no other client', async () => {
    const { here, there, two } = await start();
    const others = await (await openSession(two)).listen();
    for (const session of [here, there]) {
      expect(await toldBy(session, 'enable_toolset', 'users')).toEqual([CHANGED]);
      expect(await toldBy(session, 'disable_toolset', 'users')).toEqual([CHANGED]);
    }
    // A disconnected stream does not count.
    const left = await there.listen();
    await left.leave();
    await sleep(50);
    expect(await toldBy(here, 'enable_toolset', 'users')).toEqual([CHANGED]);
    expect(await Promise.race([others.nextMessage(), sleep(100)])).toBeUndefined();
    await others.leave();
  });
});
