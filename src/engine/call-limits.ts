import { ErrCancelled, ErrOverloaded, ErrTimeout } from '../errors.js';
import { assertOptions } from '../values/options.js';
import type { Rules } from '../values/options.js';

/** Ends a call when its timeout expires or its caller cancels it, whichever happens first. */
export class Deadline {
  /** The signal that the handler gets. */
  readonly signal: AbortSignal | undefined;
  readonly #timeoutMs: number | undefined;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: ErrTimeout | ErrCancelled | undefined;
  readonly #rejects: ((reason: unknown) => void)[] = [];

  /** Throws if the caller has cancelled the call already. */
  constructor(timeoutMs: number | undefined, signal: AbortSignal | undefined) {
    if (signal?.aborted) throw new ErrCancelled();
    // An abort controller costs more than the rest of a call, so a call without a timeout uses the caller's signal.
    this.#controller = timeoutMs === undefined ? undefined : new AbortController();
    this.signal = this.#controller?.signal ?? signal;
    this.#timeoutMs = timeoutMs;
    this.#callerSignal = signal;
    signal?.addEventListener('abort', this, { once: true });
  }

  /** Starts or restarts the timeout. */
  arm(): void {
    if (this.#timeoutMs === undefined) return;
    const timeout = this.#timeoutMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#expire(timedOut(timeout)), timeout);
  }

  /** Stops the timeout until `arm()` starts it again. */
  disarm(): void {
    clearTimeout(this.#timer);
  }

  /** Settles like the work, or rejects when the deadline passes first, unless `isHandled` returns true by then. */
  race<T>(work: T | PromiseLike<T>, isHandled?: () => boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rejects.push((reason) => {
        if (isHandled?.() !== true) reject(reason);
      });
      if (this.#reason) reject(this.#reason);
      Promise.resolve(work).then(resolve, reject);
    });
  }

  /** Stops watching, because the call has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener('abort', this);
  }

  /** Handles the abort event of the caller's signal. */
  handleEvent(): void {
    this.#expire(new ErrCancelled());
  }

  #expire(reason: ErrTimeout | ErrCancelled): void {
    this.end();
    this.#reason = reason;
    // Reject before aborting, so that the handler's reaction to the abort does not become the outcome.
    for (const reject of this.#rejects) reject(reason);
    this.#controller?.abort(reason);
  }
}

function timedOut(timeoutMs: number): ErrTimeout {
  return new ErrTimeout(`The call took longer than ${timeoutMs} ms and was cancelled.`, {
    hint: 'Ask for less at once, or try again later.',
    details: { timeoutMs },
  });
}

const waitingHandlers = new WeakSet<object>();

/** Marks a handler that only waits for other calls, such as that of `run_code`. Its calls take no slot of the concurrency limit. */
export function markAsWaiting<T extends object>(handler: T): T {
  waitingHandlers.add(handler);
  return handler;
}

export function onlyWaits(handler: object): boolean {
  return waitingHandlers.has(handler);
}

/** Options of the concurrency limit. */
export interface ConcurrencyOptions {
  /** How many calls run at once. */
  readonly max: number;
  /** How many more calls may wait. Calls beyond that are rejected at once. Default: `max`. */
  readonly queue?: number;
}

const rules: Rules<keyof ConcurrencyOptions> = {
  max: [(value) => typeof value === 'number' && value >= 1, 'a number of at least 1'],
  queue: [(value) => typeof value === 'number' && value >= 0, 'a number of at least 0'],
};

/** Limits how many calls run at once, lets some wait, and rejects the rest. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #queue: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: ConcurrencyOptions) {
    assertOptions('concurrency', options, rules, {
      required: ['max'],
      nameOf: (name) => `concurrency.${name}`,
    });
    const { max, queue = max } = options;
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
        reject(new ErrCancelled());
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
