import { LRUCache } from 'lru-cache';
import { ErrCancelled, ErrInvalidModel, ErrRateLimited, ErrValidationFailed } from '../errors.js';
import { createSequence } from '../stores/sequence.js';
import type { Sequence } from '../stores/sequence.js';
import type { Store } from '../stores/store.js';
import { digest, encode } from './fingerprint.js';
import {
  failedBefore,
  otherArguments,
  resultNotKept,
  unknownOutcome,
  unreachable,
  unreadable,
} from './idempotency-errors.js';
import { describeFailure, done, LEASE, readStoredCall, running } from './stored-call.js';
import type { EndedCall, StoredCall } from './stored-call.js';

export interface IdempotencyOptions {
  /** Where records are kept. One that drops records makes repeats possible. */
  readonly store: Store;
  /** Where larger results are kept, which may be dropped. Default: the store. */
  readonly results?: Store | undefined;
  /** The time in milliseconds, about the same in all processes that share the store. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** Numbers for the runs, the same sequence for all processes that share the store. Default: this process's own. */
  readonly sequence?: Sequence | undefined;
  /** How long a key stands for its first call. Default: 24 hours. */
  readonly ttlMs?: number | undefined;
  /** Milliseconds after which a process that says nothing any more counts as dead. Default: a minute. */
  readonly leaseMs?: number | undefined;
  /**
   * Which of the things that `work` throws say that nothing was changed, as a question to the client does. They free
   * the key. Default: none, for an error does not show what happened before it.
   */
  readonly changedNothing?: ((thrown: unknown) => boolean) | undefined;
}

export interface IdempotentRequest {
  /** Who calls, as `callerKey` has it. */
  readonly caller: string;
  /** Tells what a caller does in one context from the same in another. All of it counts as the caller's. */
  readonly context?: string | undefined;
  /** Tells servers apart that share a store. */
  readonly namespace?: string | undefined;
  readonly address: string;
  /** What the caller chose. */
  readonly key: string;
  /** The arguments, which must be the same whenever the key is. */
  readonly input: unknown;
  /** Ends the waiting of this caller. What runs goes on, for others may wait for it and its outcome is kept. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns or throws what a caller is to get. */
type Answer = (to: IdempotentRequest) => unknown;

/** What is to be done, with a number above those of all runs that began before it. */
type Work = (fencingToken: number) => Promise<unknown>;

/** A call on its way in this process. */
interface Call {
  readonly id: string;
  readonly request: IdempotentRequest;
  readonly recordKey: string;
  readonly encoded: string;
  readonly work: Work;
  /** How many callers wait for it. */
  waiting: number;
}

/** Its answer never rejects, for perhaps nobody waits. */
interface Flight extends Call {
  readonly answer: Promise<Answer>;
}

const DAY = 24 * 60 * 60 * 1_000;
const FIRST_POLL = 50;
const LONGEST_POLL = 2_000;
const MAX_UNWRITTEN = 1_000;
const MAX_PER_CALLER = 10_000;
const MAX_CALLERS = 100_000;
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
  readonly #sequence: Sequence;
  readonly #ttlMs: number;
  readonly #leaseMs: number;
  readonly #changedNothing: (thrown: unknown) => boolean;
  readonly #flights = new Map<string, Flight>();
  /** Calls whose end the store did not take. */
  readonly #unwritten: LRUCache<string, EndedCall>;
  readonly #results: Store;
  /** How many keys each caller has used lately. */
  readonly #used: LRUCache<string, number>;

  constructor({
    store,
    results = store,
    clock = Date.now,
    sequence = createSequence(clock),
    ttlMs = DAY,
    leaseMs = LEASE,
    changedNothing = () => false,
  }: IdempotencyOptions) {
    if (!Number.isFinite(ttlMs) || ttlMs < leaseMs) {
      throw new ErrInvalidModel(`idempotency.ttlMs must be at least ${leaseMs}.`, { details: { ttlMs } });
    }
    this.#store = store;
    this.#results = results;
    // Bounded by size, for LRUCache takes the memory for `max` at once, in milliseconds of every start.
    this.#used = new LRUCache({ maxSize: MAX_CALLERS, sizeCalculation: () => 1, ttl: ttlMs });
    this.#clock = clock;
    this.#sequence = sequence;
    this.#ttlMs = ttlMs;
    this.#leaseMs = leaseMs;
    this.#changedNothing = changedNothing;
    this.#unwritten = new LRUCache({ max: MAX_UNWRITTEN, ttl: ttlMs });
  }

  /**
   * Runs `work` unless the key has been used. `work` must not end with one caller's signal. Each caller gets a copy
   * of the result, which is JSON.
   */
  async run(request: IdempotentRequest, work: Work): Promise<unknown> {
    const { namespace = '', caller, context, address, key, input, signal } = request;
    assertKey(key);
    if (signal?.aborted) throw cancelled();
    const parts = ['idempotency', namespace, caller, address, key];
    const recordKey = JSON.stringify(context === undefined ? parts : [...parts, context]);
    const encoded = encode(input);
    // Other arguments are another flight: which of the two has the key is for the store to say.
    const id = `${recordKey}${encoded}`;
    const flight =
      this.#flights.get(id) ?? this.#start({ id, request, recordKey, encoded, work, waiting: 0 });
    flight.waiting++;
    try {
      const answer = await unlessAborted(flight.answer, signal);
      return answer(request);
    } finally {
      flight.waiting--;
    }
  }

  #start(call: Call): Flight {
    const answer = this.#settle(call).catch((thrown: unknown): Answer => () => {
      throw thrown;
    });
    const flight = Object.assign(call, { answer });
    this.#flights.set(call.id, flight);
    return flight;
  }

  async #settle(call: Call): Promise<Answer> {
    try {
      // Whoever leaves at once has claimed nothing.
      await undefined;
      if (call.waiting === 0) throw cancelled();
      return await this.#runOrFollow(call, digest(call.encoded));
    } finally {
      this.#end(call);
    }
  }

  #end(call: Call): void {
    if (this.#flights.get(call.id) === call) this.#flights.delete(call.id);
  }

  /** Runs the call where nobody has; otherwise waits, in growing steps, for whoever does. */
  async #runOrFollow(call: Call, fingerprint: string): Promise<Answer> {
    const { recordKey, request } = call;
    const unwritten = this.#unwritten.get(recordKey);
    if (unwritten) {
      if (unwritten.fingerprint !== fingerprint) throw otherArguments(request);
      await this.#write(recordKey, unwritten);
      return this.#answerOf(unwritten, call);
    }
    for (let wait = FIRST_POLL; ; wait = Math.min(2 * wait, LONGEST_POLL)) {
      const now = this.#clock();
      const claim = running(fingerprint, now, now + this.#leaseMs);
      const { found, token } = await this.#claim(recordKey, claim, request, wait === FIRST_POLL);
      if (!found) return this.#runClaimed(call, fingerprint, now, token);
      // One that is only just claimed may be given up again before it runs, so it is looked at a second time.
      const isOther = found.fingerprint !== fingerprint;
      if (isOther && (found.state !== 'running' || wait > FIRST_POLL)) throw otherArguments(request);
      if (found.state !== 'running') return this.#answerOf(found, call);
      if (found.aliveUntil < this.#clock()) throw unknownOutcome(request, found.since);
      await sleep(wait);
      if (call.waiting === 0) {
        this.#end(call);
        throw cancelled();
      }
    }
  }

  /** Resolves to who has the key already, or to the number of the run that may begin. */
  async #claim(
    recordKey: string,
    claim: StoredCall,
    request: IdempotentRequest,
    isFirst: boolean,
  ): Promise<{ found: StoredCall; token?: undefined } | { found?: undefined; token: number }> {
    let found: string | undefined;
    let early: Promise<number> | undefined;
    try {
      const claimed = this.#store.setIfAbsent(recordKey, JSON.stringify(claim), this.#ttlMs);
      // Asked for at once, and after the claim: whoever has the key next gets a higher one.
      early = isFirst ? this.#sequence.next() : undefined;
      early?.catch(() => undefined);
      found = await claimed;
    } catch (cause) {
      throw unreachable(request, cause);
    }
    if (found === undefined) {
      await this.#assertRoom(recordKey, request);
      try {
        return { token: await (early ?? this.#sequence.next()) };
      } catch (cause) {
        await this.#free(recordKey);
        this.#giveBack(request);
        throw unreachable(request, cause);
      }
    }
    const call = readStoredCall(found);
    // Something else under the key is no reason to run the call.
    if (!call) throw unreadable(request);
    return { found: call };
  }

  async #runClaimed(call: Call, fingerprint: string, since: number, token: number): Promise<Answer> {
    const { recordKey, request } = call;
    if (call.waiting === 0) {
      this.#end(call);
      await this.#free(recordKey);
      this.#giveBack(request);
      throw cancelled();
    }
    const renewal = setInterval(() => {
      this.#put(recordKey, running(fingerprint, since, this.#clock() + this.#leaseMs)).catch(() => {
        // The next one may get through, and others do not run the call in any case.
      });
    }, this.#leaseMs / 3);
    letExit(renewal);
    try {
      const result = JSON.stringify(await call.work(token)) as string | undefined;
      clearInterval(renewal);
      const end = done(fingerprint, result);
      if (result !== undefined && 'isApart' in end) await this.#keepApart(recordKey, result);
      await this.#write(recordKey, end);
      return () => parseResult(result);
    } catch (thrown) {
      clearInterval(renewal);
      if (this.#changedNothing(thrown)) {
        await this.#free(recordKey);
        this.#giveBack(request);
        throw thrown;
      }
      const error = describeFailure(thrown);
      await this.#write(recordKey, { state: 'failed', fingerprint, error });
      return (to) => {
        throw to === request ? thrown : failedBefore(to, error);
      };
    }
  }

  async #answerOf(end: EndedCall, { recordKey, request }: Call): Promise<Answer> {
    if (end.state !== 'done' || !end.isApart) return answerOf(end, request);
    let result: string | undefined;
    try {
      result = await this.#results.get(resultKey(recordKey));
    } catch (cause) {
      throw unreachable(request, cause);
    }
    if (result === undefined) throw resultNotKept(request);
    return readResult(result, request);
  }

  /** A result that cannot be kept does not make the call undone. */
  async #keepApart(recordKey: string, result: string): Promise<void> {
    try {
      await this.#results.set(resultKey(recordKey), result, this.#ttlMs);
    } catch {
      // Repeats are told that it was done.
    }
  }

  /** No caller can fill the store, so that others are refused. */
  async #assertRoom(recordKey: string, { caller, address }: IdempotentRequest): Promise<void> {
    const used = this.#used.get(caller) ?? 0;
    if (used < MAX_PER_CALLER) {
      this.#used.set(caller, used + 1, { noUpdateTTL: true });
      return;
    }
    await this.#free(recordKey);
    throw new ErrRateLimited(`Too many idempotency keys were used with "${address}".`, {
      hint: 'Call without a key, or try again later.',
      details: { address },
    });
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

  /** A key that was freed was not used. */
  #giveBack({ caller }: IdempotentRequest): void {
    const used = this.#used.get(caller) ?? 0;
    if (used > 0) this.#used.set(caller, used - 1, { noUpdateTTL: true });
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

/** For a call whose result, if any, is in the record. */
function answerOf(call: EndedCall, request: IdempotentRequest): Answer {
  if (call.state === 'failed') throw failedBefore(request, call.error);
  return call.result === undefined ? () => undefined : readResult(call.result, request);
}

/** What others may have written is read before it is promised. */
function readResult(result: string, request: IdempotentRequest): Answer {
  try {
    JSON.parse(result);
  } catch {
    throw unreadable(request);
  }
  return () => parseResult(result);
}

function resultKey(recordKey: string): string {
  return `${recordKey}:result`;
}

function parseResult(result: string | undefined): unknown {
  return result === undefined ? undefined : (JSON.parse(result) as unknown);
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(cancelled());
    signal.addEventListener('abort', leave, { once: true });
    promise.finally(() => signal.removeEventListener('abort', leave)).then(resolve, reject);
  });
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
