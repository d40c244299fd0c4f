import { fork } from 'node:child_process';
import { median } from '../measure.mjs';
import { speedTarget } from '../report.mjs';

/** @typedef {{ cpu: number, wall: number, longest: number }} FirstSearch in milliseconds */

/** The first search of a process: it loads the lexicon, creates the index and answers. */
export async function run({ quick = false } = {}) {
  const rounds = quick ? 3 : 7;
  const real = await searchOften(rounds, []);
  const few = await searchOften(rounds, ['--few-words']);
  return [
    speedTarget('firstSearch', real.cpu),
    speedTarget('firstSearchBlock', real.longest),
    { kind: 'figure', title: 'first search, time', value: real.wall, unit: 'ms' },
    { kind: 'figure', title: 'first search, tools that share 50 words', value: few.cpu, unit: 'ms' },
    { kind: 'figure', title: 'the same, longest block', value: few.longest, unit: 'ms' },
  ];
}

/**
 * The medians of several first searches.
 *
 * @param {number} rounds
 * @param {readonly string[]} flags
 */
async function searchOften(rounds, flags) {
  /** @type {FirstSearch[]} */
  const samples = [];
  for (let round = 0; round < rounds; round++) samples.push(await searchOnce(flags));
  const of = (/** @type {keyof FirstSearch} */ what) => median(samples.map((sample) => sample[what]));
  return { cpu: of('cpu'), wall: of('wall'), longest: of('longest') };
}

/**
 * @param {readonly string[]} flags
 * @returns {Promise<FirstSearch>}
 */
function searchOnce(flags) {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('../search-process.mjs', import.meta.url), flags);
    child.on('message', (message) => {
      resolve(/** @type {FirstSearch} */ (message));
      child.kill();
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`The search ended with ${code}.`)));
  });
}
