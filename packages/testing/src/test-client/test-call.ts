import { randomId } from 'toolfold/internal';
import type { TestTask } from './test-task.js';

/** A progress report that a handler sent with `context.progress`. */
export interface TestProgress {
  /** How far the call is, in the unit of `total`. */
  readonly progress: number;
  /** The value of `progress` at the end; `undefined` if the handler did not say. */
  readonly total?: number | undefined;
  /** Describes the current step, if the handler passed a message. */
  readonly message?: string | undefined;
}

interface CallOptions {
  readonly isTask: boolean;
  readonly onProgress: ((progress: TestProgress) => void) | undefined;
}

/** A handler that ignores its signal can delay `cancel()` at most this long. */
const MAX_WAIT_MS = 1_000;

export class TestCall {
  /** Identifies the call in requests and progress reports. */
  readonly token = randomId();
  readonly isTask: boolean;
  readonly progress: TestProgress[] = [];
  readonly controller = new AbortController();
  /** The first question without an answer. It becomes the error of the call. */
  unanswered: unknown;
  /** Resolves with the task, or with `undefined` if the call ends without one. */
  readonly task: Promise<TestTask | undefined>;
  /** Resolves when a test awaits the result of the task. */
  readonly wantsResult: Promise<void>;
  readonly #onProgress: CallOptions['onProgress'];
  readonly #requestIds = new Set<unknown>();
  #settleTask!: (task: TestTask | undefined) => void;
  #wantResult!: () => void;
  #noticeCancellation!: () => void;
  readonly #cancellation: Promise<void>;
  #cancelling: Promise<unknown> | undefined;
  #isOver = false;

  constructor({ isTask, onProgress }: CallOptions) {
    this.isTask = isTask;
    this.#onProgress = onProgress;
    this.task = new Promise((resolve) => (this.#settleTask = resolve));
    this.wantsResult = new Promise((resolve) => (this.#wantResult = resolve));
    this.#cancellation = new Promise((resolve) => (this.#noticeCancellation = resolve));
  }

  /** Records a request that belongs to the call. A call with questions consists of several requests. */
  sent(requestId: unknown): void {
    this.#requestIds.add(requestId);
  }

  hasRequest(requestId: unknown): boolean {
    return this.#requestIds.has(requestId);
  }

  report(progress: TestProgress): void {
    this.progress.push(progress);
    this.#onProgress?.(progress);
  }

  taskStarted(task: TestTask): void {
    this.#settleTask(task);
  }

  wantResult(): void {
    this.#wantResult();
  }

  ended(): void {
    this.#settleTask(undefined);
    if (!this.controller.signal.aborted) this.#isOver = true;
  }

  cancellationArrived(): void {
    this.#noticeCancellation();
  }

  /** Records that the task of the call is being cancelled. The call may become a task while its answer is on its way. */
  cancelsTask(cancelling: Promise<unknown>): void {
    this.#cancelling = Promise.race([cancelling, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
  }

  async cancellation(era: '2025' | '2026'): Promise<void> {
    // A call that was not sent or has its result can no longer be cancelled.
    if (this.#requestIds.size === 0 || this.#isOver) return;
    if (era === '2025') await this.#cancellation;
    else await this.#cancelling;
  }
}
