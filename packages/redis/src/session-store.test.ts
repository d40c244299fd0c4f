import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { describeSessionStore, sessionOf } from '../../../test/stores/session-store-contract.js';
import { describeWithRedis, SECRET } from '../../../test/stores/with-redis.js';
import { RedisKeys, RedisSeal } from './seal.js';

const MINUTE = 60_000;

await describeWithRedis('RedisSessionStore', ({ client, createPrefix, createNode, listening, advance }) => {
  // Each node opens a connection, and the contract creates hundreds of stores.
  const sessions = { ttlMs: MINUTE, maxPerCaller: 10, maxAnonymous: 20 };
  describeSessionStore('RedisSessionStore', () => {
    const prefix = createPrefix();
    const [here, there] = [createNode({ prefix, sessions }), createNode({ prefix, sessions })];
    return {
      store: here.sessions,
      elsewhere: there.sessions,
      ttlMs: MINUTE,
      slack: 2_000,
      max: 20,
      advance: (ms) => advance(prefix, ms),
      end: async () => void (await Promise.all([here.close(), there.close()])),
    };
  });

  it('stores neither ids nor owners in readable form', async () => {
    const prefix = createPrefix();
    const { sessions: store } = createNode({ prefix });
    await store.create(sessionOf('the-secret-id', { owner: 'a digest' }));
    await store.get('the-secret-id');
    const keys = await client.keys(`${prefix}*`);
    expect(keys.length).toBeGreaterThan(1);
    for (const key of keys) {
      const kept =
        (await client.type(key)) === 'string' ? await client.get(key) : await client.zrange(key, '0', '-1');
      expect(`${key} ${String(kept)}`).not.toContain('the-secret-id');
    }
  });

  it.each([
    'no JSON',
    'null',
    '[]',
    '{}',
    JSON.stringify({ ...sessionOf('a'), owner: 7 }),
    JSON.stringify({ ...sessionOf('a'), caller: undefined }),
    JSON.stringify({ ...sessionOf('a'), context: 7 }),
    JSON.stringify({ ...sessionOf('a'), isAdmin: true }),
    JSON.stringify({ ...sessionOf('a'), subscriptions: [1] }),
    JSON.stringify({ ...sessionOf('a'), logLevel: 'loud' }),
    JSON.stringify({ ...sessionOf('a'), client: 'me' }),
  ])('treats %s as no session, and reports it', async (text) => {
    const prefix = createPrefix();
    const node = createNode({ prefix });
    const seal = new RedisSeal(SECRET);
    const key = new RedisKeys(prefix, seal).for('session', 'a');
    // Records of other programs and of other versions are ignored.
    for (const written of [text, seal.seal(key, text)]) {
      await client.set(key, written);
      expect(await node.sessions.get('a')).toBeUndefined();
      expect(await node.sessions.change?.('a', () => ({}))).toBeUndefined();
    }
    expect(node.counts.get('invalid sessions')).toBe(4);
  });

  it('tells other nodes of an ended session, but not the node that ended it', async () => {
    const prefix = createPrefix();
    const [one, two] = [createNode({ prefix }), createNode({ prefix })];
    const [here, there] = [vi.fn<(id: string) => void>(), vi.fn<(id: string) => void>()];
    for (const [node, heard] of [
      [one, here],
      [two, there],
    ] as const)
      node.sessions.onEndElsewhere?.((isEnded) => {
        for (const id of ['a', 'b']) if (isEnded(id)) heard(id);
      });
    await listening(prefix, 2);
    await one.sessions.create(sessionOf('a'));
    await one.sessions.create(sessionOf('b'));
    await one.sessions.delete('a');
    await vi.waitFor(() => expect(there.mock.calls).toEqual([['a']]));
    expect(here).not.toHaveBeenCalled();
  });

  it('does not evict a session in use, for any number of other sessions', async () => {
    const { sessions: store } = createNode({ sessions: { maxAnonymous: 10 } });
    await store.create(sessionOf('victim'));
    for (let count = 0; count < 50; count++) {
      expect(await store.get('victim')).toBeDefined();
      await store.create(sessionOf(`s${count}`));
      await sleep(8);
      await store.get(`s${count}`);
    }
    await sleep(50);
    expect(await store.get('victim')).toBeDefined();
    expect(await store.get('s20')).toBeUndefined();
    expect(await store.get('s49')).toBeDefined();
  });

  it('tells other nodes of an evicted session', async () => {
    const prefix = createPrefix();
    const options = { prefix, sessions: { maxPerCaller: 2 } };
    const [one, two] = [createNode(options), createNode(options)];
    const heard = vi.fn<() => void>();
    two.sessions.onEndElsewhere?.((isEnded) => {
      if (isEnded('first')) heard();
    });
    await listening(prefix, 1);
    for (const id of ['first', 'second', 'third'])
      await one.sessions.create(sessionOf(id, { caller: 'ada' }));
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(1));
    expect(await two.sessions.get('first')).toBeUndefined();
    expect(await two.sessions.get('third')).toBeDefined();
  });

  it('stores a limited number of sessions per caller in Redis', async () => {
    const prefix = createPrefix();
    const { sessions: store } = createNode({ prefix, sessions: { maxPerCaller: 5 } });
    for (let index = 0; index < 50; index++) {
      await store.create(sessionOf(`s${index}`, { caller: 'ada' }));
      if (index % 2 === 0) await store.get(`s${index}`);
    }
    await vi.waitFor(async () => expect(await client.keys(`${prefix}:session:*`)).toHaveLength(10));
  });

  it('stores a limited number of anonymous sessions in Redis, and evicts none of another caller', async () => {
    const prefix = createPrefix();
    const { sessions: store } = createNode({ prefix, sessions: { maxPerCaller: 5, maxAnonymous: 20 } });
    const open = async (caller: string, count: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        await store.create(sessionOf(`${caller} ${index}`, { caller }));
        await store.get(`${caller} ${index}`);
      }
    };
    await open('address a', 3);
    await open('address b', 200);
    const sessionsKept = async (): Promise<number> => (await client.keys(`${prefix}:session:*`)).length;
    await vi.waitFor(async () => expect(await sessionsKept()).toBe(3 + 5));
    for (const index of [0, 1, 2]) expect(await store.get(`address a ${index}`)).toBeDefined();
    for (let index = 0; index < 50; index++) await open(`address c${index}`, 1);
    await vi.waitFor(async () => expect(await sessionsKept()).toBe(20));
    await open('known', 3);
    await vi.waitFor(async () => expect(await sessionsKept()).toBe(20 + 3));
  });
});
