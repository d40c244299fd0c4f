import { stemWord } from '@toolfold/search/internal';
import { stopWords } from '../packages/search/src/index/words.js';

/** @typedef {import('../packages/search/src/index/tool-search.js').ToolSearchDocument} Tool */
/** @typedef {(query: string, limit: number) => string[]} Search returns addresses, best match first */
/** @typedef {(text: string) => string[]} Tokenize */

/** The stems of a text. Names such as `listOpenIssues` and `list_issues` are split, and stop words are left out. */
const readStems = (/** @type {string} */ text) =>
  (
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .replace(/(\p{Ll})(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$3 $2')
      .toLowerCase()
      .match(/\p{L}+|\p{N}+/gu) ?? []
  )
    .filter((word) => !stopWords.has(word))
    .map(stemWord);

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of a text in any script, as `Intl.Segmenter` finds them. */
const segment = (/** @type {string} */ text) =>
  Array.from(segmenter.segment(text.normalize('NFKC')), ({ segment: word, isWordLike }) =>
    isWordLike ? word.toLowerCase() : '',
  ).filter((word) => word !== '');

/** All texts of a tool that the search may use. */
const textOf = (/** @type {Tool} */ { name, description = '', arguments: given = [], keywords = [] }) =>
  [
    name,
    description,
    ...given.flatMap((each) => [each.name, each.description ?? '', ...(each.values ?? [])]),
    ...keywords,
  ].join(' ');

/**
 * BM25 over all texts of a tool, with the usual constants.
 *
 * @param {readonly Tool[]} tools
 * @param {Tokenize} tokenize
 * @returns {Search}
 */
function createBm25(tools, tokenize) {
  const documents = tools.map((tool) => {
    const words = tokenize(textOf(tool));
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { address: tool.address, counts, length: words.length };
  });
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  /** @type {Map<string, number>} */
  const holders = new Map();
  for (const { counts } of documents)
    for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  return (query, limit) => {
    const words = tokenize(query);
    return documents
      .map(({ address, counts, length }) => {
        let score = 0;
        for (const word of words) {
          const count = counts.get(word) ?? 0;
          if (count === 0) continue;
          const among = holders.get(word) ?? 0;
          const rarity = Math.log(1 + (documents.length - among + 0.5) / (among + 0.5));
          score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average));
        }
        return { address, score };
      })
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score || (one.address < other.address ? -1 : 1))
      .slice(0, limit)
      .map(({ address }) => address);
  };
}

/** Stemmed BM25 without stop words. @param {readonly Tool[]} tools */
export const createStemmedBm25 = (tools) => createBm25(tools, readStems);

/** BM25 over the words that `Intl.Segmenter` finds. @param {readonly Tool[]} tools */
export const createSegmentedBm25 = (tools) => createBm25(tools, segment);
