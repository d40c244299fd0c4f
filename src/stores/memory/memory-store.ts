import { LRUCache } from 'lru-cache';
import { ErrInvalidModel, ErrOverloaded } from '../../errors.js';
import { assertTtl } from '../../values/assert-ttl.js';
import type { Store } from '../store.js';

/** How much a `MemoryStore` keeps. */
export interface MemoryStoreOptions {
  /** How many entries there are at most. Default: 10,000. */
  readonly maxEntries?: number;
  /** Of all keys and values, at two bytes a character, which is the most they take. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Whether what was not used for longest makes room when it is full. Otherwise it takes no more. Default: yes. */
  readonly evicts?: boolean;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly clock?: () => number;
}

interface Entry {
  readonly value: string;
  readonly end: number;
}

const MEBIBYTE = 1024 * 1024;

/**
 * A store of one process. When it is full, what was not used for longest goes first, so that whatever must not be
 * crowded out by others needs a store of its own, or one that evicts nothing and refuses what does not fit. It
 * holds no timers: an entry past its end goes when it is asked for, or for room.
 */
export class MemoryStore implements Store {
  readonly evicts: boolean;
  readonly #entries: LRUCache<string, Entry>;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #clock: () => number;
  /** Only where room must be found among what has ended. */
  readonly #ends: EndQueue | undefined;

  constructor({
    maxEntries = 10_000,
    maxBytes = 64 * MEBIBYTE,
    evicts = true,
    clock = Date.now,
  }: MemoryStoreOptions = {}) {
    for (const [name, value] of Object.entries({ maxEntries, maxBytes })) {
      if (!Number.isSafeInteger(value) || value < 1) {
        throw new ErrInvalidModel(`${name} must be a whole number of at least 1.`, { details: { name } });
      }
    }
    // The ends are kept here, since those of LRUCache are not exact and know no time 0; and so is the bound on
    // entries, for which LRUCache would take all the memory at once, which takes milliseconds.
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ value }, key) => sizeOf(key, value),
    });
    this.evicts = evicts;
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    this.#ends = evicts ? undefined : new EndQueue();
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

  /** Drops what has ended until there is room, earliest first, and throws where there is none even then. */
  #makeRoom(key: string, value: string, ends: EndQueue): void {
    if (sizeOf(key, value) > this.#maxBytes) throw full();
    const now = this.#clock();
    while (!this.#hasRoom(key, value)) {
      const ended = ends.takeEnded(now);
      if (ended === undefined) throw full();
      // The key may have a new value, with a later end, or be gone.
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
  #noteEnd(key: string, end: number, ends: EndQueue): void {
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

/** Keys by when they end, earliest first: a binary heap, so that what has ended is found without a search. */
class EndQueue {
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

  /** Takes out and gives a key whose end is not after the given time. */
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

  /** Holds these and nothing else. */
  reset(endings: Iterable<Ending>): void {
    // A sorted list is a heap.
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
