import { type SearchIndex, weighStem } from './search-index.js';
import { normalize, type Lexicon, COLUMNS } from './lexicon.js';
import type { SearchParameters } from './search-index.js';
import { compareSpelling, readTokens, readWords, splitCompound, stopWords } from './words.js';
import { stemWord } from './stem.js';
import { nameKey, readNameWords } from './vocabulary.js';

/** A word of a query, with the terms of the index that it matches. */
interface AskedWord {
  readonly stem: string;
  /** How specific the word is for a topic. */
  readonly weight: number;
  readonly direction: Float32Array | undefined;
  /** Similar terms of the index, and the squares of their similarities. */
  readonly terms: Uint32Array;
  readonly squares: Float32Array;
}

/** Maximum number of distinct words of a query. Further words are ignored. */
const MAX_WORDS = 64;
/** Maximum number of cached words, so that the memory does not grow with the queries of callers. */
const MAX_REMEMBERED_TERMS = 500_000;
const MAX_REMEMBERED_WORDS = 5_000;

/** Matches the words of queries with the terms of an index. The matches of a word are cached. */
function createQuestionReader(
  index: SearchIndex,
  lexicon: Lexicon,
  parameters: SearchParameters,
): (question: string) => AskedWord[] {
  const stemsOf = new Map<string, readonly string[]>();
  const asked = new Map<string, AskedWord>();
  let remembered = 0;

  const readStems = (word: string): readonly string[] => {
    let stems = stemsOf.get(word);
    if (stems) return stems;
    stems = stopWords.has(word) ? [] : [word, ...splitCompound(word, lexicon)].map(stemWord);
    if (stemsOf.size >= MAX_REMEMBERED_WORDS) stemsOf.clear();
    stemsOf.set(word, stems);
    return stems;
  };

  const readWord = (stem: string): AskedWord => {
    let word = asked.get(stem);
    if (word) return word;
    word = compareStem(stem);
    if (asked.size >= MAX_REMEMBERED_WORDS || remembered + word.terms.length > MAX_REMEMBERED_TERMS) {
      asked.clear();
      remembered = 0;
    }
    asked.set(stem, word);
    remembered += word.terms.length;
    return word;
  };

  const compareStem = (stem: string): AskedWord => {
    const alike = new Map<number, number>();
    const place = lexicon.find(stem);
    const same = index.terms.get(stem);
    if (place >= 0) compareMeaning(place, alike);
    else if (same === undefined) compareLetters(stem, alike);
    if (same !== undefined) alike.set(same, 1);
    return {
      stem,
      weight: weighStem(stem, lexicon, parameters),
      direction: place < 0 ? undefined : lexicon.direction(place),
      terms: Uint32Array.from(alike.keys()),
      squares: Float32Array.from(alike.values(), (likeness) => likeness ** 2),
    };
  };

  const compareMeaning = (place: number, alike: Map<number, number>): void => {
    const summands = lexicon.compare(place);
    const { known, slices } = index;
    const { sliceCount } = lexicon;
    for (let row = 0, at = 0; row < known.length; row++) {
      let likeness = 0;
      // Two slices at a time, because nearly all the time for a new word is spent in this loop.
      for (let slice = 0; slice < sliceCount; slice += 2, at += 2) {
        const from = slice * COLUMNS;
        likeness +=
          (summands[from + (slices[at] ?? 0)] ?? 0) + (summands[from + COLUMNS + (slices[at + 1] ?? 0)] ?? 0);
      }
      if (likeness > parameters.alike) alike.set(known[row] ?? 0, Math.min(1, likeness));
    }
  };

  const compareLetters = (stem: string, alike: Map<number, number>): void => {
    for (const [term, place] of index.terms) {
      const likeness = compareSpelling(stem, term);
      if (likeness > 0) alike.set(place, likeness);
    }
  };

  return (question) => {
    const words = new Map<string, AskedWord>();
    for (const word of readWords(question, { knows: lexicon.knows })) {
      for (const stem of readStems(word)) if (!words.has(stem)) words.set(stem, readWord(stem));
      if (words.size >= MAX_WORDS) break;
    }
    return [...words.values()];
  };
}

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
      const key = nameKey(readTokens(question).flatMap((token) => readNameWords(token, lexicon)));
      for (const document of index.names.get(key) ?? []) scores[document] = full;
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
