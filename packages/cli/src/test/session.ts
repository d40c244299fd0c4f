import { openTarget } from '../target/open-target.js';
import type { OpenOptions } from '../target/open-options.js';
import type { OpenTarget } from '@toolfold/analysis/internal';
import type { Target } from '../target/read-target.js';
import { withDeadline } from '../terminal/deadline.js';
import { CommandError } from '@toolfold/analysis/internal';
import type { Outcome } from './judge.js';
import type { Operation } from './operations.js';

/** Maximum number of times that a lost server is reopened for one action. Searching for a smaller input needs about 30. */
const MAX_REOPENED = 40;

/** A connection to the tested server. Reopens the server for the next call after an input crashed it. */
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

  /** Calls an operation. Declines questions, because no user is present. */
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
      const isAnswered = failure.rpcCode !== undefined || failure.status !== undefined;
      this.#isLost = !isAnswered && !failure.isTimeout && this.#opened.kind !== 'module';
      return { error: failure };
    }
  };

  /** Whether the action has crashed the server so often that it is not called again. */
  get isExhausted(): boolean {
    return this.#isLost && this.#reopened >= MAX_REOPENED;
  }

  /** Call it before the first call of another action. */
  startOperation(): void {
    this.#reopened = 0;
  }

  /** Lists the tools on a second connection, like another client. */
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
    this.#reopened++;
    await this.close();
    this.#opened = await openTarget(this.#target, this.#options);
    this.#isLost = false;
  }
}
