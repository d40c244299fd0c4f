import { ErrCancelled, ErrInvalidOptions, ErrOverloaded } from '../errors.js';

/** How many calls there are at once. */
export interface ConcurrencyOptions {
  /** How many calls run at once. */
  readonly max: number;
  /** How many more may wait; beyond that a call is refused at once. Default: as many as may run. */
  readonly queue?: number;
}

/** Runs so many calls at once, lets so many wait, and refuses the rest. */
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

  /** Waits for a place if need be. What comes back gives it back, and must be called once. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    if (this.#running >= this.#max) {
      if (this.#waiting.length >= this.#queue) {
        throw new ErrOverloaded('The server is busy.', { hint: 'Try again in a moment.' });
      }
      // Whoever finishes hands its place over, so the count stays as it is.
      await this.#wait(signal);
    } else this.#running++;
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    };
  }

  /** Waits for a place. Whoever gives up leaves the queue. */
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
