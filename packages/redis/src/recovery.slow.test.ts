import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startProxy } from '../../../test/stores/redis-proxy.js';
import type { RedisProxy } from '../../../test/stores/redis-proxy.js';
import { startRedis } from '../../../test/stores/redis-server.js';
import { describeWithRedis, SECRET } from '../../../test/stores/with-redis.js';
import { ErrInvalidOptions } from 'toolfold/errors';
import type { Shared, SharedEvent } from 'toolfold';
import { redis } from './redis.js';

const TIMEOUT = 300;

const reasonOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing',
    (error: unknown) => String(((error as Error).cause as Error | undefined)?.message ?? error),
  );

const freePort = async (): Promise<number> => {
  const listener = createServer();
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => {
    listener.close(resolve);
  });
  return port;
};

describe('an invalid URL', () => {
  it.each([
    'redis://:s3#cret-password@127.0.0.1:1',
    'redis://:s3/cret-password@127.0.0.1:1',
    'redis://:s3cret-password%zz@127.0.0.1:1',
    'redis//:s3cret-password@127.0.0.1:1',
    'http://:s3cret-password@127.0.0.1:1',
  ])('is rejected without being named', (url) => {
    let thrown: unknown;
    try {
      redis({ url, secret: SECRET });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ErrInvalidOptions);
    expect(JSON.stringify([thrown, String(thrown), (thrown as Error).stack])).not.toContain('cret-password');
  });
});

await describeWithRedis('recovery', ({ server, client, createPrefix, createNode, listening }) => {
  describe.skipIf(server.process === undefined)('through a lossy network', () => {
    let proxy: RedisProxy;
    let prefix: string;
    beforeEach(async () => {
      proxy = await startProxy(server.url);
      prefix = createPrefix();
    });
    afterEach(() => proxy.close());
    const isHeard = async (node: Shared, other: Shared): Promise<void> => {
      const heard: unknown[] = [];
      const stop = node.bus.subscribe('a', (message) => heard.push(message));
      await vi.waitFor(
        () => {
          other.bus.publish('a', heard.length);
          expect(heard).not.toEqual([]);
        },
        { timeout: 12_000, interval: 100 },
      );
      stop();
      // Each message is delivered once.
      expect(heard).toHaveLength(new Set(heard).size);
    };

    it('abandons a connection that was accepted and never answered', async () => {
      proxy.mode = 'swallow';
      const node = createNode({ url: proxy.url, prefix, timeoutMs: TIMEOUT });
      for (let count = 0; count < 6; count++) await reasonOf(node.records.get('a'));
      expect(node.isUp).toBe(false);
      proxy.mode = 'pass';
      await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 8_000 });
      await node.records.set('a', '1', 60_000);
    });

    it('resubscribes after the subscribed connection died silently, and reports the gap', async () => {
      const [node, other] = [
        createNode({ url: proxy.url, prefix, timeoutMs: TIMEOUT }),
        createNode({ prefix }),
      ];
      let gaps = 0;
      node.bus.onGap(() => gaps++);
      await isHeard(node, other);
      proxy.freeze(`${prefix}:bus`);
      await vi.waitFor(() => expect(gaps).toBe(1), { timeout: 12_000 });
      expect(node.counts.get('degraded notifications')).toBeGreaterThan(0);
      await isHeard(node, other);
    }, 30_000);

    it('subscribes although its first connections were cut', async () => {
      proxy.mode = 'close';
      const [node, other] = [
        createNode({ url: proxy.url, prefix, timeoutMs: TIMEOUT }),
        createNode({ prefix }),
      ];
      node.bus.subscribe('b', () => undefined);
      await sleep(200);
      proxy.mode = 'pass';
      await isHeard(node, other);
      proxy.cut();
      await isHeard(node, other);
      await listening(prefix, 1);
    }, 30_000);

    it('subscribes although the password was wrong at first, and reports the reason', async () => {
      await client.config('SET', 'requirepass', 'right');
      try {
        const node = createNode({
          url: proxy.url.replace('//', '//:changed@'),
          prefix,
          timeoutMs: TIMEOUT,
        });
        node.bus.subscribe('b', () => undefined);
        const reason = await reasonOf(node.records.get('a'));
        expect(reason).toMatch(/WRONGPASS|invalid password/);
        expect(reason).not.toContain('changed');
        await client.config('SET', 'requirepass', 'changed');
        await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 8_000 });
        await client.config('SET', 'requirepass', '');
        await isHeard(node, createNode({ prefix }));
      } finally {
        await client.config('SET', 'requirepass', '');
      }
    }, 30_000);

    it('leaves a primary that was cut off from its replicas, and is down until it finds another', async () => {
      const next = await startRedis();
      if (!next) throw new Error('There is no redis-server.');
      const node = createNode({ url: proxy.url, prefix, timeoutMs: TIMEOUT });
      await node.records.set('a', '1', 60_000);
      try {
        await client.config('SET', 'min-replicas-to-write', '1');
        expect(await reasonOf(node.records.set('a', '2', 60_000))).toContain('NOREPLICAS');
        expect(node.isUp).toBe(false);
        await sleep(500);
        expect(node.isUp).toBe(false);
        proxy.target = next.url;
        await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 8_000 });
        await node.records.set('a', '3', 60_000);
      } finally {
        await client.config('SET', 'min-replicas-to-write', '0');
        await node.close();
        await next.stop();
      }
    }, 30_000);

    it('is down while another script blocks Redis, and continues afterwards', async () => {
      const node = createNode({ url: proxy.url, prefix, timeoutMs: TIMEOUT });
      await node.records.set('a', '1', 60_000);
      await client.config('SET', 'lua-time-limit', '50');
      const busy = client.eval('while true do end', 0).catch(() => undefined);
      await sleep(200);
      const killer = new Redis(server.url, { enableReadyCheck: false });
      try {
        await reasonOf(node.records.set('a', '2', 60_000));
        await reasonOf(node.records.set('a', '2', 60_000));
        expect(node.isUp).toBe(false);
      } finally {
        await killer.script('KILL');
        killer.disconnect();
        await busy;
        await client.config('SET', 'lua-time-limit', '5000');
      }
      await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 8_000 });
      await node.records.set('a', '3', 60_000);
    }, 30_000);

    it('leaves a Redis that has become a replica, and is down until it finds a primary', async () => {
      const next = await startRedis();
      if (!next) throw new Error('There is no redis-server.');
      const node = createNode({ url: proxy.url, prefix, timeoutMs: TIMEOUT });
      await node.records.set('a', '1', 60_000);
      try {
        await client.replicaof('127.0.0.1', '1');
        expect(await reasonOf(node.records.set('a', '2', 60_000))).toContain('READONLY');
        for (let count = 0; count < 6; count++) await reasonOf(node.records.set('a', '2', 60_000));
        await sleep(500);
        expect(node.isUp).toBe(false);
        proxy.target = next.url;
        await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 8_000 });
        await node.records.set('a', '3', 60_000);
        expect(await node.records.get('a')).toBe('3');
      } finally {
        await client.replicaof('NO', 'ONE');
        await node.close();
        await next.stop();
      }
    }, 30_000);
  });

  it.skipIf(server.process === undefined)(
    'warns if a new primary may lack the last records, unless Redis waits for its replicas',
    async () => {
      const replica = await startRedis();
      if (!replica) throw new Error('There is no redis-server.');
      const warnings = async (): Promise<readonly string[]> => {
        const node = createNode();
        const said: string[] = [];
        node.onEvent(({ kind, error }) => {
          if (kind === 'unsafe') said.push(String(error));
        });
        // appendonly is off in tests, which is reported too.
        await vi.waitFor(() => expect(said).not.toEqual([]));
        await node.close();
        return said.filter((each) => each.includes('min-replicas-to-write'));
      };
      const follower = new Redis(replica.url);
      const port = await freePort();
      try {
        expect(await warnings()).toEqual([]);
        await client.config('SET', 'port', String(port));
        await follower.replicaof('127.0.0.1', port);
        await vi.waitFor(async () => expect(await client.info()).toMatch(/state=online/), {
          timeout: 10_000,
        });
        expect(await warnings()).toHaveLength(1);
        await client.config('SET', 'min-replicas-to-write', '1');
        expect(await warnings()).toEqual([]);
      } finally {
        await client.config('SET', 'min-replicas-to-write', '0');
        await client.config('SET', 'port', '0');
        follower.disconnect();
        await replica.stop();
      }
    },
    30_000,
  );

  it('reports why there is no connection', async () => {
    for (const [url, reason] of [
      ['/nowhere/redis.sock', 'ENOENT'],
      ['redis://127.0.0.1:1', 'ECONNREFUSED'],
      ['redis://nowhere.invalid', /ENOTFOUND|EAI_AGAIN/],
    ] as const)
      expect(await reasonOf(createNode({ url, timeoutMs: 1_000 }).records.get('a'))).toMatch(reason);
  });

  it('keeps its safeguards with any settings of a given client', async () => {
    const given = new Redis(server.url, {
      lazyConnect: true,
      stringNumbers: true,
      autoResubscribe: false,
      enableAutoPipelining: true,
      enableReadyCheck: false,
      keyPrefix: 'given:',
    });
    const prefix = createPrefix();
    const node = createNode({ client: given, prefix });
    const limiter = node.createRateLimiter({ calls: 3, windowMs: 60_000, anonymousCalls: 3 });
    const asked = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => limiter.consumeAnonymous?.(`key ${index}`, 'a', 1)),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await node.tasks.exchange('t', undefined, '{}', 60_000)).toBe(true);
  });

  it.each([
    'inf',
    '-inf',
    'nan',
    '1e400',
    '9007199254740992',
    '1e17',
    '-5',
    '0x7fffffffffffffff',
    'x',
    '1.5',
  ])('returns increasing integers even if the stored number was overwritten with %s', async (text) => {
    const prefix = createPrefix();
    const node = createNode({ prefix });
    const events: SharedEvent[] = [];
    node.onEvent((event) => events.push(event));
    const before = await node.sequence.next();
    await client.set(`${prefix}:sequence`, text);
    const numbers = [before];
    for (let count = 0; count < 3; count++) numbers.push(await node.sequence.next());
    const claim = await node.claims.claim({ key: 'k', text: '{}', ttlMs: 60_000, owner: 'ada' });
    numbers.push(claim.kind === 'ours' ? claim.token : Number.NaN);
    expect(numbers.every(Number.isSafeInteger)).toBe(true);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((left, right) => left - right));
    if (text !== '1.5') expect(events).toContainEqual({ kind: 'invalid', about: 'records' });
  });
});
