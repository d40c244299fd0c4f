import { ErrCancelled, ErrTimeout } from '../errors.js';

/** How long a call may take: until its time is up or the caller gives up, whichever is first. */
export class Bounds {
  /** Tells the handler. */
  readonly signal: AbortSignal | undefined;
  readonly #timeout: number | undefined;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: ErrTimeout | ErrCancelled | undefined;
  readonly #rejects: ((reason: unknown) => void)[] = [];

  constructor(timeout: number | undefined, signal: AbortSignal | undefined) {
    // A controller takes longer to make than the rest of a call, so the caller's signal is passed on where it will do.
    this.#controller = timeout === undefined ? undefined : new AbortController();
    this.signal = this.#controller?.signal ?? signal;
    this.#timeout = timeout;
    this.#callerSignal = signal;
    signal?.addEventListener('abort', this, { once: true });
  }

  /** Starts or restarts the timeout. Time spent waiting for a slot does not count. */
  arm(): void {
    if (this.#timeout === undefined) return;
    const timeout = this.#timeout;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(timedOut(timeout)), timeout);
  }

  /** The time stands still until it is armed again. */
  disarm(): void {
    clearTimeout(this.#timer);
  }

  /** The work's outcome, or a rejection when the call is given up before, unless somebody else sees to that by then. */
  race<T>(work: Promise<T>, isSeenTo?: () => boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rejects.push((reason) => {
        if (isSeenTo?.() !== true) reject(reason);
      });
      if (this.#reason) reject(this.#reason);
      work.then(resolve, reject);
    });
  }

  /** The call has ended: nothing is watched any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener('abort', this);
  }

  /** The caller's signal says so. */
  handleEvent(): void {
    this.#giveUp(cancelled());
  }

  #giveUp(reason: ErrTimeout | ErrCancelled): void {
    this.end();
    this.#reason = reason;
    // In this order: what the handler does on hearing of it must not be taken for the outcome.
    for (const reject of this.#rejects) reject(reason);
    this.#controller?.abort(reason);
  }
}

/** Bounds for a call, or `undefined` where nothing bounds it. */
export function createBounds(
  timeout: number | undefined,
  signal: AbortSignal | undefined,
): Bounds | undefined {
  if (timeout === undefined && signal === undefined) return undefined;
  if (signal?.aborted) throw cancelled();
  return new Bounds(timeout, signal);
}

function timedOut(timeout: number): ErrTimeout {
  return new ErrTimeout(`The call took longer than ${timeout} ms and was given up.`, {
    hint: 'Ask for less at once, or try again later.',
    details: { timeoutMs: timeout },
  });
}

export function cancelled(): ErrCancelled {
  return new ErrCancelled('The call was cancelled.');
}
