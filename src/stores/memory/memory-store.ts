import { LRUCache } from 'lru-cache';
import { ErrOverloaded } from '../../errors.js';
import { assertOptions, assertTtl, callback, count, flag } from '../../values/options.js';
import type { Rules } from '../../values/options.js';
import type { Store, Claim, ClaimRequest, Claims, Sequence } from '../contracts.js';
import { MAX_PER_OWNER } from '../contracts.js';

/** Limits of a `MemoryStore`. */
export interface MemoryStoreOptions {
  /** Maximum number of entries. Default: 10,000. */
  readonly maxEntries?: number;
  /** Maximum size of all keys and values, counted as two bytes per character. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Whether a full store evicts the least recently used entries. Otherwise it rejects new ones. Default: true. */
  readonly evicts?: boolean;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly clock?: () => number;
}

const rules: Rules<keyof MemoryStoreOptions> = {
  maxEntries: count,
  maxBytes: count,
  evicts: flag,
  clock: callback,
};

interface Entry {
  readonly value: string;
  readonly end: number;
}

const MEBIBYTE = 1024 * 1024;

/**
 * A store in the memory of one process. A full store evicts the least recently used entries, so records that must not be
 * lost need `evicts: false`, which rejects new entries instead. There are no timers: an expired entry is deleted when it
 * is requested or its room is needed.
 */
export class MemoryStore implements Store {
  readonly evicts: boolean;
  readonly #entries: LRUCache<string, Entry>;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #clock: () => number;
  /** Only stores that do not evict need it, to find expired entries. */
  readonly #ends: ExpiryQueue | undefined;

  constructor(options: MemoryStoreOptions = {}) {
    assertOptions('MemoryStore', options, rules);
    const { maxEntries = 10_000, maxBytes = 64 * MEBIBYTE, evicts = true, clock = Date.now } = options;
    // The store checks expiry itself, because that of LRUCache is inexact and does not support time 0. It also limits the
    // number of entries itself, because LRUCache would allocate memory for all of them at once, which takes milliseconds.
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ value }, key) => sizeOf(key, value),
    });
    this.evicts = evicts;
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    this.#ends = evicts ? undefined : new ExpiryQueue();
  }

  // No method awaits anything, so each runs to completion before the next one begins.

  async get(key: string): Promise<string | undefined> {
    return this.#find(key)?.value;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    this.#put(key, value, ttlMs);
  }

  async setIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    assertTtl(ttlMs);
    const found = this.#find(key);
    if (!found) this.#put(key, value, ttlMs);
    return found?.value;
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry || this.#clock() < entry.end) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  #put(key: string, value: string, ttlMs: number): void {
    assertTtl(ttlMs);
    const end = this.#clock() + ttlMs;
    if (this.#ends) {
      this.#makeRoom(key, value, this.#ends);
      this.#noteEnd(key, end, this.#ends);
    }
    this.#entries.set(key, { value, end });
    if (this.#entries.size > this.#maxEntries) this.#entries.pop();
  }

  /** Deletes expired entries until there is room, and throws if that is not enough. */
  #makeRoom(key: string, value: string, ends: ExpiryQueue): void {
    if (sizeOf(key, value) > this.#maxBytes) throw full();
    const now = this.#clock();
    while (!this.#hasRoom(key, value)) {
      const ended = ends.takeEnded(now);
      if (ended === undefined) throw full();
      // The entry may have been replaced, with a later expiry, or deleted.
      const entry = this.#entries.peek(ended);
      if (entry && entry.end <= now) this.#entries.delete(ended);
    }
  }

  #hasRoom(key: string, value: string): boolean {
    const old = this.#entries.peek(key);
    const entries = this.#entries.size + (old ? 0 : 1);
    const bytes = this.#entries.calculatedSize - (old ? sizeOf(key, old.value) : 0) + sizeOf(key, value);
    return entries <= this.#maxEntries && bytes <= this.#maxBytes;
  }

  /** Expiry entries of replaced or deleted values stay behind. The queue is rebuilt when they are the majority. */
  #noteEnd(key: string, end: number, ends: ExpiryQueue): void {
    if (ends.size > 2 * this.#entries.size + 100) {
      ends.reset(Array.from(this.#entries.entries(), ([each, entry]) => ({ key: each, end: entry.end })));
    }
    ends.add(key, end);
  }
}

function sizeOf(key: string, value: string): number {
  return Math.max(1, 2 * (key.length + value.length));
}

function full(): ErrOverloaded {
  return new ErrOverloaded('The store is full.', {
    hint: 'Try again later, or give it more room with maxEntries and maxBytes.',
  });
}

interface Ending {
  readonly key: string;
  readonly end: number;
}

/** Keys ordered by expiry: a binary heap, so that a full store of many entries finds expired ones without a search. */
class ExpiryQueue {
  #heap: Ending[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(key: string, end: number): void {
    const heap = this.#heap;
    let index = heap.push({ key, end }) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (this.#endAt(above) <= end) break;
      this.#swap(index, above);
      index = above;
    }
  }

  /** Removes and returns a key that has expired. */
  takeEnded(now: number): string | undefined {
    const [first] = this.#heap;
    if (!first || first.end > now) return undefined;
    const last = this.#heap.pop() as Ending;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first.key;
  }

  /** Replaces all entries. */
  reset(endings: Iterable<Ending>): void {
    // A sorted list is a valid heap.
    this.#heap = [...endings].toSorted((one, other) => one.end - other.end);
  }

  #sink(start: number): void {
    for (let index = start; ;) {
      const left = 2 * index + 1;
      if (left >= this.#heap.length) return;
      const child = this.#endAt(left + 1) < this.#endAt(left) ? left + 1 : left;
      if (this.#endAt(index) <= this.#endAt(child)) return;
      this.#swap(index, child);
      index = child;
    }
  }

  #endAt(index: number): number {
    return this.#heap[index]?.end ?? Infinity;
  }

  #swap(one: number, other: number): void {
    const held = this.#heap[one] as Ending;
    this.#heap[one] = this.#heap[other] as Ending;
    this.#heap[other] = held;
  }
}

const MAX_OWNERS = 100_000;

/** Claims keys in any `Store`. The keys of an owner are counted in each process. */
export class StoreClaims implements Claims {
  readonly #store: Store;
  readonly #sequence: Sequence;
  /** Number of keys that each owner claimed recently. */
  readonly #used: LRUCache<string, number>;

  constructor(store: Store, sequence: Sequence, ttlMs: number) {
    this.#store = store;
    this.#sequence = sequence;
    // Limited with maxSize, because LRUCache allocates the memory for `max` entries at once, which slows every start.
    this.#used = new LRUCache({ maxSize: MAX_OWNERS, sizeCalculation: () => 1, ttl: ttlMs });
  }

  async claim({ key, text, ttlMs, owner }: ClaimRequest): Promise<Claim> {
    const found = await this.#store.setIfAbsent(key, text, ttlMs);
    if (found !== undefined) return { kind: 'found', text: found };
    const used = this.#used.get(owner) ?? 0;
    if (used >= MAX_PER_OWNER) {
      await this.#store.delete(key);
      return { kind: 'full' };
    }
    this.#used.set(owner, used + 1, { noUpdateTTL: true });
    try {
      return { kind: 'ours', token: await this.#sequence.next() };
    } catch (error) {
      await this.free(key, owner, [text]);
      throw error;
    }
  }

  async free(key: string, owner: string, texts: readonly string[]): Promise<void> {
    const found = await this.#store.get(key);
    if (found === undefined || !texts.includes(found)) return;
    const used = this.#used.get(owner) ?? 0;
    if (used > 0) this.#used.set(owner, used - 1, { noUpdateTTL: true });
    await this.#store.delete(key);
  }
}

/**
 * Creates the sequence of one process. The numbers follow the time in microseconds, so that they keep increasing after a
 * restart, or when the process begins to share a sequence with others.
 */
export function createSequence(clock: () => number = Date.now): Sequence {
  let last = 0;
  return {
    next: async () => (last = Math.max(last + 1, Math.floor(clock() * 1_000))),
  };
}
