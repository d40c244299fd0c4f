import type { Store } from '../../stores/store.js';

/** Number of keys that are remembered while the store is down. */
export const MAX_PENDING = 10_000;

/**
 * Deletes keys even while the store is down: a failed delete is remembered and retried before this process reads the key
 * again, or as soon as the store answers.
 */
export class PendingDeletes {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  /** The failed deletes by key. Each value is a new object, so that completing an old delete keeps a newer one. */
  readonly #pending = new Map<string, object>();
  #draining = false;

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** Deletes a key now or later. Rejects only if it can be neither deleted nor remembered. */
  async delete(key: string): Promise<void> {
    try {
      await this.#store.delete(key);
    } catch (error) {
      if (this.#pending.size >= MAX_PENDING && !this.#pending.has(key)) throw error;
      this.#pending.set(key, {});
      this.#onError(error);
      return;
    }
    this.drain();
  }

  /** Completes the pending deletes of these keys. Rejects if the store is still down. */
  async settle(keys: readonly string[]): Promise<void> {
    if (this.#pending.size === 0) return;
    for (const key of keys) {
      const pending = this.#pending.get(key);
      if (!pending) continue;
      await this.#store.delete(key);
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
    }
  }

  /** Completes all pending deletes in the background, because other processes read the keys too. Called after the store answered. */
  drain(): void {
    if (this.#draining || this.#pending.size === 0) return;
    this.#draining = true;
    this.settle([...this.#pending.keys()])
      .catch(this.#onError)
      .finally(() => {
        this.#draining = false;
      });
  }
}
