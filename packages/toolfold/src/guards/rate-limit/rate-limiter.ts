import type { Allowance, RateLimit, RateLimiter } from '../../stores/contracts.js';
import { ErrInvalidOptions, ErrOverloaded, ErrRateLimited } from '@toolfold/schema/errors';
import { isAnonymous, NOBODY } from '../../callers/caller-key.js';
import { assertOptions, count, invalidOption } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';

export interface RateLimiterOptions {
  /** Returns the time in milliseconds. It must never go back. Default: `performance.now`. */
  readonly clock?: () => number;
  /** Maximum number of keys with separate windows. Default: 100,000. */
  readonly maxKeys?: number;
}

export const DEFAULT_LIMIT: RateLimit = { calls: 3_000, windowMs: 60_000 };
const DEFAULT_MAX_KEYS = 100_000;
const SHARED_WINDOWS = 1_024;
const ANONYMOUS_FACTOR = 10;

const rules: Rules<keyof RateLimit> = {
  calls: count,
  windowMs: [(value) => Number.isFinite(value) && (value as number) > 0, 'a number above 0'],
  anonymousCalls: count,
};

/** Creates a rate limiter that counts in the memory of this process. */
export function createRateLimiter(
  limit: RateLimit = DEFAULT_LIMIT,
  options: RateLimiterOptions = {},
): RateLimiter {
  assertOptions('rateLimiter', limit, rules, {
    required: ['calls', 'windowMs'],
    nameOf: (name) => `rateLimiter.${name}`,
  });
  // If all anonymous callers together had fewer calls than one of them, none could reach its own limit.
  if (anonymousCallsOf(limit) < limit.calls)
    throw invalidOption('rateLimiter.anonymousCalls', 'a whole number of at least rateLimiter.calls');
  return new MemoryRateLimiter(limit, options);
}

/** Returns how many calls of each action all anonymous callers may make together. */
export function anonymousCallsOf({ calls, anonymousCalls }: RateLimit): number {
  return anonymousCalls ?? Math.min(calls * ANONYMOUS_FACTOR, Number.MAX_SAFE_INTEGER);
}

/**
 * Counts a call against the limit of its caller and action. If the limit is exceeded, the error is returned, because a flood of
 * calls must be cheap to reject; a limiter with promises rejects with it. The call is also rejected if the limiter fails, because
 * callers could otherwise exceed the limit whenever its store is down.
 */
export function admitCall(
  limiter: RateLimiter,
  caller: string,
  address: string,
  cost = 1,
): Promise<void> | ErrRateLimited | undefined {
  if (!Number.isFinite(cost) || cost < 0)
    throw new ErrInvalidOptions(`The cost of "${address}" must be a number of at least 0.`);
  const wait = takePoints(limiter, caller, address, cost);
  if (typeof wait === 'object')
    return wait.then(
      (ms) => {
        if (ms !== undefined) throw rateLimited(address, ms);
      },
      (error: unknown) => {
        throw uncounted(address, error);
      },
    );
  return wait === undefined ? undefined : rateLimited(address, wait);
}

/**
 * Takes points for an action from the allowance of a caller. Returns the milliseconds to wait if the limit is exceeded, and
 * rejects if the limiter fails.
 */
export function takePoints(
  limiter: RateLimiter,
  caller: string,
  action: string,
  points: number,
): number | undefined | Promise<number | undefined> {
  if (!(limiter instanceof MemoryRateLimiter)) return takeLater(limiter, caller, action, points);
  const { left, msBeforeNext } = limiter.take(
    keyOf(action, caller),
    points,
    isAnonymous(caller) ? keyOf(action, NOBODY) : undefined,
  );
  return left < 0 ? msBeforeNext : undefined;
}

/** The length in front makes the key unambiguous. */
function keyOf(address: string, caller: string): string {
  return `${address.length}:${address}:${caller}`;
}

async function takeLater(
  limiter: RateLimiter,
  caller: string,
  action: string,
  points: number,
): Promise<number | undefined> {
  const key = keyOf(action, caller);
  try {
    if (isAnonymous(caller) && limiter.consumeAnonymous) await limiter.consumeAnonymous(key, action, points);
    else await limiter.consume(key, points);
    return undefined;
  } catch (thrown) {
    if (isAllowance(thrown)) return thrown.msBeforeNext;
    throw thrown;
  }
}

function isAllowance(thrown: unknown): thrown is Allowance {
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof Error) return false;
  return 'msBeforeNext' in thrown && typeof thrown.msBeforeNext === 'number';
}

function rateLimited(address: string, msBeforeNext: number): ErrRateLimited {
  const message = `"${address}" was called too often.`;
  // A limiter returns -1 if its window never ends.
  if (!(msBeforeNext >= 0)) return new ErrRateLimited(message, { details: { address } });
  const retryAfterMs = Math.ceil(msBeforeNext);
  return new ErrRateLimited(message, {
    hint: `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s.`,
    details: { address, retryAfterMs },
  });
}

function uncounted(address: string, cause: unknown): ErrOverloaded {
  return new ErrOverloaded(`Calls of "${address}" cannot be counted at the moment, so they are rejected.`, {
    hint: 'Try again in a moment.',
    details: { address },
    cause,
  });
}

interface Window {
  readonly endsAt: number;
  used: number;
}

interface Taken {
  /** Points left in the window; negative if the limit is exceeded. */
  readonly left: number;
  readonly msBeforeNext: number;
}

function allowanceOf({ left, msBeforeNext }: Taken): Allowance {
  const allowance = { msBeforeNext, remainingPoints: Math.max(left, 0) };
  if (left < 0) throw allowance;
  return allowance;
}

/**
 * Counts in a fixed window for each key, which begins with the key's first call.
 *
 * `RateLimiterMemory` of `rate-limiter-flexible` keeps a timer for every key, without a limit, and needs Node.
 */
class MemoryRateLimiter implements RateLimiter {
  readonly #calls: number;
  readonly #anonymousCalls: number;
  readonly #windows: Windows;
  /** Each anonymous caller has its own window here, so that many addresses cannot use up the windows of known callers. */
  readonly #anonymous: Windows;
  readonly #now: () => number;

  constructor(limit: RateLimit, { clock, maxKeys = DEFAULT_MAX_KEYS }: RateLimiterOptions) {
    this.#calls = limit.calls;
    this.#anonymousCalls = anonymousCallsOf(limit);
    this.#windows = new Windows(limit.windowMs, maxKeys);
    this.#anonymous = new Windows(limit.windowMs, maxKeys);
    this.#now = clock ?? performance.now.bind(performance);
  }

  async consume(key: string, points = 1): Promise<Allowance> {
    return allowanceOf(this.take(key, points));
  }

  async consumeAnonymous(key: string, action: string, points: number): Promise<Allowance> {
    return allowanceOf(this.take(key, points, keyOf(action, NOBODY)));
  }

  /** Takes points at once. `sharedKey` names the window that all anonymous callers share. */
  take(key: string, points: number, sharedKey?: string): Taken {
    const now = this.#now();
    const shared = sharedKey === undefined ? undefined : this.#windows.of(sharedKey, now);
    const leftOfAll = shared ? this.#anonymousCalls - shared.used - points : Infinity;
    if (shared && leftOfAll < 0) return { left: leftOfAll, msBeforeNext: shared.endsAt - now };
    const own = (shared ? this.#anonymous : this.#windows).of(key, now);
    own.used += points;
    const left = this.#calls - own.used;
    // A rejected call does not count for all anonymous callers, so that one noisy caller does not use up their calls.
    if (shared && left >= 0) shared.used += points;
    return { left: Math.min(left, leftOfAll), msBeforeNext: own.endsAt - now };
  }
}

/**
 * The open windows by key, at most `maxKeys`. While all are in use, a new key shares one of 1,024 further windows, picked by a hash
 * with a random seed. So memory is limited, and callers cannot reset their counts by evicting windows. In exchange, new callers may
 * be rejected too early while more than `maxKeys` callers are active.
 */
class Windows {
  readonly #windowMs: number;
  readonly #maxKeys: number;
  /** The windows in the order in which they end, because all have the same length. */
  readonly #windows = new Map<string, Window>();
  readonly #shared: (Window | undefined)[] = [];
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  constructor(windowMs: number, maxKeys: number) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
  }

  of(key: string, now: number): Window {
    const window = this.#windows.get(key);
    return window === undefined || window.endsAt <= now ? this.#open(key, now) : window;
  }

  #open(key: string, now: number): Window {
    this.#windows.delete(key);
    this.#dropEnded(now);
    const window = { endsAt: now + this.#windowMs, used: 0 };
    const hasRoom = this.#windows.size < this.#maxKeys;
    if (hasRoom && this.#shared.length === 0) {
      this.#windows.set(key, window);
      return window;
    }
    const slot = this.#hash(key) % SHARED_WINDOWS;
    const shared = this.#shared[slot];
    // A key stays in its shared window even if there is room again, so that the change does not reset its count.
    if (shared && shared.endsAt > now) return shared;
    if (hasRoom) {
      this.#windows.set(key, window);
      return window;
    }
    this.#shared[slot] = window;
    return window;
  }

  /** Deletes up to two expired windows for each new one, which keeps up without making one call pay for many. */
  #dropEnded(now: number): void {
    let left = 2;
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now || left-- === 0) return;
      this.#windows.delete(key);
    }
  }

  #hash(key: string): number {
    let hash = this.#seed;
    for (let index = 0; index < key.length; index++) {
      hash = Math.imul(hash ^ key.charCodeAt(index), 16_777_619);
    }
    // Mix in the high bits, because the low bits alone hardly depend on the seed.
    return (hash ^ (hash >>> 15)) >>> 0;
  }
}
