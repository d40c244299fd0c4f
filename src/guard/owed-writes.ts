import { letExit } from './let-exit.js';

const FIRST_TRY = 500;
const LONGEST_WAIT = 15_000;
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
    letExit(this.#timer);
  }

  async #tryAll(): Promise<void> {
    try {
      for (const [key, write] of Array.from(this.#owed)) {
        await write();
        if (this.#owed.get(key) === write) this.#owed.delete(key);
      }
      this.#wait = FIRST_TRY;
    } catch {
      // Whoever keeps the store has been told.
      this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
    }
    this.#timer = undefined;
    if (this.#owed.size > 0) this.#tryLater();
  }
}
