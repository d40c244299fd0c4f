// Simulates users whose calls teach the search: half of the questions of each ToolE tool are followed by a call of the right tool,
// and the other half is asked afterwards. Run it with `npm run bench:search-learning`.
import { createToolSearch } from '../src/search/index/tool-search.js';
import { MemorySearchLearning } from '../src/search/learn/memory-search-learning.js';
import { readQuestionWords } from '../src/search/learn/question-words.js';
import { toolE } from './search-data.mjs';

const CALLERS = 20;
/** @typedef {import('./search-data.mjs').Question} Question */

/** A reproducible generator of numbers from 0 to 1. */
function createRandom(seed = 1) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @param {number} caller */
const learnerOf = (caller) => ({ tenant: 'acme', caller: `user${caller}`, conversation: `user${caller}` });

/**
 * @param {readonly Question[]} questions
 * @param {number} wrong the share of calls of an arbitrary other tool
 * @param {import('../src/stores/search-learning.js').SearchLearningOptions} [options]
 */
async function learn(questions, wrong, options) {
  const random = createRandom();
  const learning = new MemorySearchLearning(options);
  for (const { query, answers } of questions) {
    const any = toolE.tools[Math.floor(random() * toolE.tools.length)]?.address ?? '';
    const called = random() < wrong ? any : (answers[0] ?? '');
    const learner = learnerOf(Math.floor(random() * CALLERS));
    await learning.noteSearch(learner, [{ words: readQuestionWords(query), shown: [called] }]);
    await learning.noteCall(learner, called);
  }
  return learning;
}

/** A caller repeats questions and calls one tool after each of them. */
async function poison(
  /** @type {MemorySearchLearning} */ learning,
  /** @type {readonly Question[]} */ questions,
) {
  const learner = learnerOf(-1);
  const shown = [toolE.tools[0]?.address ?? ''];
  for (let round = 0; round < 5; round++) {
    for (const { query } of questions) {
      await learning.noteSearch(learner, [{ words: readQuestionWords(query), shown }]);
      await learning.noteCall(learner, shown[0] ?? '');
    }
  }
  return learning;
}

/**
 * @param {readonly Question[]} questions
 * @param {MemorySearchLearning} [learning]
 */
async function rate(questions, learning) {
  const search = createToolSearch(toolE.tools);
  let [first, five] = [0, 0];
  for (const { query, answers } of questions) {
    const learned = await learning?.recall(learnerOf(0), readQuestionWords(query), () => true);
    const found = search.search(query, { limit: 5, learned }).map(({ address }) => address);
    if (answers.includes(found[0] ?? '')) first += 1;
    if (found.some((address) => answers.includes(address))) five += 1;
  }
  const percent = (/** @type {number} */ count) => ((100 * count) / questions.length).toFixed(1).padStart(6);
  return `${percent(first)} ${percent(five)}`;
}

const random = createRandom();
const shuffled = toolE.questions
  .map((question) => ({ question, place: random() }))
  .toSorted((one, other) => one.place - other.place)
  .map(({ question }) => question);
/** @type {Map<string, Question[]>} */
const byTool = new Map();
for (const question of shuffled) {
  const tool = question.answers[0] ?? '';
  byTool.set(tool, [...(byTool.get(tool) ?? []), question]);
}
const groups = [...byTool.values()];
const asked = groups.flatMap((group) => group.slice(Math.ceil(group.length / 2)));
const taught = (/** @type {number} */ count) =>
  groups.flatMap((group) => group.slice(0, Math.min(count, Math.ceil(group.length / 2))));

console.log(`ToolE, ${asked.length} questions that were not learned       first   five`);
console.log(`nothing learned                                   ${await rate(asked)}`);
for (const count of [1, 3, 10])
  for (const wrong of [0, 0.2])
    console.log(
      `${String(count).padStart(2)} questions of each tool, ${String(wrong * 100).padStart(2)} % wrong calls      ${await rate(asked, await learn(taught(count), wrong))}`,
    );
console.log(
  '10 questions of each tool, and a caller that calls one tool after each of the asked questions, five times:',
);
for (const minCallers of [1, 2, 3, 5]) {
  const learning = await learn(taught(10), 0, { minCallers });
  const honest = await rate(asked, learning);
  const poisoned = await rate(asked, await poison(learning, asked));
  console.log(
    `  minCallers: ${minCallers}                                   ${poisoned}; without it ${honest}`,
  );
}
