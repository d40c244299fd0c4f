import { untilAborted } from '@toolfold/schema/internal';
import { CommandError, exitCodes } from '@toolfold/analysis/internal';

interface DeadlineOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly message: string;
}

/** A timeout that signs of progress restart. */
class Deadline {
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

  renew(): void {
    clearTimeout(this.#timer);
    if (this.#pauses > 0 || this.#isOver) return;
    this.#timer = setTimeout(
      () => this.#controller.abort(new DOMException('timed out', 'TimeoutError')),
      this.#timeoutMs,
    );
  }

  /** Stops the timeout while the user answers a question. */
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

/** Runs work with a deadline. After a timeout, does not wait for the work, because it may never end. */
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
