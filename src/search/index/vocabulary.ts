import type { Lexicon } from './lexicon.js';
import { isComparedByCharacters, partsOf } from './segment.js';
import { hasStem, stemWord } from './stem.js';
import { isEnglish, languageOf, readTokens, splitCompound, splitToken, stopWords } from './words.js';

/** Number of words that are read in one step: less than a millisecond of English text, and a few of Chinese. */
const STEP = 512;

/** A word as it is written, and its terms in English text and in other text, once they are read. */
interface Token {
  readonly word: string;
  /** Whether the word is a sign of English or of another language: see `languageOf`. */
  readonly sign: number;
  terms?: readonly number[];
  foreign?: readonly number[];
}

/**
 * The terms of an index: the stems of its words, numbered in the order in which they are read. Thousands of tools share a few
 * thousand words, so each word is split and stemmed once.
 */
export class Vocabulary {
  readonly terms = new Map<string, number>();
  /** The terms that are stems of English words. */
  readonly stems = new Set<string>();
  /** The terms that are whole words, because their language has no stemmer here. A term can be both. */
  readonly unstemmed = new Map<string, number>();
  /** The terms that are compared by their characters, by each of their parts. */
  readonly byPart = new Map<string, string[]>();
  readonly #lexicon: Lexicon;
  readonly #termsOfWords = new Map<string, readonly number[]>();
  readonly #inNames = new Map<string, Token>();
  readonly #inSentences = new Map<string, Token>();
  readonly #words = new Map<string, readonly NameWord[]>();

  #tokensOfStep = 0;

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
  }

  /** The terms of a text, which is a name such as `listOpenIssues` or a sentence. */
  read(text: string, isName: boolean): readonly number[] {
    const words = readTokens(text);
    this.#tokensOfStep += words.length;
    const known = isName ? this.#inNames : this.#inSentences;
    const tokens: Token[] = [];
    let signs = 0;
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? '';
      let token = known.get(word);
      if (!token) known.set(word, (token = { word, sign: languageOf(word) }));
      signs += token.sign;
      tokens.push(token);
    }
    const isForeign = !isName && !isEnglish(text, signs);
    const all: number[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at] as Token;
      const terms = isForeign
        ? (token.foreign ??= this.#readToken(token.word, false, true))
        : (token.terms ??= this.#readToken(token.word, isName, false));
      if (terms.length === 1) all.push(terms[0] ?? 0);
      else if (terms.length > 0) all.push(...terms);
    }
    return all;
  }

  /** The terms of a name. Its stop words count if it has no other words. */
  readName(name: string): readonly number[] {
    const terms = this.read(name, true);
    if (terms.length > 0) return terms;
    return readTokens(name).flatMap((token) =>
      this.#readNameWords(token).map(({ stem }) => this.#termOf(stem)),
    );
  }

  /** Whether enough words were read since the last step for a step of their own. */
  isStepDone(): boolean {
    if (this.#tokensOfStep < STEP) return false;
    this.#tokensOfStep = 0;
    return true;
  }

  /** A key that is equal for names of the same thing: see `nameKey`. */
  nameKey(name: string): string {
    return nameKey(readTokens(name).flatMap((token) => this.#readNameWords(token)));
  }

  #readNameWords(token: string): readonly NameWord[] {
    let words = this.#words.get(token);
    if (!words) this.#words.set(token, (words = readNameWords(token, this.#lexicon)));
    return words;
  }

  #readToken(token: string, isName: boolean, isForeign: boolean): readonly number[] {
    if (isNumber(token)) return [this.#termOf(token)];
    const words = splitToken(token, { isName, knows: this.#lexicon.knows });
    return isForeign ? this.#readForeign(words) : words.flatMap((word) => this.#readWord(word));
  }

  /** The terms of a word: its stem, and the stems of its parts if it is a compound of known words. */
  #readWord(word: string): readonly number[] {
    let found = this.#termsOfWords.get(word);
    if (found) return found;
    const words = stopWords.has(word) ? [] : [word, ...splitCompound(word, this.#lexicon.knows)];
    found = words.map((each) => (hasStem(each) ? this.#stemOf(each) : this.#unstemmedTermOf(each)));
    this.#termsOfWords.set(word, found);
    return found;
  }

  #readForeign(words: readonly string[]): readonly number[] {
    return words.filter((word) => !stopWords.has(word)).map((word) => this.#unstemmedTermOf(word));
  }

  #stemOf(word: string): number {
    const stem = stemWord(word);
    this.stems.add(stem);
    return this.#termOf(stem);
  }

  #unstemmedTermOf(word: string): number {
    const known = this.terms.get(word);
    const term = known ?? this.#termOf(word);
    if (!isComparedByCharacters(word)) this.unstemmed.set(word, term);
    else if (known === undefined) for (const part of partsOf(word)) this.#addPart(part, word);
    return term;
  }

  #addPart(part: string, word: string): void {
    const words = this.byPart.get(part);
    if (words) words.push(word);
    else this.byPart.set(part, [word]);
  }

  #termOf(stem: string): number {
    const term = this.terms.get(stem) ?? this.terms.size;
    if (term === this.terms.size) this.terms.set(stem, term);
    return term;
  }
}

/** Names of generated tools have many numbers, and a number has no stem and no parts. */
const isNumber = (token: string): boolean => token.charCodeAt(0) <= 57;

/** A word of a name. */
export interface NameWord {
  readonly stem: string;
  readonly isStopWord: boolean;
}

export function readNameWords(token: string, lexicon: Lexicon): NameWord[] {
  if (isNumber(token)) return [{ stem: token, isStopWord: false }];
  return splitToken(token, { isName: true, knows: lexicon.knows }).map((word) => ({
    stem: stemWord(word),
    isStopWord: stopWords.has(word),
  }));
}

/** A key that is equal for words that name the same thing, such as `create_issue` and "Create an issue!". */
export function nameKey(words: readonly NameWord[]): string {
  const telling = words.some(({ isStopWord }) => !isStopWord);
  const stems = new Set<string>();
  for (const { stem, isStopWord } of words) if (!telling || !isStopWord) stems.add(stem);
  return [...stems].toSorted().join(' ');
}

/** The terms of all documents, one document after the other, and how much each term counts in its document. */
export class TermCounts {
  readonly terms: number[] = [];
  readonly amounts: number[] = [];
  /** The entries of a document are from `starts[document]` to `starts[document + 1]`. */
  readonly starts: number[] = [0];
  /** The sum of the amounts of each document. */
  readonly sums: number[] = [];
  /** The last entry of each term. It belongs to the last document unless it is before the start of that document. */
  readonly #last: number[] = [];
  #start = 0;

  /** Adds terms to the last document. */
  addAll(terms: readonly number[], amount: number): void {
    for (let at = 0; at < terms.length; at++) this.#add(terms[at] ?? 0, amount);
  }

  #add(term: number, amount: number): void {
    const last = this.#last[term] ?? -1;
    if (last >= this.#start) {
      this.amounts[last] = (this.amounts[last] ?? 0) + amount;
      return;
    }
    this.#last[term] = this.terms.length;
    this.terms.push(term);
    this.amounts.push(amount);
  }

  endDocument(): void {
    let sum = 0;
    for (let entry = this.#start; entry < this.amounts.length; entry++) sum += this.amounts[entry] ?? 0;
    this.sums.push(sum);
    this.#start = this.terms.length;
    this.starts.push(this.#start);
  }
}
