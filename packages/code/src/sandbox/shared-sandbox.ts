import { ErrOverloaded } from 'toolfold/errors';
import type { Sandbox, SandboxRun } from './sandbox.js';

interface Shared {
  readonly opening: Promise<Sandbox>;
  readonly users: Set<object>;
}

let shared: Shared | undefined;

/**
 * Creates the sandbox of a server that passes none. All such servers share one QuickJS sandbox of the process, which is loaded on first use
 * and closed with the last server. A server that closes lets its runs end first, because its calls are still answered.
 */
export function shareSandbox(open: () => Promise<Sandbox> = openQuickJs): Sandbox {
  const user = {};
  let runs = 0;
  let isClosed = false;
  let used: Shared | undefined;
  const use = (): Promise<Sandbox> => {
    if (isClosed) return Promise.reject(new ErrOverloaded('The server is closing and runs no more code.'));
    used = join(user, open);
    return used.opening;
  };
  const leave = async (): Promise<void> => {
    if (isClosed && runs === 0 && used?.users.delete(user) === true) await closeUnused(used);
  };
  const run = async (start: (sandbox: Sandbox) => Promise<SandboxRun>): Promise<SandboxRun> => {
    runs += 1;
    let isEnded = false;
    const end = (): void => {
      if (isEnded) return;
      isEnded = true;
      runs -= 1;
      leave().catch(() => undefined);
    };
    try {
      return endingWith(await start(await use()), end);
    } catch (error) {
      end();
      throw error;
    }
  };
  return {
    start: (code, options) => run((sandbox) => sandbox.start(code, options)),
    restore: (snapshot, options) =>
      run((sandbox) => {
        if (!sandbox.restore) throw new ErrOverloaded('The sandbox cannot continue a paused run.');
        return sandbox.restore(snapshot, options);
      }),
    prepare: async () => (await use()).prepare?.(),
    close: () => {
      isClosed = true;
      return leave();
    },
  };
}

async function openQuickJs(): Promise<Sandbox> {
  const { createQuickJsSandbox } = await import('./open-quickjs.js');
  return createQuickJsSandbox();
}

function join(user: object, open: () => Promise<Sandbox>): Shared {
  if (!shared) {
    const opened: Shared = { opening: open(), users: new Set() };
    // If it cannot be loaded, the next use tries again.
    opened.opening.catch(() => {
      if (shared === opened) shared = undefined;
    });
    shared = opened;
  }
  shared.users.add(user);
  return shared;
}

async function closeUnused(unused: Shared): Promise<void> {
  if (unused.users.size > 0) return;
  if (shared === unused) shared = undefined;
  const sandbox = await unused.opening.catch(() => undefined);
  await sandbox?.close();
}

function endingWith(run: SandboxRun, end: () => void): SandboxRun {
  return {
    advance: (settled) => run.advance(settled),
    ...(run.snapshot ? { snapshot: () => (run.snapshot as () => Promise<Uint8Array>)() } : {}),
    dispose: () => {
      run.dispose();
      end();
    },
  };
}
