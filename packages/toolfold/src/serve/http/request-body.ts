import { PARSE_ERROR, REJECTED } from '../../protocol/rpc-error.js';
import { exceededLimit, exceededTextLimit } from '@toolfold/schema/internal';
import type { JsonLimits } from '@toolfold/schema/internal';
import { appendBytes, noBytes } from '../../values/append-bytes.js';
import { overloaded } from './capacity.js';
import type { Capacity } from './capacity.js';
import { reject } from './request-response.js';
import type { WholeAnswer } from './request-response.js';
import { startInterval } from '../../runtime/timers.js';

/** Either the parsed body of a request or the error response to it; `undefined` if the client disconnected while sending. */
export type ReadBody = { readonly body?: unknown; readonly rejected?: WholeAnswer } | undefined;

interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/** Memory that an unfinished body takes besides its own bytes: the socket, the request and their buffers. */
const OVERHEAD_BYTES = 16 * 1024;
/** A body must bring 4 KiB in each window of 4 seconds, or it counts as stalled. */
const WINDOW_MS = 4_000;
const WINDOW_BYTES = 4 * 1024;
const MAX_SWEEP_MS = 500;

/**
 * The request bodies that are still arriving. They hold no request slots. Instead they share a number of bytes, and each
 * has a deadline and a minimum rate. When the bytes run out, the body that has brought nothing for the longest time is
 * cut off, so that stalled bodies cannot keep other bodies out.
 */
export class ArrivingBodies {
  readonly limits: BodyLimits;
  readonly capacity: Capacity;
  /** In the order of their last data: the body that has stalled longest comes first. */
  readonly bodies = new Set<ArrivingBody>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(capacity: Capacity, limits: BodyLimits) {
    this.capacity = capacity;
    this.limits = limits;
  }

  /**
   * Starts a body of `declared` bytes. `settle` is called once, when the body ends. `onCut` is called before, if the body is cut
   * off while the client may still be sending. Returns `undefined` if the body is rejected at once.
   */
  begin(
    declared: number,
    caller: string | undefined,
    settle: (read: ReadBody) => void,
    onCut?: () => void,
  ): ArrivingBody | undefined {
    const rejected =
      declared > this.limits.maxBodyBytes ? this.tooLarge() : this.take(OVERHEAD_BYTES, caller);
    if (rejected) {
      settle({ rejected });
      return undefined;
    }
    const body = new ArrivingBody(this, caller, settle, onCut);
    this.bodies.add(body);
    this.#timer ??= startInterval(() => this.#sweep(), Math.min(this.limits.bodyTimeoutMs / 4, MAX_SWEEP_MS));
    return body;
  }

  /** Counts bytes of a body. Cuts off stalled bodies until there is room, or returns the error response. */
  take(bytes: number, caller: string | undefined, owner?: ArrivingBody): WholeAnswer | undefined {
    for (;;) {
      const rejected = this.capacity.rejection('bodyBytes', caller, bytes);
      if (!rejected) break;
      const stalest = rejected === overloaded ? this.#stalestBut(owner) : undefined;
      if (!stalest) return rejected;
      stalest.cut(rejected);
    }
    this.capacity.add('bodyBytes', caller, bytes);
    return undefined;
  }

  #stalestBut(owner: ArrivingBody | undefined): ArrivingBody | undefined {
    for (const body of this.bodies) if (body !== owner) return body;
    return undefined;
  }

  tooLarge(): WholeAnswer {
    return reject(
      413,
      REJECTED,
      `The request has more than ${this.limits.maxBodyBytes} bytes, the limit of maxBodyBytes.`,
    );
  }

  #sweep(): void {
    const now = performance.now();
    for (const body of this.bodies) {
      const rejection = body.lateness(now, this.limits.bodyTimeoutMs);
      if (rejection) body.cut(rejection);
    }
    if (this.bodies.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

export class ArrivingBody {
  /** The data that has arrived, in its first `size` bytes. */
  data: Uint8Array = noBytes;
  size = 0;
  isOver = false;
  readonly #all: ArrivingBodies;
  readonly #caller: string | undefined;
  readonly #settle: (read: ReadBody) => void;
  readonly #onCut: (() => void) | undefined;
  readonly #startedAt: number;
  #windowAt: number;
  #windowBytes = 0;

  constructor(
    all: ArrivingBodies,
    caller: string | undefined,
    settle: (read: ReadBody) => void,
    onCut: (() => void) | undefined,
  ) {
    this.#all = all;
    this.#caller = caller;
    this.#settle = settle;
    this.#onCut = onCut;
    this.#startedAt = this.#windowAt = performance.now();
  }

  /** Adds a chunk, or rejects the body if it becomes too large. The chunks of a body that has ended are dropped. */
  readonly add = (chunk: Uint8Array): void => {
    if (this.isOver) return;
    const bytes = chunk.byteLength;
    const size = this.size + bytes;
    const { bodies, limits } = this.#all;
    // Most bodies are one chunk. Later chunks move their body to the end of the order in which bodies are cut off.
    if (size > bytes && bodies.delete(this)) bodies.add(this);
    const rejected =
      size > limits.maxBodyBytes ? this.#all.tooLarge() : this.#all.take(bytes, this.#caller, this);
    if (rejected) {
      this.end({ rejected });
      return;
    }
    this.data = size === bytes ? chunk : appendBytes(this.data, this.size, chunk);
    this.size = size;
    this.#windowBytes += bytes;
  };

  /** Ends the body with its outcome; without one if the client has disconnected. */
  readonly end = (read?: ReadBody): void => {
    if (this.isOver) return;
    this.isOver = true;
    this.#all.bodies.delete(this);
    this.#all.capacity.add('bodyBytes', this.#caller, -(OVERHEAD_BYTES + this.size));
    this.data = noBytes;
    this.size = 0;
    this.#settle(read);
  };

  cut(rejected: WholeAnswer): void {
    this.#onCut?.();
    this.end({ rejected });
  }

  lateness(now: number, timeoutMs: number): WholeAnswer | undefined {
    if (now - this.#startedAt >= timeoutMs)
      return reject(408, REJECTED, `The request body did not arrive within ${timeoutMs} ms.`);
    if (now - this.#windowAt < WINDOW_MS) return undefined;
    if (this.#windowBytes < WINDOW_BYTES)
      return reject(
        408,
        REJECTED,
        `The request body arrives too slowly: below ${WINDOW_BYTES / WINDOW_MS} kB/s.`,
      );
    this.#windowAt = now;
    this.#windowBytes = 0;
    return undefined;
  }
}

/** Returns the error response to a body that is not plain JSON. A body that middleware has parsed may have been encoded. */
export function rejectMedia(
  header: (name: string) => string | undefined,
  isParsed = false,
): WholeAnswer | undefined {
  const contentType = header('content-type');
  if (contentType === undefined || !JSON_TYPE.test(contentType)) return wrongMediaType;
  const encoding = isParsed ? undefined : header('content-encoding');
  return encoding === undefined || encoding.trim().toLowerCase() === 'identity' ? undefined : wrongEncoding;
}

/** One media type and its parameters. A comma would begin a second type. */
const JSON_TYPE = /^[\t ]*application\/json[\t ]*(?:;[^,]*)?$/i;

const wrongMediaType = reject(415, REJECTED, 'Unsupported Media Type: Content-Type must be application/json');

const wrongEncoding = reject(
  415,
  REJECTED,
  'Unsupported Media Type: send the body without Content-Encoding',
  {
    headers: { 'accept-encoding': 'identity' },
  },
);

export function readJson(
  text: string,
  limits: JsonLimits,
): { readonly body?: unknown; readonly rejected?: WholeAnswer } {
  // Every value but the last needs two characters, so shorter text cannot hold too many.
  if (text.length > 2 * limits.maxValues) {
    const exceeded = exceededTextLimit(text, limits);
    if (exceeded) return { rejected: rejectJson(exceeded, limits) };
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { rejected: notJson() };
  }
  const exceeded = exceededLimit(body, limits);
  return exceeded ? { rejected: rejectJson(exceeded, limits) } : { body };
}

export function rejectLargeJson(body: unknown, limits: JsonLimits): WholeAnswer | undefined {
  const exceeded = exceededLimit(body, limits);
  return exceeded && rejectJson(exceeded, limits);
}

export function notJson(): WholeAnswer {
  return reject(400, PARSE_ERROR, 'Parse error: the request body is not valid JSON');
}

function rejectJson(exceeded: keyof JsonLimits, limits: JsonLimits): WholeAnswer {
  return reject(400, PARSE_ERROR, describeLimit(exceeded, limits));
}

export function describeLimit(exceeded: keyof JsonLimits, { maxDepth, maxValues }: JsonLimits): string {
  return exceeded === 'maxDepth'
    ? `The JSON is nested deeper than ${maxDepth} levels, which is the limit of this server (maxDepth).`
    : `The JSON has more than ${maxValues} values, which is the limit of this server (maxValues). Send less at once.`;
}
