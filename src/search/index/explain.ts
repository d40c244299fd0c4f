import { type Confidence, judgeRanking } from '../confidence/confidence.js';
import type { Signals } from '../confidence/signals.js';
import type { Postings } from './hints.js';
import type { Lexicon } from './lexicon.js';
import type { AskedWord } from './question.js';
import {
  DEFAULT_LIMIT,
  type Rank,
  type Ranking,
  type RankingTrace,
  type ScorePart,
  weighSynonym,
} from './score.js';
import type { SearchIndex, SearchParameters, ToolSearchDocument } from './search-index.js';
import { Vocabulary } from './vocabulary.js';

/** Options of an explanation. */
export interface ExplainQuery {
  /** Tools to explain even if they are not found, by address. Default: none. */
  readonly addresses?: readonly string[] | undefined;
  /** Maximum number of results to explain. Default: 10. */
  readonly limit?: number | undefined;
}

/** Why a query has its results. */
export interface SearchExplanation {
  /** The words of the query. */
  readonly words: readonly ExplainedWord[];
  /** The facts from which the confidence is computed. */
  readonly signals: Signals;
  /** Whether no tool is relevant enough, so that the search returns no results. */
  readonly refused: boolean;
  /** The best tools first, then the tools that were asked for and are not among them. */
  readonly tools: readonly ExplainedTool[];
}

/** A word of a query. */
export interface ExplainedWord {
  /** The word as the query has it. */
  readonly written: string;
  /** The stems by which it is searched. Empty for a stop word. */
  readonly stems: readonly string[];
  /** Whether the word is too general to search for. */
  readonly isStopWord: boolean;
  /** Whether no tool has this word or a similar one. */
  readonly isUnknown: boolean;
  /** Number of tools that have this word. */
  readonly tools: number;
  /** The share of the word in the query, from 0 to 1. Rare and specific words have larger shares. */
  readonly weight: number;
}

/** Why a tool has its place. */
export interface ExplainedTool {
  /** The address by which the tool is called. */
  readonly address: string;
  /** The place among all tools, from 1. Absent if the tool matches no word. */
  readonly place?: number | undefined;
  /** Whether the search returns the tool. */
  readonly isFound: boolean;
  /** Why the search does not return the tool. Absent if it does. */
  readonly missed?: MissReason | undefined;
  /** The score and the confidence that the search returns, or would return if the tool were found. */
  readonly score: number;
  /** The confidence that belongs to the score. */
  readonly confidence: Confidence;
  /** The sum by which tools are ranked. */
  readonly sum: number;
  /** The parts of the sum, which add up to it. */
  readonly parts: readonly { readonly part: ScorePart; readonly amount: number }[];
  /** The terms of the tool that match words of the query. Their amounts add up to the part "words". */
  readonly matches: readonly ExplainedMatch[];
}

/** Why a search does not return a tool. */
export type MissReason = 'no shared word' | 'outweighed' | 'below the threshold';

/** A word of a query that a tool matches. */
export interface ExplainedMatch {
  /** The stem of the word. */
  readonly stem: string;
  /** The stem of the tool's word that matches it. */
  readonly term: string;
  /** The texts of the tool that have this term. */
  readonly fields: readonly DocumentField[];
  /** Whether both are the same word, have similar meanings in the lexicon, or are spelt alike. */
  readonly how: 'same' | 'alike' | 'spelling';
  /** The amount that the match adds to the part "words". */
  readonly amount: number;
}

/** A text of a tool. */
export type DocumentField =
  | 'name'
  | 'description'
  | 'keywords'
  | 'examples'
  | 'tags'
  | 'toolset'
  | 'arguments';

/** The parts of a search that an explanation reads. */
export interface ExplainedSearch {
  readonly documents: readonly ToolSearchDocument[];
  readonly index: SearchIndex;
  readonly lexicon: Lexicon;
  readonly parameters: SearchParameters;
  readonly rank: Rank;
}

/** Explains the results of a query. It ranks as the search does and records how. */
export function explainQuery(
  query: string,
  { addresses = [], limit = DEFAULT_LIMIT }: ExplainQuery,
  search: ExplainedSearch,
): SearchExplanation {
  const { documents, index, rank } = search;
  const record = new RankingRecord();
  const ranking = rank(query, documents.length, { trace: record });
  const { isRefused, signals, judge } = judgeRanking(query, ranking, index);
  const count = limit >= 1 ? Math.floor(limit) : 0;
  const places = new Map(ranking.ranked.map(({ document }, at) => [document, at + 1]));
  const wanted = new Set(addresses);
  const named = documents.flatMap(({ address }, document) => (wanted.has(address) ? [document] : []));
  const best = ranking.ranked.slice(0, count).map(({ document }) => document);
  const tools = [...new Set([...best, ...named])].flatMap((document) => {
    const text = documents[document];
    if (!text) return [];
    const place = places.get(document);
    const matches = explainMatches(document, text, search, record);
    const isFound = !isRefused && place !== undefined && place <= count;
    return {
      address: text.address,
      place,
      isFound,
      missed: isFound ? undefined : explainMiss(matches, isRefused),
      ...judge(document),
      sum: ranking.sums[document] ?? 0,
      parts: record.parts(document),
      matches,
    };
  });
  return { words: explainWords(ranking, index, record), signals, refused: isRefused, tools };
}

function explainMiss(matches: readonly ExplainedMatch[], refused: boolean): MissReason {
  // A word with a similar meaning is a guess of the lexicon: the tool itself does not have the words of the query.
  if (matches.every(({ how }) => how === 'alike')) return 'no shared word';
  return refused ? 'below the threshold' : 'outweighed';
}

/** Records how a ranking is computed. */
class RankingRecord implements RankingTrace {
  readonly tellings = new Map<AskedWord, number>();
  readonly #bests: { readonly word: AskedWord; readonly telling: number; readonly best: Float32Array }[] = [];
  readonly #sums: { readonly part: ScorePart; readonly sums: Float32Array }[] = [];

  word(word: AskedWord, telling: number, best: Float32Array): void {
    this.tellings.set(word, telling);
    this.#bests.push({ word, telling, best: best.slice() });
  }

  part(part: ScorePart, sums: Float32Array): void {
    this.#sums.push({ part, sums: sums.slice() });
  }

  /** The sum of the weights of all words. */
  get total(): number {
    return this.#bests.reduce((sum, { telling }) => sum + telling, 0);
  }

  parts(document: number): { readonly part: ScorePart; readonly amount: number }[] {
    let before = 0;
    return this.#sums.flatMap(({ part, sums }) => {
      const sum = sums[document] ?? 0;
      const amount = sum - before;
      before = sum;
      return amount === 0 ? [] : [{ part, amount }];
    });
  }

  /** The words that a document matches, and how much each adds to its score. */
  words(document: number): { readonly word: AskedWord; readonly amount: number }[] {
    const { total } = this;
    return this.#bests.flatMap(({ word, telling, best }) => {
      const amount = total === 0 ? 0 : (telling * (best[document] ?? 0)) / total;
      return amount === 0 ? [] : [{ word, amount }];
    });
  }
}

function explainWords({ question }: Ranking, index: SearchIndex, record: RankingRecord): ExplainedWord[] {
  const { total } = record;
  return question.tokens.map(({ written, words }) => {
    const telling = words.reduce((sum, word) => sum + (record.tellings.get(word) ?? 0), 0);
    const holders = words.map(({ stem }) => countHolders(index, index.terms.get(stem)));
    return {
      written,
      stems: words.map(({ stem }) => stem),
      isStopWord: words.length === 0,
      isUnknown:
        words.length > 0 && words.every(({ terms, synonyms }) => terms.length + synonyms.length === 0),
      tools: Math.max(0, ...holders),
      weight: total === 0 ? 0 : telling / total,
    };
  });
}

/** Number of tools that have a term in a text, a keyword or an example. */
function countHolders(index: SearchIndex, term: number | undefined): number {
  if (term === undefined) return 0;
  const holders = [index, index.hints].map(({ starts, documents }) =>
    documents.subarray(starts[term], starts[term + 1]),
  );
  return new Set(holders.flatMap((each) => [...each])).size;
}

function explainMatches(
  document: number,
  text: ToolSearchDocument,
  { index, lexicon, parameters }: ExplainedSearch,
  record: RankingRecord,
): ExplainedMatch[] {
  const fields = readFields(text, lexicon);
  const stems = [...index.terms.keys()];
  return record.words(document).map(({ word, amount }) => {
    const found = findBestTerm(word, document, index, parameters);
    const term = stems[found] ?? '';
    return {
      stem: word.stem,
      term,
      fields: fields.filter(({ terms }) => terms.has(term)).map(({ field }) => field),
      how: word.synonyms.includes(found) ? 'alike' : explainHow(word.stem, term, lexicon),
      amount,
    };
  });
}

function explainHow(stem: string, term: string, lexicon: Lexicon): ExplainedMatch['how'] {
  if (stem === term) return 'same';
  return lexicon.find(stem) >= 0 ? 'alike' : 'spelling';
}

/** The term of a document that matches a word best. */
function findBestTerm(
  { terms, squares, synonyms }: AskedWord,
  document: number,
  index: SearchIndex,
  parameters: SearchParameters,
): number {
  let best = 0;
  let found = -1;
  const compare = (term: number, square: number, { starts, documents, strengths }: Postings): void => {
    for (let posting = starts[term] ?? 0; posting < (starts[term + 1] ?? 0); posting++) {
      const value = square * (strengths[posting] ?? 0);
      if (documents[posting] !== document || value <= best) continue;
      best = value;
      found = term;
    }
  };
  terms.forEach((term, at) => {
    for (const postings of [index, index.hints]) compare(term, squares[at] ?? 0, postings);
  });
  const synonym = weighSynonym(index, document, parameters.synonym);
  for (const term of synonyms) compare(term, synonym, index);
  return found;
}

function readFields(
  {
    name,
    description = '',
    keywords = [],
    examples = [],
    tags = [],
    toolset = '',
    arguments: given = [],
  }: ToolSearchDocument,
  lexicon: Lexicon,
): { readonly field: DocumentField; readonly terms: ReadonlySet<string> }[] {
  const read = (names: readonly string[], sentences: readonly string[]): ReadonlySet<string> => {
    const vocabulary = new Vocabulary(lexicon);
    for (const text of names) vocabulary.read(text, true);
    for (const text of sentences) vocabulary.read(text, false);
    return new Set(vocabulary.terms.keys());
  };
  const argumentTexts = given.map(({ description: text = '' }) => text);
  return [
    { field: 'name', terms: read([name], []) },
    { field: 'description', terms: read([], [description]) },
    { field: 'keywords', terms: read([], keywords) },
    { field: 'examples', terms: read([], examples) },
    { field: 'tags', terms: read(tags, []) },
    { field: 'toolset', terms: read([], [toolset]) },
    {
      field: 'arguments',
      terms: read(
        given.map(({ name: argument }) => argument),
        argumentTexts,
      ),
    },
  ];
}
