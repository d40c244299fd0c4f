import {
  callerKey,
  contextHashOf,
  digest,
  encode,
  holderKey,
  identifyingToken,
  internalsOf,
  randomId,
} from 'toolfold/internal';
import type { AnyRegistry, RequestOptions, Store } from 'toolfold';
import { ErrCodeFailed, ErrOutcomeUnknown } from 'toolfold/errors';
import { MemoryStore } from 'toolfold';
import { isJsonObject } from '@toolfold/schema/internal';
import type { CallNote, PausedRun } from './paused-run.js';
import { countTexts, digestOf, fromTexts, packRun, TooLarge, toTexts, unpackRun } from './saved-run-bytes.js';
import type { UnpackedRun } from './saved-run-bytes.js';

/** A run waits this long for a person. */
export const RUN_TTL_MS = 60 * 60_000;
/** Limits the compressed state. Most are below 200 kB. */
const MAX_PACKED = 4 * 1024 * 1024;
/** A state of this size has so many texts, rounded up. */
const MAX_TEXTS = 32;
/** Saves this many runs of one caller at once. A newer one replaces the oldest. */
const MAX_RUNS = 8;
/** Limits the compressed bytes that a process saves in shared state within an hour, for one caller and for all. */
const MAX_SAVED = { bytes: 128 * 1024 * 1024, allBytes: 1024 * 1024 * 1024 };
/** Limits the runs that wait in this process for an answer: runs and bytes of one caller, and bytes of all callers. */
const MAX_HELD = { runs: 8, bytes: 64 * 1024 * 1024, allBytes: 256 * 1024 * 1024 };
/**
 * Limits the store of a registry without shared state. It may evict: a run without its texts cannot be continued, and a claim is younger
 * than the texts.
 */
const MEMORY = { maxEntries: 10_000, maxBytes: 256 * 1024 * 1024 };
/** The record of a claim lists at most this many calls. */
const MAX_NOTES = 200;

/** Thrown if a run was not saved. The message is the reason, written to follow "The call". */
export class NotSaved extends Error {}

/** A run that this request continues. No other request can continue it. */
export interface ClaimedRun {
  readonly paused: PausedRun;
  readonly snapshot: Uint8Array;
  /** Saves the calls made so far, for the error that the caller gets if this process dies before `end`. */
  note(notes: readonly CallNote[]): void;
  /** Ends the claim. Call it however the request ends, also if it asks further questions. */
  end(notes: readonly CallNote[]): Promise<void>;
  /** Lets the client send its answers again. Call this instead of `end` if the run could not be continued and made no call. */
  release(): Promise<void>;
}

/** Identifies a saved run. The client carries it in a signed state, so it cannot change it. */
interface Memo {
  readonly run: string;
  readonly digest: string;
  readonly texts: number;
  /** The key of the caller's slot that the run takes. */
  readonly slot: string;
}

const known = new WeakMap<AnyRegistry, SavedRuns>();

export function savedRunsOf(registry: AnyRegistry): SavedRuns {
  let saved = known.get(registry);
  if (!saved) known.set(registry, (saved = new SavedRuns(registry)));
  return saved;
}

export class SavedRuns {
  readonly #registry: AnyRegistry;
  readonly #store: Store;
  readonly #maxSaved: typeof MAX_SAVED;
  readonly #held = new Map<string, { readonly runs: number; readonly bytes: number }>();
  #heldBytes = 0;
  /** The runs that this process saved in shared state, by their ids. */
  readonly #saved = new Map<
    string,
    { readonly until: number; readonly bytes: number; readonly payer: string }
  >();

  constructor(
    registry: AnyRegistry,
    store: Store = registry.shared?.records ?? new MemoryStore(MEMORY),
    maxSaved = MAX_SAVED,
  ) {
    this.#registry = registry;
    this.#store = store;
    this.#maxSaved = maxSaved;
  }

  /** Reserves memory for a run that waits in this process, and returns the function that frees it. */
  hold({ snapshot }: PausedRun, request: RequestOptions): () => void {
    const payer = this.#payerOf(request);
    const { runs, bytes } = this.#held.get(payer) ?? { runs: 0, bytes: 0 };
    const own = snapshot?.byteLength ?? 0;
    if (runs >= MAX_HELD.runs || bytes + own > MAX_HELD.bytes) throw new NotSaved(TOO_MANY);
    if (this.#heldBytes + own > MAX_HELD.allBytes) throw new NotSaved(NO_ROOM);
    this.#held.set(payer, { runs: runs + 1, bytes: bytes + own });
    this.#heldBytes += own;
    return () => {
      const held = this.#held.get(payer);
      if (held && held.runs > 1) this.#held.set(payer, { runs: held.runs - 1, bytes: held.bytes - own });
      else this.#held.delete(payer);
      this.#heldBytes -= own;
    };
  }

  /** Saves a run for a later request of the same caller, on any node. Throws `NotSaved` with the reason if it cannot. */
  async save(paused: PausedRun, request: RequestOptions): Promise<Memo> {
    const { snapshot } = paused;
    if (!snapshot) throw new NotSaved(NO_SNAPSHOT);
    const packed = await packRun(this.#ownerOf(request), paused, snapshot, MAX_PACKED).catch(
      (error: unknown) => {
        throw error instanceof TooLarge ? new NotSaved(TOO_LARGE) : error;
      },
    );
    const texts = countTexts(packed);
    const run = randomId();
    const payer = this.#payerOf(request);
    let slot: string | undefined;
    try {
      slot = await this.#takeSlot(payer, run, texts);
      this.#account(run, packed.length, payer);
      let index = 0;
      for await (const text of toTexts(packed)) await this.#store.set(keyOf(run, index++), text, RUN_TTL_MS);
      return { run, digest: await digestOf(packed), texts, slot };
    } catch (cause) {
      if (slot !== undefined) await this.#forget(run, texts, slot);
      throw cause instanceof NotSaved ? cause : new NotSaved(NO_ROOM, { cause });
    }
  }

  /**
   * Reads a run and claims it, so that no other request can. `approve` returns the ids of the calls that run next. The claim names them,
   * because a process that dies cannot report whether it ran them.
   */
  async claim(
    given: unknown,
    request: RequestOptions,
    approve: (paused: PausedRun) => ReadonlySet<number>,
  ): Promise<ClaimedRun> {
    const memo = readMemo(given);
    const unpacked = memo && (await this.#read(memo));
    if (!memo || unpacked?.owner !== this.#ownerOf(request)) {
      const claim = memo && (await this.#store.get(claimOf(memo.run)));
      throw claim === undefined ? gone() : alreadyClaimed(claim);
    }
    const { paused, snapshot } = unpacked;
    const key = claimOf(memo.run);
    const claim = toClaim(paused.notes, { approved: approve(paused) });
    const found = await this.#store.setIfAbsent(key, claim, RUN_TTL_MS);
    if (found !== undefined) throw alreadyClaimed(found);
    let isReleased = false;
    /** Only the latest notes matter, so a failed write is not repeated. */
    const write = (text: string): Promise<void> =>
      this.#store.set(key, text, RUN_TTL_MS).catch(() => undefined);
    return {
      paused,
      snapshot,
      note: (notes) => void write(toClaim(notes)),
      end: async (notes) => {
        if (isReleased) return;
        await write(toClaim(notes, { hasEnded: true }));
        await this.#forget(memo.run, memo.texts, memo.slot);
      },
      release: async () => {
        isReleased = true;
        await this.#store.delete(key).catch(() => undefined);
      },
    };
  }

  async #read({ run, texts: count, digest: expected }: Memo): Promise<UnpackedRun | undefined> {
    const texts: string[] = [];
    for (let index = 0; index < count; index++) {
      const text = await this.#store.get(keyOf(run, index));
      if (text === undefined) return undefined;
      texts.push(text);
    }
    // The store may contain data that this server did not write.
    const packed = await fromTexts(texts).catch(() => undefined);
    return packed && (await digestOf(packed)) === expected ? unpackRun(packed) : undefined;
  }

  /** Takes one of the caller's slots. If all are taken, the oldest run is deleted. */
  async #takeSlot(payer: string, run: string, texts: number): Promise<string> {
    const text = JSON.stringify({ run, texts, at: this.#now() });
    for (let attempt = 0; attempt < 3; attempt++) {
      const taken: { readonly slot: string; readonly old: Readonly<Record<string, unknown>> }[] = [];
      for (let place = 0; place < MAX_RUNS; place++) {
        const slot = `code runs ${payer} ${place}`;
        const found = await this.#store.setIfAbsent(slot, text, RUN_TTL_MS);
        if (found === undefined) return slot;
        taken.push({ slot, old: readObject(found) });
      }
      const [oldest] = taken.toSorted((one, other) => Number(one.old['at']) - Number(other.old['at']));
      if (oldest) await this.#forget(String(oldest.old['run']), Number(oldest.old['texts']), oldest.slot);
    }
    throw new NotSaved(TOO_MANY);
  }

  async #forget(run: string, texts: number, slot: string): Promise<void> {
    this.#saved.delete(run);
    try {
      // A newer run may have taken the slot while this one continued.
      const found = await this.#store.get(slot);
      if (found !== undefined && readObject(found)['run'] === run) await this.#store.delete(slot);
      for (let index = 0; index < Math.min(texts, MAX_TEXTS); index++)
        await this.#store.delete(keyOf(run, index));
    } catch {
      // If deleting fails, the texts expire after an hour at most.
    }
  }

  /** Counts the bytes that this process saves in shared state, because a full store would fail all of its users. */
  #account(run: string, bytes: number, payer: string): void {
    if (!this.#registry.shared) return;
    const now = this.#now();
    let own = bytes;
    let all = bytes;
    for (const [id, saved] of this.#saved) {
      if (saved.until <= now) this.#saved.delete(id);
      else {
        all += saved.bytes;
        if (saved.payer === payer) own += saved.bytes;
      }
    }
    if (own > this.#maxSaved.bytes) throw new NotSaved(TOO_MANY);
    if (all > this.#maxSaved.allBytes) throw new NotSaved(NO_ROOM);
    this.#saved.set(run, { until: now + RUN_TTL_MS, bytes, payer });
  }

  #now(): number {
    return this.#registry.shared?.now() ?? Date.now();
  }

  /** Returns the caller that may continue a run: the one that the signed state is bound to. */
  #ownerOf(request: RequestOptions): string {
    const holder = holderKey(request.caller, identifyingToken(request));
    return digest(encode([internalsOf(this.#registry).tenantOf(request), holder, contextHashOf(request)]));
  }

  /** Returns the caller whose saved runs are counted. Its address counts too, because anonymous callers share one owner. */
  #payerOf(request: RequestOptions): string {
    return digest(encode([internalsOf(this.#registry).tenantOf(request), callerKey(request.caller)]));
  }
}

const keyOf = (run: string, index: number): string => `code run ${run} ${index}`;
const claimOf = (run: string): string => `code run ${run} claim`;

function readMemo(given: unknown): Memo | undefined {
  const { run, digest: expected, texts, slot } = isJsonObject(given) ? given : {};
  const isMemo = typeof run === 'string' && typeof expected === 'string' && typeof texts === 'number';
  return isMemo && typeof slot === 'string' ? { run, digest: expected, texts, slot } : undefined;
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

interface ClaimState {
  /** The ids of calls that a person has confirmed and that may have run. */
  readonly approved?: ReadonlySet<number>;
  readonly hasEnded?: boolean;
}

function toClaim(notes: readonly CallNote[], { approved, hasEnded = false }: ClaimState = {}): string {
  const calls = notes
    .slice(0, MAX_NOTES)
    .map(
      ({ id, address, outcome }) =>
        `${address} (${approved?.has(id) === true ? 'confirmed, outcome unknown' : outcome})`,
    );
  return JSON.stringify({ hasEnded, calls, more: notes.length - calls.length });
}

const NO_SNAPSHOT =
  'needs the confirmation of a person, and the sandbox of this server cannot wait for one between two requests.';
const TOO_LARGE =
  'needs the confirmation of a person, and the code holds too much data to wait for one. Keep only the data that the code still needs.';
const TOO_MANY =
  'needs the confirmation of a person, and too many runs of this caller wait for one. Answer their questions first.';
const NO_ROOM =
  'needs the confirmation of a person, and the server cannot save the run until one answers. Try again later.';

function gone(): ErrCodeFailed {
  return new ErrCodeFailed(
    'The code waited for a confirmation and cannot be continued: its state has expired or was deleted.',
    { hint: 'Check which calls have been made before you run the code again.' },
  );
}

function alreadyClaimed(claim: string): ErrCodeFailed | ErrOutcomeUnknown {
  const { hasEnded, calls, more } = readObject(claim);
  const listed = Array.isArray(calls) ? calls.filter((call) => typeof call === 'string') : [];
  const others = typeof more === 'number' && more > 0 ? `, and ${more} more` : '';
  const made = listed.length === 0 ? 'none' : `${listed.join(', ')}${others}`;
  if (hasEnded === true) {
    return new ErrCodeFailed(
      `The question has already been answered, and the code has been continued. Calls made by then: ${made}.`,
      { hint: 'Do not send the answers again. Check the results before you run the code again.' },
    );
  }
  return new ErrOutcomeUnknown(
    `The question has already been answered, and the outcome of the code is unknown: another request continues it, or its process has died. Calls known so far: ${made}.`,
    { hint: 'Check the results before you run the code again.' },
  );
}
