import { type Hints, type Postings, weighHints } from './hints.js';
import { normalize, type Lexicon } from './lexicon.js';
import { inSteps, type Steps } from './slices.js';
import { readToolVerbs, type Risk, type ToolVerbs, type VerbParameters } from './verbs.js';
import { TermCounts, Vocabulary } from './vocabulary.js';

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
  /** Words by which people ask for the tool and that its other texts lack. */
  readonly keywords?: readonly string[] | undefined;
  /** Questions that the tool answers. */
  readonly examples?: readonly string[] | undefined;
  /** The effect that a call may have. Of equally good matches, the less risky comes first. */
  readonly risk?: Risk | undefined;
}

/** The index of the texts of tools. Terms and documents are numbers. Keywords and examples are in `hints`. */
export interface SearchIndex extends Postings {
  readonly size: number;
  /** The documents by name: see `nameKey`. */
  readonly names: ReadonlyMap<string, readonly number[]>;
  readonly terms: ReadonlyMap<string, number>;
  /** Number of terms that are in a name, a description or another text, and not only in keywords and examples. */
  readonly textTerms: number;
  /** The terms that are compared by their characters, by each of their parts. */
  readonly byPart: ReadonlyMap<string, readonly string[]>;
  /** The terms that are stems of English words. */
  readonly stems: ReadonlySet<string>;
  /** The terms that are whole words, because their language has no stemmer here. A term can be both. */
  readonly unstemmed: ReadonlyMap<string, number>;
  /** The share of a term in a document. The shares of one document add up to 1. */
  readonly shares: Float32Array;
  readonly hints: Hints;
  /** The documents by example: see `nameKey`. */
  readonly examples: ReadonlyMap<string, readonly number[]>;
  readonly verbs: ToolVerbs;
  /** The terms that the lexicon knows, and one row of slices for each. */
  readonly known: Uint32Array;
  readonly slices: Uint8Array;
  /** The topic of each document: a vector of length 1, or zeros. */
  readonly centres: Float32Array;
}

/** Most stems are no numbers by their first letter, and the first use of a class of Unicode takes milliseconds. */
const STARTS_PLAIN = /^[a-z]/;

/** How specific a stem is for a topic. An unknown stem is mostly a name, and counts as a typical word. */
export function weighStem(stem: string, lexicon: Lexicon, { number, unknown }: SearchParameters): number {
  if (!STARTS_PLAIN.test(stem) && /^\p{N}+$/u.test(stem)) return number;
  const place = lexicon.find(stem);
  return place < 0 ? unknown : lexicon.topicality(place);
}

/**
 * Builds the index of some documents in many short steps, between which the caller can serve other requests: see
 * `runInSlices`.
 */
export function* buildIndex(
  all: readonly ToolSearchDocument[],
  lexicon: Lexicon,
  parameters: SearchParameters,
): Steps<SearchIndex> {
  const reader = new DocumentReader(lexicon, parameters);
  for (const document of all) yield* reader.add(document);

  const { counts, hints, names, examples } = reader;
  const { terms, byPart, stems, unstemmed } = reader.vocabulary;
  const weights = new Float32Array(terms.size);
  const directions = Array.from<Float32Array | undefined>({ length: terms.size });
  const known: number[] = [];
  const slices = new Uint8Array(terms.size * lexicon.sliceCount);
  yield* inSteps([...terms.keys()], (stem, term) => {
    weights[term] = weighStem(stem, lexicon, parameters);
    const place = lexicon.find(stem);
    if (place < 0) return;
    directions[term] = lexicon.direction(place);
    slices.set(lexicon.slices(place), known.length * lexicon.sliceCount);
    known.push(term);
  });

  const { starts, rarity } = countHolders(counts, terms.size);
  yield;
  const total = starts[terms.size] ?? 0;
  const index: SearchIndex = {
    size: all.length,
    names,
    examples,
    terms,
    textTerms: starts.filter((start, term) => start < (starts[term + 1] ?? 0)).length,
    byPart,
    stems,
    unstemmed,
    starts,
    hints: yield* weighHints(hints, countHolders(hints, terms.size).starts, {
      saturation: parameters.saturation,
      keyword: parameters.fields.keywords,
    }),
    documents: new Uint32Array(total),
    strengths: new Float32Array(total),
    shares: new Float32Array(total),
    verbs: yield* readToolVerbs(all),
    known: Uint32Array.from(known),
    slices: slices.slice(0, known.length * lexicon.sliceCount),
    centres: new Float32Array(all.length * lexicon.dimensions),
  };
  const next = starts.slice();
  const average = counts.sums.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length);
  const { saturation, lengthPenalty } = parameters;
  yield* inSteps(counts.sums, (length, document) => {
    const relative = length / Math.max(average, Number.MIN_VALUE);
    const held = saturation * (1 - lengthPenalty + lengthPenalty * relative);
    weighDocument(index, document, counts, { held, weights, rarity, directions, next });
  });
  return index;
}

/** Reads the words of documents and counts them. */
class DocumentReader {
  readonly vocabulary: Vocabulary;
  readonly counts = new TermCounts();
  readonly hints = new TermCounts();
  readonly names = new Map<string, number[]>();
  readonly examples = new Map<string, number[]>();
  readonly #fields: SearchParameters['fields'];
  /** Many tools have arguments, tags and toolsets in common. Each of these texts is read once. */
  readonly #shared = [new Map<string, readonly number[]>(), new Map<string, readonly number[]>()] as const;

  constructor(lexicon: Lexicon, { fields }: SearchParameters) {
    this.vocabulary = new Vocabulary(lexicon);
    this.#fields = fields;
  }

  /** Adds a document, and pauses after every few thousand characters, because one document can have many long texts. */
  *add(document: ToolSearchDocument): Steps<void> {
    yield* this.#addTexts(document);
    if (document.keywords || document.examples) yield* this.#addHints(document);
    this.hints.endDocument();
  }

  *#addTexts(texts: ToolSearchDocument): Steps<void> {
    const { name, address, description = '', tags, toolset, arguments: given } = texts;
    const { counts, vocabulary } = this;
    const fields = this.#fields;
    const document = counts.sums.length;
    counts.addAll(vocabulary.readName(name), fields.name);
    counts.addAll(vocabulary.read(description, false), fields.description);
    if (vocabulary.isStepDone()) yield;
    for (const tag of tags ?? []) {
      this.#addShared(tag, true, fields.tags);
      if (vocabulary.isStepDone()) yield;
    }
    this.#addShared(toolset, false, fields.toolset);
    if (vocabulary.isStepDone()) yield;
    for (const argument of given ?? []) {
      this.#addShared(argument.name, true, fields.argumentName);
      this.#addShared(argument.description, false, fields.argumentDescription);
      if (vocabulary.isStepDone()) yield;
    }
    counts.endDocument();
    addName(vocabulary.nameKey(name), document, this.names);
    if (address !== name) addName(vocabulary.nameKey(address), document, this.names);
  }

  *#addHints({ keywords = [], examples = [] }: ToolSearchDocument): Steps<void> {
    const { hints, vocabulary } = this;
    const document = hints.sums.length;
    hints.addAll(yield* this.#readOnce(keywords), this.#fields.keywords);
    hints.addAll(yield* this.#readOnce(examples), this.#fields.examples);
    for (const example of examples) addName(vocabulary.nameKey(example), document, this.examples);
  }

  /** The terms of some texts. A word that is repeated in several keywords or examples counts once. */
  *#readOnce(texts: readonly string[]): Steps<number[]> {
    const terms = new Set<number>();
    for (const text of texts) {
      for (const term of this.vocabulary.read(text, false)) terms.add(term);
      if (this.vocabulary.isStepDone()) yield;
    }
    return [...terms];
  }

  #addShared(text = '', isName: boolean, weight: number): void {
    const known = this.#shared[isName ? 0 : 1];
    let terms = known.get(text);
    if (!terms) known.set(text, (terms = this.vocabulary.read(text, isName)));
    this.counts.addAll(terms, weight);
  }
}

function addName(key: string, document: number, names: Map<string, number[]>): void {
  if (key === '') return;
  const named = names.get(key);
  if (!named) names.set(key, [document]);
  else if (named.at(-1) !== document) named.push(document);
}

/** The numbers by which the terms of a document are weighed. All but the first have one entry for each term. */
interface Weighing {
  /** How much the length of the document lowers the weight of its terms: k1 of BM25, normalised by the length. */
  readonly held: number;
  readonly weights: Float32Array;
  readonly rarity: Float32Array;
  readonly directions: readonly (Float32Array | undefined)[];
  /** The place of the next entry of each term. */
  readonly next: Uint32Array;
}

/** Adds a document to the entries of its terms, and computes its topic. */
function weighDocument(
  { documents, strengths, shares, centres, size }: SearchIndex,
  document: number,
  counts: TermCounts,
  { held, weights, rarity, directions, next }: Weighing,
): void {
  const from = counts.starts[document] ?? 0;
  const end = counts.starts[document + 1] ?? 0;
  let said = 0;
  for (let entry = from; entry < end; entry++) {
    const term = counts.terms[entry] ?? 0;
    const amount = counts.amounts[entry] ?? 0;
    said += (amount / (amount + held)) * (weights[term] ?? 0) * (rarity[term] ?? 0);
  }
  const dimensions = centres.length / size;
  const centre = centres.subarray(document * dimensions, (document + 1) * dimensions);
  for (let entry = from; entry < end; entry++) {
    const term = counts.terms[entry] ?? 0;
    const amount = counts.amounts[entry] ?? 0;
    const at = next[term] ?? 0;
    next[term] = at + 1;
    const strength = amount / (amount + held);
    const saying = strength * (weights[term] ?? 0) * (rarity[term] ?? 0);
    documents[at] = document;
    strengths[at] = strength;
    shares[at] = said > 0 ? saying / said : 0;
    const direction = directions[term];
    if (direction) addScaled(centre, direction, saying);
  }
  normalize(centre);
}

/** The offset of the first entry of each term, and the rarity of the term. */
function countHolders(
  { terms, sums }: TermCounts,
  termCount: number,
): { readonly starts: Uint32Array; readonly rarity: Float32Array } {
  const starts = new Uint32Array(termCount + 1);
  for (const term of terms) starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  const rarity = new Float32Array(termCount);
  for (let term = 0; term < termCount; term++) {
    const holders = starts[term + 1] ?? 0;
    rarity[term] = Math.log(1 + (sums.length - holders + 0.5) / (holders + 0.5));
    starts[term + 1] = holders + (starts[term] ?? 0);
  }
  return { starts, rarity };
}

export function addScaled(sum: Float32Array, vector: Float32Array, factor: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + factor * (vector[at] ?? 0);
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
    readonly keywords: number;
    readonly examples: number;
  };
  /** Saturation of repeated words (k1 of BM25), and normalisation by the length of the text (b). */
  readonly saturation: number;
  readonly lengthPenalty: number;
  /** How specific numbers and unknown words are; a typical word counts 1. */
  readonly number: number;
  readonly unknown: number;
  /** How specific a stop word is that is the whole name of a tool. */
  readonly stopWordName: number;
  /** Minimum similarity of two words that count as a match. */
  readonly alike: number;
  /** The similarity of synonyms, from 0 to 1. */
  readonly synonym: number;
  /** The weights of the topic as a whole, and of the part of the tool that the query covers. */
  readonly topic: number;
  readonly coverage: number;
  readonly verbs: VerbParameters;
  /** The most that earlier calls add, as a share of the full score. */
  readonly learned: number;
}

export const searchParameters: SearchParameters = {
  fields: {
    name: 2,
    description: 1,
    tags: 1,
    toolset: 0.5,
    argumentName: 0.5,
    argumentDescription: 0.25,
    keywords: 1,
    examples: 0.5,
  },
  saturation: 1,
  lengthPenalty: 0.2,
  number: 0.2,
  unknown: 1.5,
  stopWordName: 0.5,
  alike: 0.2,
  synonym: 0.6,
  topic: 0.1,
  coverage: 0.2,
  verbs: { same: 0.025, opposed: 0.05, risk: 0.005 },
  learned: 0.15,
};
