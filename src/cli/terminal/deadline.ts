/** How long a call may go without a sign of life. The time that a person takes to answer is not the server's. */
export class Patience {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;
  #isOver = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.renew();
  }

  /** Ends when there is none left. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** There was a sign of life. */
  renew(): void {
    clearTimeout(this.#timer);
    if (this.#pauses > 0 || this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#controller.abort(new DOMException('There is no answer.', 'TimeoutError'));
    }, this.#timeoutMs);
  }

  /** Work that takes as long as it takes. */
  async pause<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++;
    clearTimeout(this.#timer);
    try {
      return await work();
    } finally {
      this.#pauses--;
      this.renew();
    }
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

/** What work gives, or why nobody waits for it any more. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
