import { LRUCache } from 'lru-cache';
import { MAX_PER_OWNER } from '../contracts.js';
import type { Claim, ClaimRequest, Claims, Sequence, Store } from '../contracts.js';

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
