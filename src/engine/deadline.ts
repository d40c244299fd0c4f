import { ErrCancelled, ErrTimeout } from '../errors.js';

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
    if (signal?.aborted) throw cancelled();
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
    this.#expire(cancelled());
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
  return new ErrTimeout(`The call took longer than ${timeoutMs} ms and was given up.`, {
    hint: 'Ask for less at once, or try again later.',
    details: { timeoutMs },
  });
}

export function cancelled(): ErrCancelled {
  return new ErrCancelled('The call was cancelled.');
}
