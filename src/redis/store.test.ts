import { Command } from 'ioredis';
import { expect, it } from 'vitest';
import { describeSequence } from '../../test/stores/sequence-contract.js';
import { describeStore } from '../../test/stores/store-contract.js';
import { describeWithRedis } from '../../test/stores/with-redis.js';
import { ErrOverloaded } from '../errors.js';

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

  it('has what other nodes have, and nothing of other servers', async () => {
    const prefix = createPrefix();
    const [one, two, other] = [createNode({ prefix }), createNode({ prefix }), createNode()];
    await one.records.set('a', 'records', 60_000);
    await one.cache.set('a', 'cache', 60_000);
    expect([await two.records.get('a'), await two.cache.get('a')]).toEqual(['records', 'cache']);
    expect([await other.records.get('a'), await other.cache.get('a')]).toEqual([undefined, undefined]);
  });

  it('says nothing about callers in the names of keys', async () => {
    const prefix = createPrefix();
    const { records } = createNode({ prefix });
    await records.set('["idempotency","","ada@example.com","pay","k1"]', '1', 60_000);
    const keys = await client.keys(`${prefix}*`);
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatch(/^[\w.-]+:records:[\w-]{43}$/);
  });

  it('tells keys apart that differ in half characters', async () => {
    const { records } = createNode();
    await records.set('\ud800', 'one', 60_000);
    expect(await records.get('\ud801')).toBeUndefined();
  });

  it.each([1, true, 'ours', ['of another'], [1], {}, undefined])(
    'takes a key for nobody’s only where Redis says so, and not where it answers %j',
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

  it('goes on above the numbers it gave out before Redis lost them', async () => {
    const prefix = createPrefix();
    const { sequence } = createNode({ prefix });
    const before = await sequence.next();
    for (const key of await client.keys(`${prefix}*`)) await client.del(key);
    expect(await sequence.next()).toBeGreaterThan(before);
  });
});
