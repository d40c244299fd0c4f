import { Command, Redis } from 'ioredis';
import { expect, it, afterAll, beforeEach, describe, vi } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { describeSequence } from '../../../test/stores/sequence-contract.js';
import { describeStore } from '../../../test/stores/store-contract.js';
import { describeWithRedis } from '../../../test/stores/with-redis.js';
import { ErrOverloaded } from 'toolfold/errors';
import type { CallToolResult, ErrorReport, Shared } from 'toolfold';
import { Idempotency } from '../../toolfold/src/guards/idempotency/idempotency.js';
import { ToolRegistry } from 'toolfold';
import { MAX_PER_OWNER } from 'toolfold/internal';

await describeWithRedis('RedisStore', ({ client, createPrefix, createNode, advance }) => {
  for (const kind of ['records', 'cache'] as const) {
    describeStore(`RedisStore of ${kind}`, () => {
      const prefix = createPrefix();
      const node = createNode({ prefix });
      return {
        store: node[kind],
        advance: (ms) => advance(prefix, ms),
        hasExactClock: false,
        short: 10_000,
      };
    });
  }

  describeSequence('Redis', () => {
    const prefix = createPrefix();
    return [createNode({ prefix }).sequence, createNode({ prefix }).sequence];
  });

  it('shares entries with other nodes, and none with other servers', async () => {
    const prefix = createPrefix();
    const [one, two, other] = [createNode({ prefix }), createNode({ prefix }), createNode()];
    await one.records.set('a', 'records', 60_000);
    await one.cache.set('a', 'cache', 60_000);
    expect([await two.records.get('a'), await two.cache.get('a')]).toEqual(['records', 'cache']);
    expect([await other.records.get('a'), await other.cache.get('a')]).toEqual([undefined, undefined]);
  });

  it('reveals nothing about callers in key names', async () => {
    const prefix = createPrefix();
    const { records } = createNode({ prefix });
    await records.set('["idempotency","","ada@example.com","pay","k1"]', '1', 60_000);
    const keys = await client.keys(`${prefix}*`);
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatch(/^[\w.-]+:records:[\w-]{43}$/);
  });

  it('distinguishes keys that differ in lone surrogates', async () => {
    const { records } = createNode();
    await records.set('\ud800', 'one', 60_000);
    expect(await records.get('\ud801')).toBeUndefined();
  });

  it.each([1, true, 'ours', ['of another'], [1], {}, undefined])(
    'treats a key as free only if Redis confirms it, not if it answers %j',
    async (answer) => {
      const { records, claims } = createNode();
      await records.get('connected');
      const request = { key: 'a', text: '1', ttlMs: 60_000, owner: 'ada' };
      Command.setReplyTransformer('eval', () => answer);
      try {
        const claimed = claims.claim(request).then(({ kind }) => kind);
        await expect(claimed).rejects.toBeInstanceOf(ErrOverloaded);
        const found = records.setIfAbsent('a', '1', 60_000);
        if (typeof answer === 'string') expect(await found).toBe('');
        else await expect(found).rejects.toBeInstanceOf(ErrOverloaded);
      } finally {
        Command.setReplyTransformer('eval', (reply) => reply as unknown);
      }
    },
  );

  it('continues above the numbers that it returned before Redis lost them', async () => {
    const prefix = createPrefix();
    const { sequence } = createNode({ prefix });
    const before = await sequence.next();
    for (const key of await client.keys(`${prefix}*`)) await client.del(key);
    expect(await sequence.next()).toBeGreaterThan(before);
  });
});

/** Commands that nodes sent, and the number of round trips: commands that are sent together share one. */
const sent = { commands: 0, trips: 0, pending: 0 };
const { sendCommand } = Redis.prototype;
Redis.prototype.sendCommand = function count(command, stream) {
  if (!/^(eval|evalsha|get|set)$/.test(command.name)) return sendCommand.call(this, command, stream);
  sent.commands++;
  if (sent.pending++ === 0) sent.trips++;
  const answered = (): void => void sent.pending--;
  (command.promise as Promise<unknown>).then(answered, answered);
  return sendCommand.call(this, command, stream);
};
afterAll(() => {
  Redis.prototype.sendCommand = sendCommand;
});

type Options = NonNullable<ConstructorParameters<typeof ToolRegistry>[0]>;

const codeOf = ({ _meta }: CallToolResult): string | undefined =>
  (_meta?.['toolfold/error'] as ErrorReport | undefined)?.code;

await describeWithRedis('claims in Redis', ({ client, createPrefix, createNode }) => {
  let prefix: string;
  let node: Shared;
  let runs: string[];
  beforeEach(async () => {
    prefix = createPrefix();
    node = createNode({ prefix });
    runs = [];
    await node.records.get('connected');
  });

  const start = (options: Options = {}, more: object = {}) => {
    const registry = new ToolRegistry({
      name: 'shop',
      shared: node,
      rateLimiter: { calls: 3, windowMs: 60_000 },
      ...options,
    }).register({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({ key: z.string(), amount: z.number() }),
      idempotency: { field: 'key' },
      handler: ({ input }) => {
        runs.push(String(input.key));
        return `paid ${String(input.key)}`;
      },
      ...more,
    });
    return (key: string, amount: unknown = 1): Promise<CallToolResult> =>
      registry.executeTool({ name: 'pay', arguments: { key, amount }, caller: { auth: { token: 'ada' } } });
  };
  const records = async (): Promise<number> => (await client.keys(`${prefix}:records:*`)).length;
  /** Commands of other clients must not be counted. */
  const tripsOf = async (work: () => Promise<unknown>): Promise<{ commands: number; trips: number }> => {
    const before = { ...sent };
    await work();
    return { commands: sent.commands - before.commands, trips: sent.trips - before.trips };
  };

  describe('beside a limit', () => {
    it('cost a call with a key three round trips to Redis, and a repeated call two', async () => {
      const pay = start({ rateLimiter: { calls: 100, windowMs: 60_000 } });
      await pay('first');
      expect(await tripsOf(() => pay('a'))).toEqual({ commands: 3, trips: 3 });
      expect(await tripsOf(() => pay('a'))).toEqual({ commands: 2, trips: 2 });
      expect(runs).toEqual(['first', 'a']);
    });

    it('are not made by throttled calls', async () => {
      const pay = start();
      const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => pay(key)));
      expect(answers.map(codeOf)).toEqual([
        undefined,
        undefined,
        undefined,
        'ErrRateLimited',
        'ErrRateLimited',
      ]);
      expect(runs).toEqual(['a', 'b', 'c']);
      // No claim was made even for a moment: each claim would take a number.
      const last = await client.get(`${prefix}:sequence`);
      expect(codeOf(await pay('f'))).toBe('ErrRateLimited');
      await sleep(50);
      expect(await records()).toBe(3);
      expect(await client.get(`${prefix}:sequence`)).toBe(last);
    });

    it('are not made by invalid calls, which still count', async () => {
      const pay = start();
      for (let call = 0; call < 3; call++) expect(codeOf(await pay('a', 'much'))).toBe('ErrValidationFailed');
      expect(codeOf(await pay('a', 'much'))).toBe('ErrRateLimited');
      expect(await records()).toBe(0);
    });

    it('are made after the count although Redis has forgotten its scripts', async () => {
      const pay = start();
      for (const key of ['a', 'b', 'c']) await pay(key);
      await client.script('FLUSH');
      expect(codeOf(await pay('d'))).toBe('ErrRateLimited');
      expect(await records()).toBe(3);
    });

    it('run a call once, even if the same node gets its key several times at once', async () => {
      const pay = start({ rateLimiter: { calls: 100, windowMs: 60_000 } });
      const began = performance.now();
      const answers = await Promise.all(Array.from({ length: 10 }, () => pay('a')));
      expect(new Set(answers.map((answer) => JSON.stringify(answer.content))).size).toBe(1);
      expect(runs).toEqual(['a']);
      // Calls of the same node wait for the first one without polling Redis.
      expect(performance.now() - began).toBeLessThan(1_000);
      expect((await Promise.all([pay('b', 1), pay('b', 2)])).map(codeOf).filter(Boolean)).toEqual([
        'ErrIdempotencyConflict',
      ]);
    });

    it('are released by a call that is cancelled meanwhile', async () => {
      const registry = new ToolRegistry({ name: 'shop', shared: node }).register({
        name: 'pay',
        description: 'Pays',
        inputSchema: z.object({ key: z.string() }),
        idempotency: { field: 'key' },
        handler: () => expect.unreachable(),
      });
      const { signal, abort } = ((controller) => ({
        signal: controller.signal,
        abort: () => controller.abort(),
      }))(new AbortController());
      const call = registry.executeTool({ name: 'pay', arguments: { key: 'a' }, signal });
      abort();
      expect(codeOf(await call)).toBe('ErrCancelled');
      await vi.waitFor(async () => expect(await records()).toBe(0));
    });
  });

  it('have one limit of keys per caller across all nodes', async () => {
    const other = createNode({ prefix });
    const ttlMs = 60_000;
    const claim = (from: Shared, key: string, owner = 'ada') =>
      from.claims.claim({ key, text: '{}', ttlMs, owner });
    await claim(node, 'first');
    const [counter = ''] = await client.keys(`${prefix}:keys:*`);
    await client.incrby(counter, MAX_PER_OWNER - 2);
    expect((await claim(other, 'last')).kind).toBe('ours');
    expect((await claim(node, 'more')).kind).toBe('full');
    expect((await claim(other, 'more')).kind).toBe('full');
    expect((await claim(other, 'more', 'bob')).kind).toBe('ours');
    // Existing claims are still found, and released ones make room.
    expect((await claim(other, 'first')).kind).toBe('found');
    await other.claims.free('first', 'ada', ['{"another":"run"}']);
    expect((await claim(other, 'first')).kind).toBe('found');
    await other.claims.free('first', 'ada', ['another', '{}']);
    await other.claims.free('first', 'ada', ['{}']);
    expect((await claim(node, 'again')).kind).toBe('ours');
    expect((await claim(node, 'more2')).kind).toBe('full');
    expect(await client.pttl(counter)).toBeGreaterThan(50_000);
    const keyed = new Idempotency({ store: node.records, claims: node.claims });
    await expect(
      keyed.run({ caller: 'ada', address: 'pay', key: 'k', input: {} }, async () => expect.unreachable()),
    ).rejects.toMatchObject({ code: 'ErrRateLimited' });
  });
});
