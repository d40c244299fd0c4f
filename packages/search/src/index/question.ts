import { createThesaurus } from '../thesaurus/thesaurus.js';
import { type SearchIndex, searchParameters, weighStem } from './search-index.js';
import { compareCharacters, foldCase, isComparedByCharacters, partsOf } from './segment.js';
import { stemWord } from './stem.js';
import { isVerb } from './verbs.js';
import {
  compareEndings,
  compareSpelling,
  readTokens,
  splitCompound,
  splitToken,
  stopWords,
} from './words.js';

export interface AskedWord {
  readonly stem: string;
  /** How much the word says about a topic. */
  readonly weight: number;
  /** Similar terms of the index, and the squares of their similarities. */
  readonly terms: Uint32Array;
  readonly squares: Float32Array;
  /** Terms that mean the same as the word in one of its senses. */
  readonly synonyms: Uint32Array;
  /** The terms that equal the word or nearly so, otherwise its synonyms, and the square of their similarity. */
  readonly nearest: Uint32Array;
  readonly nearness: number;
}

/** A part of a query as the caller wrote it, and its words. A stop word has none. */
export interface AskedToken {
  readonly written: string;
  readonly words: readonly AskedWord[];
}

export interface Question {
  readonly tokens: readonly AskedToken[];
  /** Without repeated words. */
  readonly words: readonly AskedWord[];
}

/** A misspelt word is recognised from this square of the similarity on. */
const SAME_SPELLING = 0.63;
/** The same bound for scripts in which each character has a meaning. */
const SAME_CHARACTERS = 0.2;

/** Further tokens and distinct words of a query are ignored. */
const MAX_TOKENS = 512;
const MAX_WORDS = 64;
/** Limits the caches, so that memory does not grow with the queries of callers. */
const MAX_REMEMBERED_TERMS = 500_000;
const MAX_REMEMBERED_WORDS = 5_000;

const findSynonyms = createThesaurus(stemWord);

/** Matches the words of queries with the terms of an index, and caches the matches of each word. */
export function createQuestionReader(index: SearchIndex): (question: string) => Question {
  // Compounds are split into words that the documents contain.
  const knows = (word: string): boolean => index.terms.has(stemWord(word)) || index.terms.has(word);
  /** Whether a word is the whole name of one tool, such as "time". */
  const isWholeName = (stem: string): boolean => index.names.get(stem)?.length === 1;
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

  /** Returns the stem of a word that may be English, and the word itself if a text of another language has it. */
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
    const same = index.terms.get(stem);
    if (isComparedByCharacters(stem)) compareParts(stem, alike);
    else if (same === undefined) compareLetters(stem, alike);
    for (const [term, at] of index.unstemmed) {
      const likeness = compareEndings(stem, term);
      if (likeness > (alike.get(at) ?? 0)) alike.set(at, likeness);
    }
    if (same !== undefined) alike.set(same, 1);
    const synonyms: number[] = [];
    for (const synonym of findSynonyms(stem)) {
      const term = index.terms.get(synonym);
      if (term === undefined || (alike.get(term) ?? 0) >= searchParameters.synonym) continue;
      synonyms.push(term);
      alike.delete(term);
    }
    const squares = Float32Array.from(alike.values(), (likeness) => likeness ** 2);
    const terms = Uint32Array.from(alike.keys());
    const nearest = same ?? findNearest(stem, terms, squares);
    return {
      stem,
      weight: weighAsked(stem),
      terms,
      squares,
      synonyms: Uint32Array.from(synonyms),
      nearest: Uint32Array.from(nearest < 0 ? synonyms : [nearest]),
      nearness: nearest < 0 ? searchParameters.synonym ** 2 : (squares[terms.indexOf(nearest)] ?? 0),
    };
  };

  const weighAsked = (stem: string): number => {
    const weight = weighStem(stem);
    if (!isWholeName(stem)) return weight;
    return stopWords.has(stem)
      ? searchParameters.stopWordName
      : Math.max(weight, searchParameters.numberName);
  };

  const findNearest = (stem: string, terms: Uint32Array, squares: Float32Array): number => {
    let nearest = -1;
    const isSpelt = !isComparedByCharacters(stem);
    let most = isSpelt ? SAME_SPELLING : SAME_CHARACTERS;
    for (let at = 0; at < terms.length; at++) {
      const square = squares[at] ?? 0;
      // A word that contains the other one is often a different word, so only slips count.
      if (square <= most || (isSpelt && !isSlip(stem, termStems[terms[at] ?? 0] ?? ''))) continue;
      most = square;
      nearest = terms[at] ?? 0;
    }
    return nearest;
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
    for (const [term, place] of index.terms) {
      const likeness = compareSpelling(stem, term);
      if (likeness > 0) alike.set(place, likeness);
    }
  };

  return (question) => {
    const words = new Map<string, AskedWord>();
    const tokens: AskedToken[] = [];
    let before = '';
    for (const written of readTokens(question, MAX_TOKENS)) {
      // A token such as "listAllOpenIssues" can have hundreds of words.
      const stems = splitToken(written, false)
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
    const listed = readAlternatives(question, words);
    if (listed.length < 2) return { tokens, words: [...words.values()] };
    const joined = joinWords(listed);
    const join = (all: readonly AskedWord[]): AskedWord[] => [
      ...new Set(all.map((word) => (listed.includes(word) ? joined : word))),
    ];
    return {
      tokens: tokens.map(({ written, words: each }) => ({ written, words: join(each) })),
      words: join([...words.values()]),
    };
  };
}

/** Matches words in a list at the start of a query, such as "create, update or delete". */
const LISTED = /^\s*[a-z]+(?:(?:\s*[,/]\s*(?:and |or )?|\s+(?:and|or)\s+)[a-z]+)+/i;

/** Returns the operations of such a list. A tool has one of them, so the others must not count for a tool of another kind. */
function readAlternatives(question: string, words: ReadonlyMap<string, AskedWord>): readonly AskedWord[] {
  const [list = ''] = LISTED.exec(question.slice(0, LONGEST_LIST)) ?? [];
  const stems = readTokens(list.toLowerCase())
    .filter((word) => !stopWords.has(word))
    .map(stemWord);
  return stems.every(isVerb) ? stems.flatMap((stem) => words.get(stem) ?? []) : [];
}

const LONGEST_LIST = 200;

/** Joins words to one that matches what any of them matches. */
function joinWords(words: readonly AskedWord[]): AskedWord {
  const terms = new Map<number, number>();
  for (const word of words)
    word.terms.forEach((term, at) => terms.set(term, Math.max(terms.get(term) ?? 0, word.squares[at] ?? 0)));
  const nearness = Math.max(...words.map((word) => word.nearness));
  const nearest = words.filter((word) => word.nearness === nearness).flatMap((word) => [...word.nearest]);
  return {
    stem: words.map(({ stem }) => stem).join('/'),
    weight: Math.max(...words.map(({ weight }) => weight)),
    terms: Uint32Array.from(terms.keys()),
    squares: Float32Array.from(terms.values()),
    synonyms: Uint32Array.from(words.flatMap(({ synonyms }) => [...synonyms])),
    nearest: Uint32Array.from(nearest),
    nearness,
  };
}

function isSlip(one: string, other: string): boolean {
  return one[0] === other[0] && Math.abs(one.length - other.length) <= 2;
}
