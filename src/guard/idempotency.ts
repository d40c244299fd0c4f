import { LRUCache } from 'lru-cache';
import {
  ErrCancelled,
  ErrIdempotencyConflict,
  ErrInvalidModel,
  ErrOverloaded,
  ErrValidationFailed,
} from '../errors.js';
import type { Store } from '../stores/store.js';

export interface IdempotencyOptions {
  /** Where records are kept; whoever crowds records out of it makes repeats possible, so it should be large. */
  readonly store: Store;
  /** The time in milliseconds, about the same in all processes that share the store. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** How long a key stands for its first call. Default: 24 hours. */
  readonly ttlMs?: number | undefined;
  /**
   * Which of the things that `work` throws say that nothing was changed, as a question to the client does. They free
   * the key. Default: none, for an error does not show what happened before it.
   */
  readonly changedNothing?: ((thrown: unknown) => boolean) | undefined;
}

export interface IdempotentRequest {
  /** Who calls, as `callerKey` has it. */
  readonly caller: string;
  readonly address: string;
  /** What the caller chose. */
  readonly key: string;
  /** The arguments, which must be the same whenever the key is. */
  readonly input: unknown;
  /** Ends the waiting of this caller. What runs goes on, for others may wait for it and its outcome is kept. */
  readonly signal?: AbortSignal | undefined;
}

interface Failure {
  readonly code?: string;
  readonly message: string;
}

/** What the store holds under a key. Arguments are there as a digest: they may be large, or secret. */
type StoredCall = { readonly fingerprint: string } & (
  | { readonly state: 'running'; readonly since: number; /** Unless renewed. */ readonly aliveUntil: number }
  | { readonly state: 'done'; readonly result?: string; readonly tooLarge?: true }
  | { readonly state: 'failed'; readonly error: Failure }
);
type EndedCall = Exclude<StoredCall, { state: 'running' }>;

/** Returns or throws what a caller is to get. */
type Answer = (to: IdempotentRequest) => unknown;

/** A call on its way in this process. Its answer never rejects, for perhaps nobody waits. */
interface Flight {
  readonly id: string;
  readonly request: IdempotentRequest;
  readonly recordKey: string;
  readonly encoded: string;
  readonly work: () => Promise<unknown>;
  readonly answer: Promise<Answer>;
  waiting: number;
}

const DAY = 24 * 60 * 60 * 1_000;
const LEASE = 60_000;
const FIRST_POLL = 50;
const LONGEST_POLL = 2_000;
/** Larger results are not kept, since a store may drop what is too large for it, and the record with it. */
const MAX_RESULT = 1024 * 1024;
const MAX_MESSAGE = 2_000;
const MAX_UNWRITTEN = 1_000;
/** Neither control characters nor half characters. */
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u;

/**
 * Runs a call once for each key that a caller chose, in all processes that share a store. Whoever comes again with
 * the key, during the call or after it, gets its result and runs nothing. The rules all follow from "no second
 * write":
 *
 * - other arguments under a key are refused;
 * - a call that failed is not run again, since it may have changed something before it failed;
 * - a call whose process died is not run again either, since nobody knows how far it came;
 * - while the store cannot be reached nothing runs; when that happens after a run, its outcome is kept in memory.
 *
 * What refuses calls without running them (limits, validation) belongs around this, retries belong into `work`.
 */
export class Idempotency {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #ttlMs: number;
  readonly #changedNothing: (thrown: unknown) => boolean;
  readonly #flights = new Map<string, Flight>();
  /** Calls whose end the store did not take. */
  readonly #unwritten: LRUCache<string, EndedCall>;

  constructor({ store, clock = Date.now, ttlMs = DAY, changedNothing = () => false }: IdempotencyOptions) {
    if (!Number.isFinite(ttlMs) || ttlMs < LEASE) {
      throw new ErrInvalidModel(`idempotency.ttlMs must be at least ${LEASE}.`, { details: { ttlMs } });
    }
    this.#store = store;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#changedNothing = changedNothing;
    this.#unwritten = new LRUCache({ max: MAX_UNWRITTEN, ttl: ttlMs });
  }

  /**
   * Runs `work` unless the key has been used. `work` must not end with one caller's signal. Each caller gets a copy
   * of the result, which is JSON.
   */
  async run(request: IdempotentRequest, work: () => Promise<unknown>): Promise<unknown> {
    const { caller, address, key, input, signal } = request;
    assertKey(key);
    if (signal?.aborted) throw cancelled();
    const recordKey = JSON.stringify(['idempotency', caller, address, key]);
    const encoded = encode(input);
    // Other arguments are another flight: which of the two has the key is for the store to say.
    const id = `${recordKey}${encoded}`;
    const flight = this.#flights.get(id) ?? this.#start({ id, request, recordKey, encoded, work });
    flight.waiting++;
    try {
      const answer = await unlessAborted(flight.answer, signal);
      return answer(request);
    } finally {
      flight.waiting--;
    }
  }

  #start(call: Omit<Flight, 'answer' | 'waiting'>): Flight {
    const { promise: answer, resolve } = withResolver<Answer>();
    const flight: Flight = { ...call, answer, waiting: 0 };
    this.#flights.set(call.id, flight);
    this.#settle(flight).then(resolve, (thrown: unknown) => {
      resolve(() => {
        throw thrown;
      });
    });
    return flight;
  }

  async #settle(flight: Flight): Promise<Answer> {
    try {
      return await this.#runOrFollow(flight, await digest(flight.encoded));
    } finally {
      this.#end(flight);
    }
  }

  #end(flight: Flight): void {
    if (this.#flights.get(flight.id) === flight) this.#flights.delete(flight.id);
  }

  /** Runs the call where nobody has; otherwise waits, in growing steps, for whoever does. */
  async #runOrFollow(flight: Flight, fingerprint: string): Promise<Answer> {
    const { recordKey, request } = flight;
    const unwritten = this.#unwritten.get(recordKey);
    if (unwritten) {
      if (unwritten.fingerprint !== fingerprint) throw otherArguments(request);
      await this.#write(recordKey, unwritten);
      return answerOf(unwritten, request);
    }
    for (let wait = FIRST_POLL; ; wait = Math.min(2 * wait, LONGEST_POLL)) {
      const now = this.#clock();
      const found = await this.#claim(recordKey, running(fingerprint, now, now), request);
      if (!found) return this.#runClaimed(flight, fingerprint, now);
      if (found.fingerprint !== fingerprint) throw otherArguments(request);
      if (found.state !== 'running') return answerOf(found, request);
      if (found.aliveUntil < this.#clock()) throw unknownOutcome(request, found.since);
      await sleep(wait);
      if (flight.waiting === 0) {
        this.#end(flight);
        throw cancelled();
      }
    }
  }

  /** Resolves to who has the key already. */
  async #claim(
    recordKey: string,
    claim: StoredCall,
    request: IdempotentRequest,
  ): Promise<StoredCall | undefined> {
    let found: string | undefined;
    try {
      found = await this.#store.setIfAbsent(recordKey, JSON.stringify(claim), this.#ttlMs);
    } catch (cause) {
      throw unreachable(request, cause);
    }
    return found === undefined ? undefined : readStoredCall(found, request);
  }

  async #runClaimed(flight: Flight, fingerprint: string, since: number): Promise<Answer> {
    const { recordKey, request } = flight;
    if (flight.waiting === 0) {
      this.#end(flight);
      await this.#free(recordKey);
      throw cancelled();
    }
    const renewal = setInterval(() => {
      this.#put(recordKey, running(fingerprint, since, this.#clock())).catch(() => {
        // The next one may get through, and others do not run the call in any case.
      });
    }, LEASE / 3);
    letExit(renewal);
    try {
      const result = JSON.stringify(await flight.work()) as string | undefined;
      clearInterval(renewal);
      await this.#write(recordKey, done(fingerprint, result));
      return () => parseResult(result);
    } catch (thrown) {
      clearInterval(renewal);
      if (this.#changedNothing(thrown)) {
        await this.#free(recordKey);
        throw thrown;
      }
      const error = describeFailure(thrown);
      await this.#write(recordKey, { state: 'failed', fingerprint, error });
      return (to) => {
        throw to === request ? thrown : failedBefore(to, error);
      };
    }
  }

  /** What the store does not take is kept here, so that at least this process does not run the call again. */
  async #write(recordKey: string, call: EndedCall): Promise<void> {
    this.#unwritten.set(recordKey, call);
    try {
      await this.#put(recordKey, call);
    } catch {
      return;
    }
    this.#unwritten.delete(recordKey);
  }

  async #free(recordKey: string): Promise<void> {
    try {
      await this.#store.delete(recordKey);
    } catch {
      // Then the key stays refused, which is safe, and the caller is still told what happened.
    }
  }

  async #put(recordKey: string, call: StoredCall): Promise<void> {
    await this.#store.set(recordKey, JSON.stringify(call), this.#ttlMs);
  }
}

function assertKey(key: string): void {
  if (typeof key === 'string' && PRINTABLE.test(key)) return;
  throw new ErrValidationFailed(
    'Validation failed: the idempotency key must be a text of 1 to 255 printable characters.',
  );
}

function running(fingerprint: string, since: number, now: number): StoredCall {
  return { state: 'running', fingerprint, since, aliveUntil: now + LEASE };
}

function done(fingerprint: string, result: string | undefined): EndedCall {
  if (result === undefined) return { state: 'done', fingerprint };
  if (result.length > MAX_RESULT) return { state: 'done', fingerprint, tooLarge: true };
  return { state: 'done', fingerprint, result };
}

/** What was thrown may be anything, even something that cannot be read. */
function describeFailure(thrown: unknown): Failure {
  try {
    if (typeof thrown !== 'object' || thrown === null) return { message: shorten(String(thrown)) };
    const message = shorten('message' in thrown ? String(thrown.message) : String(thrown));
    const { code } = thrown as { code?: unknown };
    return typeof code === 'string' ? { code: shorten(code), message } : { message };
  } catch {
    return { message: 'something that has no message was thrown' };
  }
}

function shorten(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}

/** Something else under the key is no reason to run the call. */
function readStoredCall(text: string, request: IdempotentRequest): StoredCall {
  const call = parseStoredCall(text);
  const isCall =
    typeof call?.fingerprint === 'string' &&
    (call.state === 'done' ||
      (call.state === 'running' && typeof call.aliveUntil === 'number') ||
      (call.state === 'failed' && typeof call.error?.message === 'string'));
  if (!isCall) throw unreadable(request);
  return call as StoredCall;
}

function parseStoredCall(text: string): Partial<StoredCall> | null {
  try {
    return JSON.parse(text) as Partial<StoredCall> | null;
  } catch {
    return null;
  }
}

function answerOf(call: EndedCall, request: IdempotentRequest): Answer {
  if (call.state === 'failed') throw failedBefore(request, call.error);
  if (call.tooLarge) throw resultNotKept(request);
  return () => parseResult(call.result);
}

function parseResult(result: string | undefined): unknown {
  return result === undefined ? undefined : (JSON.parse(result) as unknown);
}

/**
 * A text that is equal for equal arguments and differs for others, whatever the order of keys. Validators make more
 * than JSON out of arguments, so it tells apart what JSON does not.
 */
function encode(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value === null || ['undefined', 'boolean', 'number'].includes(typeof value)) return String(value);
  if (Array.isArray(value)) return `[${Array.from(value, encode).join(',')}]`;
  if (typeof value === 'object') return encodeObject(value);
  throw incomparable(typeof value);
}

function encodeObject(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (isPlain) return `{${encodeFields(value as Record<string, unknown>)}}`;
  const name = value.constructor?.name ?? 'object without a class';
  if (value instanceof Map || value instanceof Set) return `${name}${encode([...value])}`;
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
    return `${name}[${[...(value as Uint8Array)].join(',')}]`;
  }
  // Dates, addresses and the like say what they are.
  if ('toJSON' in value && typeof value.toJSON === 'function') return `${name}(${encode(value.toJSON())})`;
  throw incomparable(name);
}

function encodeFields(fields: Readonly<Record<string, unknown>>): string {
  return Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${encode(fields[key])}`)
    .join(',');
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(cancelled());
    signal.addEventListener('abort', leave, { once: true });
    promise.finally(() => signal.removeEventListener('abort', leave)).then(resolve, reject);
  });
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** In Node a timer keeps the process from ending unless told otherwise. */
function letExit(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref();
  }
}

function cancelled(): ErrCancelled {
  return new ErrCancelled('The call was cancelled.');
}

const CHECK_FIRST = 'Check whether it took effect before you call again with a new key.';

function conflict(
  { address, key }: IdempotentRequest,
  message: string,
  hint: string,
  more: Readonly<Record<string, unknown>> = {},
): ErrIdempotencyConflict {
  return new ErrIdempotencyConflict(message, { hint, details: { address, key, ...more } });
}

function otherArguments(request: IdempotentRequest): ErrIdempotencyConflict {
  const message = `The idempotency key "${request.key}" was used with other arguments.`;
  return conflict(request, message, 'Use a new key for a new call.');
}

function unknownOutcome(request: IdempotentRequest, since: number): ErrIdempotencyConflict {
  const message = `The first call with the idempotency key "${request.key}" broke off, and its outcome is not known.`;
  return conflict(request, message, CHECK_FIRST, { since });
}

function failedBefore(request: IdempotentRequest, first: Failure): ErrIdempotencyConflict {
  const message = `The first call with the idempotency key "${request.key}" failed and was not run again: ${first.message}`;
  return conflict(request, message, CHECK_FIRST, { first });
}

function resultNotKept(request: IdempotentRequest): ErrIdempotencyConflict {
  const message = `The call with the idempotency key "${request.key}" was done, but its result was too large to keep.`;
  return conflict(request, message, 'Do not repeat it: read what it changed.');
}

function unreadable(request: IdempotentRequest): ErrIdempotencyConflict {
  const message = `What is stored for the idempotency key "${request.key}" cannot be read.`;
  return conflict(request, message, CHECK_FIRST);
}

function unreachable({ address, key }: IdempotentRequest, cause: unknown): ErrOverloaded {
  return new ErrOverloaded(`Whether "${address}" ran already cannot be looked up, so nothing was done.`, {
    hint: 'Try again with the same idempotency key in a moment.',
    details: { address, key },
    cause,
  });
}

function incomparable(what: string): ErrInvalidModel {
  return new ErrInvalidModel(`Arguments with an idempotency key cannot be compared: they hold a ${what}.`);
}
