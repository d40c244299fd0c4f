import { startThread } from '#code-threads';
import type { Thread, ThreadAnswer, ThreadRequest } from './messages.js';

/** Thrown if a thread ended before it answered: it was stopped, timed out, or crashed. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  readonly reason: 'stopped' | 'late' | 'crashed';

  constructor(reason: ThreadEnded['reason'], cause?: Error) {
    super(cause ? `The thread ended: ${cause.message}` : 'The thread ended.', { cause });
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
  constructor(module: WebAssembly.Module, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#thread = startThread(module, {
      onAnswer: (answer) => this.#takeWaiting()?.resolve(answer),
      onEnd: (error) => this.#finish(new ThreadEnded('crashed', error)),
    });
    this.#thread.hold(false);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Rejects with `ThreadEnded`. The process stays alive until the answer. */
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
  async stop(reason: 'stopped' | 'late' = 'stopped'): Promise<void> {
    if (!this.#end) {
      this.#terminated = this.#thread.terminate();
      this.#finish(new ThreadEnded(reason));
    }
    await this.#terminated;
  }

  #stopAfter(ms: number): () => void {
    // If the main thread itself was busy, the answer may have arrived. The second timer fires after waiting messages were handled.
    let timer = setTimeout(
      () => {
        timer = setTimeout(() => void this.stop('late'), 1);
      },
      Math.min(ms, LONGEST_TIMER),
    );
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
