import type { Postings } from '../index/hints.js';
import type { AskedToken, AskedWord } from '../index/question.js';
import type { Ranking } from '../index/score.js';
import type { SearchIndex } from '../index/search-index.js';
import { GENERAL, weighTopic } from './general-words.js';

/** The facts from which the confidence in the results of a query is computed. All but `chance` are from 0 to about 2. */
export interface Signals {
  /** The share of the words of the query that some tool has. */
  readonly known: number;
  /** How many words of the query one of the first tools has, on a logarithmic scale. */
  readonly matched: number;
  /** The share of the words of the query that the first tool has. */
  readonly covered: number;
  /** How many tools have the words of the query. Words that many tools have are the topic of the index. */
  readonly common: number;
  /** The sum of the first tool, as a share of the highest possible sum. */
  readonly strength: number;
  /** The share of tools with keywords. If tools have keywords, an unknown word is more likely to be off topic. */
  readonly keywords: number;
  /**
   * How many words of any query are among the terms of the tools by chance: the logarithm of the number of terms, 0 for a typical server.
   * Its coefficient is not fitted, because there are too few indexes.
   */
  readonly chance: number;
}

export interface Judged {
  readonly written: string;
  readonly weight: number;
  readonly isGeneral: boolean;
  /** The term that matches the word best. Absent if no tool has the word or a nearly equal one. */
  readonly nearest: AskedWord | undefined;
}

/** A server with about 100 tools has this many terms in its texts. */
const TYPICAL_TERMS = 750;
/**
 * The bounds of `chance`, for servers of about 500 and 3,400 terms. They keep small servers from going lower, because a lower bound accepts
 * questions that share only one general word with the server.
 */
const LEAST_CHANCE = -0.4;
const MOST_CHANCE = 1.5;
const FIRST = 5;
/** An unknown word counts this much if it is quoted or a proper name, such as the title of a document: it is a value, not a topic. */
const VALUE = 0.3;
/** An unknown word of another script counts this much, because no list of general words exists for it. */
const FOREIGN = 0.1;

export function measureSignals(
  words: readonly Judged[],
  { ranked, sums, full }: Ranking,
  index: SearchIndex,
): Signals {
  const documents = ranked.slice(0, FIRST).map(({ document }) => document);
  const all = words.reduce((sum, { weight }) => sum + weight, 0);
  let known = 0;
  let common = 0;
  const matched = documents.map(() => 0);
  let covered = 0;
  for (const { weight, nearest } of words) {
    if (!nearest) continue;
    known += weight * nearest.nearness;
    const share = Math.min(1, countMostHolders(index, nearest.nearest) / index.size);
    common += weight * nearest.nearness * Math.sqrt(share);
    documents.forEach((document, at) => {
      if (!nearest.nearest.some((term) => holds(index, term, document))) return;
      matched[at] = (matched[at] ?? 0) + Math.sqrt(weight) * nearest.nearness;
      if (at === 0) covered += weight * nearest.nearness;
    });
  }
  const [first] = documents;
  return {
    known: all > 0 ? known / all : 0,
    matched: Math.log(1 + Math.max(0, ...matched)),
    covered: all > 0 ? covered / all : 0,
    common: Math.min(2, common),
    strength: first === undefined ? 0 : Math.min(1, (sums[first] ?? 0) / full),
    keywords: index.hints.share,
    chance: Math.max(LEAST_CHANCE, Math.min(MOST_CHANCE, Math.log(index.textTerms / TYPICAL_TERMS))),
  };
}

/** Returns the distinct words of a query without stop words and unknown numbers. */
export function judgeWords(
  query: string,
  tokens: readonly AskedToken[],
  index: SearchIndex,
  isWanted: ((document: number) => boolean) | undefined,
): Judged[] {
  const values = findValues(query, tokens);
  const judged = new Map<string, Judged>();
  for (const { written, words } of tokens) {
    const key = written.toLowerCase();
    if (words.length === 0 || judged.has(key)) continue;
    const nearest = words
      .filter(({ nearest: terms }) =>
        terms.some((term) => !isWanted || isHeldByWanted(index, term, isWanted)),
      )
      .reduce<AskedWord | undefined>(
        (best, word) => (best && best.nearness >= word.nearness ? best : word),
        undefined,
      );
    const isNumber = /^\p{N}+$/u.test(written);
    // An unknown number is a value, such as the number of an issue.
    if (isNumber && !nearest) continue;
    const topic = isNumber ? GENERAL : Math.min(...words.map(({ stem }) => weighTopic(stem)));
    const weight = nearest ? topic : topic * weighUnknown(written, values);
    judged.set(key, { written, nearest, weight, isGeneral: topic <= GENERAL });
  }
  return [...judged.values()];
}

function weighUnknown(written: string, values: ReadonlySet<string>): number {
  if (values.has(written)) return VALUE;
  return /\p{sc=Latn}/u.test(written) ? 1 : FOREIGN;
}

/** Returns the words that are quoted, or that are capitalised without starting a sentence. */
function findValues(query: string, tokens: readonly AskedToken[]): ReadonlySet<string> {
  const values = new Set<string>();
  const capitalised = tokens.filter(({ written }) => /\p{Lu}/u.test(written)).length;
  // In a title, or in a query in capitals, the case says nothing.
  const isTitle = capitalised > tokens.length / 2;
  let from = 0;
  let quotes = 0;
  for (const { written } of tokens) {
    const at = query.indexOf(written, from);
    if (at < 0) continue;
    const between = query.slice(from, at);
    quotes += between.match(/["“”„«»]/gu)?.length ?? 0;
    const isFirst = from === 0 || /[.!?:;\n]/.test(between);
    if (quotes % 2 === 1 || (!isTitle && !isFirst && /\p{Lu}/u.test(written))) values.add(written);
    from = at + written.length;
  }
  return values;
}

/** Counts the tools that have the most common of these terms in a text, a keyword or an example. */
function countMostHolders({ starts, hints }: SearchIndex, terms: Uint32Array): number {
  let most = 0;
  for (const term of terms) {
    const inTexts = (starts[term + 1] ?? 0) - (starts[term] ?? 0);
    const inHints = (hints.starts[term + 1] ?? 0) - (hints.starts[term] ?? 0);
    most = Math.max(most, inTexts + inHints);
  }
  return most;
}

function holds(index: SearchIndex, term: number, document: number): boolean {
  return holdsPosting(index, term, document) || holdsPosting(index.hints, term, document);
}

function holdsPosting({ starts, documents }: Postings, term: number, document: number): boolean {
  let low = starts[term] ?? 0;
  let high = starts[term + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((documents[middle] ?? 0) < document) low = middle + 1;
    else high = middle;
  }
  return low < (starts[term + 1] ?? 0) && documents[low] === document;
}

function isHeldByWanted(index: SearchIndex, term: number, isWanted: (document: number) => boolean): boolean {
  const inPostings = ({ starts, documents }: Postings): boolean => {
    for (let at = starts[term] ?? 0; at < (starts[term + 1] ?? 0); at++)
      if (isWanted(documents[at] ?? 0)) return true;
    return false;
  };
  return inPostings(index) || inPostings(index.hints);
}
