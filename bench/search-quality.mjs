import { createToolSearch } from '@toolfold/search';
import { createStemmedBm25 } from './search-baselines.mjs';
import { createRandom, withKeywords } from './search-data.mjs';

/** @typedef {import('./search-baselines.mjs').Search} Search */
/** @typedef {import('./search-data.mjs').Tool} Tool */
/** @typedef {import('./search-data.mjs').Question} Question */
/** @typedef {import('./search-data.mjs').QuestionSet} QuestionSet */
/** @typedef {{ first: number, five: number, reciprocal: number }} Quality percentages */

const DEPTH = 50;
const SEEDS = [1, 2, 3, 4, 5];

/**
 * @param {readonly Tool[]} tools
 * @returns {Search}
 */
export function createOurs(tools) {
  const search = createToolSearch(tools);
  return (query, limit) => search.search(query, { limit }).map(({ address }) => address);
}

/**
 * The rank of the right tool for every question, from 0; Infinity if it was not found.
 *
 * @param {Search} search
 * @param {readonly Question[]} questions
 */
function findPlaces(search, questions) {
  return questions.map(({ query, answers }) => {
    const place = search(query, DEPTH).findIndex((address) => answers.includes(address));
    return place < 0 ? Infinity : place;
  });
}

/**
 * @param {readonly number[]} places
 * @returns {Quality}
 */
function rate(places) {
  const share = (/** @type {(place: number) => number} */ value) =>
    (100 * places.reduce((sum, place) => sum + value(place), 0)) / places.length;
  return {
    first: share((place) => Number(place === 0)),
    five: share((place) => Number(place < 5)),
    reciprocal: share((place) => 1 / (place + 1)),
  };
}

/**
 * @param {Search} search
 * @param {readonly Question[]} questions
 */
export const rateSearch = (search, questions) => rate(findPlaces(search, questions));

/**
 * Every search over one set of questions, without and with keywords. BM25 gets the same texts.
 *
 * @param {QuestionSet} set
 * @returns {Record<string, Quality>}
 */
export function compareSearches(set) {
  const { tools, questions } = set;
  const full = withKeywords(set);
  const five = withKeywords(set, { most: 5 });
  const rateOf = (/** @type {Search} */ search) => rateSearch(search, questions);
  return {
    'stemmed BM25': rateOf(createStemmedBm25(tools)),
    Toolfold: rateOf(createOurs(tools)),
    'stemmed BM25, 5 keywords': rateOf(createStemmedBm25(five)),
    'Toolfold, 5 keywords': rateOf(createOurs(five)),
    'stemmed BM25, keywords': rateOf(createStemmedBm25(full)),
    'Toolfold, keywords': rateOf(createOurs(full)),
  };
}

/**
 * Keywords for a random half of the tools: the share of questions with the right tool among five, for tools with and without
 * keywords, compared with the same questions if no tool and if every tool has keywords. Means over several halves.
 *
 * @param {QuestionSet} set
 * @param {(tools: readonly Tool[]) => Search} create
 */
export function rateHalves(set, create) {
  const { tools, questions } = set;
  const before = findPlaces(create(tools), questions);
  const after = findPlaces(create(withKeywords(set)), questions);
  const empty = () => ({ none: 0, half: 0, all: 0 });
  const means = { having: empty(), lacking: empty() };
  for (const seed of SEEDS) {
    const chosen = chooseHalf(tools, seed);
    const half = findPlaces(create(withKeywords(set, { only: (address) => chosen.has(address) })), questions);
    for (const part of /** @type {const} */ (['having', 'lacking'])) {
      // A question with answers in both halves says nothing about either.
      const isIn = (/** @type {Question} */ { answers }) =>
        answers.every((answer) => chosen.has(answer) === (part === 'having'));
      const fiveOf = (/** @type {readonly number[]} */ places) =>
        rate(places.filter((_, at) => isIn(/** @type {Question} */ (questions[at])))).five / SEEDS.length;
      means[part].none += fiveOf(before);
      means[part].half += fiveOf(half);
      means[part].all += fiveOf(after);
    }
  }
  return means;
}

/**
 * @param {readonly Tool[]} tools
 * @param {number} seed
 */
function chooseHalf(tools, seed) {
  const random = createRandom(seed);
  const shuffled = tools
    .map(({ address }) => ({ address, at: random() }))
    .toSorted((one, other) => one.at - other.at);
  return new Set(shuffled.slice(0, shuffled.length / 2).map(({ address }) => address));
}
