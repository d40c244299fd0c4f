/** How many comparisons one redaction may still make. A redaction that runs out of them hides the whole text. */
export class Work {
  #left: number;

  constructor(comparisons: number) {
    this.#left = comparisons;
  }

  get isDone(): boolean {
    return this.#left < 0;
  }

  spend(comparisons: number): void {
    this.#left -= comparisons;
  }
}
