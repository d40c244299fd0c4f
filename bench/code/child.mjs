import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Starts a program of this folder.
 *
 * @param {string} file
 * @param {readonly string[]} [args]
 */
export function start(file, args = []) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    env: { ...process.env, NODE_ENV: 'production' },
    // The programs use the built package, so they need no loader.
    execArgv: ['--expose-gc'],
  });
  const ended = new Promise((_, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it answered.`)));
  });
  ended.catch(() => undefined);
  return {
    child,
    /** @returns {Promise<any>} the next message of the program */
    hear: () => Promise.race([new Promise((resolve) => child.once('message', resolve)), ended]),
  };
}

/**
 * Runs a program until its message.
 *
 * @param {string} file
 * @param {readonly string[]} [args]
 * @returns {Promise<any>}
 */
export async function report(file, args) {
  const { child, hear } = start(file, args);
  try {
    return await hear();
  } finally {
    child.kill('SIGKILL');
  }
}
