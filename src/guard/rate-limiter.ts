import { ErrInvalidModel, ErrOverloaded, ErrRateLimited } from '../errors.js';
import type { Counter } from '../stores/claims.js';
import { NOBODY } from './caller-key.js';

/** What is left of a caller's allowance, and when it is full again. */
export interface Allowance {
  /** Milliseconds until the allowance is full again. */
  readonly msBeforeNext: number;
  /** How many points are left until then. */
  readonly remainingPoints: number;
}

/**
 * Counts calls by key. The limiters of `rate-limiter-flexible` are such, so that several processes can share their
 * counts in Redis or elsewhere. It rejects with an `Allowance` when a key has used up its own, and with an `Error`
 * when it cannot count.
 */
export interface RateLimiter {
  /** Takes points from the allowance of a key. */
  consume(key: string, points?: number): Promise<Allowance>;
  /**
   * The same for a caller of whom nothing is known but the id that its client gives itself, within what all such callers
   * have together. Without it they share one key.
   */
  consumeForStranger?(address: string, clientId: string, points: number): Promise<Allowance>;
  /** Where a key is counted, for whoever asks beside it for something that waits for the count. */
  counterOf?(key: string): Counter;
}

/** So many calls in so many seconds, for each caller and action. */
export interface RateLimit {
  /** How many calls there may be within the time. */
  readonly calls: number;
  /** How long the time is. */
  readonly seconds: number;
  /**
   * How many calls of each action all callers of whom nothing is known may make together. Each of their clients, by the
   * id that it gives itself, then has `calls`. Default: they share `calls`.
   */
  readonly anonymousCalls?: number;
}

export interface RateLimiterOptions {
  /** Milliseconds that never go back. */
  readonly clock?: () => number;
  /** How many keys are counted each on its own. */
  readonly maxKeys?: number;
}

export const DEFAULT_LIMIT: RateLimit = { calls: 3_000, seconds: 60 };
const DEFAULT_MAX_KEYS = 100_000;
const SHARED_WINDOWS = 1_024;
const MAX_LATELY = 10_000;
const MAX_CLIENT_ID = 256;

/** Counts in the memory of this process. */
export function createRateLimiter(
  limit: RateLimit = DEFAULT_LIMIT,
  options: RateLimiterOptions = {},
): RateLimiter {
  const { calls, seconds, anonymousCalls } = limit;
  if (!Number.isSafeInteger(calls) || calls < 1) {
    throw new ErrInvalidModel('rateLimit.calls must be a whole number of at least 1.', {
      details: { calls },
    });
  }
  if (!Number.isFinite(seconds) || seconds <= 0) {
    throw new ErrInvalidModel('rateLimit.seconds must be a number above 0.', { details: { seconds } });
  }
  // Less would be a limit for each that none of them can reach.
  if (anonymousCalls !== undefined && (!Number.isSafeInteger(anonymousCalls) || anonymousCalls < calls)) {
    throw new ErrInvalidModel(
      'rateLimit.anonymousCalls must be a whole number of at least rateLimit.calls.',
      {
        details: { anonymousCalls },
      },
    );
  }
  return new MemoryRateLimiter(limit, options);
}

/**
 * Takes one call off what the caller may do with an action. Throws when nothing is left, and also when the limiter
 * cannot count: a limit that lets calls through whenever its store is down is none. The id that a client gives itself
 * counts only where nothing else is known, and within what all such callers have together.
 */
export function admitCall(
  limiter: RateLimiter,
  caller: string,
  address: string,
  cost = 1,
  clientId?: string,
): Promise<void> | undefined {
  if (!Number.isFinite(cost) || cost < 0)
    throw new ErrInvalidModel(`The cost of "${address}" must be a number of at least 0.`);
  if (!(limiter instanceof MemoryRateLimiter)) return admitLater(limiter, caller, address, cost, clientId);
  if (limiter.strangers !== undefined && caller === NOBODY) {
    const over = takeForStranger(limiter, limiter.strangers, address, cost, clientId);
    if (over) throw rateLimited(address, over.endsAt - limiter.now());
    return undefined;
  }
  const window = limiter.takeFor(address, caller, cost);
  if (window.used > limiter.calls) throw rateLimited(address, window.endsAt - limiter.now());
  return undefined;
}

/**
 * The window that is used up, if one is. Anybody can make up ids, so that a new one opens nothing once what all have
 * together is used up.
 */
function takeForStranger(
  limiter: MemoryRateLimiter,
  { clients, calls }: Strangers,
  address: string,
  cost: number,
  clientId = '',
): Readonly<Window> | undefined {
  const all = limiter.takeFor(address, NOBODY, 0);
  if (all.used + cost > calls) return all;
  const own = clients.takeFor(address, clientId.slice(0, MAX_CLIENT_ID), cost);
  if (own.used > clients.calls) return own;
  limiter.takeFor(address, NOBODY, cost);
  return undefined;
}

/** The length in front keeps two pairs from looking alike. Joined, for a text in pieces takes longer to look up. */
function keyOf(address: string, caller: string): string {
  return [address.length, address, caller].join(':');
}

/** Where the calls of a caller are counted; `undefined` where nobody else can look at that. */
export function counterOf(limiter: RateLimiter, caller: string, address: string): Counter | undefined {
  if (caller === NOBODY && limiter.consumeForStranger) return undefined;
  return limiter.counterOf?.(keyOf(address, caller));
}

async function admitLater(
  limiter: RateLimiter,
  caller: string,
  address: string,
  cost: number,
  clientId = '',
): Promise<void> {
  try {
    if (caller === NOBODY && limiter.consumeForStranger)
      await limiter.consumeForStranger(address, clientId.slice(0, MAX_CLIENT_ID), cost);
    else await limiter.consume(keyOf(address, caller), cost);
  } catch (thrown) {
    throw isAllowance(thrown) ? rateLimited(address, thrown.msBeforeNext) : uncounted(address, thrown);
  }
}

function isAllowance(thrown: unknown): thrown is Allowance {
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof Error) return false;
  return 'msBeforeNext' in thrown && typeof thrown.msBeforeNext === 'number';
}

function rateLimited(address: string, msBeforeNext: number): ErrRateLimited {
  const message = `"${address}" was called too often.`;
  // A limiter whose counts never end says -1.
  if (!(msBeforeNext >= 0)) return new ErrRateLimited(message, { details: { address } });
  const retryAfterMs = Math.ceil(msBeforeNext);
  return new ErrRateLimited(message, {
    hint: `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s.`,
    details: { address, retryAfterMs },
  });
}

function uncounted(address: string, cause: unknown): ErrOverloaded {
  return new ErrOverloaded(`Calls of "${address}" cannot be counted at the moment, so none is let through.`, {
    hint: 'Try again in a moment.',
    details: { address },
    cause,
  });
}

/** Callers of whom nothing is known: what they have together, and what each of their clients has. */
interface Strangers {
  readonly calls: number;
  /** Counted apart, so that made-up ids take no room from callers who are known. */
  readonly clients: MemoryRateLimiter;
}

interface Window {
  readonly endsAt: number;
  used: number;
}

/**
 * A fixed window for each key, which begins with its first call. At most `maxKeys` windows are open. Whoever comes
 * while all are taken shares one of a fixed number of windows with others, picked by a hash that cannot be
 * foretold. So memory is bounded, and nobody gets a fresh count by crowding out a used one: the price is that
 * newcomers may be refused too early while more callers than that are about.
 *
 * `rate-limiter-flexible` has one too, but it keeps a timer for every key, without bound, and needs Node.
 */
class MemoryRateLimiter implements RateLimiter {
  readonly calls: number;
  readonly strangers: Strangers | undefined;
  readonly #duration: number;
  readonly now: () => number;
  readonly #maxKeys: number;
  /** All windows are of one length, so the order in which they were opened is that in which they end. */
  readonly #windows = new Map<string, Window>();
  readonly #lately = new Map<string, Map<string, Window>>();
  #latelyCount = 0;
  readonly #shared: (Window | undefined)[] = [];
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  constructor({ calls, seconds, anonymousCalls }: RateLimit, options: RateLimiterOptions) {
    const { clock, maxKeys = DEFAULT_MAX_KEYS } = options;
    this.calls = calls;
    this.strangers =
      anonymousCalls === undefined
        ? undefined
        : { calls: anonymousCalls, clients: new MemoryRateLimiter({ calls, seconds }, options) };
    this.#duration = seconds * 1_000;
    this.now = clock ?? (() => performance.now());
    this.#maxKeys = maxKeys;
  }

  async consume(key: string, points = 1): Promise<Allowance> {
    const { used, endsAt } = this.take(key, points);
    const allowance = { msBeforeNext: endsAt - this.now(), remainingPoints: Math.max(this.calls - used, 0) };
    if (used > this.calls) throw allowance;
    return allowance;
  }

  async consumeForStranger(address: string, clientId: string, points: number): Promise<Allowance> {
    if (!this.strangers) return this.consume(keyOf(address, NOBODY), points);
    const over = takeForStranger(this, this.strangers, address, points, clientId);
    const all = over ?? this.takeFor(address, NOBODY, 0);
    const left = over ? 0 : this.strangers.calls - all.used;
    const allowance = { msBeforeNext: all.endsAt - this.now(), remainingPoints: left };
    if (over) throw allowance;
    return allowance;
  }

  /** The window of a caller and an action, found without making a key of the two where it was used lately. */
  takeFor(address: string, caller: string, points: number): Readonly<Window> {
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

  /** The same without promises and objects: the window, which is exceeded when more was used than `calls`. */
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
    // Also when there is room again: nobody gets a fresh count by changing windows.
    if (shared && shared.endsAt > now) return shared;
    if (hasRoom) {
      this.#windows.set(key, window);
      return window;
    }
    this.#shared[slot] = window;
    return window;
  }

  /** Two for each that is opened: there are never more to drop than that keeps up with, and no call pays for many. */
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
    // The low bits alone would hardly depend on the seed.
    return (hash ^ (hash >>> 15)) >>> 0;
  }
}
