import { LRUCache } from 'lru-cache';
import { ErrInvalidModel } from '../errors.js';
import type { Store } from './store.js';

export interface MemoryStoreOptions {
  /** Default: 10,000. */
  readonly maxEntries?: number;
  /** Of all keys and values, at two bytes a character, which is the most they take. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly clock?: () => number;
}

interface Entry {
  readonly value: string;
  readonly end: number;
}

const MEBIBYTE = 1024 * 1024;
const COUNTER = /^(?:0|-?[1-9]\d*)$/;

/**
 * A store of one process. What was not used for longest goes first when it is full, so that whatever must not
 * be crowded out by others needs a store of its own. It holds no timers: an entry past its end goes when it is
 * asked for, or for room.
 */
export class MemoryStore implements Store {
  readonly #entries: LRUCache<string, Entry>;
  readonly #clock: () => number;

  constructor({ maxEntries = 10_000, maxBytes = 64 * MEBIBYTE, clock = Date.now }: MemoryStoreOptions = {}) {
    for (const [name, value] of Object.entries({ maxEntries, maxBytes })) {
      if (!Number.isSafeInteger(value) || value < 1) {
        throw new ErrInvalidModel(`${name} must be a whole number of at least 1.`, { details: { name } });
      }
    }
    // The ends are kept here, since those of LRUCache are not exact and know no time 0.
    this.#entries = new LRUCache({
      max: maxEntries,
      maxSize: maxBytes,
      sizeCalculation: ({ value }, key) => Math.max(1, 2 * (key.length + value.length)),
    });
    this.#clock = clock;
  }

  // Each method runs to its end before another begins: none awaits anything.

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

  async increment(key: string, ttlMs: number): Promise<number> {
    assertTtl(ttlMs);
    const found = this.#find(key);
    if (!found) {
      this.#put(key, '1', ttlMs);
      return 1;
    }
    const count = Number(found.value) + 1;
    if (!COUNTER.test(found.value) || !Number.isSafeInteger(count)) {
      throw new ErrInvalidModel('Only a counter can be incremented.', {
        hint: 'Use different keys for counters and for other texts.',
      });
    }
    this.#entries.set(key, { value: String(count), end: found.end });
    return count;
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry || this.#clock() < entry.end) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  #put(key: string, value: string, ttlMs: number): void {
    assertTtl(ttlMs);
    this.#entries.set(key, { value, end: this.#clock() + ttlMs });
  }
}

function assertTtl(ttlMs: number): void {
  if (!Number.isFinite(ttlMs) || ttlMs <= 0) {
    throw new ErrInvalidModel(`ttlMs must be a finite number above 0, not ${ttlMs}.`);
  }
}
