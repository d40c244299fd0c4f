/** Keeps the newest values in an array of fixed size. */
export class Ring<T> {
  readonly #values: (T | undefined)[];
  #start = 0;
  #size = 0;

  constructor(capacity: number) {
    this.#values = Array.from({ length: capacity }, () => undefined);
  }

  get size(): number {
    return this.#size;
  }

  get capacity(): number {
    return this.#values.length;
  }

  /** Adds a value, and replaces the oldest one if the ring is full. */
  push(value: T): void {
    const { capacity } = this;
    this.#values[(this.#start + this.#size) % capacity] = value;
    if (this.#size < capacity) this.#size++;
    else this.#start = (this.#start + 1) % capacity;
  }

  /** Returns the value at a position; 0 is the newest. */
  at(place: number): T | undefined {
    if (place < 0 || place >= this.#size) return undefined;
    return this.#values[(this.#start + this.#size - 1 - place) % this.capacity];
  }

  /** Returns the values that pass a filter, the newest first. */
  newest(accept?: (value: T) => boolean): T[] {
    const found: T[] = [];
    for (let place = 0; place < this.#size; place++) {
      const value = this.at(place) as T;
      if (!accept || accept(value)) found.push(value);
    }
    return found;
  }

  clear(): void {
    this.#values.fill(undefined);
    this.#start = 0;
    this.#size = 0;
  }
}
