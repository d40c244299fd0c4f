import type { RunQueue } from './run-queue.js';
import type { CodeLimits, Sandbox, SandboxRun, SandboxStart } from './sandbox.js';

/** In this sandbox, other requests wait while code computes. */
const CPU_MS = 40;

/** A run that can be saved. */
type SavableRun = Required<SandboxRun>;

/** Makes runs in this thread. */
export interface InlineEngine {
  start(code: string, limits: CodeLimits): Promise<SavableRun>;
  restore(snapshot: Uint8Array, limits: CodeLimits): Promise<SavableRun>;
}

/** Runs code in the thread of the server, for runtimes without threads. */
export function createInlineSandbox(loadEngine: () => Promise<InlineEngine>, queue: RunQueue): Sandbox {
  const runs = new Set<SandboxRun>();
  let isClosed = false;

  const open = async (
    { owner, signal }: SandboxStart,
    create: (engine: InlineEngine) => Promise<SavableRun>,
  ): Promise<SandboxRun> => {
    const engine = await loadEngine();
    const leave = await queue.enter(owner, signal);
    try {
      const inner = await create(engine);
      const dispose = (): void => {
        inner.dispose();
        runs.delete(run);
        signal.removeEventListener('abort', dispose);
        leave();
      };
      const run: SandboxRun = {
        advance: async (settled) => {
          const step = await inner.advance(settled);
          if (step.outcome) dispose();
          return step;
        },
        snapshot: () => inner.snapshot(),
        dispose,
      };
      runs.add(run);
      signal.addEventListener('abort', dispose, { once: true });
      if (signal.aborted || isClosed) dispose();
      return run;
    } catch (error) {
      leave();
      throw error;
    }
  };

  return {
    defaults: { cpuMs: CPU_MS },
    start: (code, start) => open(start, (engine) => engine.start(code, start.limits)),
    restore: (snapshot, start) => open(start, (engine) => engine.restore(snapshot, start.limits)),
    prepare: async () => {
      await loadEngine();
    },
    close: async () => {
      isClosed = true;
      queue.close();
      for (const run of runs) run.dispose();
    },
  };
}
