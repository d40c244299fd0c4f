import { ErrCancelled, ErrOverloaded, ErrTimeout } from '@toolfold/schema/errors';
import { assertOptions } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { FairQueue } from '../callers/fair-queue.js';

/** Ends a call when its timeout expires or its caller cancels it, whichever happens first. */
export class Deadline {
  readonly signal: AbortSignal | undefined;
  #timeoutMs: number | undefined;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: ErrTimeout | ErrCancelled | undefined;
  readonly #rejects: ((reason: unknown) => void)[] = [];

  /** Throws if the caller has already cancelled the call. */
  constructor(timeoutMs: number | undefined, signal: AbortSignal | undefined) {
    if (signal?.aborted) throw new ErrCancelled();
    // An abort controller costs more than the rest of a call, so a call without a timeout uses the caller's signal.
    this.#controller = timeoutMs === undefined ? undefined : new AbortController();
    this.signal = this.#controller?.signal ?? signal;
    this.#timeoutMs = timeoutMs;
    this.#callerSignal = signal;
    signal?.addEventListener('abort', this, { once: true });
  }

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

  /** Settles like the work, or rejects if the deadline passes first and `isHandled` does not return true then. */
  race<T>(work: T | PromiseLike<T>, isHandled?: () => boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rejects.push((reason) => {
        if (isHandled?.() !== true) reject(reason);
      });
      if (this.#reason) reject(this.#reason);
      Promise.resolve(work).then(resolve, reject);
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    // A question that is answered later must not start the timeout again.
    this.#timeoutMs = undefined;
    this.#callerSignal?.removeEventListener('abort', this);
  }

  /** The `EventListener` of the caller's signal. */
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

/** Options of the concurrency limit. Callers share both numbers: one caller alone may use everything. */
export interface ConcurrencyOptions {
  /** Maximum number of calls that run at once. */
  readonly max: number;
  /**
   * How many more calls may wait. If that many wait, the caller with the most calls loses its last one to a caller with fewer; other
   * calls are rejected at once. Default: `max`.
   */
  readonly queue?: number;
}

const rules: Rules<keyof ConcurrencyOptions> = {
  max: [(value) => typeof value === 'number' && value >= 1, 'a number of at least 1'],
  queue: [(value) => typeof value === 'number' && value >= 0, 'a number of at least 0'],
};

export function createConcurrencyLimit(options: ConcurrencyOptions): FairQueue {
  assertOptions('concurrency', options, rules, {
    required: ['max'],
    nameOf: (name) => `concurrency.${name}`,
  });
  const { max, queue = max } = options;
  return new FairQueue({
    running: max,
    waiting: queue,
    onFull: () => new ErrOverloaded('The server is busy.', { hint: 'Try again in a moment.' }),
    onCancel: () => new ErrCancelled(),
  });
}
