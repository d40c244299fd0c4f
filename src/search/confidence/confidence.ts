import type { RankOptions, Ranking } from '../index/score.js';
import type { SearchIndex } from '../index/search-index.js';
import { judgeWords, measureSignals, type Judged, type Signals } from './signals.js';

/** How likely a tool that was found does what the query asks for. */
export type Confidence = 'strong' | 'likely' | 'weak';

/**
 * The coefficients of a logistic regression: the logarithm of the odds that some tool answers the query. Made by
 * `scripts/calibrate-search.ts`.
 */
const coefficients: Readonly<Record<keyof Signals, number>> & { readonly constant: number } = {
  known: 2.08,
  matched: 1.68,
  covered: 0.88,
  common: 0.32,
  strength: 5.84,
  keywords: -1.08,
  lexicon: -0.3,
  chance: -1,
  constant: -3.73,
};

/** Limits of the relevance. Below the lowest one, the search returns no results. */
const REFUSED = 0.11;
const WEAK = 0.4;
const STRONG = 0.85;
/** The lead over the next tool that a strong result has, as a share of its own sum. */
const LEAD = 0.15;
/** A tool with a smaller share of the sum of the first one does not count as a further match. */
const RELATED = 0.3;
/** The least relevance of a tool that callers always chose after this query. */
const LEARNED = 0.6;
/** The share of the highest sum from which on the query is the name of the tool, or one of its examples. */
const EXACT = 0.95;

/** Maximum number and length of the words that are reported as unmatched. */
const MOST_UNMATCHED = 10;
const LONGEST_UNMATCHED = 40;

/** The score and the confidence of a tool. */
export interface JudgedTool {
  readonly score: number;
  readonly confidence: Confidence;
}

/** The confidence in the results of a query. */
export interface Judgement {
  readonly signals: Signals;
  /** Whether no tool is relevant. */
  readonly isRefused: boolean;
  /** Words of the query that no tool has, as they are written. */
  readonly unmatched: readonly string[];
  judge(document: number): JudgedTool;
}

/**
 * Judges a ranking, which has at least the first five documents that are wanted. The score of the first tool is the probability that
 * the query has an answer. The scores of the other tools are lower by the ratio of the sums.
 */
export function judgeRanking(
  query: string,
  ranking: Ranking,
  index: SearchIndex,
  { isWanted, learned }: Pick<RankOptions, 'isWanted' | 'learned'> = {},
): Judgement {
  const { question, ranked, sums, full } = ranking;
  const words = judgeWords(query, question.tokens, index, isWanted);
  const signals = measureSignals(words, ranking, index);
  const [first, second] = ranked.map(({ document }) => sums[document] ?? 0);
  const highest = first ?? 0;
  const relevance = Math.max(
    estimateRelevance(signals),
    signals.strength >= EXACT ? signals.strength : 0,
    LEARNED * Math.min(1, learned?.get(ranked[0]?.document ?? -1) ?? 0),
  );
  const hasLead = highest - (second ?? 0) >= LEAD * highest;
  return {
    signals,
    isRefused: highest === 0 || relevance < REFUSED,
    unmatched: listUnmatched(words),
    judge: (document) => {
      const sum = sums[document] ?? 0;
      const score = highest === 0 ? 0 : Math.min(1, (relevance * sum) / highest);
      const isExact = sum >= EXACT * full;
      const isStrong = isExact || (sum === highest && hasLead && score >= STRONG);
      return { score, confidence: isStrong ? 'strong' : score >= WEAK ? 'likely' : 'weak' };
    },
  };
}

/** The probability that some tool answers the query. */
function estimateRelevance(signals: Signals): number {
  const { constant, ...factors } = coefficients;
  let sum = constant;
  for (const [signal, factor] of Object.entries(factors)) sum += factor * signals[signal as keyof Signals];
  return 1 / (1 + Math.exp(-sum));
}

function listUnmatched(words: readonly Judged[]): string[] {
  return words
    .filter(({ nearest, isGeneral }) => !nearest && !isGeneral)
    .slice(0, MOST_UNMATCHED)
    .map(({ written }) => written.slice(0, LONGEST_UNMATCHED).replace(/\p{Cs}/u, ''));
}

/** Number of tools beyond the results that match the query about as well. */
export function countMore({ ranked, sums }: Ranking, shown: number): number {
  const least = RELATED * (sums[ranked[0]?.document ?? -1] ?? Infinity);
  let count = 0;
  for (const sum of sums) if (sum >= least) count++;
  return Math.max(0, count - shown);
}
