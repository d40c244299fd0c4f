import { openTarget } from '../target/open-target.js';
import type { OpenOptions, OpenTarget } from '../target/opened-target.js';
import type { Target } from '../target/read-target.js';
import { withDeadline } from '../terminal/deadline.js';
import { CommandError } from '../terminal/terminal.js';
import type { Outcome } from './judge.js';
import type { Operation } from './operations.js';

/** How often a server is started or connected to again after it was lost. */
const MAX_REOPENED = 20;

/** A server under test. A server that an input has crashed is opened again for the next call. */
export class TestSession {
  readonly #target: Target;
  readonly #options: OpenOptions;
  readonly #scopes: readonly string[];
  #opened: OpenTarget;
  #isLost = false;
  #reopened = 0;

  private constructor(target: Target, options: OpenOptions, scopes: readonly string[], opened: OpenTarget) {
    this.#target = target;
    this.#options = options;
    this.#scopes = scopes;
    this.#opened = opened;
  }

  static async open(target: Target, options: OpenOptions, scopes: readonly string[]): Promise<TestSession> {
    return new TestSession(target, options, scopes, await openTarget(target, options));
  }

  get opened(): OpenTarget {
    return this.#opened;
  }

  /** Calls an operation. Questions are declined, because nobody is there to answer them. */
  readonly call = async (
    { toolName, fixed }: Operation,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Outcome> => {
    const { timeoutMs, signal } = this.#options;
    try {
      await this.#recover();
      const message = `There was no answer for ${timeoutMs / 1_000} s.`;
      const result = await withDeadline({ timeoutMs, signal, message }, (deadline) =>
        this.#opened.call(
          { name: toolName, arguments: { ...fixed, ...input } },
          {
            signal: deadline.signal,
            scopes: this.#scopes,
            onProgress: () => deadline.renew(),
            onLog: () => {},
            ask: async () => ({ action: 'decline' }),
          },
        ),
      );
      return { result };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const failure = error instanceof CommandError ? error : new CommandError(String(error));
      this.#isLost = failure.rpcCode === undefined && !failure.isTimeout && this.#opened.kind !== 'module';
      return { error: failure };
    }
  };

  /** Lists the tools on a second connection, as another client would. */
  async listAgain(): Promise<OpenTarget['tools']> {
    const again = await openTarget(this.#target, this.#options);
    await again.close().catch(() => undefined);
    return again.tools;
  }

  async close(): Promise<void> {
    await this.#opened.close().catch(() => undefined);
  }

  async #recover(): Promise<void> {
    if (!this.#isLost) return;
    if (++this.#reopened > MAX_REOPENED)
      throw new CommandError(`The server was lost ${MAX_REOPENED} times. It is not opened again.`);
    await this.close();
    this.#opened = await openTarget(this.#target, this.#options);
    this.#isLost = false;
  }
}
