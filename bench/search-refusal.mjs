import { createToolSearch } from '@toolfold/search';

/** @typedef {import('./search-data.mjs').Tool} Tool */
/** @typedef {import('./search-data.mjs').QuestionSet} QuestionSet */
/** @typedef {{ count: number, auc: number | undefined, refused: number, weak: number }} Judged shares in percent */
/** @typedef {{ answerable: Judged, near: Judged, far: Judged }} Refusal */

/**
 * How well the search tells questions that a tool answers from those that none answers.
 *
 * @param {QuestionSet} set
 * @param {readonly Tool[]} tools
 * @returns {Refusal}
 */
export function rateRefusal({ questions, unanswerable }, tools) {
  const search = createToolSearch(tools);
  const ask = (/** @type {readonly { query: string }[]} */ asked) =>
    asked.map(({ query }) => {
      const [best] = search.search(query, { limit: 1 });
      // A refused question has no result, and its explanation has the score that the best tool would have had.
      const score = best?.score ?? search.explain(query, { limit: 1 }).tools[0]?.score ?? 0;
      return { score, isRefused: best === undefined, isWeak: best?.confidence === 'weak' };
    });
  const answerable = ask(questions);
  const far = ask(unanswerable.filter(({ distance }) => distance === 'far'));
  const near = ask(unanswerable.filter(({ distance }) => distance === 'near'));
  const judge = (/** @type {typeof answerable} */ answers) => ({
    count: answers.length,
    auc: answers === answerable ? undefined : areaUnderCurve(answerable, answers),
    refused: (100 * answers.filter(({ isRefused }) => isRefused).length) / answers.length,
    weak: (100 * answers.filter(({ isWeak }) => isWeak).length) / answers.length,
  });
  return { answerable: judge(answerable), near: judge(near), far: judge(far) };
}

/**
 * The probability that an answerable question has a higher score than an unanswerable one; a tie counts half.
 *
 * @param {readonly { score: number }[]} answerable
 * @param {readonly { score: number }[]} unanswerable
 */
function areaUnderCurve(answerable, unanswerable) {
  let above = 0;
  for (const { score } of answerable) {
    for (const other of unanswerable) above += score === other.score ? 0.5 : Number(score > other.score);
  }
  return above / (answerable.length * unanswerable.length);
}
