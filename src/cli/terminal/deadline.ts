import { untilAborted } from '../../upstream/connect.js';
import { CommandError, exitCodes } from '../../analysis/command-error.js';

interface DeadlineOptions {
  readonly timeoutMs: number;
  /** Cancels the work. */
  readonly signal: AbortSignal;
  /** The error message when the work times out. */
  readonly message: string;
}

/** Lets work run as long as it shows progress at least every `timeoutMs`. */
class Deadline {
  /** Aborts when the work has timed out or was cancelled. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;
  #isOver = false;

  constructor(timeoutMs: number, signal: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.signal = AbortSignal.any([signal, this.#controller.signal]);
    this.renew();
  }

  get hasPassed(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Restarts the time after a sign of progress. */
  renew(): void {
    clearTimeout(this.#timer);
    if (this.#pauses > 0 || this.#isOver) return;
    this.#timer = setTimeout(
      () => this.#controller.abort(new DOMException('timed out', 'TimeoutError')),
      this.#timeoutMs,
    );
  }

  /** Stops the time while a person answers a question. */
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

/** Runs work with a deadline. A timeout does not wait for the work, which may never end. */
export async function withDeadline<T>(
  { timeoutMs, signal, message }: DeadlineOptions,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = new Deadline(timeoutMs, signal);
  try {
    return await untilAborted(work(deadline), deadline.signal);
  } catch (error) {
    if (!deadline.hasPassed || signal.aborted) throw error;
    throw new CommandError(message, exitCodes.failed, { isTimeout: true });
  } finally {
    deadline.end();
  }
}
