import { REFUSED, refuse } from './edge.js';
import type { WholeAnswer } from './edge.js';

/**
 * What a handler counts: requests that are not answered yet, calls that run behind a stream or whose client has gone,
 * open streams, and the bytes of request bodies that are still arriving.
 */
export type LoadKind = 'requests' | 'calls' | 'streams' | 'bodyBytes';

type Counts = Record<LoadKind, number>;

export interface LoadLimits {
  readonly maxRequests: number;
  readonly maxStreams: number;
  readonly maxBodyBytes: number;
}

/** How many bytes of bodies may be arriving at once; or 8 bodies of the largest size, where that is more. */
const MAX_ARRIVING_BYTES = 64 * 1024 * 1024;
const MIN_LARGEST_BODIES = 8;

/** What is going on in a handler, and how much of it is allowed at once. */
export class Load {
  /** The totals. All of them are zero when nothing is going on. */
  readonly counts: Readonly<Counts>;
  readonly #counts: Counts = { requests: 0, calls: 0, streams: 0, bodyBytes: 0 };
  readonly #limits: Readonly<Counts>;

  constructor({ maxRequests, maxStreams, maxBodyBytes }: LoadLimits) {
    this.counts = this.#counts;
    this.#limits = {
      requests: maxRequests,
      calls: maxRequests,
      streams: maxStreams,
      bodyBytes: Math.max(MAX_ARRIVING_BYTES, maxBodyBytes * MIN_LARGEST_BODIES),
    };
  }

  /** The answer where there is no room for more; `undefined` where there is. */
  refusal(kind: LoadKind, count = 1): WholeAnswer | undefined {
    return this.#counts[kind] + count > this.#limits[kind] ? overloaded : undefined;
  }

  /** Counts something until it is released. Ask `refusal` first. */
  hold(kind: LoadKind, count = 1): Hold {
    return new Hold(this.#counts, kind, count);
  }
}

/** A part of the load. To release it twice changes nothing, so that every way a request can end may do it. */
export class Hold {
  readonly #counts: Counts;
  readonly #kind: LoadKind;
  #count = 0;

  constructor(counts: Counts, kind: LoadKind, count: number) {
    this.#counts = counts;
    this.#kind = kind;
    this.add(count);
  }

  get isReleased(): boolean {
    return this.#count === 0;
  }

  add(count: number): void {
    this.#count += count;
    this.#counts[this.#kind] += count;
  }

  readonly release = (): void => {
    this.#counts[this.#kind] -= this.#count;
    this.#count = 0;
  };
}

/** The answer of a server that does as much as it may. */
export const overloaded = refuse(503, REFUSED, 'The server is busy. Try again in a moment.', {
  headers: { 'retry-after': '1' },
});
