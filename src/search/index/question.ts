import { createThesaurus } from '../thesaurus/thesaurus.js';
import { COLUMNS, type Lexicon } from './lexicon.js';
import { type SearchIndex, type SearchParameters, weighStem } from './search-index.js';
import { compareCharacters, foldCase, isComparedByCharacters, partsOf } from './segment.js';
import { stemWord } from './stem.js';
import {
  compareEndings,
  compareSpelling,
  readTokens,
  splitCompound,
  splitToken,
  stopWords,
} from './words.js';

/** A word of a query, with the terms of the index that it matches. */
export interface AskedWord {
  readonly stem: string;
  /** How specific the word is for a topic. */
  readonly weight: number;
  readonly direction: Float32Array | undefined;
  /** Similar terms of the index, and the squares of their similarities. */
  readonly terms: Uint32Array;
  readonly squares: Float32Array;
  /** Further terms of the index, which mean the same as the word in one of its senses. */
  readonly synonyms: Uint32Array;
  /** The term that is the same word or nearly, otherwise its synonyms, and the square of their similarity. */
  readonly nearest: Uint32Array;
  readonly nearness: number;
}

/** A part of a query as it is written, and its words. A stop word has none. */
export interface AskedToken {
  readonly written: string;
  readonly words: readonly AskedWord[];
}

/** A query that was read. */
export interface Question {
  readonly tokens: readonly AskedToken[];
  /** Each word once. */
  readonly words: readonly AskedWord[];
}

/** Minimum squares of the similarity of words that mean nearly the same, and of words of which one is misspelt. */
const SAME_MEANING = 0.25;
const SAME_SPELLING = 0.63;
/** The same for words of scripts in which each character has a meaning. */
const SAME_CHARACTERS = 0.2;

/** Maximum number of words of a query, and of distinct ones. Further words are ignored. */
const MAX_TOKENS = 512;
const MAX_WORDS = 64;
/** Maximum number of cached words, so that the memory does not grow with the queries of callers. */
const MAX_REMEMBERED_TERMS = 500_000;
const MAX_REMEMBERED_WORDS = 5_000;

/** The weight of a typical word. */
const TYPICAL = 1;

const findSynonyms = createThesaurus(stemWord);

/** Matches the words of queries with the terms of an index. The matches of a word are cached. */
export function createQuestionReader(
  index: SearchIndex,
  lexicon: Lexicon,
  parameters: SearchParameters,
): (question: string) => Question {
  // Compounds are split into words of the lexicon and of the documents.
  const knows = (word: string): boolean =>
    lexicon.knows(word) || index.terms.has(stemWord(word)) || index.terms.has(word);
  /** Whether a word is the whole name of one tool, such as "time". */
  const isWholeName = (stem: string): boolean => index.names.get(stem)?.length === 1;
  /** The terms by number. A list is read several times as fast as a map. */
  const termStems = [...index.terms.keys()];
  const stemsOf = new Map<string, readonly string[]>();
  const asked = new Map<string, AskedWord>();
  let remembered = 0;

  const readStems = (word: string): readonly string[] => {
    let found = stemsOf.get(word);
    if (found) return found;
    const isIgnored = stopWords.has(word) && !isWholeName(stemWord(word));
    found = isIgnored ? [] : [word, ...splitCompound(word, knows)].flatMap(formsOf);
    if (stemsOf.size >= MAX_REMEMBERED_WORDS) stemsOf.clear();
    stemsOf.set(word, found);
    return found;
  };

  /** The stem of a word if the word may be English, and the word itself if a text of another language has it. */
  const formsOf = (word: string): readonly string[] => {
    const stem = stemWord(word);
    if (stem === word) return [word];
    const isStem = index.stems.has(stem);
    if (index.unstemmed.has(word)) return isStem ? [stem, word] : [word];
    return isStem || !index.unstemmed.has(stem) ? [stem] : [word];
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
    else if (isComparedByCharacters(stem)) compareParts(stem, alike);
    else if (same === undefined) compareLetters(stem, alike);
    for (const [term, at] of index.unstemmed) {
      const likeness = compareEndings(stem, term);
      if (likeness > (alike.get(at) ?? 0)) alike.set(at, likeness);
    }
    if (same !== undefined) alike.set(same, 1);
    const synonyms: number[] = [];
    for (const synonym of findSynonyms(stem)) {
      const term = index.terms.get(synonym);
      if (term === undefined || (alike.get(term) ?? 0) >= parameters.synonym) continue;
      synonyms.push(term);
      alike.delete(term);
    }
    const squares = Float32Array.from(alike.values(), (likeness) => likeness ** 2);
    const terms = Uint32Array.from(alike.keys());
    const nearest = same ?? findNearest(stem, place, terms, squares);
    return {
      stem,
      weight: weighAsked(stem),
      direction: place < 0 ? undefined : lexicon.direction(place),
      terms,
      squares,
      synonyms: Uint32Array.from(synonyms),
      nearest: Uint32Array.from(nearest < 0 ? synonyms : [nearest]),
      nearness: nearest < 0 ? parameters.synonym ** 2 : (squares[terms.indexOf(nearest)] ?? 0),
    };
  };

  const weighAsked = (stem: string): number => {
    const weight = weighStem(stem, lexicon, parameters);
    if (!isWholeName(stem)) return weight;
    return stopWords.has(stem) ? parameters.stopWordName : Math.max(weight, TYPICAL);
  };

  const findNearest = (stem: string, place: number, terms: Uint32Array, squares: Float32Array): number => {
    let nearest = -1;
    const isSpelt = place < 0 && !isComparedByCharacters(stem);
    let most = isSpelt ? SAME_SPELLING : place < 0 ? SAME_CHARACTERS : SAME_MEANING;
    for (let at = 0; at < terms.length; at++) {
      const square = squares[at] ?? 0;
      // A word that contains the other one is often a different word, so only slips count.
      if (square <= most || (isSpelt && !isSlip(stem, termStems[terms[at] ?? 0] ?? ''))) continue;
      most = square;
      nearest = terms[at] ?? 0;
    }
    return nearest;
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

  const compareParts = (stem: string, alike: Map<number, number>): void => {
    for (const part of partsOf(stem)) {
      for (const term of index.byPart.get(part) ?? []) {
        const likeness = compareCharacters(stem, term);
        if (likeness > 0) alike.set(index.terms.get(term) ?? 0, likeness);
      }
    }
  };

  const compareLetters = (stem: string, alike: Map<number, number>): void => {
    for (let place = 0; place < termStems.length; place++) {
      const likeness = compareSpelling(stem, termStems[place] ?? '');
      if (likeness > 0) alike.set(place, likeness);
    }
  };

  return (question) => {
    const words = new Map<string, AskedWord>();
    const tokens: AskedToken[] = [];
    let before = '';
    for (const written of readTokens(question, MAX_TOKENS)) {
      // A token such as "listAllOpenIssues" can have hundreds of words.
      const stems = splitToken(written, { knows: lexicon.knows })
        .flatMap(readStems)
        .slice(0, MAX_WORDS - words.size);
      // A document may write two words as one, as in "webhook".
      const lower = foldCase(written);
      for (const end of new Set([stems[0] ?? lower, lower]))
        if (before !== '' && index.terms.has(`${before}${end}`)) stems.push(`${before}${end}`);
      before = lower;
      const asWords = stems.map(readWord);
      for (const word of asWords) words.set(word.stem, word);
      tokens.push({ written, words: asWords });
      if (words.size >= MAX_WORDS) break;
    }
    return { tokens, words: [...words.values()] };
  };
}

function isSlip(one: string, other: string): boolean {
  return one[0] === other[0] && Math.abs(one.length - other.length) <= 2;
}
