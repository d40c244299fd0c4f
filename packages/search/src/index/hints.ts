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
  /** The weight of a term that is a keyword of a document but in none of its examples. */
  readonly usual: number;
  /** How complete the keywords of each document are: 0 without keywords, 1 for about as many as other documents have. */
  readonly degrees: Float32Array;
  readonly share: number;
  /** Whether some documents have keywords and others have none or few. */
  readonly isUneven: boolean;
}

/** A document with this share of the average number of keywords counts as complete. */
const ENOUGH = 0.5;

/** Weighs keywords and examples so that a further keyword of a tool does not weaken its other keywords. */
export function* weighHints(
  counts: TermCounts,
  starts: Uint32Array,
  { saturation, keyword }: { readonly saturation: number; readonly keyword: number },
): Steps<Hints> {
  const next = starts.slice();
  const documents = new Uint32Array(counts.terms.length);
  const strengths = new Float32Array(counts.terms.length);
  const degrees = new Float32Array(counts.sums.length);
  const holders = counts.sums.reduce((sum, each) => sum + (each > 0 ? 1 : 0), 0);
  const enough = (ENOUGH * counts.terms.length) / Math.max(1, holders);
  let isUneven = false;
  yield* inSteps(counts.sums, (_, document) => {
    const from = counts.starts[document] ?? 0;
    const end = counts.starts[document + 1] ?? 0;
    for (let entry = from; entry < end; entry++) {
      const term = counts.terms[entry] ?? 0;
      const amount = counts.amounts[entry] ?? 0;
      const at = next[term] ?? 0;
      next[term] = at + 1;
      documents[at] = document;
      strengths[at] = amount / (amount + saturation);
    }
    degrees[document] = end > from ? Math.min(1, (end - from) / enough) : 0;
    if (holders > 0 && (degrees[document] ?? 0) < 1) isUneven = true;
  });
  const share = holders / Math.max(1, counts.sums.length);
  return { starts, documents, strengths, usual: keyword / (keyword + saturation), degrees, share, isUneven };
}

/** Caps what a tool without keywords gains: this share of the score that it would have if each word of the query were its keyword. */
const MOST_OF_ROOM = 0.9;
/** The gain is above the average, because a tool competes with the tools that gain most. */
const GAIN = 1.25;

/**
 * Adds to the scores of tools without keywords, or with few, what keywords add on average to other tools that match the query
 * equally well by their texts. Otherwise keywords that are written for some tools lower the places of all others.
 *
 * @param scores The scores, which include keywords. The function changes them.
 * @param texts The scores without keywords.
 * @param room The score that each document would gain if each word of the query were its keyword.
 */
export function balanceHints(
  { degrees }: Hints,
  scores: Float32Array,
  texts: Float32Array,
  room: Float32Array,
): void {
  const expect = fitGain(degrees, scores, texts);
  for (let document = 0; document < scores.length; document++) {
    const text = texts[document] ?? 0;
    const missing = 1 - (degrees[document] ?? 0);
    if (missing === 0 || text === 0) continue;
    const gain = missing * Math.min(GAIN * expect(text), MOST_OF_ROOM * (room[document] ?? 0));
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
