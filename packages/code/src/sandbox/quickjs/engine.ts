import type { QuickJS } from 'quickjs-wasi';
import type * as QuickJsPackage from 'quickjs-wasi';
import { ErrInvalidOptions } from 'toolfold/errors';
import type { CodeLimits } from '../sandbox.js';
import type { CpuClock } from './cpu-clock.js';

/** All instances share the package `quickjs-wasi` and its compiled binary. */
export interface Engine {
  readonly quickjs: typeof QuickJsPackage;
  readonly module: WebAssembly.Module;
  /** Reads the CPU time of the thread. Elapsed time counts by default, and if this returns NaN. */
  readonly readCpuMs?: () => number;
}

/** Loads the package, which is an optional peer dependency. */
export async function loadQuickJs(): Promise<Engine['quickjs']> {
  try {
    return await import('quickjs-wasi');
  } catch (error) {
    throw new ErrInvalidOptions('The code form needs the package "quickjs-wasi".', {
      cause: error,
      hint: 'Install it: npm install quickjs-wasi',
    });
  }
}

const ENOSYS = 52;
/** The engine takes a signed 32-bit number, and reads 0 as no limit. */
const MOST_MEMORY = 2 ** 31 - 1;

/** Sets the limits and UTC, and gives an instance nothing of the system except its clock and random bytes. */
export function instanceOptions({ quickjs, module }: Engine, limits: CodeLimits, clock: CpuClock) {
  const { Intrinsics, MAX_STACK_SIZE } = quickjs;
  return {
    wasm: module,
    memoryLimit: Math.min(limits.memoryBytes, MOST_MEMORY),
    maxStackSize: MAX_STACK_SIZE,
    timezoneOffset: 0,
    // These intrinsics would let code observe garbage collection and precise time.
    intrinsics: Intrinsics.ALL & ~Intrinsics.WEAK_REF & ~Intrinsics.PERFORMANCE,
    // Suppresses the engine's own output.
    wasi: () => ({ fd_write: () => ENOSYS }),
    interruptHandler: () => {
      clock.tick();
      return false;
    },
  };
}

/** Runs the jobs of promises until none is left. `executePendingJobs` of the package would not count them. */
export function runJobs(vm: QuickJS, clock: CpuClock): void {
  const exports = vm._getExports();
  while (exports.qjs_is_job_pending() !== 0) {
    clock.countJob();
    if (exports.qjs_execute_pending_job() < 0) throw new Error('A job failed: out of memory');
  }
}
