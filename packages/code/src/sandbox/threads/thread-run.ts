import { ErrCodeFailed } from 'toolfold/errors';
import { cpuFailure, failures, memoryFailure } from '../quickjs/failures.js';
import type { CodeLimits, RunFailure, SandboxRun, SandboxStep, SettledCall } from '../sandbox.js';
import { ThreadEnded } from './pooled-thread.js';
import type { PooledThread } from './pooled-thread.js';

/** A thread may answer this much later than its time limit. It interrupts itself before, unless a built-in function computes. */
const GRACE_MS = 500;
/** Limits requests that run no code of the guest. */
export const SETUP_MS = 30_000;

export class ThreadRun implements SandboxRun {
  readonly #thread: PooledThread;
  readonly #limits: CodeLimits;
  readonly #release: () => void;
  #cpuMs = 0;
  #hasLostLogs = false;
  #isBusy = false;
  #hasEnded = false;

  /** `release` is called once, when the thread is free or gone. */
  constructor(thread: PooledThread, limits: CodeLimits, release: () => void) {
    this.#thread = thread;
    this.#limits = limits;
    this.#release = release;
  }

  async advance(settled: readonly SettledCall[]): Promise<SandboxStep> {
    if (this.#hasEnded) return this.#fail(failures.closed);
    this.#isBusy = true;
    try {
      const answer = await this.#thread.request(
        { kind: 'advance', settled },
        Math.max(0, this.#limits.cpuMs - this.#cpuMs) + GRACE_MS,
      );
      this.#isBusy = false;
      if (answer.kind !== 'step') throw new ErrCodeFailed('The thread answered something else.');
      const { step } = answer;
      this.#cpuMs = step.cpuMs;
      this.#hasLostLogs = step.hasLostLogs;
      if (step.outcome) this.dispose();
      return step;
    } catch (error) {
      this.dispose();
      return this.#fail(this.#failureOf(error));
    }
  }

  async snapshot(): Promise<Uint8Array> {
    if (this.#hasEnded) throw new ErrCodeFailed('The run has ended.');
    this.#isBusy = true;
    try {
      const answer = await this.#thread.request({ kind: 'snapshot' }, SETUP_MS);
      if (answer.kind === 'snapshot') return answer.snapshot;
      throw new ErrCodeFailed(answer.kind === 'error' ? answer.message : 'The thread saved nothing.');
    } finally {
      this.#isBusy = false;
    }
  }

  dispose(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#isBusy) void this.#thread.stop();
    this.#release();
  }

  #failureOf(error: unknown): RunFailure {
    if (!(error instanceof ThreadEnded)) return failures.closed;
    if (error.reason === 'late') return cpuFailure(this.#limits);
    // A thread crashes if V8 runs out of memory in it.
    return error.reason === 'crashed' ? memoryFailure(this.#limits) : failures.closed;
  }

  #fail(failure: RunFailure): SandboxStep {
    const cpuMs = failure.kind === 'cpu' ? this.#limits.cpuMs : this.#cpuMs;
    return { calls: [], logs: [], hasLostLogs: this.#hasLostLogs, cpuMs, outcome: { failure } };
  }
}
