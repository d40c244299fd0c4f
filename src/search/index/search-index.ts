import { splitCompound, readWords, stopWords } from './words.js';
import { normalize, type Lexicon } from './lexicon.js';
import { stemWord } from './stem.js';

/** The searchable text of one tool. */
export interface ToolSearchDocument {
  /** The address by which the tool is called: `add_user`, `platform/users.ban`. */
  readonly address: string;
  /** The name that clients would see. */
  readonly name: string;
  /** The purpose of the tool. */
  readonly description?: string | undefined;
  /** The arguments of the tool. Their names and descriptions are searched too. */
  readonly arguments?: readonly { readonly name: string; readonly description?: string | undefined }[];
  /** The tags of the tool. */
  readonly tags?: readonly string[];
  /** Name, description and decision criteria of the toolsets that hold the tool. */
  readonly toolset?: string | undefined;
}

/** The index. Terms and documents are numbers. The entries of a term are from `starts[term]` to `starts[term + 1]`. */
export interface SearchIndex {
  readonly size: number;
  /** The documents by name: see `nameKey`. */
  readonly names: ReadonlyMap<string, readonly number[]>;
  readonly terms: ReadonlyMap<string, number>;
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  /** The weight of a term in a document, from 0 to 1. */
  readonly strengths: Float32Array;
  /** The share of a term in a document. The shares of one document add up to 1. */
  readonly shares: Float32Array;
  /** The terms that the lexicon knows, and one row of slices for each. */
  readonly known: Uint32Array;
  readonly slices: Uint8Array;
  /** The topic of each document: a vector of length 1, or zeros. */
  readonly centres: Float32Array;
}

type Counts = ReadonlyMap<number, number>;

/** How specific a stem is for a topic. An unknown stem is mostly a name, and counts as a typical word. */
export function weighStem(stem: string, lexicon: Lexicon, { number, unknown }: SearchParameters): number {
  if (/^\p{N}+$/u.test(stem)) return number;
  const place = lexicon.find(stem);
  return place < 0 ? unknown : lexicon.topicality(place);
}

/** Builds the index of some documents. */
export function buildIndex(
  all: readonly ToolSearchDocument[],
  lexicon: Lexicon,
  parameters: SearchParameters,
): SearchIndex {
  const vocabulary = new Vocabulary(lexicon);
  const counts = all.map((document) => countTerms(document, vocabulary, lexicon, parameters));
  const { terms } = vocabulary;
  const starts = new Uint32Array(terms.size + 1);
  for (const count of counts) for (const term of count.keys()) starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  const rarity = Float32Array.from({ length: terms.size }, (_, term) => {
    const holders = starts[term + 1] ?? 0;
    return Math.log(1 + (all.length - holders + 0.5) / (holders + 0.5));
  });
  for (let term = 0; term < terms.size; term++)
    starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);

  const places = Int32Array.from(terms.keys(), (stem) => lexicon.find(stem));
  const weights = Float32Array.from(terms.keys(), (stem) => weighStem(stem, lexicon, parameters));
  const total = starts[terms.size] ?? 0;
  const documents = new Uint32Array(total);
  const strengths = new Float32Array(total);
  const shares = new Float32Array(total);
  const centres = new Float32Array(all.length * lexicon.dimensions);
  const next = starts.slice();
  const directions = new Map<number, Float32Array>();
  const average = counts.reduce((sum, count) => sum + sumOf(count), 0) / Math.max(1, all.length);

  counts.forEach((count, document) => {
    const relative = sumOf(count) / Math.max(average, Number.MIN_VALUE);
    const held = parameters.saturation * (1 - parameters.lengthPenalty + parameters.lengthPenalty * relative);
    let said = 0;
    for (const [term, amount] of count)
      said += (amount / (amount + held)) * (weights[term] ?? 0) * (rarity[term] ?? 0);
    const centre = centres.subarray(document * lexicon.dimensions, (document + 1) * lexicon.dimensions);
    for (const [term, amount] of count) {
      const at = next[term] ?? 0;
      next[term] = at + 1;
      const strength = amount / (amount + held);
      const saying = strength * (weights[term] ?? 0) * (rarity[term] ?? 0);
      documents[at] = document;
      strengths[at] = strength;
      shares[at] = said > 0 ? saying / said : 0;
      const place = places[term] ?? -1;
      if (place < 0) continue;
      let direction = directions.get(term);
      if (!direction) directions.set(term, (direction = lexicon.direction(place)));
      for (let at_ = 0; at_ < centre.length; at_++)
        centre[at_] = (centre[at_] ?? 0) + saying * (direction[at_] ?? 0);
    }
    normalize(centre);
  });

  const known = Uint32Array.from([...places.keys()].filter((term) => (places[term] ?? -1) >= 0));
  const slices = new Uint8Array(known.length * lexicon.sliceCount);
  known.forEach((term, row) => slices.set(lexicon.slices(places[term] ?? 0), row * lexicon.sliceCount));
  return {
    size: all.length,
    names: indexNames(all, lexicon),
    terms,
    starts,
    documents,
    strengths,
    shares,
    known,
    slices,
    centres,
  };
}

/** A key that is equal for texts that name the same thing, such as `create_issue` and "Create an issue!". */
export function nameKey(text: string, lexicon: Lexicon): string {
  const words = readWords(text, { isName: true, knows: lexicon.knows });
  const telling = words.filter((word) => !stopWords.has(word));
  return [...new Set((telling.length > 0 ? telling : words).map(stemWord))].toSorted().join(' ');
}

function indexNames(all: readonly ToolSearchDocument[], lexicon: Lexicon): Map<string, number[]> {
  const names = new Map<string, number[]>();
  all.forEach(({ name, address }, document) => {
    for (const key of new Set([name, address].map((text) => nameKey(text, lexicon)))) {
      if (key !== '') names.set(key, [...(names.get(key) ?? []), document]);
    }
  });
  return names;
}

class Vocabulary {
  readonly terms = new Map<string, number>();
  readonly #read = new Map<string, readonly number[]>();
  readonly #lexicon: Lexicon;

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
  }

  /** The terms of a word: its stem, and the stems of its parts if it is a compound of known words. */
  read(word: string): readonly number[] {
    let found = this.#read.get(word);
    if (found) return found;
    const words = stopWords.has(word) ? [] : [word, ...splitCompound(word, this.#lexicon)];
    found = words.map((each) => {
      const stem = stemWord(each);
      const term = this.terms.get(stem) ?? this.terms.size;
      this.terms.set(stem, term);
      return term;
    });
    this.#read.set(word, found);
    return found;
  }
}

function countTerms(
  document: ToolSearchDocument,
  vocabulary: Vocabulary,
  lexicon: Lexicon,
  { fields }: SearchParameters,
): Counts {
  const counts = new Map<number, number>();
  const add = (text: string | undefined, weight: number, isName: boolean): void => {
    if (text === undefined || weight === 0) return;
    for (const word of readWords(text, { isName, knows: lexicon.knows })) {
      for (const term of vocabulary.read(word)) counts.set(term, (counts.get(term) ?? 0) + weight);
    }
  };
  add(document.name, fields.name, true);
  add(document.description, fields.description, false);
  for (const tag of document.tags ?? []) add(tag, fields.tags, true);
  add(document.toolset, fields.toolset, false);
  for (const { name, description } of document.arguments ?? []) {
    add(name, fields.argumentName, true);
    add(description, fields.argumentDescription, false);
  }
  return counts;
}

function sumOf(counts: Counts): number {
  let sum = 0;
  for (const value of counts.values()) sum += value;
  return sum;
}

/** The parameters of the ranking. They are general and round, because the ranking is not sensitive to exact values. */
export interface SearchParameters {
  /** The weight of a word in each field. */
  readonly fields: {
    readonly name: number;
    readonly description: number;
    readonly tags: number;
    readonly toolset: number;
    readonly argumentName: number;
    readonly argumentDescription: number;
  };
  /** Saturation of repeated words (k1 of BM25), and normalisation by the length of the text (b). */
  readonly saturation: number;
  readonly lengthPenalty: number;
  /** How specific numbers and unknown words are; a typical word counts 1. */
  readonly number: number;
  readonly unknown: number;
  /** Minimum similarity of two words that count as a match. */
  readonly alike: number;
  /** The weights of the topic as a whole, and of the part of the tool that the query covers. */
  readonly topic: number;
  readonly coverage: number;
}

export const searchParameters: SearchParameters = {
  fields: { name: 2, description: 1, tags: 1, toolset: 0.5, argumentName: 0.5, argumentDescription: 0.25 },
  saturation: 1,
  lengthPenalty: 0.2,
  number: 0.2,
  unknown: 1.5,
  alike: 0.2,
  topic: 0.1,
  coverage: 0.2,
};
