import { mergeAnswers } from '@toolfold/search/internal';

/** @typedef {import('../packages/search/src/index/tool-search.js').ToolSearchAnswer} ToolSearchAnswer */
/** @typedef {import('./search-baselines.mjs').Search} Search */
/** @typedef {import('./search-data.mjs').Task} Task */
/** @typedef {(query: string, limit: number) => ToolSearchAnswer} Answer */

/**
 * Several queries against one: the share of the needed tools that are found if the whole task is one query, and if each step is a
 * query. Both show the same number of tools. The results of several queries are merged as `search_tools` merges them.
 *
 * @param {Answer} answer
 * @param {readonly Task[]} tasks
 * @param {number} shown
 */
export function rateTasks(answer, tasks, shown) {
  const ask = (/** @type {readonly string[]} */ queries) => {
    const answers = queries.map((query) => answer(query, shown));
    return mergeAnswers(answers, shown).map(({ address }) => address);
  };
  return {
    shown,
    one: recallOf(tasks, ({ query }) => ask([query])),
    several: recallOf(tasks, ({ steps }) => ask(steps)),
  };
}

/**
 * The answers of a search that has no confidence.
 *
 * @param {Search} search
 * @returns {Answer}
 */
export function toAnswers(search) {
  return (query, limit) => ({
    results: search(query, limit).map((address) => ({ address, score: 0, confidence: 'likely' })),
    more: 0,
    unmatched: [],
  });
}

/**
 * The percentage of the needed tools that are shown.
 *
 * @param {readonly Task[]} tasks
 * @param {(task: Task) => readonly string[]} show
 */
function recallOf(tasks, show) {
  let found = 0;
  let needed = 0;
  for (const task of tasks) {
    const shown = new Set(show(task));
    needed += task.needed.length;
    found += task.needed.filter((alternatives) => alternatives.some((address) => shown.has(address))).length;
  }
  return (100 * found) / needed;
}
