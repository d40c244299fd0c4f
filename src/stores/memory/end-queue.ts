interface Ending {
  readonly key: string;
  readonly end: number;
}

/** Keys by when they end, earliest first: a binary heap, so that what has ended is found without a search. */
export class EndQueue {
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
