import { createRateLimiter, takePoints } from '../../guards/rate-limit/rate-limiter.js';
import type { RateLimiter } from '../../stores/contracts.js';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { reject } from './request-response.js';
import { REJECTED } from '../../protocol/rpc-error.js';
import type { RequestCaller, WholeAnswer } from './request-response.js';
import type { Caller } from '../../callers/caller.js';
import { callerKey, isAnonymous, NOBODY } from '../../callers/caller-key.js';
import { peerAddress } from '../../callers/client-identity.js';
import type { PeerTraits } from '../../callers/client-identity.js';
import { getOrMake } from '../../values/get-or-make.js';

/**
 * The kinds of work that a handler counts: unanswered requests, calls that run after their request was answered with a
 * stream or their client has disconnected, open streams, and the bytes of request bodies that are still arriving.
 */
type CapacityKind = 'requests' | 'calls' | 'streams' | 'bodyBytes';

type Counts = Record<CapacityKind, number>;

interface CapacityLimits {
  readonly maxRequests: number;
  readonly maxStreams: number;
  readonly maxBodyBytes: number;
  /** The part of each limit that one caller may use. */
  readonly callerShare?: number | undefined;
}

/** Limit on the bytes of all arriving bodies. It is raised if `MIN_LARGEST_BODIES` bodies of `maxBodyBytes` would not fit. */
const MAX_ARRIVING_BYTES = 64 * 1024 * 1024;
const MIN_LARGEST_BODIES = 8;
const DEFAULT_SHARE = 0.25;

/**
 * Counts the work of a handler and limits how much of it runs at once, in total and for each caller. A caller is a key,
 * or `undefined` if only the totals apply to it.
 */
export class Capacity {
  /** The totals of all callers. All are zero when the handler is idle. */
  readonly counts: Readonly<Counts>;
  readonly #counts: Counts = noCounts();
  readonly #limits: Readonly<Counts>;
  readonly #shares: Readonly<Counts>;
  readonly #crowded: Readonly<Record<CapacityKind, WholeAnswer>>;
  /** Only callers with requests, calls, streams or bodies in progress. */
  readonly #callers = new Map<string, Counts>();

  constructor({ maxRequests, maxStreams, maxBodyBytes, callerShare = DEFAULT_SHARE }: CapacityLimits) {
    this.counts = this.#counts;
    const bodyBytes = Math.max(MAX_ARRIVING_BYTES, maxBodyBytes * MIN_LARGEST_BODIES);
    this.#limits = { requests: maxRequests, calls: maxRequests, streams: maxStreams, bodyBytes };
    const shareOf = (limit: number): number => Math.max(1, Math.floor(limit * callerShare));
    this.#shares = {
      requests: shareOf(maxRequests),
      calls: shareOf(maxRequests),
      streams: shareOf(maxStreams),
      // The share must fit one body of the largest size and its overhead.
      bodyBytes: Math.max(shareOf(bodyBytes), 2 * maxBodyBytes),
    };
    const { requests, calls, streams, bodyBytes: bytes } = this.#shares;
    this.#crowded = {
      requests: crowded(`${requests} requests in progress`),
      calls: crowded(`${calls} calls in progress`),
      streams: crowded(`${streams} streams open`),
      bodyBytes: crowded(`${bytes} bytes of request bodies arriving`),
    };
  }

  get callers(): number {
    return this.#callers.size;
  }

  rejection(kind: CapacityKind, caller: string | undefined, count = 1): WholeAnswer | undefined {
    if (this.#counts[kind] + count > this.#limits[kind]) return overloaded;
    const own = caller === undefined ? undefined : this.#callers.get(caller);
    return own && own[kind] + count > this.#shares[kind] ? this.#crowded[kind] : undefined;
  }

  /**
   * Counts one request, call or stream until the returned function is called. Calling it twice has no effect, so every code
   * path that ends the work may do so. Ask `rejection` first.
   */
  hold(kind: CapacityKind, caller: string | undefined): Release {
    this.add(kind, caller, 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.add(kind, caller, -1);
      isHeld = false;
    };
  }

  /** Adds to the counts of a caller and to the totals. A negative number takes away. */
  add(kind: CapacityKind, caller: string | undefined, count: number): void {
    this.#counts[kind] += count;
    if (caller === undefined) return;
    const own = getOrMake(this.#callers, caller, noCounts);
    own[kind] += count;
    if (own.requests + own.calls + own.streams + own.bodyBytes === 0) this.#callers.delete(caller);
  }
}

export type Release = () => void;

function noCounts(): Counts {
  return { requests: 0, calls: 0, streams: 0, bodyBytes: 0 };
}

export const overloaded = reject(503, REJECTED, 'The server is busy. Try again in a moment.', {
  headers: { 'retry-after': '1' },
});

function crowded(what: string): WholeAnswer {
  const message = `You have ${what}, the most that one caller may have on this server. Wait until some are done.`;
  return reject(429, REJECTED, message, { headers: { 'retry-after': '1' } });
}

export type ReadCaller = (peer: PeerTraits, auth: Caller['auth']) => RequestCaller;

export function createCallerReader(trustedProxies = 0): ReadCaller {
  return (peer, auth) => {
    const address = peerAddress(peer, trustedProxies);
    const key = callerKey({ auth, address });
    const hasShare = !isAnonymous(key) || (key !== NOBODY && !LOOPBACK.test(address ?? ''));
    return { key, share: hasShare ? key : undefined };
  };
}

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

/** Limits the requests that each caller may send in a period. */
export interface RequestLimit {
  /** Maximum number of requests in a period. */
  readonly requests: number;
  /** Length of the period, in milliseconds. */
  readonly windowMs: number;
}

/**
 * Four times the default rate limit of one action. At 70 µs a request, one caller then uses about 1.4 % of a
 * processor.
 */
const DEFAULT_REQUEST_LIMIT: RequestLimit = { requests: 12_000, windowMs: 60_000 };
/** A new view takes 50 to 200 times as long as a call. */
const VIEW_POINTS = 50;
const ACTION = 'request';

/** Limits the requests of each caller. Requests of all kinds count, rejected ones included. */
export class RequestLimiter {
  readonly #limiter: RateLimiter | undefined;
  readonly #onError: (error: unknown) => void;
  #hasWarned = false;

  constructor(
    limit: RequestLimit | RateLimiter | false = DEFAULT_REQUEST_LIMIT,
    onError: (error: unknown) => void = () => {},
  ) {
    this.#onError = onError;
    if (limit === false) return;
    this.#limiter =
      'consume' in limit ? limit : createRateLimiter({ calls: limit.requests, windowMs: limit.windowMs });
  }

  take(caller: string, points = 1): WholeAnswer | undefined | Promise<WholeAnswer | undefined> {
    if (!this.#limiter) return undefined;
    const wait = takePoints(this.#limiter, caller, ACTION, points);
    if (typeof wait !== 'object') return wait === undefined ? undefined : this.#reject(caller, wait);
    return wait.then(
      (ms) => (ms === undefined ? undefined : this.#reject(caller, ms)),
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

  /** Warns only once, because a caller that floods the server must not flood its log. */
  #reject(caller: string, waitMs: number): WholeAnswer {
    if (!this.#hasWarned) this.#onError(warning(caller));
    this.#hasWarned = true;
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    return reject(429, REJECTED, `You have sent too many requests. Try again in ${seconds} s.`, {
      headers: { 'retry-after': String(seconds) },
    });
  }
}

function warning(caller: string): ErrInvalidOptions {
  const sender = isAnonymous(caller) ? `The caller "${caller}"` : 'An authenticated caller';
  return new ErrInvalidOptions(`${sender} has sent more requests than requestLimit allows, and gets 429.`, {
    hint: 'Callers behind a proxy count as one caller unless trustedProxies is set.',
  });
}
