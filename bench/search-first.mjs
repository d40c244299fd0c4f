import { fork } from 'node:child_process';
import { median } from './measure.mjs';

/** @typedef {{ cpu: number, thread: number, wall: number, longest: number }} FirstSearch in milliseconds */

/**
 * The medians of several first searches, each in a new process that serves the search form.
 *
 * @param {number} rounds
 * @param {readonly string[]} flags of `search-process.mjs`
 * @returns {Promise<FirstSearch>}
 */
export async function searchFirst(rounds, flags) {
  /** @type {FirstSearch[]} */
  const samples = [];
  for (let round = 0; round < rounds; round++) samples.push(await searchOnce(flags));
  const of = (/** @type {keyof FirstSearch} */ what) => median(samples.map((sample) => sample[what]));
  return { cpu: of('cpu'), thread: of('thread'), wall: of('wall'), longest: of('longest') };
}

/**
 * @param {readonly string[]} flags
 * @returns {Promise<FirstSearch>}
 */
function searchOnce(flags) {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('search-process.mjs', import.meta.url), flags, { execArgv: [] });
    child.on('message', (message) => {
      resolve(/** @type {FirstSearch} */ (message));
      child.kill();
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`The search ended with ${code}.`)));
  });
}
