/** Ranks, the most interesting first. */
export const ranks = { failed: 0, slow: 1, other: 2 } as const;
export type Rank = (typeof ranks)[keyof typeof ranks];

const rankCount = Object.keys(ranks).length;

/** Samples items: keeps those of the best ranks, and a fair sample of the first rank that does not fit. */
export class CallSample<T> {
  readonly #max: number;
  readonly #random: () => number;
  #chosen: T[][] = [];
  /** Number of items of each rank, including those that were not kept. */
  #seen: number[] = [];
  #size = 0;

  constructor(max: number, random: () => number = Math.random) {
    this.#max = max;
    this.#random = random;
    this.#clear();
  }

  add(rank: Rank, item: T): void {
    const seen = (this.#seen[rank] = (this.#seen[rank] ?? 0) + 1);
    const own = this.#chosen[rank] as T[];
    if (this.#size < this.#max) {
      this.#size++;
      own.push(item);
      return;
    }
    const worst = this.#chosen.findLast((items) => items.length > 0) as T[];
    if (own === worst) {
      // Reservoir sampling gives each item of a rank the same chance.
      const place = Math.floor(this.#random() * seen);
      if (place < own.length) own[place] = item;
    } else if (rank < this.#chosen.indexOf(worst)) {
      worst.splice(Math.floor(this.#random() * worst.length), 1);
      own.push(item);
    }
  }

  /** Returns the sample and starts a new one. */
  take(): T[] {
    const items = this.#chosen.flat();
    this.#clear();
    return items;
  }

  #clear(): void {
    this.#chosen = Array.from({ length: rankCount }, () => []);
    this.#seen = [];
    this.#size = 0;
  }
}
