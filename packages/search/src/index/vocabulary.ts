import { isComparedByCharacters, partsOf } from './segment.js';
import { hasStem, stemWord } from './stem.js';
import { isEnglish, languageOf, readTokens, splitToken, stopWords } from './words.js';

/** A step reads this many words: less than a millisecond of English text, and a few of Chinese. */
const STEP = 512;

interface Token {
  readonly word: string;
  /** Whether the word is a sign of English or of another language: see `languageOf`. */
  readonly sign: number;
  terms?: readonly number[];
  foreign?: readonly number[];
}

/** Numbers the stems of words in reading order. Thousands of tools share a few thousand words, so each word is split and stemmed once. */
export class Vocabulary {
  readonly terms = new Map<string, number>();
  readonly stems = new Set<string>();
  /** Terms that are whole words, because their language has no stemmer here. A stem can have the same spelling. */
  readonly unstemmed = new Map<string, number>();
  /** Looks up terms that are compared by their characters, by each of their parts. */
  readonly byPart = new Map<string, string[]>();
  readonly #termsOfWords = new Map<string, number>();
  readonly #inNames = new Map<string, Token>();
  readonly #inSentences = new Map<string, Token>();
  readonly #words = new Map<string, readonly NameWord[]>();

  #tokensOfStep = 0;

  /** Returns the terms of a text, which is a name such as `listOpenIssues` or a sentence. */
  read(text: string, isName: boolean): readonly number[] {
    const words = readTokens(text);
    this.#tokensOfStep += words.length;
    const known = isName ? this.#inNames : this.#inSentences;
    const tokens = words.map((word) => {
      let token = known.get(word);
      if (!token) known.set(word, (token = { word, sign: languageOf(word) }));
      return token;
    });
    const signs = tokens.reduce((sum, { sign }) => sum + sign, 0);
    const isForeign = !isName && !isEnglish(text, signs);
    return tokens.flatMap((token) =>
      isForeign
        ? (token.foreign ??= this.#readToken(token.word, false, true))
        : (token.terms ??= this.#readToken(token.word, isName, false)),
    );
  }

  /** Returns the terms of a name. Stop words count only if it has no other words. */
  readName(name: string): readonly number[] {
    const terms = this.read(name, true);
    if (terms.length > 0) return terms;
    return readTokens(name).flatMap((token) =>
      this.#readNameWords(token).map(({ stem }) => this.#termOf(stem)),
    );
  }

  isStepDone(): boolean {
    if (this.#tokensOfStep < STEP) return false;
    this.#tokensOfStep = 0;
    return true;
  }

  nameKey(name: string): string {
    return nameKey(readTokens(name).flatMap((token) => this.#readNameWords(token)));
  }

  #readNameWords(token: string): readonly NameWord[] {
    let words = this.#words.get(token);
    if (!words) this.#words.set(token, (words = readNameWords(token)));
    return words;
  }

  #readToken(token: string, isName: boolean, isForeign: boolean): readonly number[] {
    if (isNumber(token)) return [this.#termOf(token)];
    const words = splitToken(token, isName);
    return isForeign ? this.#readForeign(words) : words.flatMap((word) => this.#readWord(word));
  }

  /** Returns no term for a stop word. */
  #readWord(word: string): readonly number[] {
    if (stopWords.has(word)) return [];
    let term = this.#termsOfWords.get(word);
    if (term === undefined) {
      term = hasStem(word) ? this.#stemOf(word) : this.#unstemmedTermOf(word);
      this.#termsOfWords.set(word, term);
    }
    return [term];
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

/** Numbers skip the stemmer and have no parts, because names of generated tools contain many of them. */
const isNumber = (token: string): boolean => token.charCodeAt(0) <= 57;

interface NameWord {
  readonly stem: string;
  readonly isStopWord: boolean;
}

export function readNameWords(token: string): NameWord[] {
  if (isNumber(token)) return [{ stem: token, isStopWord: false }];
  return splitToken(token, true).map((word) => ({
    stem: stemWord(word),
    isStopWord: stopWords.has(word),
  }));
}

/** Returns a key that is equal for words that name the same thing, such as `create_issue` and "Create an issue!". */
export function nameKey(words: readonly NameWord[]): string {
  const telling = words.some(({ isStopWord }) => !isStopWord);
  const stems = new Set<string>();
  for (const { stem, isStopWord } of words) if (!telling || !isStopWord) stems.add(stem);
  return [...stems].toSorted().join(' ');
}

/** Holds the terms of all documents, one document after the other, and how much each term counts in its document. */
export class TermCounts {
  readonly terms: number[] = [];
  readonly amounts: number[] = [];
  /** The entries of a document are from `starts[document]` to `starts[document + 1]`. */
  readonly starts: number[] = [0];
  readonly sums: number[] = [];
  /** The last entry of each term. An entry before the start of the last document belongs to an earlier document. */
  readonly #last: number[] = [];
  #start = 0;

  addAll(terms: readonly number[], amount: number): void {
    for (const term of terms) this.#add(term, amount);
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
