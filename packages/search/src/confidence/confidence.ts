import type { RankOptions, Ranking } from '../index/score.js';
import type { SearchIndex } from '../index/search-index.js';
import { doesOneOf, isDestructive } from '../index/verbs.js';
import { judgeWords, measureSignals, type Judged, type Signals } from './signals.js';

/** Estimates whether a found tool does what the query asks for. */
export type Confidence = 'strong' | 'likely' | 'weak';

/**
 * Coefficients of a logistic regression, which estimates the log odds that some tool answers the query. `scripts/calibrate-search.ts` fits
 * them.
 */
const coefficients: Readonly<Record<keyof Signals, number>> & { readonly constant: number } = {
  known: 2,
  matched: 1.6,
  covered: 0.7,
  common: 0.4,
  strength: 6.1,
  keywords: -1.07,
  chance: -1,
  constant: -3.7,
};

/** Thresholds of the estimated relevance. Below `REFUSED`, the search returns no results. */
const REFUSED = 0.11;
const WEAK = 0.37;
const STRONG = 0.85;
/** A strong result leads the next tool by at least this share of its sum. */
const LEAD = 0.15;
/** A tool counts as a further match only if its sum is at least this share of the first tool's sum. */
const RELATED = 0.3;
/** From this share of the highest sum on, the query is the name of the tool or one of its examples. */
const EXACT = 0.95;

const MOST_UNMATCHED = 10;
const LONGEST_UNMATCHED = 40;

interface JudgedTool {
  readonly score: number;
  readonly confidence: Confidence;
}

interface Judgement {
  readonly signals: Signals;
  /** Whether every tool is too irrelevant to be returned. */
  readonly isRefused: boolean;
  /** The words of the query that match no tool, as the caller wrote them. */
  readonly unmatched: readonly string[];
  judge(document: number): JudgedTool;
}

/**
 * Turns a ranking into scores and confidences. The score of the first tool is the probability that the query has an answer; the other
 * scores are lower in proportion to their sums. The ranking must hold at least the first five wanted documents.
 */
export function judgeRanking(
  query: string,
  ranking: Ranking,
  index: SearchIndex,
  isWanted?: RankOptions['isWanted'],
): Judgement {
  const { question, asked, ranked, sums, full } = ranking;
  const words = judgeWords(query, question.tokens, index, isWanted);
  const signals = measureSignals(words, ranking, index);
  const [first, second] = ranked.map(({ document }) => sums[document] ?? 0);
  const highest = first ?? 0;
  const relevance = Math.max(estimateRelevance(signals), signals.strength >= EXACT ? signals.strength : 0);
  /** A destructive tool is strong only if it has all words of the query and does the operation that the query asks for. */
  const isPartial = (document: number): boolean =>
    isDestructive(index.verbs, document) && (signals.covered < 1 || !doesOneOf(index.verbs, document, asked));
  const hasLead = highest - (second ?? 0) >= LEAD * highest;
  return {
    signals,
    isRefused: highest === 0 || relevance < REFUSED,
    unmatched: listUnmatched(words),
    judge: (document) => {
      const sum = sums[document] ?? 0;
      const score = highest === 0 ? 0 : Math.min(1, (relevance * sum) / highest);
      const isExact = sum >= EXACT * full;
      const isStrong = isExact || (sum === highest && hasLead && score >= STRONG && !isPartial(document));
      return { score, confidence: isStrong ? 'strong' : score >= WEAK ? 'likely' : 'weak' };
    },
  };
}

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

/** Counts the tools beyond the results that match the query about as well. */
export function countMore({ ranked, sums }: Ranking, shown: number): number {
  const least = RELATED * (sums[ranked[0]?.document ?? -1] ?? Infinity);
  let count = 0;
  for (const sum of sums) if (sum >= least) count++;
  return Math.max(0, count - shown);
}
