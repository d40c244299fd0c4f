import { describe, expect, it } from 'vitest';
import { ErrRateLimited } from 'toolfold/errors';
import { callerKey } from 'toolfold/internal';
import { admitCall } from '../../packages/toolfold/src/guards/rate-limit/rate-limiter.js';
import type { Allowance, RateLimit, RateLimiter } from 'toolfold';

export interface RateLimiterUnderTest {
  /** The limiter of one of several processes that share the limit. */
  readonly node: () => RateLimiter;
  readonly advance: (ms: number) => void | Promise<void>;
}

const take = async (limiter: RateLimiter, key: string, points?: number): Promise<boolean> => {
  try {
    await limiter.consume(key, points);
    return true;
  } catch (thrown) {
    // An error would mean that the limiter could not count.
    expect(thrown).not.toBeInstanceOf(Error);
    return false;
  }
};

const admitFrom = async (limiter: RateLimiter, address: string, cost: number): Promise<boolean> => {
  try {
    const rejected = await admitCall(limiter, callerKey({ address }), 'users.get', cost);
    if (rejected) throw rejected;
    return true;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ErrRateLimited);
    return false;
  }
};

/** The contract of a rate limiter. `create` returns one without any counts. */
export function describeRateLimiter(name: string, create: (limit: RateLimit) => RateLimiterUnderTest): void {
  describe(`${name} as a rate limiter`, () => {
    it('admits the configured number of calls, and returns the remaining points and the reset time', async () => {
      const limiter = create({ calls: 3, windowMs: 60_000 }).node();
      const left: number[] = [];
      for (let call = 0; call < 3; call++) {
        const { remainingPoints, msBeforeNext } = await limiter.consume('ada');
        left.push(remainingPoints);
        expect(msBeforeNext).toBeGreaterThan(50_000);
        expect(msBeforeNext).toBeLessThanOrEqual(60_000);
      }
      expect(left).toEqual([2, 1, 0]);
      const rejected = await limiter.consume('ada').catch((thrown: unknown) => thrown as Allowance);
      expect(rejected).toMatchObject({ remainingPoints: 0 });
      expect(rejected).not.toBeInstanceOf(Error);
      expect(rejected.msBeforeNext).toBeGreaterThan(50_000);
    });

    it('counts each key separately, with any characters', async () => {
      const limiter = create({ calls: 1, windowMs: 60_000 }).node();
      const keys = ['a', 'A', 'a:b', '*', '', ' ', '__proto__', '\ud800', '\ud801', 'x'.repeat(10_000)];
      for (const key of keys) expect(await take(limiter, key)).toBe(true);
      for (const key of keys) expect(await take(limiter, key)).toBe(false);
    });

    it('counts the cost of a call, including fractions and zero', async () => {
      const limiter = create({ calls: 3, windowMs: 60_000 }).node();
      expect(await take(limiter, 'ada', 2)).toBe(true);
      expect(await take(limiter, 'ada', 0)).toBe(true);
      expect(await take(limiter, 'ada', 0.5)).toBe(true);
      expect(await take(limiter, 'ada', 0.5)).toBe(true);
      expect(await take(limiter, 'ada', 0.25)).toBe(false);
    });

    it('starts over when the window ends', async () => {
      const { node, advance } = create({ calls: 1, windowMs: 60_000 });
      const limiter = node();
      expect(await take(limiter, 'ada')).toBe(true);
      await advance(30_000);
      expect(await take(limiter, 'ada')).toBe(false);
      await advance(31_000);
      expect(await take(limiter, 'ada')).toBe(true);
    });

    it('has a limit for each anonymous caller by address, and a joint limit', async () => {
      const { node, advance } = create({ calls: 3, windowMs: 60_000, anonymousCalls: 8 });
      const nodes = [node(), node()];
      const admitted = async (addresses: readonly string[], cost = 1): Promise<number> => {
        const calls = addresses.map((from, call) => admitFrom(nodes[call % 2] as RateLimiter, from, cost));
        return (await Promise.all(calls)).filter(Boolean).length;
      };
      const many = Array.from({ length: 200 }, (_, index) => `10.0.0.${index}`);
      expect(await admitted(Array<string>(100).fill('10.1.0.1'))).toBe(3);
      // Rejected calls do not count against the joint limit.
      expect(await admitted(['10.1.0.2'], 9)).toBe(0);
      expect(await admitted(Array<string>(4).fill('10.1.0.2'))).toBe(3);
      expect(await admitted(many)).toBe(2);
      // Verified callers have their own limit.
      expect(await take(nodes[0] as RateLimiter, 'ada')).toBe(true);
      await advance(61_000);
      expect(await admitted(many)).toBe(8);
    });

    it('admits ten times the calls of one caller for all anonymous callers by default', async () => {
      const limiter = create({ calls: 2, windowMs: 60_000 }).node();
      const calls = Array.from({ length: 100 }, (_, index) => admitFrom(limiter, `2001:db8:${index}::1`, 1));
      expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(20);
      expect(await admitFrom(limiter, '', 1)).toBe(false);
    });

    it('applies to all processes together, exactly, for interleaved calls', async () => {
      const { node } = create({ calls: 100, windowMs: 60_000 });
      const nodes = Array.from({ length: 5 }, node);
      const calls = Array.from({ length: 300 }, (_, call) => take(nodes[call % 5] as RateLimiter, 'ada'));
      expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(100);
    });
  });
}
