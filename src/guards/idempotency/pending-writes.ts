import { unrefTimer } from '../../values/timer.js';

const FIRST_TRY = 500;
const LONGEST_WAIT = 2_000;
/** After so many that failed the others wait too: most likely the store is not there. */
const MAX_FAILURES = 3;
/** So much is remembered; beyond that the oldest is given up. */
const MAX_OWED = 1_000;

/** What a store did not take, or may not have taken. It is told again until it has, for as long as the process lives. */
export class OwedWrites {
  readonly #owed = new Map<string, () => Promise<void>>();
  #wait = FIRST_TRY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** One for each key: what comes later stands for what came before. */
  owe(key: string, write: () => Promise<void>): void {
    this.#owed.delete(key);
    this.#owed.set(key, write);
    const [oldest] = this.#owed.keys();
    if (this.#owed.size > MAX_OWED && oldest !== undefined) this.#owed.delete(oldest);
    this.#tryLater();
  }

  #tryLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#tryAll(), this.#wait);
    unrefTimer(this.#timer);
  }

  async #tryAll(): Promise<void> {
    let failures = 0;
    for (const [key, write] of Array.from(this.#owed)) {
      if (failures >= MAX_FAILURES) break;
      const isDone = await write().then(
        () => true,
        // Whoever keeps the store has been told.
        () => false,
      );
      if (!isDone) failures++;
      if (this.#owed.get(key) !== write) continue;
      // The next time others are first.
      this.#owed.delete(key);
      if (!isDone) this.#owed.set(key, write);
    }
    this.#wait = failures === 0 ? FIRST_TRY : Math.min(2 * this.#wait, LONGEST_WAIT);
    this.#timer = undefined;
    if (this.#owed.size > 0) this.#tryLater();
  }
}
