import { ErrCancelled, ErrInvalidOptions, ErrOverloaded } from '../errors.js';

/** Options of the concurrency limit. */
export interface ConcurrencyOptions {
  /** How many calls run at once. */
  readonly max: number;
  /** How many more calls may wait. Calls beyond that are rejected at once. Default: `max`. */
  readonly queue?: number;
}

/** Limits how many calls run at once, lets some wait, and rejects the rest. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #queue: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ max, queue = max }: ConcurrencyOptions) {
    if (!(max >= 1) || !(queue >= 0)) {
      throw new ErrInvalidOptions('concurrency.max must be at least 1 and concurrency.queue at least 0.');
    }
    this.#max = max;
    this.#queue = queue;
  }

  /** Waits for a free slot. Returns a function that releases the slot and must be called once. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    if (this.#running >= this.#max) {
      if (this.#waiting.length >= this.#queue) {
        throw new ErrOverloaded('The server is busy.', { hint: 'Try again in a moment.' });
      }
      // A call that ends hands its slot to the next one, so the count does not change.
      await this.#wait(signal);
    } else this.#running++;
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    };
  }

  /** Waits in the queue. A cancelled call leaves it. */
  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(new ErrCancelled('The call was cancelled.'));
      };
      const take = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.push(take);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
