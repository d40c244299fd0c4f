import { compileQuickJs, hasThreads } from '#code-threads';
import { assertOptions, count, countOrNone, flag, objectLike } from '../../values/options.js';
import { createInlineSandbox } from './inline-sandbox.js';
import type { InlineEngine } from './inline-sandbox.js';
import { loadQuickJs } from './quickjs/engine.js';
import type { Engine } from './quickjs/engine.js';
import { RunQueue } from './run-queue.js';
import type { Sandbox } from './sandbox.js';
import { ThreadSandbox } from './threads/thread-sandbox.js';

/** Options of `createQuickJsSandbox`. */
export interface QuickJsSandboxOptions {
  /** The compiled file `quickjs-wasi/quickjs.wasm`. Default: Node reads it from the package; other runtimes need it. */
  readonly wasm?: WebAssembly.Module | undefined;
  /** Whether each run has a thread, so that code that computes delays no other request. Default: `true` where the runtime has threads. */
  readonly threads?: boolean | undefined;
  /** Runs at once, and so the number of threads. Others wait. Default: 16. */
  readonly maxThreads?: number | undefined;
  /** Runs at once of one caller. Others wait. Default: 4. */
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
  const queue = new RunQueue({ runs: maxThreads, runsPerOwner: maxRunsPerOwner, waiting: maxWaiting });
  const loadEngine = once(async () => {
    // First the package, because its absence has the clearer message.
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

/** Loads once, and again after a failure, because the operator may install the package while the server runs. */
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
