import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sessionOf } from '../../../test/stores/session-store-contract.js';
import { startRedis } from '../../../test/stores/redis-server.js';
import { describeWithRedis, SECRET } from '../../../test/stores/with-redis.js';
import { ErrInvalidOptions, ErrOverloaded } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';
import type { SharedEvent } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { redis } from './redis.js';
import type { RedisOptions } from './redis.js';

const secret = SECRET;
const TIMEOUT = 200;
/** Longer than any operation takes that fails after the timeout. */
const PATIENCE = 3 * TIMEOUT;

const caught = async (promise: Promise<unknown>): Promise<{ error: unknown; ms: number }> => {
  const began = performance.now();
  const error = await promise.then(
    (value) => expect.unreachable(`resolved to ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  return { error, ms: performance.now() - began };
};

describe('redis', () => {
  it.each([
    [{ secret }, 'either a url or a client'],
    [{ url: 'redis://localhost' }, 'secret'],
    [{ url: 'redis://localhost', secret: 'short' }, 'secret'],
    [{ secret, url: '' }, 'either a url or a client'],
    [{ secret, url: 'redis://localhost', client: {} }, 'either a url or a client'],
    [{ secret, client: {} }, 'either a url or a client'],
    [{ secret, client: { isCluster: true } }, 'Cluster'],
    [{ secret, url: 'redis://localhost', prefix: '' }, 'prefix'],
    [{ secret, url: 'redis://localhost', prefix: 'a:b' }, 'prefix'],
    [{ secret, url: 'redis://localhost', prefix: 'a*' }, 'prefix'],
    [{ secret, url: 'redis://localhost', timeoutMs: 0 }, 'timeoutMs'],
    [{ secret, url: 'redis://localhost', sessions: { ttlMs: 0 } }, 'sessions.ttlMs'],
    [{ secret, url: 'redis://localhost', sessions: { maxPerCallers: 3 } }, 'Did you mean "maxPerCaller"'],
    [{ secret, url: 'redis://localhost', prefixx: 'a' }, 'Did you mean "prefix"'],
  ])('rejects %j', (options, message) => {
    expect(() => redis(options as RedisOptions)).toThrow(ErrInvalidOptions);
    expect(() => redis(options as RedisOptions)).toThrow(message);
  });

  it('reports a node of a Redis Cluster when it connects: on standard error, in /readyz and in errors of calls', async (context) => {
    const server = await startRedis(['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000']);
    if (!server?.process) return context.skip('No redis-server of its own');
    onTestFinished(() => server.stop());
    const printed = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => printed.mockRestore());
    const node = redis({ url: server.url, secret, timeoutMs: TIMEOUT });
    onTestFinished(() => node.close());
    const served = await serveHttp(new ToolRegistry({ shared: node }), { port: 0, isReady: () => true });
    onTestFinished(() => served.close());
    await vi.waitFor(() => expect(printed).toHaveBeenCalledOnce(), { timeout: 5_000 });
    expect(printed.mock.calls[0]).toEqual([
      expect.stringMatching(/A Redis Cluster is not supported. Use one/),
    ]);
    const ready = await fetch(new URL('/readyz', served.url));
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not ready', reason: expect.stringContaining('A Redis Cluster is not supported') as string },
    ]);
    const { error } = await caught(node.records.setIfAbsent('a', 'b', 1_000));
    expect(error).toBeInstanceOf(ErrOverloaded);
    expect(String((error as Error).cause)).toContain('A Redis Cluster is not supported. Use one primary');
    expect(node.isUp).toBe(false);
    await server.kill();
    await server.restart(['--cluster-enabled', 'no']);
    await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 5_000 });
    expect((await fetch(new URL('/readyz', served.url))).status).toBe(200);
  });

  it('fails without delay if no Redis answers, and reports it', async () => {
    const node = redis({ url: 'redis://127.0.0.1:1', secret, timeoutMs: TIMEOUT });
    const events: SharedEvent[] = [];
    node.onEvent((event) => events.push(event));
    const first = await Promise.all(
      Array.from({ length: 10 }, () => caught(node.records.setIfAbsent('a', 'b', 1_000))),
    );
    for (const { error, ms } of first) {
      expect(error).toBeInstanceOf(ErrOverloaded);
      expect(ms).toBeLessThan(PATIENCE);
    }
    expect(node.isUp).toBe(false);
    const { ms } = await caught(node.sessions.get('a') as Promise<unknown>);
    expect(ms, 'requests do not wait while Redis is down').toBeLessThan(TIMEOUT / 2);
    expect(events.filter(({ kind }) => kind === 'down')).toHaveLength(1);
    expect(node.counts.get('refused records')).toBe(10);
    expect(node.counts.get('refused sessions')).toBe(1);
    await node.close();
  });

  it('includes no commands or credentials in its errors', async () => {
    const node = redis({ url: 'redis://ada:hunter2@127.0.0.1:1', secret, timeoutMs: TIMEOUT });
    const { error } = await caught(node.records.set('a key', 'a value', 1_000));
    const said = JSON.stringify([
      error,
      String(error),
      String((error as Error).cause),
      Object.entries((error as Error).cause as object),
    ]);
    for (const secret of ['hunter2', 'a key', 'a value']) expect(said).not.toContain(secret);
    await node.close();
  });
});

await describeWithRedis(
  'the connection to Redis',
  ({ server, client, createPrefix, createNode }) => {
    const stopped = async (work: () => Promise<void>): Promise<void> => {
      server.process?.kill('SIGSTOP');
      try {
        await work();
      } finally {
        server.process?.kill('SIGCONT');
      }
    };

    it('uses the settings of a given client, and leaves the client unchanged', async () => {
      const given = new Redis(server.url, { lazyConnect: true, keyPrefix: 'given:', db: 3 });
      const prefix = createPrefix();
      const node = createNode({ client: given, prefix });
      await node.records.set('a', '1', 60_000);
      expect(await client.keys(`${prefix}*`)).toEqual([]);
      await client.select(3);
      expect(await client.keys(`${prefix}*`)).toHaveLength(1);
      await client.select(0);
      await node.close();
      expect(given.status).toBe('wait');
    });

    it('uses the clock of Redis', async () => {
      const node = createNode();
      await node.records.get('a');
      const [seconds, micros] = await client.time();
      expect(Math.abs(node.now() - (Number(seconds) * 1_000 + Number(micros) / 1_000))).toBeLessThan(50);
    });

    it('corrects its clock after the local clock was set', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const node = createNode();
      await node.records.get('a');
      const now = performance.now.bind(performance);
      const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + 600_000);
      const apart = async (): Promise<number> => {
        const [seconds, micros] = await client.time();
        return Math.abs(node.now() - (Number(seconds) * 1_000 + Number(micros) / 1_000));
      };
      expect(await apart()).toBeGreaterThan(500_000);
      await vi.advanceTimersByTimeAsync(5_000);
      await vi.waitFor(async () => expect(await apart()).toBeLessThan(100), { timeout: 8_000 });
      spy.mockRestore();
    });

    it('does not report Redis as down because this process was busy when it answered', async () => {
      const node = createNode({ timeoutMs: TIMEOUT });
      await node.records.set('a', '1', 60_000);
      const asked = [node.records.get('a'), node.records.setIfAbsent('b', '2', 60_000)];
      const began = performance.now();
      while (performance.now() - began < 2 * TIMEOUT);
      expect(await Promise.all(asked)).toEqual(['1', undefined]);
      expect([node.isUp, ...node.counts.keys()]).toEqual([true, 'unsafe']);
    });

    it('does not report Redis as down because of an error reply', async () => {
      const prefix = createPrefix();
      const node = createNode({ prefix });
      await client.lpush(`${prefix}:sequence`, 'not a number');
      for (let count = 0; count < 10; count++) await caught(node.sequence.next());
      expect(node.isUp).toBe(true);
      await node.records.set('a', '1', 60_000);
    });

    describe.skipIf(server.process === undefined)('with its own Redis', () => {
      it('warns if Redis may lose acknowledged writes', async () => {
        const node = createNode();
        const events: SharedEvent[] = [];
        node.onEvent((event) => events.push(event));
        await vi.waitFor(() =>
          expect(events).toEqual([
            {
              kind: 'unsafe',
              error: expect.objectContaining({ message: expect.stringContaining('allkeys-lru') }),
            },
            {
              kind: 'unsafe',
              error: expect.objectContaining({ message: expect.stringContaining('appendonly') }),
            },
          ]),
        );
      });

      it('fails without delay while Redis is paused, and continues when Redis resumes', async () => {
        const node = createNode({ timeoutMs: TIMEOUT });
        const limiter = node.createRateLimiter({ calls: 2, windowMs: 60_000 });
        await node.records.set('a', '1', 60_000);
        await stopped(async () => {
          const calls = await Promise.all([
            ...Array.from({ length: 5 }, () => caught(node.records.get('a'))),
            caught(node.sessions.get('a') as Promise<unknown>),
          ]);
          for (const { error, ms } of calls) {
            expect(error).toBeInstanceOf(ErrOverloaded);
            expect(ms).toBeLessThan(PATIENCE);
          }
          // The limiter counts in this process only, and still rejects.
          const began = performance.now();
          expect(await limiter.consume('ada')).toMatchObject({ remainingPoints: 1 });
          expect(await limiter.consume('ada')).toMatchObject({ remainingPoints: 0 });
          await expect(limiter.consume('ada')).rejects.toMatchObject({ remainingPoints: 0 });
          expect(performance.now() - began).toBeLessThan(TIMEOUT / 2);
          expect(node.counts.get('degraded rate limits')).toBe(3);
        });
        await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 5_000 });
        expect(await node.records.get('a')).toBe('1');
        expect(node.counts.get('up')).toBe(1);
      });

      it('delays one request only once while Redis is paused, for any number of commands', async () => {
        const node = createNode({ timeoutMs: 400 });
        const limiter = node.createRateLimiter({ calls: 2, windowMs: 60_000 });
        const claim = { key: 'k', text: '{}', ttlMs: 60_000, owner: 'ada' };
        await node.records.set('a', '1', 60_000);
        await stopped(async () => {
          const began = performance.now();
          await limiter.consume('ada');
          await caught(node.claims.claim(claim));
          for (let read = 0; read < 3; read++) await caught(node.cache.get('a'));
          expect(performance.now() - began).toBeLessThan(600);
          expect(node.isUp).toBe(false);
        });
        await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 5_000 });
      });

      it('executes no command later that it reported as failed', async () => {
        const prefix = createPrefix();
        const node = createNode({ prefix, timeoutMs: TIMEOUT });
        await node.records.set('kept', '1', 60_000);
        await stopped(async () => {
          const asked = await Promise.all([
            caught(node.records.setIfAbsent('claim', 'mine', 60_000)),
            caught(node.records.set('kept', '2', 60_000)),
            caught(node.records.delete('kept')),
            caught(node.sessions.create(sessionOf('a')) as Promise<unknown>),
          ]);
          expect(asked.every(({ error }) => error instanceof ErrOverloaded)).toBe(true);
        });
        await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 5_000 });
        await sleep(TIMEOUT);
        const other = createNode({ prefix });
        expect(await other.records.get('claim')).toBeUndefined();
        expect(await other.records.get('kept')).toBe('1');
        expect(await other.sessions.get('a')).toBeUndefined();
      });

      it('reconnects without a restart after Redis was killed and came back', async () => {
        const prefix = createPrefix();
        const node = createNode({ prefix, timeoutMs: TIMEOUT });
        const heard: unknown[] = [];
        let gaps = 0;
        node.bus.subscribe('a', (message) => heard.push(message));
        node.bus.onGap(() => gaps++);
        await node.records.set('a', '1', 60_000);
        await server.kill();
        for (let count = 0; count < 6; count++) await caught(node.records.get('a'));
        expect(node.isUp).toBe(false);
        await server.restart();
        const began = performance.now();
        await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 5_000, interval: 5 });
        expect(performance.now() - began).toBeLessThan(3_000);
        await node.records.set('a', '2', 60_000);
        expect(await node.records.get('a')).toBe('2');
        await vi.waitFor(() => expect(gaps).toBe(1), { timeout: 5_000 });
        const other = createNode({ prefix });
        await vi.waitFor(() => {
          other.bus.publish('a', 'hello');
          expect(heard).toContain('hello');
        });
      });
    });
  },
  ['--maxmemory-policy', 'allkeys-lru'],
);

it('works if Redis starts later than the server', async () => {
  const server = await startRedis();
  if (!server?.process) return;
  await server.kill();
  const node = redis({ url: server.url, secret, timeoutMs: 2_000 });
  const asked = node.records.set('a', '1', 60_000);
  await server.restart();
  await asked;
  expect(await node.records.get('a')).toBe('1');
  await node.close();
  await server.stop();
});
