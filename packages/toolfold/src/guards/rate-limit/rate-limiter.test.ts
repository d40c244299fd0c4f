import fc from 'fast-check';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeRateLimiter } from '../../../../../test/stores/rate-limiter-contract.js';
import { ErrInvalidOptions, ErrOverloaded, ErrRateLimited } from '@toolfold/schema/errors';
import { callerKey, NOBODY } from '../../callers/caller-key.js';
import { admitCall, createRateLimiter } from './rate-limiter.js';
import type { RateLimiter } from '../../stores/contracts.js';

const call = { caller: 'ada', address: 'platform/users.list' };
const outcome = async (limiter: RateLimiter, key: string, points?: number) =>
  limiter.consume(key, points).then(
    (left) => ({ admitted: true, ...read(left) }),
    (left: unknown) => ({
      admitted: false,
      ...read(left as { msBeforeNext: number; remainingPoints: number }),
    }),
  );
const read = ({ msBeforeNext, remainingPoints }: { msBeforeNext: number; remainingPoints: number }) => ({
  msBeforeNext,
  remainingPoints,
});

afterEach(() => {
  vi.useRealTimers();
});

/** Awaits the verdict of a synchronous or asynchronous limiter. */
const admit = async (
  limiter: RateLimiter,
  { caller, address, cost }: { caller: string; address: string; cost?: number },
): Promise<void> => {
  const rejected = await admitCall(limiter, caller, address, cost);
  if (rejected) throw rejected;
};

describe('createRateLimiter', () => {
  it('admits the configured number of calls in a window, then none until it ends', async () => {
    let now = 0;
    const limiter = createRateLimiter({ calls: 2, windowMs: 10_000 }, { clock: () => now });
    expect(await outcome(limiter, 'a')).toEqual({ admitted: true, msBeforeNext: 10_000, remainingPoints: 1 });
    now = 4_000;
    expect(await outcome(limiter, 'a')).toEqual({ admitted: true, msBeforeNext: 6_000, remainingPoints: 0 });
    expect(await outcome(limiter, 'a')).toEqual({ admitted: false, msBeforeNext: 6_000, remainingPoints: 0 });
    expect(await outcome(limiter, 'b')).toMatchObject({ admitted: true });
    now = 10_000;
    expect(await outcome(limiter, 'a')).toMatchObject({ admitted: true, remainingPoints: 1 });
  });

  it('has a default limit of 3,000 calls', async () => {
    const limiter = createRateLimiter();
    for (let count = 0; count < 3_000; count++) await limiter.consume('a');
    expect(await outcome(limiter, 'a')).toMatchObject({ admitted: false });
  });

  it.each([
    { calls: 0, windowMs: 1_000 },
    { calls: 1.5, windowMs: 1_000 },
    { calls: Number.NaN, windowMs: 1_000 },
    { calls: Infinity, windowMs: 1_000 },
    { calls: 1, windowMs: 0 },
    { calls: 1, windowMs: -1_000 },
    { calls: 1, windowMs: Number.NaN },
    { calls: 1, windowMs: Infinity },
    { calls: '5', windowMs: 1_000 } as unknown as { calls: number; windowMs: number },
  ])('rejects the limit %o', (limit) => {
    expect(() => createRateLimiter(limit)).toThrow(ErrInvalidOptions);
  });

  it('makes the same decisions as rate-limiter-flexible', async () => {
    const steps = fc.array(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        points: fc.integer({ min: 0, max: 3 }),
        later: fc.constantFrom(0, 1, 400, 999, 1_000, 1_700),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (schedule) => {
        vi.useFakeTimers();
        const peer: RateLimiter = new RateLimiterMemory({ points: 4, duration: 1 });
        const own = createRateLimiter({ calls: 4, windowMs: 1_000 }, { clock: () => Date.now() });
        for (const { key, points, later } of schedule) {
          vi.advanceTimersByTime(later);
          expect(await outcome(own, key, points)).toEqual(await outcome(peer, key, points));
        }
      }),
    );
  });

  it('keeps its counts and its size bound under a flood of keys', async () => {
    let now = 0;
    const limiter = createRateLimiter({ calls: 3, windowMs: 60_000 }, { clock: () => now, maxKeys: 10 });
    for (let count = 0; count < 3; count++) await limiter.consume('victim');
    let rejected = 0;
    for (let count = 0; count < 20_000; count++) {
      if (!(await outcome(limiter, `flood ${count}`)).admitted) rejected++;
    }
    expect(await outcome(limiter, 'victim')).toMatchObject({ admitted: false });
    // 9 keys have separate windows, and all others share 1,024 windows.
    expect(20_000 - rejected).toBeLessThanOrEqual(9 + 1_024 * 3);
    now = 60_000;
    expect(await outcome(limiter, 'newcomer')).toEqual({
      admitted: true,
      msBeforeNext: 60_000,
      remainingPoints: 2,
    });
  });

  it('counts each caller separately again after the windows end', async () => {
    let now = 0;
    const limiter = createRateLimiter({ calls: 1, windowMs: 1_000 }, { clock: () => now, maxKeys: 4 });
    for (let round = 0; round < 50; round++) {
      for (const key of ['a', 'b', 'c', 'd']) {
        expect(await outcome(limiter, `${key}${round}`)).toMatchObject({ admitted: true });
        expect(await outcome(limiter, `${key}${round}`)).toMatchObject({ admitted: false });
      }
      now += 1_000;
    }
  });
});

describe('admitCall', () => {
  it('counts each caller and each action separately', async () => {
    const limiter = createRateLimiter({ calls: 1, windowMs: 60_000 });
    await admit(limiter, call);
    await admit(limiter, { ...call, caller: 'bob' });
    await admit(limiter, { ...call, address: 'platform/users.ban' });
    await expect(admit(limiter, call)).rejects.toThrow(ErrRateLimited);
  });

  it('never confuses two pairs of caller and action', async () => {
    const seen = new Map<string, string>();
    const limiter: RateLimiter = {
      consume: async (key) => {
        seen.set(key, key);
        return { msBeforeNext: 0, remainingPoints: 0 };
      },
    };
    const pairs = [
      ['a:b', 'c'],
      ['a', 'b:c'],
      ['a:1:b', 'c'],
      ['1:a', 'c'],
      ['', 'a'],
      ['a', ''],
    ] as const;
    for (const [caller, address] of pairs) await admit(limiter, { caller, address });
    expect(seen.size).toBe(pairs.length);
  });

  it('says when to retry', async () => {
    let now = 0;
    const limiter = createRateLimiter({ calls: 1, windowMs: 15_000 }, { clock: () => now });
    await admit(limiter, call);
    now = 3_000.5;
    const error = await admit(limiter, call).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ErrRateLimited);
    expect(error).toMatchObject({
      message: '"platform/users.list" was called too often. Try again in 12 s.',
      details: { address: 'platform/users.list', retryAfterMs: 12_000 },
    });
  });

  it('subtracts the cost, and rejects an invalid cost', async () => {
    const limiter = createRateLimiter({ calls: 10, windowMs: 60_000 });
    await admit(limiter, { ...call, cost: 8 });
    await expect(admit(limiter, { ...call, cost: 3 })).rejects.toThrow(ErrRateLimited);
    for (const cost of [-1, Number.NaN, '1' as unknown as number]) {
      await expect(admit(limiter, { ...call, cost })).rejects.toThrow(ErrInvalidOptions);
    }
  });

  it('works with the limiters of rate-limiter-flexible', async () => {
    const limiter: RateLimiter = new RateLimiterMemory({ points: 1, duration: 60 });
    await admit(limiter, call);
    await expect(admit(limiter, call)).rejects.toThrow(/Try again in 60 s\./);
    const endless: RateLimiter = new RateLimiterMemory({ points: 1, duration: 0 });
    await admit(endless, call);
    await expect(admit(endless, call)).rejects.toThrow(/^"platform\/users\.list" was called too often\.$/);
  });

  it.each([new Error('connect ECONNREFUSED 10.0.0.1'), undefined, 'down', { message: 'down' }])(
    'rejects calls when the limiter cannot count: %o',
    async (failure) => {
      const limiter: RateLimiter = {
        consume: async () => {
          throw failure;
        },
      };
      const error = await admit(limiter, call).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ErrOverloaded);
      expect((error as Error).message).toBe(
        'Calls of "platform/users.list" cannot be counted at the moment, so they are rejected. Try again in a moment.',
      );
      expect((error as Error).cause).toBe(failure);
    },
  );
});

describe('anonymous callers', () => {
  const isAdmitted = (limiter: RateLimiter, caller: string, cost = 1): boolean => {
    const rejected = admitCall(limiter, caller, call.address, cost);
    if (rejected) expect(rejected).toBeInstanceOf(ErrRateLimited);
    return rejected === undefined;
  };
  const admitted = (limiter: RateLimiter, callers: readonly string[]): number =>
    callers.filter((caller) => isAdmitted(limiter, caller)).length;
  const at = (address: string): string => callerKey({ address });
  const many = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => at(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`));
  const times = (count: number, caller: string): string[] => Array<string>(count).fill(caller);

  it('together have ten times the limit of one caller by default', () => {
    const limiter = createRateLimiter({ calls: 3, windowMs: 1_000 });
    expect(admitted(limiter, times(100, NOBODY))).toBe(3);
    expect(admitted(limiter, many(1_000))).toBe(27);
    expect(() => createRateLimiter({ calls: Number.MAX_SAFE_INTEGER, windowMs: 1_000 })).not.toThrow();
  });

  it('have a limit per address and a joint limit, so that no address starves the others', () => {
    const limiter = createRateLimiter({ calls: 3, windowMs: 1_000, anonymousCalls: 8 });
    expect(admitted(limiter, times(100, at('10.0.0.1')))).toBe(3);
    // Rejected calls did not count against the joint limit.
    expect(admitted(limiter, times(4, at('2001:db8::1')))).toBe(3);
    expect(admitted(limiter, times(3, NOBODY))).toBe(2);
  });

  it('gain no calls by changing addresses', () => {
    let now = 0;
    const limiter = createRateLimiter(
      { calls: 3, windowMs: 1_000, anonymousCalls: 50 },
      { clock: () => now },
    );
    expect(admitted(limiter, many(10_000))).toBe(50);
    now = 1_000;
    expect(admitted(limiter, many(10_000))).toBe(50);
    now = 2_000;
    const ofOneNetwork = Array.from({ length: 100 }, (_, index) => at(`2001:db8::${index}`));
    expect(admitted(limiter, ofOneNetwork)).toBe(3);
  });

  it('do not use up the limits of verified callers', () => {
    const limiter = createRateLimiter({ calls: 3, windowMs: 1_000, anonymousCalls: 3 }, { maxKeys: 5 });
    expect(admitted(limiter, many(1_000))).toBe(3);
    for (const sub of ['ada', 'bob'])
      expect(admitted(limiter, times(10, callerKey({ auth: { sub }, address: '10.0.0.1' })))).toBe(3);
  });

  it('are counted by address with a limiter that has no joint limit', async () => {
    const limiter: RateLimiter = new RateLimiterMemory({ points: 1, duration: 60 });
    await admit(limiter, { ...call, caller: at('10.0.0.1') });
    await admit(limiter, { ...call, caller: at('10.0.0.2') });
    await expect(admit(limiter, { ...call, caller: at('10.0.0.1') })).rejects.toThrow(ErrRateLimited);
  });

  it('are admitted exactly while both their address and all of them together are below the limit', () => {
    const step = fc.record({
      caller: fc.constantFrom(at('a'), at('b'), at('c'), NOBODY),
      cost: fc.nat(3),
      ms: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.nat(10), (steps, more) => {
        let now = 0;
        const calls = 5;
        const limiter = createRateLimiter(
          { calls, windowMs: 100, anonymousCalls: calls + more },
          { clock: () => now },
        );
        const windows = new Map<string, { endsAt: number; used: number }>();
        const windowOf = (key: string): { endsAt: number; used: number } => {
          const open = windows.get(key);
          if (open && open.endsAt > now) return open;
          const fresh = { endsAt: now + 100, used: 0 };
          windows.set(key, fresh);
          return fresh;
        };
        for (const { caller, cost, ms } of steps) {
          now += ms;
          const all = windowOf('all');
          let expected = all.used + cost <= calls + more;
          if (expected) {
            const own = windowOf(`own ${caller}`);
            own.used += cost;
            expected = own.used <= calls;
          }
          if (expected) all.used += cost;
          expect(isAdmitted(limiter, caller, cost)).toBe(expected);
        }
      }),
    );
  });

  it.each([2, 3.5, Number.NaN, Infinity, '9'])(
    'cannot have a joint limit of %s calls if each has 3',
    (anonymousCalls) => {
      expect(() =>
        createRateLimiter({ calls: 3, windowMs: 1_000, anonymousCalls: anonymousCalls as number }),
      ).toThrow('anonymousCalls');
    },
  );
});

describeRateLimiter('memory', (limit) => {
  let now = 0;
  const limiter = createRateLimiter(limit, { clock: () => now });
  return {
    node: () => limiter,
    advance: (ms) => {
      now += ms;
    },
  };
});
