import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{
 *   port: number,
 *   read: (what: 'memory' | 'cpu' | 'rss' | 'gc') => Promise<number>,
 *   stop: () => Promise<void>,
 * }} RunningServer
 */

/**
 * Starts a server of `servers/` in a separate process.
 *
 * @param {string} kind
 * @param {string} catalog
 * @param {{ execPath?: string | undefined, execArgv?: readonly string[] }} [options]
 * @returns {Promise<RunningServer>}
 */
export async function startServer(kind, catalog, { execPath = process.execPath, execArgv = [] } = {}) {
  const script = fileURLToPath(new URL('server-process.mjs', import.meta.url));
  const child = spawn(execPath, [...execArgv, script, kind, catalog], {
    // Some peers print a greeting to standard output.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const failed = new Promise((_, reject) => {
    child.once('error', reject);
    void exited.then(() => reject(new Error(`The server "${kind}" ended.`)));
  });
  // The promise is not awaited after the server was stopped.
  failed.catch(() => undefined);
  const hear = () =>
    Promise.race([
      new Promise((/** @type {(message: any) => void} */ resolve) => child.once('message', resolve)),
      /** @type {Promise<never>} */ (failed),
    ]);
  const { port } = await hear();
  return {
    port,
    read: async (what) => {
      const heard = hear();
      child.send(what);
      return (await heard).value;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
