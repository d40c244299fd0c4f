import { startInterval, unrefTimer } from '../../runtime/timers.js';

const FIRST_TRY = 500;
const LONGEST_WAIT = 2_000;
/** After three failures in one round the remaining writes wait, because the store is most likely down. */
const MAX_FAILURES = 3;
/** Above this number the oldest write is dropped. */
const MAX_PENDING = 1_000;

/** Writes that failed, or may have failed. Each is retried until it succeeds, is dropped, or the process ends. */
export class PendingWrites {
  readonly #pending = new Map<string, () => Promise<void>>();
  #wait = FIRST_TRY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Adds a write. It replaces an earlier one with the same key. */
  add(key: string, write: () => Promise<void>): void {
    this.#pending.delete(key);
    this.#pending.set(key, write);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    this.#tryLater();
  }

  #tryLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#tryAll(), this.#wait);
    unrefTimer(this.#timer);
  }

  async #tryAll(): Promise<void> {
    let failures = 0;
    for (const [key, write] of Array.from(this.#pending)) {
      if (failures >= MAX_FAILURES) break;
      const isDone = await write().then(
        () => true,
        // The store reports its errors itself.
        () => false,
      );
      if (!isDone) failures++;
      if (this.#pending.get(key) !== write) continue;
      // A failed write moves to the end, so that it does not block the others.
      this.#pending.delete(key);
      if (!isDone) this.#pending.set(key, write);
    }
    this.#wait = failures === 0 ? FIRST_TRY : Math.min(2 * this.#wait, LONGEST_WAIT);
    this.#timer = undefined;
    if (this.#pending.size > 0) this.#tryLater();
  }
}

/** Maximum number of unconfirmed texts that a renewal remembers. */
const MAX_TEXTS = 100;

/** Renews the record of a running call until it is stopped. */
export function startRenewal(
  first: string,
  everyMs: number,
  write: () => string,
  put: (text: string) => Promise<void>,
) {
  const texts = [first];
  const timer = startInterval(() => {
    const text = write();
    texts.push(text);
    if (texts.length > MAX_TEXTS) texts.shift();
    put(text).then(
      () => void texts.splice(0, texts.indexOf(text)),
      // The next renewal may succeed. Even an expired record keeps other processes from running the call.
      () => undefined,
    );
  }, everyMs);
  return {
    /** The texts that the store may hold under the key, newest last. */
    texts: texts as readonly string[],
    stop: () => clearInterval(timer),
  };
}
