import type { Thread, ThreadAnswer, ThreadEvents, ThreadRequest } from './messages.js';

/** Thrown if a thread ended before it answered: it was stopped, timed out, or crashed. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  readonly reason: 'stopped' | 'late' | 'crashed';

  constructor(reason: ThreadEnded['reason'], message: string, cause?: Error) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Timers with more milliseconds fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

interface Waiting {
  resolve(answer: ThreadAnswer): void;
  reject(error: Error): void;
  cancelTimer(): void;
}

/** A thread that answers one request at a time, and is stopped if it takes too long. */
export class PooledThread {
  readonly #thread: Thread;
  readonly #onEnd: () => void;
  #waiting: Waiting | undefined;
  #end: ThreadEnded | undefined;
  #terminated: Promise<void> | undefined;

  /** `onEnd` is called once, when the thread becomes unusable. */
  constructor(start: (events: ThreadEvents) => Thread, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#thread = start({
      onAnswer: (answer) => this.#takeWaiting()?.resolve(answer),
      onEnd: (error) => this.#finish(new ThreadEnded('crashed', `The thread ended: ${error.message}`, error)),
    });
    this.#thread.hold(false);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Rejects with `ThreadEnded`. Where the system reports it, only the CPU time of the thread counts towards `timeoutMs`, because others may
   * occupy the cores. The process stays alive until the answer.
   */
  request(request: ThreadRequest, timeoutMs: number): Promise<ThreadAnswer> {
    if (this.#end) return Promise.reject(this.#end);
    if (this.#waiting) return Promise.reject(new Error('The thread has not answered the request before.'));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, cancelTimer: this.#stopAfter(timeoutMs) };
      this.#thread.hold(true);
      this.#thread.send(request);
    });
  }

  /** Frees the run of the thread, so that the thread can serve another. */
  endRun(): void {
    if (!this.#end) this.#thread.send({ kind: 'end' });
  }

  /** Ends the thread at once, even while it computes. Resolves when it is gone. */
  stop(): Promise<void> {
    return this.#stop(new ThreadEnded('stopped', 'The thread was stopped.'));
  }

  /** Notes the reason first, because Deno reports the end of a thread before `terminate` returns. */
  async #stop(end: ThreadEnded): Promise<void> {
    this.#finish(end);
    await (this.#terminated ??= this.#thread.terminate());
  }

  #stopAfter(ms: number): () => void {
    const startMs = this.#thread.cpuMs();
    let timer: ReturnType<typeof setTimeout>;
    const wait = (leftMs: number): void => {
      // If the main thread itself was busy, the answer may have arrived. The second timer fires after waiting messages were handled.
      timer = setTimeout(
        () => {
          timer = setTimeout(check, 1);
        },
        Math.min(leftMs, LONGEST_TIMER),
      );
    };
    const check = (): void => {
      const leftMs = ms - (this.#thread.cpuMs() - startMs);
      // This is false for NaN.
      if (leftMs > 0) wait(leftMs);
      else void this.#stop(new ThreadEnded('late', `The thread did not answer within ${ms} ms.`));
    };
    wait(ms);
    return () => clearTimeout(timer);
  }

  #takeWaiting(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.cancelTimer();
    if (!this.#end) this.#thread.hold(false);
    return waiting;
  }

  #finish(end: ThreadEnded): void {
    if (this.#end) return;
    this.#end = end;
    this.#takeWaiting()?.reject(end);
    this.#onEnd();
  }
}
