import { createToolSearch } from '@toolfold/search';
import { inventKeywords, inventTools, toolE } from './search-data.mjs';

/**
 * The minimum processor time of several rounds, so that other work on the machine does not count. Every round creates a
 * new index: the first pass sees each word for the first time, the second is cached.
 *
 * @param {number} count
 * @param {number} rounds
 */
export function timeSearch(count, rounds) {
  const tools = inventKeywords(inventTools(count));
  const asked = toolE.questions.slice(0, count > 1_000 ? 500 : 2_000);
  const clock = (/** @type {() => void} */ work) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const least = { index: Infinity, cold: Infinity, warm: Infinity };
  for (let round = 0; round < rounds; round++) {
    let search = createToolSearch([]);
    const ask = () => {
      for (const { query } of asked) search.search(query);
    };
    const index = clock(() => (search = createToolSearch(tools))) / 1_000;
    least.index = Math.min(least.index, index);
    least.cold = Math.min(least.cold, clock(ask) / asked.length);
    least.warm = Math.min(least.warm, clock(ask) / asked.length);
  }
  return { count, ...least };
}
