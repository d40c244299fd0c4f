import { LRUCache } from 'lru-cache';
import { ErrCancelled } from '@toolfold/schema/errors';
import { pause, untilAborted } from '@toolfold/schema/internal';
import { NotClaimed } from '../../stores/contracts.js';
import type { Claim, Claims, Sequence, Store } from '../../stores/contracts.js';
import { createSequence, StoreClaims } from '../../stores/memory/memory-store.js';
import { digest } from '../../values/digest.js';
import {
  failedBefore,
  otherArguments,
  tooManyKeys,
  unknownOutcome,
  unreachable,
  unreadable,
  isKey,
  nameOf,
  noKey,
} from './key.js';
import type { IdempotentRequest, NamedCall } from './key.js';
import { PendingWrites, startRenewal } from './pending-writes.js';
import { randomId } from '../../runtime/random-id.js';
import {
  parseResult,
  createStoredAnswers,
  describeFailure,
  done,
  LEASE,
  readStoredCall,
  running,
} from './stored-call.js';
import type { Answer, EndedCall, StoredCall } from './stored-call.js';

export interface IdempotencyOptions {
  /** Stores the records. A store that evicts records makes repeated runs possible. */
  readonly store: Store;
  /** Stores larger results. It may evict them. Default: `store`. */
  readonly results?: Store | undefined;
  /** The time in milliseconds, about the same in all processes that share the store. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** Numbers the runs. All processes that share the store need the same sequence. Default: a sequence of this process. */
  readonly sequence?: Sequence | undefined;
  /** Decides which process runs a call. Default: claims in `store`, numbered by `sequence`. */
  readonly claims?: Claims | undefined;
  /** Milliseconds without a renewal after which the process that runs a call counts as dead. Default: 60,000. */
  readonly leaseMs?: number | undefined;
  /**
   * Whether a value thrown by `work` means that nothing was changed, as a question to the client does. The key is then freed.
   * Default: never, because an error does not show what happened before it.
   */
  readonly changedNothing?: ((thrown: unknown) => boolean) | undefined;
}

/** The work of a call. Its fencing token is above those of all runs that began before it. */
type Work = (fencingToken: number) => Promise<unknown>;

/** A run that has claimed its key. `text` is the record in the store, `token` its fencing token. */
interface ClaimedRun {
  readonly run: string;
  readonly since: number;
  readonly text: string;
  readonly token: number;
}

interface Call extends NamedCall {
  readonly request: IdempotentRequest;
  readonly work: Work;
  /** Number of callers that wait for the answer. If there are none, a call that has not started is dropped. */
  waiting: number;
}

/** A started call. Its answer never rejects, because every caller may have cancelled and nothing would handle the error. */
interface Flight extends Call {
  readonly answer: Promise<Answer>;
}

/** How long a key is bound to its first call. */
const DAY = 24 * 60 * 60 * 1_000;
const FIRST_POLL = 50;
const LONGEST_POLL = 2_000;
const MAX_UNWRITTEN = 1_000;

/**
 * Runs a call once for each key that a caller chose, in all processes that share a store. The record of a key in the store:
 *
 *                 claim                  handler returns
 *   (no record) ─────────▶ running ─────────────────────▶ done      repeats get the stored result
 *        ▲                  │  │  │      handler throws
 *        └──────────────────┘  │  └─────────────────────▶ failed    repeats get ErrIdempotencyConflict
 *        cancelled before the  │
 *        run, or the handler   │ the process died: its lease expired
 *        changed nothing       └──────────────────────── (running)  repeats get ErrOutcomeUnknown
 *
 * Repeats during the run wait for its outcome. A key with other arguments is rejected. While the store cannot be reached
 * nothing runs; if it fails after a run, the outcome is kept in memory and written later. Every rule follows from "no second
 * write". Limits and validation belong around this class, retries inside `work`.
 */
export class Idempotency {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #claims: Claims;
  readonly #leaseMs: number;
  readonly #changedNothing: (thrown: unknown) => boolean;
  readonly #flights = new Map<string, Flight>();
  /** Outcomes that the store has not accepted yet. */
  readonly #unwritten: LRUCache<string, EndedCall>;
  readonly #answers: ReturnType<typeof createStoredAnswers>;
  /** Two queues, so that freed keys never displace outcomes. */
  readonly #pendingEnds = new PendingWrites();
  readonly #pendingFrees = new PendingWrites();
  /** Distinguishes the runs of this process from those of others. Created on first use, because loading the crypto module takes time. */
  #self: string | undefined;
  #runs = 0;

  constructor({
    store,
    results = store,
    clock = Date.now,
    sequence = createSequence(clock),
    claims,
    leaseMs = LEASE,
    changedNothing = () => false,
  }: IdempotencyOptions) {
    this.#store = store;
    this.#answers = createStoredAnswers(results, DAY);
    this.#clock = clock;
    this.#claims = claims ?? new StoreClaims(store, sequence, DAY);
    this.#leaseMs = leaseMs;
    this.#changedNothing = changedNothing;
    this.#unwritten = new LRUCache({ max: MAX_UNWRITTEN, ttl: DAY });
  }

  /**
   * Runs `work` unless the key has been used. `work` must not end with one caller's signal. Each caller gets a copy
   * of the result, which is JSON.
   */
  async run(request: IdempotentRequest, work: Work): Promise<unknown> {
    const { key, signal } = request;
    if (!isKey(key)) throw noKey();
    const { id, recordKey, encoded } = nameOf(request);
    const joined = this.#flights.get(id);
    if (signal?.aborted) throw new ErrCancelled();
    const flight = joined ?? this.#start({ id, request, recordKey, encoded, work, waiting: 0 });
    flight.waiting++;
    try {
      const answer = await (signal ? untilAborted(flight.answer, signal).catch(cancelled) : flight.answer);
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
      // A caller that cancels in the same turn claims nothing.
      await undefined;
      if (call.waiting === 0) throw new ErrCancelled();
      return await this.#runOrFollow(call, digest(call.encoded));
    } finally {
      this.#end(call);
    }
  }

  #end(call: Call): void {
    if (this.#flights.get(call.id) === call) this.#flights.delete(call.id);
  }

  /** Runs the call if the key is free. Otherwise waits, in growing steps, for the process that runs it. */
  async #runOrFollow(call: Call, fingerprint: string): Promise<Answer> {
    const { recordKey, request } = call;
    const unwritten = this.#unwritten.get(recordKey);
    if (unwritten) {
      if (unwritten.fingerprint !== fingerprint) throw otherArguments(request);
      await this.#write(recordKey, unwritten);
      return this.#answers.read(unwritten, recordKey, request);
    }
    let last = { text: '', since: 0 };
    for (let wait = FIRST_POLL; ; wait = Math.min(2 * wait, LONGEST_POLL)) {
      const { found, text, claimed } = await this.#claim(call, fingerprint);
      if (!found) return this.#runClaimed(call, fingerprint, claimed);
      // A fresh claim may still be released before it runs, so a conflict is confirmed by a second look.
      const isOther = found.fingerprint !== fingerprint;
      if (isOther && (found.state !== 'running' || wait > FIRST_POLL)) throw otherArguments(request);
      if (found.state !== 'running') return this.#answers.read(found, recordKey, request);
      if (found.aliveUntil < this.#clock()) throw unknownOutcome(request, found.since);
      // Clocks may differ, so a record that is not renewed within a lease by our clock counts as dead as well.
      if (last.text !== text) last = { text, since: performance.now() };
      else if (performance.now() - last.since > this.#leaseMs) throw unknownOutcome(request, found.since);
      await pause(wait);
      if (call.waiting === 0) {
        this.#end(call);
        throw new ErrCancelled();
      }
    }
  }

  /** Claims the key. Resolves to the record that owns it, or to our run. */
  async #claim(
    { recordKey, request }: Call,
    fingerprint: string,
  ): Promise<
    | { found: StoredCall; text: string; claimed?: undefined }
    | { found?: undefined; text?: undefined; claimed: ClaimedRun }
  > {
    this.#self ??= randomId();
    const run = `${this.#self}.${++this.#runs}`;
    const since = this.#clock();
    const text = JSON.stringify(running(fingerprint, since, since + this.#leaseMs, run));
    const owner = request.caller;
    let claim: Claim;
    try {
      claim = await this.#claims.claim({ key: recordKey, text, ttlMs: DAY, owner });
    } catch (cause) {
      // The store may have claimed the key although its answer was lost. No run follows, so the key is freed later.
      if (!(cause instanceof NotClaimed)) this.#freeLater(recordKey, owner, [text]);
      throw unreachable(request, cause);
    }
    if (claim.kind === 'ours') return { claimed: { run, since, text, token: claim.token } };
    // Each caller has a limited number of keys, so that no caller can fill the store.
    if (claim.kind !== 'found') throw tooManyKeys(request);
    const found = readStoredCall(claim.text);
    // An unreadable record may belong to a call that ran, so the call does not run.
    if (!found) throw unreadable(request);
    return { found, text: claim.text };
  }

  async #runClaimed(
    call: Call,
    fingerprint: string,
    { run, since, text, token }: ClaimedRun,
  ): Promise<Answer> {
    const { recordKey, request } = call;
    if (call.waiting === 0) {
      this.#end(call);
      await this.#free(recordKey, request.caller, [text]);
      throw new ErrCancelled();
    }
    const renewal = startRenewal(
      text,
      this.#leaseMs / 3,
      () => JSON.stringify(running(fingerprint, since, this.#clock() + this.#leaseMs, run)),
      (next) => this.#store.set(recordKey, next, DAY),
    );
    try {
      const result = JSON.stringify(await call.work(token)) as string | undefined;
      renewal.stop();
      const end = done(fingerprint, result);
      if (result !== undefined && 'isApart' in end)
        await this.#answers.keep(recordKey, result, request.caller);
      await this.#write(recordKey, end);
      return () => parseResult(result);
    } catch (thrown) {
      renewal.stop();
      if (this.#changedNothing(thrown)) {
        await this.#free(recordKey, request.caller, renewal.texts);
        throw thrown;
      }
      const error = describeFailure(thrown);
      await this.#write(recordKey, { state: 'failed', fingerprint, error });
      return (to) => {
        throw to === request ? thrown : failedBefore(to, error);
      };
    }
  }

  /** Writes an outcome. If that fails, this process remembers the outcome and answers repeats from memory until a retry succeeds. */
  async #write(recordKey: string, call: EndedCall): Promise<void> {
    this.#unwritten.set(recordKey, call);
    const write = async (): Promise<void> => {
      await this.#store.set(recordKey, JSON.stringify(call), DAY);
      this.#unwritten.delete(recordKey);
    };
    try {
      await write();
    } catch {
      this.#pendingEnds.add(recordKey, write);
    }
  }

  /** Frees a key. If that fails, repeats are rejected until a retry succeeds, which is safe. */
  async #free(recordKey: string, owner: string, texts: readonly string[]): Promise<void> {
    try {
      await this.#claims.free(recordKey, owner, texts);
    } catch {
      this.#freeLater(recordKey, owner, texts);
    }
  }

  /** Frees a key later. The texts are part of the queue's key, because several runs may have claimed one key. */
  #freeLater(recordKey: string, owner: string, texts: readonly string[]): void {
    this.#pendingFrees.add(`${recordKey}${texts.join('')}`, () => this.#claims.free(recordKey, owner, texts));
  }
}

function cancelled(): never {
  throw new ErrCancelled();
}
