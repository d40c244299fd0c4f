import { inSteps, type Steps } from './slices.js';
import type { TermCounts } from './vocabulary.js';

/** Lists the documents of each term. The entries of a term are from `starts[term]` to `starts[term + 1]`, sorted by document. */
export interface Postings {
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  /** The weight of a term in a document, from 0 to 1. */
  readonly strengths: Float32Array;
}

/** Terms of keywords and examples are apart from the other texts of a tool, so that they do not count towards its length. */
export interface Hints extends Postings {
  /** How complete the keywords of each document are: 0 without keywords, 1 for about as many as other documents have. */
  readonly degrees: Float32Array;
  readonly share: number;
  /** Whether some documents have keywords and others have none or few. */
  readonly isUneven: boolean;
}

/** Lists the documents of each term. `heldOf` returns how much a document lowers the strength of its terms: k1 of BM25. */
export function* listPostings(
  { terms, amounts, starts: bounds, sums }: TermCounts,
  termCount: number,
  heldOf: (document: number) => number,
): Steps<Postings> {
  const starts = new Uint32Array(termCount + 1);
  for (const term of terms) starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  for (let term = 0; term < termCount; term++)
    starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  yield;
  const next = starts.slice();
  const documents = new Uint32Array(terms.length);
  const strengths = new Float32Array(terms.length);
  yield* inSteps(sums, (_, document) => {
    const held = heldOf(document);
    for (let entry = bounds[document] ?? 0; entry < (bounds[document + 1] ?? 0); entry++) {
      const term = terms[entry] ?? 0;
      const amount = amounts[entry] ?? 0;
      const at = next[term] ?? 0;
      next[term] = at + 1;
      documents[at] = document;
      strengths[at] = amount / (amount + held);
    }
  });
  return { starts, documents, strengths };
}

/** A document with this share of the average number of keywords counts as complete. */
const ENOUGH = 0.5;

/** Weighs keywords and examples so that a further keyword of a tool does not weaken its other keywords. */
export function* weighHints(counts: TermCounts, termCount: number, saturation: number): Steps<Hints> {
  const { starts, terms, sums } = counts;
  const sizes = sums.map((_, document) => (starts[document + 1] ?? 0) - (starts[document] ?? 0));
  const holders = sizes.filter((size) => size > 0).length;
  const enough = (ENOUGH * terms.length) / Math.max(1, holders);
  const degrees = Float32Array.from(sizes, (size) => (size > 0 ? Math.min(1, size / enough) : 0));
  return {
    ...(yield* listPostings(counts, termCount, () => saturation)),
    degrees,
    share: holders / Math.max(1, sums.length),
    isUneven: holders > 0 && degrees.some((degree) => degree < 1),
  };
}

/** Caps what a tool without keywords gains, below what a keyword that equals the query would add to its score. */
const MOST_GAIN = 0.45;
/** The gain is above the average, because a tool competes with the tools that gain most. */
const GAIN = 1.25;

/**
 * Adds to the scores of tools without keywords, or with few, what keywords add on average to other tools that match the query
 * equally well by their texts. Otherwise keywords that are written for some tools lower the places of all others.
 *
 * @param scores The scores, which include keywords. The function changes them.
 * @param texts The scores without keywords.
 */
export function balanceHints({ degrees }: Hints, scores: Float32Array, texts: Float32Array): void {
  const expect = fitGain(degrees, scores, texts);
  for (let document = 0; document < scores.length; document++) {
    const text = texts[document] ?? 0;
    const missing = 1 - (degrees[document] ?? 0);
    if (missing === 0 || text === 0) continue;
    const gain = missing * Math.min(GAIN * expect(text), MOST_GAIN * (1 - text));
    scores[document] = Math.max(scores[document] ?? 0, text + gain);
  }
}

/** Fits the average gain by keywords as a linear function of the score without them, by least squares. */
function fitGain(degrees: Float32Array, scores: Float32Array, texts: Float32Array): (text: number) => number {
  let count = 0;
  let sumOfTexts = 0;
  let sumOfGains = 0;
  let squares = 0;
  let products = 0;
  for (let document = 0; document < scores.length; document++) {
    const score = scores[document] ?? 0;
    if ((degrees[document] ?? 0) < 1 || score === 0) continue;
    const text = texts[document] ?? 0;
    count++;
    sumOfTexts += text;
    sumOfGains += score - text;
    squares += text * text;
    products += text * (score - text);
  }
  if (count === 0) return () => 0;
  const spread = count * squares - sumOfTexts * sumOfTexts;
  // A better match by texts leaves less for keywords to add, so the slope is at least 0.
  const slope = spread > 0 ? Math.max(0, (count * products - sumOfTexts * sumOfGains) / spread) : 0;
  const base = (sumOfGains - slope * sumOfTexts) / count;
  return (text) => Math.max(0, base + slope * text);
}
