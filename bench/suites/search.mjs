import { speedTarget } from '../report.mjs';
import { searchFirst } from '../search-first.mjs';

/** The first search of a process: it loads the search, creates the index and answers. */
export async function run({ quick = false } = {}) {
  const rounds = quick ? 3 : 7;
  const real = await searchFirst(rounds, []);
  const few = await searchFirst(rounds, ['--few-words']);
  return [
    speedTarget('firstSearch', real.cpu),
    speedTarget('firstSearchBlock', real.longest),
    { kind: 'figure', title: 'first search, time', value: real.wall, unit: 'ms' },
    { kind: 'figure', title: 'first search, tools that share 50 words', value: few.cpu, unit: 'ms' },
    { kind: 'figure', title: 'the same, longest block', value: few.longest, unit: 'ms' },
  ];
}
