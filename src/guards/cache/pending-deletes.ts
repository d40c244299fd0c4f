import type { Store } from '../../stores/store.js';

/** So many keys are remembered while the store cannot be reached. */
export const MAX_OWED = 10_000;

/**
 * Deletes that hold although the store rejects: the key is remembered, and deleted before this process reads
 * it again or as soon as the store answers.
 */
export class OwedDeletes {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  /** What is owed by key. Each debt is its own object, so that paying an old one leaves a newer one. */
  readonly #debts = new Map<string, object>();
  #draining = false;

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** Rejects only if the key can be neither deleted nor remembered. */
  async delete(key: string): Promise<void> {
    try {
      await this.#store.delete(key);
    } catch (error) {
      if (this.#debts.size >= MAX_OWED && !this.#debts.has(key)) throw error;
      this.#debts.set(key, {});
      this.#onError(error);
      return;
    }
    this.drain();
  }

  /** Rejects while one of the keys is still to be deleted and cannot be. */
  async settle(keys: readonly string[]): Promise<void> {
    if (this.#debts.size === 0) return;
    for (const key of keys) {
      const debt = this.#debts.get(key);
      if (!debt) continue;
      await this.#store.delete(key);
      if (this.#debts.get(key) === debt) this.#debts.delete(key);
    }
  }

  /** Deletes all that is owed, for other processes read it too. To be called when the store has answered. */
  drain(): void {
    if (this.#draining || this.#debts.size === 0) return;
    this.#draining = true;
    this.settle([...this.#debts.keys()])
      .catch(this.#onError)
      .finally(() => {
        this.#draining = false;
      });
  }
}
