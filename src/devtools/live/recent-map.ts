/** A map that keeps the entries used last. */
export class RecentMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the entry of a key, which is the latest from now on. */
  use(key: K, create: () => V): V {
    const value = this.#entries.get(key) ?? create();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#max) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    return value;
  }

  /** The entries, the latest last. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }

  /** The values, the latest first. */
  latest(): V[] {
    return [...this.#entries.values()].toReversed();
  }
}
