import { compileQuickJs, hasThreads } from '#code-threads';
import { FairQueue } from 'toolfold/internal';
import { ErrCancelled, ErrOverloaded } from 'toolfold/errors';
import { assertOptions, count, countOrNone, flag, objectLike } from '@toolfold/schema/internal';
import { createInlineSandbox } from './inline-sandbox.js';
import type { InlineEngine } from './inline-sandbox.js';
import { loadQuickJs } from './quickjs/engine.js';
import type { Engine } from './quickjs/engine.js';
import type { Sandbox } from './sandbox.js';
import { ThreadSandbox } from './threads/thread-sandbox.js';

/** Configures `createQuickJsSandbox`: the engine, its threads, and how many runs it accepts. */
export interface QuickJsSandboxOptions {
  /** The compiled file `quickjs-wasi/quickjs.wasm`. Default: Node reads it from the package; other runtimes need it. */
  readonly wasm?: WebAssembly.Module | undefined;
  /** Whether each run has a thread, so that code that computes delays no other request. Default: `true` where the runtime has threads. */
  readonly threads?: boolean | undefined;
  /** Runs at once, and so the number of threads. Others wait. Default: 16. */
  readonly maxThreads?: number | undefined;
  /** Runs at once of one caller, while half of `maxThreads` or more exist. Others wait. The last place of that half is for a second client. Default: 4. */
  readonly maxRunsPerOwner?: number | undefined;
  /** Runs that wait, of which one caller can use a quarter; further runs fail with `ErrOverloaded`. Default: 64. */
  readonly maxWaiting?: number | undefined;
}

const rules = {
  wasm: objectLike('a WebAssembly.Module'),
  threads: flag,
  maxThreads: count,
  maxRunsPerOwner: count,
  maxWaiting: countOrNone,
};

/** Creates the sandbox that runs code in QuickJS, a JavaScript engine in WebAssembly. */
export function createQuickJsSandbox(options: QuickJsSandboxOptions = {}): Sandbox {
  assertOptions('createQuickJsSandbox', options, rules);
  const { wasm, threads = hasThreads, maxThreads = 16, maxRunsPerOwner = 4, maxWaiting = 64 } = options;
  const queue = new FairQueue({
    running: maxThreads,
    runningPerOwner: maxRunsPerOwner,
    waiting: maxWaiting,
    waitingPerOwner: Math.ceil(maxWaiting / 4),
    onFull: () =>
      new ErrOverloaded('Too much code is running and waiting.', { hint: 'Try again in a few seconds.' }),
    onCancel: () => new ErrCancelled('The run was cancelled before it started.'),
  });
  const loadEngine = once(async () => {
    // The package is loaded first, because its absence has the clearer message.
    const quickjs = await loadQuickJs();
    return { quickjs, module: wasm ?? (await compileQuickJs()) };
  });
  if (!threads)
    return createInlineSandbox(
      once(() => loadInline(loadEngine)),
      queue,
    );
  return new ThreadSandbox(async () => (await loadEngine()).module, maxThreads, queue);
}

/** Loads the parser of code too, which servers with threads do not need in their main thread. */
async function loadInline(loadEngine: () => Promise<Engine>): Promise<InlineEngine> {
  const engine = await loadEngine();
  const { QuickJsRun } = await import('./quickjs/quickjs-run.js');
  await QuickJsRun.warmUp(engine);
  return {
    start: (code, limits) => QuickJsRun.start(engine, code, limits),
    restore: (snapshot, limits) => QuickJsRun.restore(engine, snapshot, limits),
  };
}

/** Caches the result of `load`. After a failure the next call loads again, because the operator may install the package meanwhile. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return async () => {
    loading ??= load();
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
}
