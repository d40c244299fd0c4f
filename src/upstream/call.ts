import { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolContext } from '../define/tool-definition.js';
import type { LoggingLevel } from '../protocol/log-levels.js';
import { isInputRequired } from '../protocol/input-required.js';
import type { InputRequired } from '../protocol/input-required.js';
import { ErrInputUnavailable, ErrTimeout, ErrUpstreamLost } from '../errors.js';
import { never } from '../engine/request-context.js';
import { passQuestions } from './questions.js';
import type { UpstreamQuestion } from './questions.js';

/** Milliseconds that a stream which broke off has to be taken up again, and after a try that found no server. */
const RESUME_MS = 30_000;
const RETRY_MS = 5_000;
/** Milliseconds that the first run of a call has to end before the second begins. */
const LEFTOVER_MS = 10_000;
/** How many questions of one call may wait for the caller at once. */
const MAX_QUESTIONS = 20;
/** Milliseconds that what has arrived may need to get through the client. */
const ARRIVAL_MS = 1_000;

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** A call on its way to an upstream server: its time, what it reports and what it is asked. */
export class UpstreamCall {
  readonly #context: ToolContext;
  readonly #timeoutMs: number;
  readonly #name: string;
  readonly #controller = new AbortController();
  readonly #ended: Promise<never>;
  #end!: (reason: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Equal for calls that are the same again. */
  readonly key: () => string;
  /** The server's reports name it. The client's own would be forgotten before the last report is handled. */
  readonly progressToken = crypto.randomUUID();
  #resume: NodeJS.Timeout | undefined;
  /** Why the caller has been answered while the server has not come to an end. */
  #asked: InputRequired | undefined;
  #leftover: NodeJS.Timeout | undefined;
  readonly #done: Promise<void>;
  #finish!: () => void;
  #questions = 0;
  #isOver = false;

  constructor(
    name: string,
    context: ToolContext,
    { timeoutMs, key }: { timeoutMs: number; key: () => string },
  ) {
    this.#name = name;
    this.key = key;
    this.#context = context;
    this.#timeoutMs = timeoutMs;
    this.#ended = new Promise<never>((_, reject) => (this.#end = reject));
    this.#ended.catch(() => undefined);
    this.#done = new Promise((resolve) => (this.#finish = resolve));
  }

  /** The caller and everything that belongs to it. */
  get context(): ToolContext {
    return this.#context;
  }

  /** Ends when the server need not go on. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the server was told to stop, or took too long, and may still ask. */
  get isGivenUp(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Gives what the server answers, or the reason why nobody waits for that any more. */
  async run<T>(forward: () => Promise<T>): Promise<T> {
    const { signal } = this.#context;
    const cancel = (): void => this.giveUp(signal.reason);
    if (signal.aborted) throw signal.reason;
    // Many calls share the one that never ends.
    if (signal !== never) signal.addEventListener('abort', cancel, { once: true });
    this.#rearm();
    try {
      return await Promise.race([forward(), this.#ended]);
    } finally {
      this.#isOver = true;
      signal.removeEventListener('abort', cancel);
      clearTimeout(this.#timer);
      clearTimeout(this.#resume);
    }
  }

  /** Tells the server to stop, and the caller why. */
  giveUp(reason: unknown): void {
    this.#end(reason);
    this.#controller.abort(reason);
  }

  /** The server has answered, or will not. */
  end(): void {
    clearTimeout(this.#leftover);
    this.#finish();
  }

  /** Ends with the server's run, where the caller was asked by an answer and that run goes on for nobody. */
  get leftover(): Promise<void> | undefined {
    return this.#asked && this.#done;
  }

  report({ progress, total, message }: Progress): void {
    if (this.#isOver) return;
    this.#rearm();
    // Whoever asked for reports may have gone.
    this.#context.progress(progress, total, message).catch(() => undefined);
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    this.#context.log(level, data, logger).catch(() => undefined);
  }

  /** Asks the caller; the time that takes is not the server's. */
  async ask(
    questions: Readonly<Record<string, UpstreamQuestion>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    // Nobody hears what this run asks: the caller has been answered.
    if (this.#asked) throw this.#asked;
    if (this.#questions >= MAX_QUESTIONS)
      throw new ErrInputUnavailable(`At most ${MAX_QUESTIONS} questions of one call can wait for an answer.`);
    this.#questions++;
    clearTimeout(this.#timer);
    try {
      return await passQuestions(questions, this.#context);
    } catch (thrown) {
      // The caller is asked by the answer to this call, and calls again. The server gets a time to come to an end.
      if (isInputRequired(thrown)) {
        this.#asked = thrown;
        this.#end(thrown);
        this.#leftover = setTimeout(() => this.#controller.abort(thrown), this.#timeoutMs).unref();
      }
      throw thrown;
    } finally {
      this.#questions--;
      this.#rearm();
    }
  }

  streamOpened(): void {
    clearTimeout(this.#resume);
  }

  /** A stream ended. Where it can be taken up again, there is a time for that. */
  streamEnded(isResumable: boolean): void {
    this.#loseAfter(isResumable ? RESUME_MS : ARRIVAL_MS);
  }

  resumeFailed(): void {
    this.#loseAfter(RETRY_MS);
  }

  #loseAfter(pause: number): void {
    clearTimeout(this.#resume);
    if (this.#isOver) return;
    this.#resume = setTimeout(
      () =>
        this.giveUp(
          new ErrUpstreamLost(`The server "${this.#name}" broke off its answer.`, {
            hint: 'It may have done what was asked. Find out before you try again.',
            details: { upstream: this.#name },
          }),
        ),
      pause,
    );
  }

  #rearm(): void {
    clearTimeout(this.#timer);
    if (this.#isOver || this.#questions > 0) return;
    this.#timer = setTimeout(
      () =>
        this.giveUp(
          new ErrTimeout(`The server "${this.#name}" did not answer for ${this.#timeoutMs} ms.`, {
            hint: 'It may still do what was asked. Find out before you try again.',
            details: { upstream: this.#name, timeoutMs: this.#timeoutMs },
          }),
        ),
      this.#timeoutMs,
    );
  }
}

/** The call whose request or stream is being handled, where the transport has one for each. */
const current = new AsyncLocalStorage<UpstreamCall>();

export const runAs = <T>(call: UpstreamCall, run: () => T): T => current.run(call, run);
export const runApart = <T>(run: () => T): T => current.exit(run);
export const currentCall = (): UpstreamCall | undefined => current.getStore();

/**
 * The calls that a connection carries. Over HTTP what a server asks comes on the stream of the call that it is about.
 * Elsewhere nothing says whose it is: then it is known only while there is no other call it could be about.
 */
export class CallsInFlight {
  readonly #calls = new Set<UpstreamCall>();

  get size(): number {
    return this.#calls.size;
  }

  /** Whether nobody waits for any of them. */
  get isIdle(): boolean {
    return [...this.#calls].every(({ isGivenUp }) => isGivenUp);
  }

  add(call: UpstreamCall): void {
    this.#calls.add(call);
  }

  /** A server may ask for a call some time after it was told to stop. */
  delete(call: UpstreamCall, lingerMs: number): void {
    if (!call.isGivenUp) this.#calls.delete(call);
    else setTimeout(() => this.#calls.delete(call), lingerMs).unref();
  }

  /**
   * Waits for what the server still does of the same call, whose caller was asked and calls again: while both run, nobody
   * can tell which of them asks.
   */
  async leaveAlone(key: () => string): Promise<void> {
    const left = [...this.#calls].flatMap(({ leftover, key: other }) =>
      leftover && other() === key() ? [leftover] : [],
    );
    if (left.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, LEFTOVER_MS)));
    await Promise.race([Promise.all(left), patience]);
    clearTimeout(timer);
  }

  /** The one whose reports have this token. */
  withToken(token: unknown): UpstreamCall | undefined {
    for (const call of this.#calls) if (call.progressToken === token) return call;
    return undefined;
  }

  /** The call whose stream the message that is being handled came on. */
  own(): UpstreamCall | undefined {
    const call = currentCall();
    return call && this.#calls.has(call) ? call : undefined;
  }

  /** Whose the message is that is being handled, where that is known. */
  find(): UpstreamCall | undefined {
    const own = this.own();
    if (own) return own;
    const [only] = this.#calls;
    return this.#calls.size === 1 && only?.isGivenUp === false ? only : undefined;
  }
}
