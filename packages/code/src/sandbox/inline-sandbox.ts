import type { FairQueue } from 'toolfold/internal';
import { ErrCancelled } from 'toolfold/errors';
import type { CodeLimits, Sandbox, SandboxRun, SandboxStart } from './sandbox.js';

/** The default is low, because other requests wait while code computes in their thread. */
const CPU_MS = 40;

type SavableRun = Required<SandboxRun>;

export interface InlineEngine {
  start(code: string, limits: CodeLimits): Promise<SavableRun>;
  restore(snapshot: Uint8Array, limits: CodeLimits): Promise<SavableRun>;
}

/** Runs code in the thread of the server, for runtimes without threads. */
export function createInlineSandbox(loadEngine: () => Promise<InlineEngine>, queue: FairQueue): Sandbox {
  const runs = new Set<SandboxRun>();
  let isClosed = false;

  const open = async (
    { owner, client, signal }: SandboxStart,
    create: (engine: InlineEngine) => Promise<SavableRun>,
  ): Promise<SandboxRun> => {
    const engine = await loadEngine();
    const leave = await queue.enter(owner, signal, client);
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
      queue.close(new ErrCancelled('The sandbox was closed.'));
      for (const run of runs) run.dispose();
    },
  };
}
