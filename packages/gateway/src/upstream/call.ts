import { AsyncLocalStorage } from 'node:async_hooks';
import type { LoggingLevel, ToolContext } from 'toolfold';
import { isInputRequired, isNever } from 'toolfold/internal';
import { ErrInputUnavailable, ErrTimeout, ErrUpstreamLost } from 'toolfold/errors';
import type { InputRequired } from 'toolfold/internal';
import { passQuestions } from './questions/pass-questions.js';
import type { Answers, Questions } from './questions/pass-questions.js';

/** The client may take this long to resume a broken stream. */
const RESUME_MS = 30_000;
/** The client has this long after an attempt to resume found no server. */
const RETRY_MS = 5_000;
/** The client may take this long to process an answer whose stream has ended. */
const ARRIVAL_MS = 1_000;
/** Limits the questions of one call that wait for the caller at once. */
const MAX_QUESTIONS = 20;

/** The second run of a call waits at most this long for the first one to end. */
const LEFTOVER_MS = 10_000;

/** The part of a tool's context that a forwarded call needs. */
export type CallContext = Pick<ToolContext, 'signal' | 'caller' | 'progress' | 'log' | 'requestInput'>;

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** A call that runs on an upstream server. Holds its deadline, its progress and its questions to the caller. */
export class UpstreamCall {
  readonly context: CallContext;
  /** Equal for two calls of the same tool with the same arguments. */
  readonly key: () => string;
  /** Identifies the call in progress reports. The client forgets its own token before it handles the last report. */
  readonly progressToken = crypto.randomUUID();
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #controller = new AbortController();
  /** Rejects if the caller gets an answer before the server has given one. */
  readonly #ended: Promise<never>;
  #end!: (reason: unknown) => void;
  /** Resolves when the server has finished, even if the caller already has its answer. */
  readonly #done: Promise<void>;
  #finish!: () => void;
  #timer: NodeJS.Timeout | undefined;
  #resume: NodeJS.Timeout | undefined;
  #leftover: NodeJS.Timeout | undefined;
  /** The question that the caller got as its answer, while the run on the server goes on. */
  #asked: InputRequired | undefined;
  #questions = 0;
  #isOver = false;
  #progress = 0;
  #hasProgress = false;
  /** The task that runs the call on the server. Questions of a 2025 task name it. */
  taskId: string | undefined;

  constructor(
    name: string,
    context: CallContext,
    { timeoutMs, key }: { timeoutMs: number; key: () => string },
  ) {
    this.#name = name;
    this.key = key;
    this.context = context;
    this.#timeoutMs = timeoutMs;
    this.#ended = new Promise<never>((_, reject) => (this.#end = reject));
    this.#ended.catch(() => undefined);
    this.#done = new Promise((resolve) => (this.#finish = resolve));
  }

  /** Aborts when the server should stop working on the call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the call was cancelled or timed out. The server may still ask questions about it. */
  get isCancelled(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Returns the answer of the server, or throws the reason why the call ended earlier. */
  async run<T>(forward: () => Promise<T>): Promise<T> {
    const { signal } = this.context;
    const cancel = (): void => this.cancel(signal.reason);
    if (signal.aborted) throw signal.reason;
    // Many calls share the `never` signal, so listeners on it would pile up.
    if (!isNever(signal)) signal.addEventListener('abort', cancel, { once: true });
    this.#restartTimer();
    try {
      return await Promise.race([forward(), this.#ended]);
    } finally {
      this.#isOver = true;
      signal.removeEventListener('abort', cancel);
      clearTimeout(this.#timer);
      clearTimeout(this.#resume);
    }
  }

  /** Ends the call for the caller, and tells the server to stop. */
  cancel(reason: unknown): void {
    this.#end(reason);
    this.#controller.abort(reason);
  }

  /** Call this when the server has answered or can no longer answer. */
  end(): void {
    clearTimeout(this.#leftover);
    this.#finish();
  }

  /** Resolves when a run ends that continues although the caller already got a question as its answer. */
  get leftover(): Promise<void> | undefined {
    return this.#asked && this.#done;
  }

  report({ progress, total, message }: Progress): void {
    if (this.#isOver) return;
    this.#hasProgress = true;
    this.#progress = progress;
    this.#restartTimer();
    // The caller may have disconnected.
    this.context.progress(progress, total, message).catch(() => undefined);
  }

  /** Reports the status of a task as progress. If the server sends no progress, the reports are counted instead. */
  reportStatus(message: string): void {
    if (this.#isOver) return;
    if (!this.#hasProgress) this.#progress++;
    this.#restartTimer();
    this.context.progress(this.#progress, undefined, message).catch(() => undefined);
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    this.context.log(level, data, logger).catch(() => undefined);
  }

  /** Asks the caller. The time that the answer takes does not count towards the server's timeout. */
  async ask(questions: Questions): Promise<Answers> {
    // The caller already has its answer, so it cannot answer further questions of this run.
    if (this.#asked) throw this.#asked;
    if (this.#questions >= MAX_QUESTIONS)
      throw new ErrInputUnavailable(`At most ${MAX_QUESTIONS} questions of one call can wait for an answer.`);
    this.#questions++;
    clearTimeout(this.#timer);
    try {
      return await passQuestions(questions, this.context);
    } catch (thrown) {
      // The question is the answer to this call, and the caller calls again. The server gets a timeout to finish this run.
      if (isInputRequired(thrown)) {
        this.#asked = thrown;
        this.#end(thrown);
        this.#leftover = setTimeout(() => this.#controller.abort(thrown), this.#timeoutMs).unref();
      }
      throw thrown;
    } finally {
      this.#questions--;
      this.#restartTimer();
    }
  }

  streamOpened(): void {
    clearTimeout(this.#resume);
  }

  /** Handles the end of a stream. If the client can resume it, the call stays open for a while. */
  streamEnded(isResumable: boolean): void {
    this.#loseAfter(isResumable ? RESUME_MS : ARRIVAL_MS);
  }

  resumeFailed(): void {
    this.#loseAfter(RETRY_MS);
  }

  #loseAfter(pauseMs: number): void {
    clearTimeout(this.#resume);
    if (this.#isOver) return;
    this.#resume = setTimeout(
      () =>
        this.cancel(
          new ErrUpstreamLost(`The connection to the server "${this.#name}" broke off during its answer.`, {
            hint: 'The call may have taken effect. Check before you try again.',
            details: { upstream: this.#name },
          }),
        ),
      pauseMs,
    );
  }

  #restartTimer(): void {
    clearTimeout(this.#timer);
    if (this.#isOver || this.#questions > 0) return;
    this.#timer = setTimeout(
      () =>
        this.cancel(
          new ErrTimeout(`The server "${this.#name}" did not answer for ${this.#timeoutMs} ms.`, {
            hint: 'The call may still take effect. Check before you try again.',
            details: { upstream: this.#name, timeoutMs: this.#timeoutMs },
          }),
        ),
      this.#timeoutMs,
    );
  }
}

/** Holds the call whose request or stream is being handled. Only HTTP has a stream for each call. */
const current = new AsyncLocalStorage<UpstreamCall>();

export const runAs = <T>(call: UpstreamCall, run: () => T): T => current.run(call, run);
export const runApart = <T>(run: () => T): T => current.exit(run);
export const currentCall = (): UpstreamCall | undefined => current.getStore();

/**
 * The calls that a connection carries. Over HTTP a question arrives on the stream of its call. A message over stdio names no call, so a
 * question can be assigned only while a single call is running.
 */
export class CallsInFlight {
  readonly #calls = new Set<UpstreamCall>();

  get size(): number {
    return this.#calls.size;
  }

  /** Whether every call in flight was cancelled. */
  get isIdle(): boolean {
    return [...this.#calls].every(({ isCancelled }) => isCancelled);
  }

  add(call: UpstreamCall): void {
    this.#calls.add(call);
  }

  /** Removes a call. A cancelled call stays for a while, because the server may still ask questions about it. */
  delete(call: UpstreamCall, lingerMs: number): void {
    if (!call.isCancelled) this.#calls.delete(call);
    else setTimeout(() => this.#calls.delete(call), lingerMs).unref();
  }

  /**
   * Waits for an earlier run of the same call, whose caller was answered with a question and now calls again. If both
   * runs were active, their questions could not be distinguished.
   */
  async waitForLeftovers(key: () => string): Promise<void> {
    const leftovers = [...this.#calls].flatMap(({ leftover, key: other }) =>
      leftover && other() === key() ? [leftover] : [],
    );
    if (leftovers.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, LEFTOVER_MS)));
    await Promise.race([Promise.all(leftovers), timeout]);
    clearTimeout(timer);
  }

  withToken(token: unknown): UpstreamCall | undefined {
    for (const call of this.#calls) if (call.progressToken === token) return call;
    return undefined;
  }

  withTask(taskId: unknown): UpstreamCall | undefined {
    if (typeof taskId !== 'string') return undefined;
    for (const call of this.#calls) if (call.taskId === taskId) return call;
    return undefined;
  }

  /** Returns the call on whose stream the current message arrived. */
  own(): UpstreamCall | undefined {
    const call = currentCall();
    return call && this.#calls.has(call) ? call : undefined;
  }

  /** Returns the call that the current message belongs to, if that is known. */
  find(): UpstreamCall | undefined {
    const own = this.own();
    if (own) return own;
    const [only] = this.#calls;
    return this.#calls.size === 1 && only?.isCancelled === false ? only : undefined;
  }
}
