import { REFUSED, refuse } from './edge.js';

/** What is going on, and how much of it may. */
export class Load {
  /** Requests that are not answered yet. */
  requests = 0;
  /** Streams that are open. */
  streams = 0;
  /** Calls that run behind a stream, or whose client has gone. */
  calls = 0;
  readonly #maxRequests: number;
  readonly #maxStreams: number;

  constructor(maxRequests: number, maxStreams: number) {
    this.#maxRequests = maxRequests;
    this.#maxStreams = maxStreams;
  }

  get isFull(): boolean {
    return this.requests >= this.#maxRequests;
  }

  readonly hasRoomForStream = (): boolean => this.streams < this.#maxStreams;

  /** Begins so many calls; `undefined` where that would be too many. The result ends them. */
  begin(count: number): (() => void) | undefined {
    if (this.calls + count > this.#maxRequests) return undefined;
    this.calls += count;
    return () => {
      this.calls -= count;
    };
  }
}

/** More than is served at once. */
export const overloaded = refuse(503, REFUSED, 'The server is busy. Try again in a moment.', {
  headers: { 'retry-after': '1' },
});
