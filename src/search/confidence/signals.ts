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
  /** 1 if words match by meaning, which makes the first tool stronger in every query; otherwise 0. */
  readonly lexicon: number;
  /**
   * How many words of any query are among the terms of the tools by chance: the logarithm of the number of terms, 0 for a typical server.
   * Its coefficient is not fitted, because there are too few indexes.
   */
  readonly chance: number;
}

/** A word of a query, and how well the tools match it. */
export interface Judged {
  readonly written: string;
  /** How much the word says about the topic, and whether it is one of the general words. */
  readonly weight: number;
  readonly isGeneral: boolean;
  /** The word that matches a term best. Absent if no tool has the word or one that is nearly the same. */
  readonly nearest: AskedWord | undefined;
}

/** The number of terms in the texts of a server with about 100 tools. */
const TYPICAL_TERMS = 750;
/**
 * The least and the greatest value of `chance`, for servers of about 500 and 3,400 terms. A smaller server has too few terms to say more
 * about chance: a lower bound accepts questions that have only one general word in common with it.
 */
const LEAST_CHANCE = -0.4;
const MOST_CHANCE = 1.5;
/** The number of tools that count as the first ones. */
const FIRST = 5;
/** The weight of an unknown word that is a name or quoted, such as the title of a document: it is a value, not a topic. */
const VALUE = 0.3;
/** The weight of an unknown word of another script, for which there is no list of general words. */
const FOREIGN = 0.1;

/** Measures the signals of a ranking. */
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
    lexicon: index.known.length > 0 ? 1 : 0,
    chance: Math.max(LEAST_CHANCE, Math.min(MOST_CHANCE, Math.log(index.textTerms / TYPICAL_TERMS))),
  };
}

/** The words of a query that say something, each once: no stop words and no unknown numbers. */
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

/** Words that are quoted, or that have a capital letter without being the first of a sentence. */
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

/** Number of tools that have the most common one of some terms in a text, a keyword or an example. */
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

/** Whether a document is among the postings of a term, by binary search. */
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
