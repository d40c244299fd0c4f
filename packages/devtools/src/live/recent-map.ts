/** A map with limited size that evicts the least recently used entry. */
export class RecentMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns or creates an entry and marks it as the most recent. */
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

  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }

  latest(): V[] {
    return [...this.#entries.values()].toReversed();
  }
}
