import { splitCompound, readWords, stopWords, compareSpelling } from './words.js';
import { weighStem, type SearchIndex } from './search-index.js';
import { COLUMNS, type Lexicon } from './lexicon.js';
import type { SearchParameters } from './search-index.js';
import { stemWord } from './stem.js';

/** A word of a query, with the terms of the index that it matches. */
export interface AskedWord {
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
export function createQuestionReader(
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
