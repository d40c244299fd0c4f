import { createRateLimiter, takePoints } from '../../guards/rate-limit/rate-limiter.js';
import type { RateLimiter } from '../../stores/rate-limiter.js';
import { reject } from './edge.js';
import { REJECTED } from '../../protocol/rpc-codes.js';
import type { WholeAnswer } from './edge.js';
import { overloaded } from './capacity.js';

/** The number of requests that each caller may send in a period. */
export interface RequestLimit {
  /** Number of requests in a period. */
  readonly requests: number;
  /** Length of the window, in milliseconds. */
  readonly windowMs: number;
}

/**
 * Four times what a caller may call of one action by default. At 70 µs a request, one caller then uses about 1.4 % of a
 * processor.
 */
export const DEFAULT_REQUEST_LIMIT: RequestLimit = { requests: 12_000, windowMs: 60_000 };
/** A new view takes 50 to 200 times as long as a call. */
const VIEW_POINTS = 50;
const ACTION = 'request';

/** Counts all requests of a caller, whatever they ask for and however they are answered. */
export class RequestLimiter {
  readonly #limiter: RateLimiter | undefined;
  readonly #onError: (error: unknown) => void;

  constructor(
    limit: RequestLimit | RateLimiter | false = DEFAULT_REQUEST_LIMIT,
    onError: (error: unknown) => void = () => {},
  ) {
    this.#onError = onError;
    if (limit === false) return;
    this.#limiter =
      'consume' in limit ? limit : createRateLimiter({ calls: limit.requests, windowMs: limit.windowMs });
  }

  /** Counts a request. Returns the error response if the caller has used up its limit. */
  take(caller: string, points = 1): WholeAnswer | undefined | Promise<WholeAnswer | undefined> {
    if (!this.#limiter) return undefined;
    const wait = takePoints(this.#limiter, caller, ACTION, points);
    if (typeof wait !== 'object') return wait === undefined ? undefined : limited(wait);
    return wait.then(
      (ms) => (ms === undefined ? undefined : limited(ms)),
      (error: unknown) => {
        // Fail closed: while the store is down, no request is let through.
        this.#onError(error);
        return overloaded;
      },
    );
  }

  /** Counts a view that was compiled for a request. Only later requests of the caller are rejected for it. */
  takeForView(caller: string): void {
    void this.take(caller, VIEW_POINTS);
  }
}

function limited(waitMs: number): WholeAnswer {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return reject(429, REJECTED, `You have sent too many requests. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
