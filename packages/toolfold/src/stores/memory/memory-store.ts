import { LRUCache } from 'lru-cache';
import { ErrOverloaded } from '@toolfold/schema/errors';
import { assertOptions, assertTtl, callback, count, flag } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { Store, Claim, ClaimRequest, Claims, Sequence } from '../contracts.js';
import { MAX_PER_OWNER } from '../contracts.js';

/** Limits the size of a `MemoryStore`. */
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
  /** When each entry expires, to find expired entries when a store that does not evict is full. */
  readonly #ends = new Map<string, number>();
  /** No entry expires before this time, so that a full store need not search at every rejection. */
  #nextEnd = Number.POSITIVE_INFINITY;

  constructor(options: MemoryStoreOptions = {}) {
    assertOptions('MemoryStore', options, rules);
    const { maxEntries = 10_000, maxBytes = 64 * MEBIBYTE, evicts = true, clock = Date.now } = options;
    // The store checks expiry itself, because that of LRUCache is inexact and does not support time 0. It also limits the
    // number of entries itself, because LRUCache would allocate memory for all of them when the server starts.
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ value }, key) => sizeOf(key, value),
    });
    this.evicts = evicts;
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
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
    this.#drop(key);
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry || this.#clock() < entry.end) return entry;
    this.#drop(key);
    return undefined;
  }

  #drop(key: string): void {
    this.#entries.delete(key);
    this.#ends.delete(key);
  }

  #put(key: string, value: string, ttlMs: number): void {
    assertTtl(ttlMs);
    const end = this.#clock() + ttlMs;
    if (!this.evicts) {
      this.#makeRoom(key, value);
      this.#ends.set(key, end);
      this.#nextEnd = Math.min(this.#nextEnd, end);
    }
    this.#entries.set(key, { value, end });
    if (this.#entries.size > this.#maxEntries) this.#entries.pop();
  }

  /** Throws if there is no room, also after expired entries were deleted. */
  #makeRoom(key: string, value: string): void {
    if (this.#hasRoom(key, value)) return;
    this.#dropExpired();
    if (this.#hasRoom(key, value)) return;
    throw new ErrOverloaded('The store is full.', {
      hint: 'Try again later, or give it more room with maxEntries and maxBytes.',
    });
  }

  #dropExpired(): void {
    const now = this.#clock();
    if (now < this.#nextEnd) return;
    this.#nextEnd = Number.POSITIVE_INFINITY;
    for (const [key, end] of this.#ends)
      if (end <= now) this.#drop(key);
      else this.#nextEnd = Math.min(this.#nextEnd, end);
  }

  #hasRoom(key: string, value: string): boolean {
    const old = this.#entries.peek(key);
    const entries = this.#entries.size + (old ? 0 : 1);
    const bytes = this.#entries.calculatedSize - (old ? sizeOf(key, old.value) : 0) + sizeOf(key, value);
    return entries <= this.#maxEntries && bytes <= this.#maxBytes;
  }
}

function sizeOf(key: string, value: string): number {
  return Math.max(1, 2 * (key.length + value.length));
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
