import { expect, it } from 'vitest';
import { describeRateLimiter } from '../../../test/stores/rate-limiter-contract.js';
import { describeWithRedis } from '../../../test/stores/with-redis.js';
import { ErrInvalidOptions } from 'toolfold/errors';

await describeWithRedis('the rate limiter on Redis', ({ client, createPrefix, createNode, advance }) => {
  describeRateLimiter('Redis', (limit) => {
    const prefix = createPrefix();
    return {
      node: () => createNode({ prefix }).createRateLimiter(limit),
      advance: (ms) => advance(prefix, ms),
    };
  });

  it('does not count one limit against another', async () => {
    const prefix = createPrefix();
    const node = createNode({ prefix });
    const few = node.createRateLimiter({ calls: 1, windowMs: 60_000 });
    const many = node.createRateLimiter({ calls: 5, windowMs: 3_600_000 });
    await few.consume('ada');
    expect(await many.consume('ada')).toMatchObject({ remainingPoints: 4 });
  });

  it('has key names that reveal nothing about callers', async () => {
    const prefix = createPrefix();
    await createNode({ prefix }).createRateLimiter().consume('3:pay:subject 15:ada@example.com');
    expect(await client.keys(`${prefix}*`)).toEqual([expect.stringMatching(/:rate:3000\/60:[\w-]{43}$/)]);
  });

  it('rejects a limit that Redis would not count exactly', () => {
    const node = createNode();
    for (const limit of [
      { calls: 1, windowMs: 500 },
      { calls: 0, windowMs: 60_000 },
      { calls: 1, windowMs: 0 },
    ])
      expect(() => node.createRateLimiter(limit)).toThrow(ErrInvalidOptions);
  });
});
