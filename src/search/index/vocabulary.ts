import type { Lexicon } from './lexicon.js';
import { stemWord } from './stem.js';
import { readTokens, splitCompound, splitToken, stopWords } from './words.js';

/**
 * The terms of an index: the stems of its words, numbered in the order in which they are read. Thousands of tools share a few
 * thousand words, so each word is split and stemmed once.
 */
export class Vocabulary {
  readonly terms = new Map<string, number>();
  readonly #lexicon: Lexicon;
  readonly #termsOfWords = new Map<string, readonly number[]>();
  readonly #inNames = new Map<string, readonly number[]>();
  readonly #inSentences = new Map<string, readonly number[]>();
  readonly #words = new Map<string, readonly NameWord[]>();

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
  }

  /** The terms of a text, which is a name such as `listOpenIssues` or a sentence. */
  read(text: string, isName: boolean): readonly number[] {
    const known = isName ? this.#inNames : this.#inSentences;
    const tokens = readTokens(text);
    const all: number[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at] ?? '';
      let terms = known.get(token);
      if (!terms) known.set(token, (terms = this.#readToken(token, isName)));
      for (let term = 0; term < terms.length; term++) all.push(terms[term] ?? 0);
    }
    return all;
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

  #readToken(token: string, isName: boolean): readonly number[] {
    if (isNumber(token)) return [this.#termOf(token)];
    const words = splitToken(token, { isName, knows: this.#lexicon.knows });
    return words.flatMap((word) => this.#readWord(word));
  }

  /** The terms of a word: its stem, and the stems of its parts if it is a compound of known words. */
  #readWord(word: string): readonly number[] {
    let found = this.#termsOfWords.get(word);
    if (found) return found;
    const words = stopWords.has(word) ? [] : [word, ...splitCompound(word, this.#lexicon)];
    found = words.map((each) => this.#termOf(stemWord(each)));
    this.#termsOfWords.set(word, found);
    return found;
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

export function readNameWords(token: string, { knows }: Lexicon): NameWord[] {
  if (isNumber(token)) return [{ stem: token, isStopWord: false }];
  return splitToken(token, { isName: true, knows }).map((word) => ({
    stem: stemWord(word),
    isStopWord: stopWords.has(word),
  }));
}

/** A key that is equal for words that name the same thing, such as `create_issue` and "Create an issue!". */
export function nameKey(words: readonly NameWord[]): string {
  const telling = words.filter(({ isStopWord }) => !isStopWord);
  const stems = (telling.length > 0 ? telling : words).map(({ stem }) => stem);
  return [...new Set(stems)].toSorted().join(' ');
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
