import { createQuestionReader, type AskedWord } from './affinity.js';
import { nameKey, type SearchIndex } from './search-index.js';
import { normalize, type Lexicon } from './lexicon.js';
import type { SearchParameters } from './search-index.js';

/** Maximum length of a query that is looked up as a name. */
const LONGEST_NAME = 256;

/** A document and its score from 0 to 1. */
export interface Ranked {
  readonly document: number;
  readonly score: number;
}

/**
 * Ranks documents for a query, best first; documents with equal scores are in the order of their numbers. The score combines how
 * much of the query a document covers, how much of the document the query covers, and how similar both are as a whole. A
 * query that is the name of a document finds that document first.
 */
export function createRanking(
  index: SearchIndex,
  lexicon: Lexicon,
  parameters: SearchParameters,
): (question: string, limit: number, isWanted?: (document: number) => boolean) => Ranked[] {
  const readQuestion = createQuestionReader(index, lexicon, parameters);
  const best = new Float32Array(index.size);
  const asked = new Float32Array(index.terms.size);
  const full = 1 + parameters.coverage + parameters.topic;

  return (question, limit, isWanted) => {
    const words = readQuestion(question);
    const scores = new Float32Array(index.size);
    addAnswers(words, index, scores, best);
    addCoverage(words, index, scores, asked, parameters.coverage);
    addTopic(words, index, scores, parameters.topic);
    if (question.length <= LONGEST_NAME) {
      for (const document of index.names.get(nameKey(question, lexicon)) ?? []) scores[document] = full;
    }
    if (isWanted) {
      for (let document = 0; document < scores.length; document++)
        if ((scores[document] ?? 0) > 0 && !isWanted(document)) scores[document] = 0;
    }
    const least = findNearTop(scores, limit);
    const ranked: Ranked[] = [];
    for (let document = 0; document < scores.length; document++) {
      const score = scores[document] ?? 0;
      if (score > 0 && score >= least) ranked.push({ document, score: Math.min(1, score / full) });
    }
    return ranked
      .toSorted((one, other) => other.score - one.score || one.document - other.document)
      .slice(0, limit);
  };
}

/** How much of the query each document covers. A word counts by its most similar term, and rare words count more. */
function addAnswers(
  words: readonly AskedWord[],
  index: SearchIndex,
  scores: Float32Array,
  best: Float32Array,
): void {
  const { starts, documents, strengths } = index;
  let total = 0;
  for (const { weight, terms, squares } of words) {
    best.fill(0);
    let answered = 0;
    for (let at = 0; at < terms.length; at++) {
      const term = terms[at] ?? 0;
      const square = squares[at] ?? 0;
      const end = starts[term + 1] ?? 0;
      for (let posting = starts[term] ?? 0; posting < end; posting++) {
        const document = documents[posting] ?? 0;
        const value = square * (strengths[posting] ?? 0);
        const before = best[document] ?? 0;
        if (value <= before) continue;
        answered += value - before;
        best[document] = value;
      }
    }
    const telling = weight * Math.max(0, Math.log((index.size + 1) / (answered + 0.5)));
    total += telling;
    if (answered === 0) continue;
    for (let document = 0; document < scores.length; document++) {
      scores[document] = (scores[document] ?? 0) + telling * (best[document] ?? 0);
    }
  }
  if (total === 0) return;
  for (let document = 0; document < scores.length; document++) {
    scores[document] = (scores[document] ?? 0) / total;
  }
}

/** How much of each document the query covers, because a tool that does little else is the better match. */
function addCoverage(
  words: readonly AskedWord[],
  index: SearchIndex,
  scores: Float32Array,
  asked: Float32Array,
  factor: number,
): void {
  const { starts, documents, shares } = index;
  const touched: number[] = [];
  for (const { terms, squares } of words) {
    for (let at = 0; at < terms.length; at++) {
      const term = terms[at] ?? 0;
      const square = squares[at] ?? 0;
      const before = asked[term] ?? 0;
      if (square <= before) continue;
      if (before === 0) touched.push(term);
      asked[term] = square;
    }
  }
  for (const term of touched) {
    const amount = (asked[term] ?? 0) * factor;
    asked[term] = 0;
    const end = starts[term + 1] ?? 0;
    for (let posting = starts[term] ?? 0; posting < end; posting++) {
      const document = documents[posting] ?? 0;
      scores[document] = (scores[document] ?? 0) + amount * (shares[posting] ?? 0);
    }
  }
}

function addTopic(
  words: readonly AskedWord[],
  { centres }: SearchIndex,
  scores: Float32Array,
  factor: number,
): void {
  const centre = new Float32Array(centres.length / scores.length || 0);
  for (const { weight, direction } of words) {
    if (!direction) continue;
    for (let at = 0; at < centre.length; at++) centre[at] = (centre[at] ?? 0) + weight * (direction[at] ?? 0);
  }
  normalize(centre);
  for (let document = 0; document < scores.length; document++) {
    // A document that covers no word of the query is not a match, even if its topic is similar.
    if (scores[document] === 0) continue;
    const from = document * centre.length;
    let likeness = 0;
    for (let at = 0; at < centre.length; at++) likeness += (centre[at] ?? 0) * (centres[from + at] ?? 0);
    if (likeness > 0) scores[document] = (scores[document] ?? 0) + factor * likeness;
  }
}

const STEPS = 512;

/** A score that at least `count` documents reach, or 0. A histogram finds it without sorting all scores. */
function findNearTop(scores: Float32Array, count: number): number {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
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
