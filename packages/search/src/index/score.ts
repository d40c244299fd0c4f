import { balanceHints, type Postings } from './hints.js';
import { type AskedWord, createQuestionReader, type Question } from './question.js';
import { addScaled, type SearchIndex, searchParameters } from './search-index.js';
import { addVerbs, excessRisk, readOperations } from './verbs.js';
import { nameKey, readNameWords } from './vocabulary.js';
import { readTokens } from './words.js';

export const DEFAULT_LIMIT = 10;

const LONGEST_NAME = 256;

/** A document whose example equals the query has at least this share of the full score. */
const EXAMPLE = 0.95;
/** A document whose name does not equal the query has at most this share of the full score. */
const BELOW_NAME = 0.99;

export interface Ranked {
  readonly document: number;
  readonly score: number;
}

export interface Ranking {
  readonly question: Question;
  /** The operations that the query asks for: see `readOperations`. */
  readonly asked: number;
  /** The sum of the parts of each document. The best possible sum is `full`. */
  readonly sums: Float32Array;
  readonly full: number;
  readonly ranked: readonly Ranked[];
}

export type Rank = (query: string, limit: number, options?: RankOptions) => Ranking;

export interface RankOptions {
  /** Excludes documents from the ranking. Default: all are ranked. */
  readonly isWanted?: ((document: number) => boolean) | undefined;
  readonly trace?: RankingTrace | undefined;
}

export interface RankingTrace {
  /** Called for each word with its weight and how well each document matches it. `best` is reused afterwards. */
  word(word: AskedWord, telling: number, best: Float32Array): void;
  /** Called after each part of the score with the sums so far. `sums` changes afterwards. */
  part(name: ScorePart, sums: Float32Array): void;
}

/** The parts of the score of a document, in the order in which they are computed. */
export type ScorePart = 'words' | 'balance' | 'verb' | 'name';

/**
 * Ranks documents for a query, best first; equal scores are sorted by risk and by number. The score says how much of the query a
 * document covers. A document that the query names comes first.
 */
export function createRanking(index: SearchIndex): Rank {
  const readQuestion = createQuestionReader(index);
  const buffers = createBuffers(index.size);
  const full = Math.fround(searchParameters.full);

  return (text, limit, { isWanted, trace } = {}) => {
    const question = readQuestion(text);
    const { words } = question;
    const scores = new Float32Array(index.size);
    addAnswers(words, index, scores, buffers, trace, isWanted);
    trace?.part('words', scores);
    if (index.hints.isUneven) balanceHints(index.hints, scores, buffers.texts);
    trace?.part('balance', scores);
    const asked = readOperations(question.tokens.map(({ written }) => written));
    addVerbs(index.verbs, asked, scores, searchParameters.verbs);
    trace?.part('verb', scores);
    if (text.length <= LONGEST_NAME) addNames(readKey(text), index, scores, full, isWanted);
    trace?.part('name', scores);
    if (isWanted)
      scores.forEach((score, document) => {
        if (score > 0 && !isWanted(document)) scores[document] = 0;
      });
    const least = findNearTop(scores, limit);
    const ranked: Ranked[] = [];
    scores.forEach((score, document) => {
      if (score > 0 && score >= least) ranked.push({ document, score: Math.min(1, score / full) });
    });
    const riskOf = ({ document }: Ranked): number => excessRisk(index.verbs, document, asked);
    ranked.sort(
      (one, other) => other.score - one.score || riskOf(one) - riskOf(other) || one.document - other.document,
    );
    return { question, asked, sums: scores, full, ranked: ranked.slice(0, limit) };
  };
}

function readKey(text: string): string {
  return nameKey(readTokens(text).flatMap(readNameWords));
}

/** Ranks documents first whose name is the query, followed by those with an example that is the query. */
function addNames(
  key: string,
  { names, examples }: SearchIndex,
  scores: Float32Array,
  full: number,
  isWanted: RankOptions['isWanted'] = () => true,
): void {
  const named = (names.get(key) ?? []).filter(isWanted);
  const asExample = (examples.get(key) ?? []).filter(isWanted);
  if (named.length === 0 && asExample.length === 0) return;
  for (let document = 0; document < scores.length; document++) {
    scores[document] = Math.min(scores[document] ?? 0, BELOW_NAME * full);
  }
  // The score decides between documents with the same example.
  const step = (BELOW_NAME - EXAMPLE) / BELOW_NAME;
  for (const document of asExample) scores[document] = EXAMPLE * full + step * (scores[document] ?? 0);
  for (const document of named) scores[document] = full;
}

/** Arrays with one number for each document, which all queries reuse. */
interface Buffers {
  /** How well each document matches a word by its texts alone, and with its keywords and examples. */
  readonly inTexts: Float32Array;
  readonly best: Float32Array;
  /** The scores without keywords. */
  readonly texts: Float32Array;
}

function createBuffers(size: number): Buffers {
  const create = (): Float32Array => new Float32Array(size);
  return { inTexts: create(), best: create(), texts: create() };
}

/** Adds how much of the query each document covers. A word counts by its most similar term, and rare words count more. */
function addAnswers(
  words: readonly AskedWord[],
  index: SearchIndex,
  scores: Float32Array,
  { inTexts, best, texts }: Buffers,
  trace: RankingTrace | undefined,
  isWanted: RankOptions['isWanted'],
): void {
  const { hints, size } = index;
  texts.fill(0);
  let total = 0;
  for (const word of words) {
    matchWord(word, index, index, inTexts);
    matchWord(word, hints, index, best);
    let answered = joinLikeness(best, inTexts);
    // A word that only hidden tools have counts as unknown, because otherwise the confidence in other tools would reveal it.
    if (isWanted && !best.some((likeness, document) => likeness > 0 && isWanted(document))) answered = 0;
    const telling = word.weight * Math.max(0, Math.log((size + 1) / (answered + 0.5)));
    total += telling;
    trace?.word(word, telling, best);
    if (answered === 0) continue;
    addScaled(scores, best, telling);
    if (hints.isUneven) addScaled(texts, inTexts, telling);
  }
  if (total === 0) return;
  for (const sums of [scores, texts]) scale(sums, 1 / total);
}

/** Sets the likeness of each document to that of its most similar term. */
function matchWord(
  { terms, squares, synonyms }: AskedWord,
  { starts, documents, strengths }: Postings,
  index: SearchIndex,
  best: Float32Array,
): void {
  best.fill(0);
  const match = (term: number, weightOf: (document: number) => number): void => {
    for (let posting = starts[term] ?? 0; posting < (starts[term + 1] ?? 0); posting++) {
      const document = documents[posting] ?? 0;
      const likeness = weightOf(document) * (strengths[posting] ?? 0);
      if (likeness > (best[document] ?? 0)) best[document] = likeness;
    }
  };
  terms.forEach((term, at) => match(term, () => squares[at] ?? 0));
  for (const term of synonyms) match(term, (document) => weighSynonym(index, document));
}

/** Adds a likeness by other texts to each likeness, with a sum of at most 1. Returns the total of all documents. */
function joinLikeness(best: Float32Array, other: Float32Array): number {
  let total = 0;
  for (let document = 0; document < best.length; document++) {
    const one = best[document] ?? 0;
    const joined = one + (1 - one) * (other[document] ?? 0);
    best[document] = joined;
    total += joined;
  }
  return total;
}

/** Keywords of a tool are mostly its synonyms, so further synonyms add less. */
const LESS_BY_KEYWORDS = 0.5;

/** Returns how much a synonym of a document's word counts, compared with the word itself. */
export function weighSynonym({ hints }: SearchIndex, document: number): number {
  const { synonym } = searchParameters;
  return (1 - LESS_BY_KEYWORDS * (hints.degrees[document] ?? 0)) * synonym * synonym;
}

function scale(sums: Float32Array, factor: number): void {
  for (let document = 0; document < sums.length; document++) sums[document] = (sums[document] ?? 0) * factor;
}

const STEPS = 512;

/** Returns a score that at least `count` documents reach, or 0. A histogram finds it without sorting all scores. */
function findNearTop(scores: Float32Array, count: number): number {
  const highest = scores.reduce((most, score) => Math.max(most, score), 0);
  if (highest === 0) return 0;
  const counts = new Uint32Array(STEPS);
  const stepOf = (score: number): number => Math.min(STEPS - 1, Math.floor((score / highest) * STEPS));
  for (const score of scores) {
    const step = stepOf(score);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  let reached = 0;
  for (let step = STEPS - 1; step > 0; step--) {
    reached += counts[step] ?? 0;
    if (reached >= count) return (step / STEPS) * highest;
  }
  return 0;
}
