import MiniSearch from 'minisearch';
import { stemWord } from '../src/search/index/stem.js';
import { readWords, stopWords } from '../src/search/index/words.js';

/** @typedef {import('../src/search/index/tool-search.js').ToolSearchDocument} Tool */
/** @typedef {(query: string, limit: number) => string[]} Search returns addresses, best match first */

const plainWords = (/** @type {string} */ text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
const stems = (/** @type {string} */ text) =>
  readWords(text, { isName: true, knows: () => false })
    .filter((word) => !stopWords.has(word))
    .map(stemWord);
const argumentsOf = (/** @type {Tool} */ tool) =>
  (tool.arguments ?? []).map(({ name, description = '' }) => `${name} ${description}`).join(' ');

/**
 * BM25 over all texts of a tool, with the usual constants.
 *
 * @param {readonly Tool[]} tools
 * @param {(text: string) => string[]} tokenize
 * @returns {Search}
 */
function createBm25(tools, tokenize) {
  const documents = tools.map((tool) => {
    const words = tokenize(`${tool.name} ${tool.description ?? ''} ${argumentsOf(tool)}`);
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

/**
 * @param {readonly Tool[]} tools
 * @returns {Search}
 */
function createMiniSearch(tools) {
  const search = new MiniSearch({
    idField: 'address',
    fields: ['name', 'description', 'arguments'],
    tokenize: stems,
    processTerm: (term) => term,
    searchOptions: { boost: { name: 2, description: 1, arguments: 0.25 } },
  });
  search.addAll(tools.map((tool) => ({ ...tool, arguments: argumentsOf(tool) })));
  return (query, limit) =>
    search
      .search(query)
      .slice(0, limit)
      .map(({ id }) => id);
}

/** @type {Record<string, (tools: readonly Tool[]) => Search>} */
export const baselines = {
  'BM25, plain': (tools) => createBm25(tools, plainWords),
  'BM25, stems, no stop words': (tools) => createBm25(tools, stems),
  'MiniSearch, stems, no stop words, fields': createMiniSearch,
};
