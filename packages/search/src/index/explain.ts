import { type Confidence, judgeRanking } from '../confidence/confidence.js';
import type { Signals } from '../confidence/signals.js';
import type { Postings } from './hints.js';
import type { AskedWord } from './question.js';
import {
  DEFAULT_LIMIT,
  type Rank,
  type Ranking,
  type RankingTrace,
  type ScorePart,
  weighSynonym,
} from './score.js';
import type { SearchIndex, ToolSearchDocument } from './search-index.js';
import { Vocabulary } from './vocabulary.js';

/** Chooses the tools that an explanation covers. */
export interface ExplainQuery {
  /** Tools to explain even if they are not found, by address. Default: none. */
  readonly addresses?: readonly string[] | undefined;
  /** Maximum number of results to explain. Default: 10. */
  readonly limit?: number | undefined;
}

/** Explains why a query has its results. */
export interface SearchExplanation {
  /** Explains each word of the query, in its order. */
  readonly words: readonly ExplainedWord[];
  /** The confidence in the results is computed from these facts. */
  readonly signals: Signals;
  /** Whether no tool is relevant enough, so that the search returns no results. */
  readonly refused: boolean;
  /** The best tools first, then the tools that were asked for and are not among them. */
  readonly tools: readonly ExplainedTool[];
}

/** Explains how the search reads one word of a query. */
export interface ExplainedWord {
  /** The word as the caller wrote it. */
  readonly written: string;
  /** The stems by which it is searched. Empty for a stop word. */
  readonly stems: readonly string[];
  /** Whether the word is too general to search for. */
  readonly isStopWord: boolean;
  /** Whether no tool has this word or a similar one. */
  readonly isUnknown: boolean;
  /** How many tools have this word. */
  readonly tools: number;
  /** The share of the word in the query, from 0 to 1. Rare and specific words have larger shares. */
  readonly weight: number;
}

/** Explains why a tool has its place. */
export interface ExplainedTool {
  /** Calls use this address. */
  readonly address: string;
  /** The place among all tools, from 1. Absent if the tool matches no word. */
  readonly place?: number | undefined;
  /** Whether the search returns the tool. */
  readonly isFound: boolean;
  /** Why the search does not return the tool. Absent if it does. */
  readonly missed?: MissReason | undefined;
  /** The score and the confidence that the search returns, or would return if the tool were found. */
  readonly score: number;
  /** Follows from the score and the lead over the next tool. */
  readonly confidence: Confidence;
  /** Tools are ranked by this sum. */
  readonly sum: number;
  /** Splits the sum into the parts that add up to it. */
  readonly parts: readonly { readonly part: ScorePart; readonly amount: number }[];
  /** The terms of the tool that match words of the query. Their amounts add up to the part "words". */
  readonly matches: readonly ExplainedMatch[];
}

/** Why a search does not return a tool. */
export type MissReason = 'no shared word' | 'outweighed' | 'below the threshold';

/** Explains how a tool matches one word of the query. */
export interface ExplainedMatch {
  /** The query was searched for this stem. */
  readonly stem: string;
  /** The tool has this stem, which is equal or similar to that of the query. */
  readonly term: string;
  /** The parts of the tool's text that contain this term. */
  readonly fields: readonly DocumentField[];
  /** Whether both are the same word, are synonyms, or are spelt alike. */
  readonly how: 'same' | 'alike' | 'spelling';
  /** How much the match adds to the part "words". */
  readonly amount: number;
}

/** Names a part of the text of a tool. */
export type DocumentField =
  | 'name'
  | 'description'
  | 'keywords'
  | 'examples'
  | 'tags'
  | 'toolset'
  | 'arguments';

interface ExplainedSearch {
  readonly documents: readonly ToolSearchDocument[];
  readonly index: SearchIndex;
  readonly rank: Rank;
}

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
  // A synonym is a guess: the tool itself lacks the words of the query.
  if (matches.every(({ how }) => how === 'alike')) return 'no shared word';
  return refused ? 'below the threshold' : 'outweighed';
}

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
    const holders = words
      .flatMap(({ stem }) => stem.split('/'))
      .map((stem) => countHolders(index, index.terms.get(stem)));
    return {
      written,
      stems: words.flatMap(({ stem }) => stem.split('/')),
      isStopWord: words.length === 0,
      isUnknown:
        words.length > 0 && words.every(({ terms, synonyms }) => terms.length + synonyms.length === 0),
      tools: Math.max(0, ...holders),
      weight: total === 0 ? 0 : telling / total,
    };
  });
}

/** Counts the tools that have a term in a text, a keyword or an example. */
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
  { index }: ExplainedSearch,
  record: RankingRecord,
): ExplainedMatch[] {
  const fields = readFields(text);
  const stems = [...index.terms.keys()];
  return record.words(document).map(({ word, amount }) => {
    const found = findBestTerm(word, document, index);
    const term = stems[found] ?? '';
    return {
      stem: word.stem,
      term,
      fields: fields.filter(({ terms }) => terms.has(term)).map(({ field }) => field),
      how: word.synonyms.includes(found)
        ? 'alike'
        : word.stem.split('/').includes(term)
          ? 'same'
          : 'spelling',
      amount,
    };
  });
}

function findBestTerm({ terms, squares, synonyms }: AskedWord, document: number, index: SearchIndex): number {
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
  const synonym = weighSynonym(index, document);
  for (const term of synonyms) compare(term, synonym, index);
  return found;
}

function readFields({
  name,
  description = '',
  keywords = [],
  examples = [],
  tags = [],
  toolset = '',
  arguments: given = [],
}: ToolSearchDocument): { readonly field: DocumentField; readonly terms: ReadonlySet<string> }[] {
  const argumentTexts = given.map(({ description: text = '' }) => text);
  return [
    { field: 'name', terms: readTerms([name], []) },
    { field: 'description', terms: readTerms([], [description]) },
    { field: 'keywords', terms: readTerms([], keywords) },
    { field: 'examples', terms: readTerms([], examples) },
    { field: 'tags', terms: readTerms(tags, []) },
    { field: 'toolset', terms: readTerms([], [toolset]) },
    {
      field: 'arguments',
      terms: readTerms(
        given.flatMap(({ name: argument, values = [] }) => [argument, ...values]),
        argumentTexts,
      ),
    },
  ];
}

function readTerms(names: readonly string[], sentences: readonly string[]): ReadonlySet<string> {
  const vocabulary = new Vocabulary();
  for (const text of names) vocabulary.read(text, true);
  for (const text of sentences) vocabulary.read(text, false);
  return new Set(vocabulary.terms.keys());
}
