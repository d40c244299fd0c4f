import { exceededLimit, exceededTextLimit } from '../../values/json-limits.js';
import type { JsonLimits } from '../../values/json-limits.js';
import { reject } from './request-response.js';
import { PARSE_ERROR, REJECTED } from '../../protocol/rpc-codes.js';
import type { WholeAnswer } from './request-response.js';
import { overloaded } from './capacity.js';
import type { Hold, Capacity } from './capacity.js';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Milliseconds in which a body must have arrived. */
  readonly bodyTimeoutMs: number;
}

/** Memory of a connection with an unfinished body, without the body: the socket, the request and its buffers. */
const OVERHEAD_BYTES = 16 * 1024;
/** A body must bring this much in each window, or it counts as stalled. */
const WINDOW_MS = 4_000;
const WINDOW_BYTES = 4 * 1024;
const MAX_SWEEP_MS = 500;

/**
 * The request bodies that are still arriving. They hold no request slots. Instead they share a number of bytes, and each
 * has a deadline and a minimum rate. Where the bytes run out, the body that has brought nothing for the longest time is
 * cut off, so that stalled bodies cannot keep out those that arrive.
 */
export class ArrivingBodies {
  readonly limits: BodyLimits;
  readonly #capacity: Capacity;
  /** In the order of their last data: the body that has stalled longest comes first. */
  readonly #bodies = new Set<ArrivingBody>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(capacity: Capacity, limits: BodyLimits) {
    this.#capacity = capacity;
    this.limits = limits;
  }

  /** Starts a body of `declared` bytes. `cut` is called if the body must be cut off. */
  begin(
    declared: number,
    caller: string | undefined,
    cut: (rejection: WholeAnswer) => void,
  ): ArrivingBody | WholeAnswer {
    if (declared > this.limits.maxBodyBytes) return this.tooLarge();
    const rejected = this.makeRoom(OVERHEAD_BYTES, caller);
    if (rejected) return rejected;
    const body = new ArrivingBody(
      this,
      caller,
      this.#capacity.hold('bodyBytes', caller, OVERHEAD_BYTES),
      cut,
    );
    this.#bodies.add(body);
    this.#timer ??= startTimer(() => this.#sweep(), Math.min(this.limits.bodyTimeoutMs / 4, MAX_SWEEP_MS));
    return body;
  }

  /** Cuts off stalled bodies until there is room for these bytes of another body. */
  makeRoom(bytes: number, caller: string | undefined, owner?: ArrivingBody): WholeAnswer | undefined {
    for (;;) {
      const rejected = this.#capacity.rejection('bodyBytes', caller, bytes);
      const [stalest] = this.#bodies;
      if (rejected !== overloaded || !stalest || stalest === owner) return rejected;
      stalest.cut(rejected);
    }
  }

  /** Moves a body that has brought data to the end of the order in which bodies are cut off. */
  refresh(body: ArrivingBody): void {
    if (this.#bodies.delete(body)) this.#bodies.add(body);
  }

  remove(body: ArrivingBody): void {
    this.#bodies.delete(body);
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
    for (const body of this.#bodies) {
      const rejection = body.lateness(now, this.limits.bodyTimeoutMs);
      if (rejection) body.cut(rejection);
    }
    if (this.#bodies.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** One body while it arrives. */
export class ArrivingBody {
  readonly #all: ArrivingBodies;
  readonly #caller: string | undefined;
  readonly #hold: Hold;
  readonly #cut: (rejection: WholeAnswer) => void;
  readonly #startedAt = performance.now();
  #windowAt = this.#startedAt;
  #windowBytes = 0;
  #size = 0;

  constructor(
    all: ArrivingBodies,
    caller: string | undefined,
    hold: Hold,
    cut: (rejection: WholeAnswer) => void,
  ) {
    this.#all = all;
    this.#caller = caller;
    this.#hold = hold;
    this.#cut = cut;
  }

  /** Counts a chunk. Returns the error response if the body must be rejected, and ends the body. */
  add(bytes: number): WholeAnswer | undefined {
    const isFirst = this.#size === 0;
    this.#size += bytes;
    this.#windowBytes += bytes;
    if (!isFirst) this.#all.refresh(this);
    const rejected =
      this.#size > this.#all.limits.maxBodyBytes
        ? this.#all.tooLarge()
        : this.#all.makeRoom(bytes, this.#caller, this);
    if (rejected) this.end();
    else this.#hold.add(bytes);
    return rejected;
  }

  /** Ends the body: it is complete, or the request was cancelled. */
  end(): void {
    this.#all.remove(this);
    this.#hold.release();
  }

  cut(rejection: WholeAnswer): void {
    this.end();
    this.#cut(rejection);
  }

  /** The error response if the body is late or has stalled. */
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

function startTimer(run: () => void, ms: number): ReturnType<typeof setInterval> {
  const timer = setInterval(run, Math.max(ms, 1));
  // In Node, a timer keeps the process alive unless it is unreferenced.
  if (typeof timer === 'object') timer.unref();
  return timer;
}

/** Whether a `Content-Type` says JSON. Parameters do not matter. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType !== undefined && JSON_TYPE.test(contentType);
}

/** A media type and parameters, of which no two types can be made. */
const JSON_TYPE = /^[\t ]*application\/json[\t ]*(?:;[^,]*)?$/i;

/** The error response to a body that is not plain JSON; `undefined` for all others. */
export function rejectMedia(header: (name: string) => string | undefined): WholeAnswer | undefined {
  if (!isJson(header('content-type'))) return wrongMediaType;
  const encoding = header('content-encoding');
  return encoding === undefined || encoding.trim().toLowerCase() === 'identity' ? undefined : wrongEncoding;
}

export const wrongMediaType = reject(
  415,
  REJECTED,
  'Unsupported Media Type: Content-Type must be application/json',
);

const wrongEncoding = reject(
  415,
  REJECTED,
  'Unsupported Media Type: send the body without Content-Encoding',
  {
    headers: { 'accept-encoding': 'identity' },
  },
);

/** Parses JSON text. Returns the value, or the error response if the text is invalid or exceeds a limit. */
export function readJson(
  text: string,
  limits: JsonLimits,
): { readonly body?: unknown; readonly rejected?: WholeAnswer } {
  // Every value but the last needs two characters, so shorter text cannot hold too many.
  if (text.length > 2 * limits.maxValues) {
    const exceeded = exceededTextLimit(text, limits);
    if (exceeded) return { rejected: rejectJson(exceeded, limits) };
  }
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return { rejected: notJson() };
  }
}

export function notJson(): WholeAnswer {
  return reject(400, PARSE_ERROR, 'Parse error: the request body is not valid JSON');
}

/** The error response to a parsed body that exceeds a limit; `undefined` for all others. */
export function rejectLargeJson(body: unknown, limits: JsonLimits): WholeAnswer | undefined {
  const exceeded = exceededLimit(body, limits);
  return exceeded && rejectJson(exceeded, limits);
}

function rejectJson(exceeded: keyof JsonLimits, limits: JsonLimits): WholeAnswer {
  return reject(400, PARSE_ERROR, describeLimit(exceeded, limits));
}

export function describeLimit(exceeded: keyof JsonLimits, { maxDepth, maxValues }: JsonLimits): string {
  return exceeded === 'maxDepth'
    ? `The JSON is nested deeper than ${maxDepth} levels, which is the limit of this server (maxDepth).`
    : `The JSON has more than ${maxValues} values, which is the limit of this server (maxValues). Send less at once.`;
}
