import { startThread } from '#code-threads';
import { ErrCancelled, ErrCodeFailed, ErrInvalidOptions } from 'toolfold/errors';
import { unrefTimer } from 'toolfold/internal';
import type { FairQueue } from 'toolfold/internal';
import type { Sandbox, SandboxRun, SandboxStart } from '../sandbox.js';
import type { ThreadRequest } from './messages.js';
import { PooledThread } from './pooled-thread.js';
import { SETUP_MS, ThreadRun } from './thread-run.js';

/** Threads without a run end after this time. */
const IDLE_MS = 30_000;

/** Runs code in threads. A thread belongs to one run from its start to its end, and then serves another. */
export class ThreadSandbox implements Sandbox {
  readonly #loadModule: () => Promise<WebAssembly.Module>;
  readonly #maxThreads: number;
  readonly #queue: FairQueue;
  readonly #threads = new Set<PooledThread>();
  readonly #idle: { readonly thread: PooledThread; readonly timer: ReturnType<typeof setTimeout> }[] = [];
  readonly #runs = new Set<SandboxRun>();
  /** Threads that were stopped and are not gone yet. */
  readonly #stopping = new Set<Promise<void>>();
  /** Resolves when no thread is starting. */
  #starts: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(loadModule: () => Promise<WebAssembly.Module>, maxThreads: number, queue: FairQueue) {
    this.#loadModule = loadModule;
    this.#maxThreads = maxThreads;
    this.#queue = queue;
  }

  start(code: string, start: SandboxStart): Promise<SandboxRun> {
    return this.#open(start, { kind: 'start', code, limits: start.limits });
  }

  restore(snapshot: Uint8Array, start: SandboxStart): Promise<SandboxRun> {
    return this.#open(start, { kind: 'restore', snapshot, limits: start.limits });
  }

  /** Starts a thread too, so that the first run does not wait for it. */
  async prepare(): Promise<void> {
    const module = await this.#loadModule();
    if (this.#idle.length === 0) this.#putBack(await this.#takeThread(module));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queue.close(new ErrCancelled('The sandbox was closed.'));
    for (const run of this.#runs) run.dispose();
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    for (const thread of this.#threads) void thread.stop();
    await Promise.all(this.#stopping);
  }

  async #open({ owner, client, signal, limits }: SandboxStart, request: ThreadRequest): Promise<SandboxRun> {
    const module = await this.#loadModule();
    const leave = await this.#queue.enter(owner, signal, client);
    let thread: PooledThread | undefined;
    try {
      if (this.#isClosed) throw new ErrCancelled('The sandbox was closed.');
      thread = await this.#takeThread(module);
      await this.#request(thread, request);
      this.#keepReady(module);
      return this.#createRun(thread, limits, signal, leave);
    } catch (error) {
      // Stop the thread, because a failed start may leave it in an unknown state.
      void thread?.stop();
      leave();
      throw error;
    }
  }

  #createRun(
    thread: PooledThread,
    limits: SandboxStart['limits'],
    signal: AbortSignal,
    leave: () => void,
  ): SandboxRun {
    const dispose = (): void => run.dispose();
    const run = new ThreadRun(thread, limits, () => {
      this.#runs.delete(run);
      signal.removeEventListener('abort', dispose);
      thread.endRun();
      this.#putBack(thread);
      leave();
    });
    this.#runs.add(run);
    signal.addEventListener('abort', dispose, { once: true });
    if (signal.aborted || this.#isClosed) run.dispose();
    return run;
  }

  async #request(thread: PooledThread, request: ThreadRequest): Promise<void> {
    const answer = await thread.request(request, SETUP_MS).catch((error: unknown) => {
      throw this.#isClosed ? new ErrCancelled('The sandbox was closed.') : failedThread(error);
    });
    if (answer.kind === 'error') throw new ErrCodeFailed(answer.message);
  }

  /** Keeps one thread ready, because starting one takes longer than most runs. */
  #keepReady(module: WebAssembly.Module): void {
    const isNeeded = (): boolean => this.#idle.length === 0 && this.#threads.size < this.#maxThreads;
    if (!isNeeded()) return;
    this.#starts = this.#starts
      .then(async () => {
        if (isNeeded()) this.#putBack(await this.#startThread(module));
      })
      // The next run that needs a thread tries again, and reports why the thread cannot start.
      .catch(() => undefined);
  }

  /** Starts threads one after another, because a thread competes with the server until it has lowered its priority. */
  #takeThread(module: WebAssembly.Module): Promise<PooledThread> {
    const idle = this.#takeIdle();
    if (idle) return Promise.resolve(idle);
    const taken = this.#starts.then(() => this.#takeIdle() ?? this.#startThread(module));
    this.#starts = taken.catch(() => undefined);
    return taken;
  }

  async #startThread(module: WebAssembly.Module): Promise<PooledThread> {
    if (this.#isClosed) throw new ErrCancelled('The sandbox was closed.');
    const thread = new PooledThread(
      (events) => startThread(module, events),
      () => {
        this.#threads.delete(thread);
        const gone = thread.stop();
        this.#stopping.add(gone);
        void gone.then(() => this.#stopping.delete(gone));
        const index = this.#idle.findIndex((idle) => idle.thread === thread);
        if (index !== -1) clearTimeout(this.#idle.splice(index, 1)[0]?.timer);
      },
    );
    this.#threads.add(thread);
    await this.#request(thread, { kind: 'prepare' });
    return thread;
  }

  /** Takes the thread that was used last, so that the others can expire. */
  #takeIdle(): PooledThread | undefined {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    return idle?.thread;
  }

  #putBack(thread: PooledThread): void {
    if (this.#isClosed || thread.hasEnded) {
      void thread.stop();
      return;
    }
    const timer = setTimeout(() => void thread.stop(), IDLE_MS);
    unrefTimer(timer);
    this.#idle.push({ thread, timer });
  }
}

function failedThread(error: unknown): ErrInvalidOptions {
  const reason = error instanceof Error ? error.message.replace(/\.?$/, '.') : '';
  return new ErrInvalidOptions('A thread for code could not start.', {
    cause: error,
    hint:
      `${reason} If the server is bundled, leave toolfold and quickjs-wasi out of the bundle, ` +
      'or write code: { sandbox: createQuickJsSandbox({ threads: false }) }.',
  });
}
