import type { Allowance, RateLimit, RateLimiter } from '../../stores/contracts.js';
import { ErrInvalidOptions, ErrOverloaded, ErrRateLimited } from '../../errors.js';
import { isAnonymous, NOBODY } from '../../callers/caller-key.js';

export interface RateLimiterOptions {
  /** Returns the time in milliseconds. It must never go back. Default: `performance.now`. */
  readonly clock?: () => number;
  /** How many keys have a window of their own. Default: 100,000. */
  readonly maxKeys?: number;
}

export const DEFAULT_LIMIT: RateLimit = { calls: 3_000, windowMs: 60_000 };
const DEFAULT_MAX_KEYS = 100_000;
const SHARED_WINDOWS = 1_024;
const MAX_LATELY = 10_000;
const ANONYMOUS_FACTOR = 10;

/** Creates a rate limiter that counts in the memory of this process. */
export function createRateLimiter(
  limit: RateLimit = DEFAULT_LIMIT,
  options: RateLimiterOptions = {},
): RateLimiter {
  const unknown = Object.keys(limit).find((key) => !['calls', 'windowMs', 'anonymousCalls'].includes(key));
  if (unknown !== undefined) {
    throw new ErrInvalidOptions(`rateLimiter has no "${unknown}".`, {
      hint: 'It takes calls, windowMs and anonymousCalls.',
    });
  }
  const { calls, windowMs } = limit;
  if (!Number.isSafeInteger(calls) || calls < 1) {
    throw new ErrInvalidOptions('rateLimiter.calls must be a whole number of at least 1.', {
      details: { calls },
    });
  }
  if (!Number.isFinite(windowMs) || windowMs <= 0) {
    throw new ErrInvalidOptions('rateLimiter.windowMs must be a number above 0.', { details: { windowMs } });
  }
  const anonymousCalls = anonymousCallsOf(limit);
  // If all anonymous callers together had fewer calls than one of them, none could reach its own limit.
  if (!Number.isSafeInteger(anonymousCalls) || anonymousCalls < calls) {
    throw new ErrInvalidOptions(
      'rateLimiter.anonymousCalls must be a whole number of at least rateLimiter.calls.',
      {
        details: { anonymousCalls },
      },
    );
  }
  return new MemoryRateLimiter(limit, options);
}

/** Returns how many calls of each action all anonymous callers may make together. */
export function anonymousCallsOf({ calls, anonymousCalls }: RateLimit): number {
  return anonymousCalls ?? Math.min(calls * ANONYMOUS_FACTOR, Number.MAX_SAFE_INTEGER);
}

/**
 * Counts a call against the limit of its caller and action. If the limit is exceeded, the error is returned, because throwing
 * it costs more than counting; a limiter with promises rejects with it. The call is also rejected if the limiter fails, because
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
  const over = isAnonymous(caller)
    ? limiter.takeForAnonymous(action, caller, points)
    : limiter.takeForKnown(action, caller, points);
  return over && over.endsAt - limiter.now();
}

/** The length in front makes the key unambiguous. `join` makes a flat string, which is faster to look up than a concatenation. */
function keyOf(address: string, caller: string): string {
  return [address.length, address, caller].join(':');
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

/**
 * Counts in a fixed window for each key, which begins with the key's first call. At most `maxKeys` windows are open. While all
 * are in use, a new key shares one of 1,024 further windows, picked by a hash with a random seed. So memory is limited, and
 * callers cannot reset their counts by evicting windows. In exchange, new callers may be rejected too early while more than
 * `maxKeys` callers are active.
 *
 * `RateLimiterMemory` of `rate-limiter-flexible` keeps a timer for every key, without a limit, and needs Node.
 */
class MemoryRateLimiter implements RateLimiter {
  readonly calls: number;
  readonly #anonymousCalls: number;
  /** Counts each anonymous caller. It is separate, so that many anonymous addresses cannot use up the windows of known callers. */
  #anonymous: MemoryRateLimiter | undefined;
  readonly #options: RateLimiterOptions;
  readonly #limit: RateLimit;
  readonly #duration: number;
  readonly now: () => number;
  readonly #maxKeys: number;
  /** Windows in the order in which they end, because all have the same length. */
  readonly #windows = new Map<string, Window>();
  readonly #lately = new Map<string, Map<string, Window>>();
  #latelyCount = 0;
  readonly #shared: (Window | undefined)[] = [];
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  constructor(limit: RateLimit, options: RateLimiterOptions) {
    const { calls, windowMs } = limit;
    const { clock, maxKeys = DEFAULT_MAX_KEYS } = options;
    this.calls = calls;
    this.#anonymousCalls = anonymousCallsOf(limit);
    this.#limit = limit;
    this.#options = options;
    this.#duration = windowMs;
    this.now = clock ?? (() => performance.now());
    this.#maxKeys = maxKeys;
  }

  async consume(key: string, points = 1): Promise<Allowance> {
    const { used, endsAt } = this.take(key, points);
    const allowance = { msBeforeNext: endsAt - this.now(), remainingPoints: Math.max(this.calls - used, 0) };
    if (used > this.calls) throw allowance;
    return allowance;
  }

  async consumeAnonymous(key: string, action: string, points: number): Promise<Allowance> {
    const all = this.takeFor(action, NOBODY, 0);
    const over = this.#takeFromBoth(all, points, () => this.#ofAnonymous.take(key, points));
    const { endsAt } = over ?? all;
    const remainingPoints = over ? 0 : this.#anonymousCalls - all.used;
    const allowance = { msBeforeNext: endsAt - this.now(), remainingPoints };
    if (over) throw allowance;
    return allowance;
  }

  /** Counts a call of a known caller. Returns its window if the limit is exceeded. */
  takeForKnown(address: string, caller: string, points: number): Readonly<Window> | undefined {
    const window = this.takeFor(address, caller, points);
    return window.used > this.calls ? window : undefined;
  }

  /** Counts a call of an anonymous caller. Returns its window, or that of all anonymous callers, if the limit is exceeded. */
  takeForAnonymous(address: string, caller: string, points: number): Readonly<Window> | undefined {
    const all = this.takeFor(address, NOBODY, 0);
    return this.#takeFromBoth(all, points, () => this.#ofAnonymous.takeFor(address, caller, points));
  }

  /** A rejected call does not count against the common limit, so that one noisy caller cannot use it up. */
  #takeFromBoth(all: Window, points: number, takeOwn: () => Window): Readonly<Window> | undefined {
    if (all.used + points > this.#anonymousCalls) return all;
    const own = takeOwn();
    if (own.used > this.calls) return own;
    all.used += points;
    return undefined;
  }

  get #ofAnonymous(): MemoryRateLimiter {
    return (this.#anonymous ??= new MemoryRateLimiter(this.#limit, this.#options));
  }

  /** Counts a call in the window of a caller and an action. A recently used window is found without building its key. */
  takeFor(address: string, caller: string, points: number): Window {
    const known = this.#lately.get(address)?.get(caller);
    if (known !== undefined && known.endsAt > this.now()) {
      known.used += points;
      return known;
    }
    const window = this.take(keyOf(address, caller), points);
    if (++this.#latelyCount > MAX_LATELY) {
      this.#lately.clear();
      this.#latelyCount = 1;
    }
    const callers = this.#lately.get(address) ?? new Map<string, Window>();
    this.#lately.set(address, callers.set(caller, window));
    return window;
  }

  /** Counts like `consume()`, without a promise. The limit is exceeded if `used` of the window is above `calls`. */
  take(key: string, points: number): Window {
    const now = this.now();
    let window = this.#windows.get(key);
    if (window === undefined || window.endsAt <= now) window = this.#open(key, now);
    window.used += points;
    return window;
  }

  #open(key: string, now: number): Window {
    this.#windows.delete(key);
    this.#dropEnded(now);
    const window = { endsAt: now + this.#duration, used: 0 };
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
