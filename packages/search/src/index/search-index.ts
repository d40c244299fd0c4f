import { type Hints, type Postings, weighHints } from './hints.js';
import { inSteps, type Steps } from './slices.js';
import { readToolVerbs, type Risk, type ToolVerbs, type VerbParameters } from './verbs.js';
import { TermCounts, Vocabulary } from './vocabulary.js';

/** Gives the search one tool: how it is called, and the texts by which it is found. */
export interface ToolSearchDocument {
  /** Identifies the tool in results, such as `add_user` or `platform/users.ban`. */
  readonly address: string;
  /** The name that clients see. A query that equals it finds this tool first. */
  readonly name: string;
  /** Describes what the tool does. */
  readonly description?: string | undefined;
  /** Arguments are found by their names and descriptions. */
  readonly arguments?: readonly { readonly name: string; readonly description?: string | undefined }[];
  /** Words that group tools, which are searched too. */
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

/** Indexes the texts of tools. Terms and documents are numbers. Keywords and examples are in `hints`. */
export interface SearchIndex extends Postings {
  readonly size: number;
  /** Keyed by `nameKey`. */
  readonly names: ReadonlyMap<string, readonly number[]>;
  readonly terms: ReadonlyMap<string, number>;
  /** Counts the terms of names, descriptions and other texts, without those that only keywords and examples have. */
  readonly textTerms: number;
  /** Looks up terms that are compared by their characters, by each of their parts. */
  readonly byPart: ReadonlyMap<string, readonly string[]>;
  readonly stems: ReadonlySet<string>;
  /** Terms that are whole words, because their language has no stemmer here. A stem can have the same spelling. */
  readonly unstemmed: ReadonlyMap<string, number>;
  /** The share of a term in a document. The shares of one document add up to 1. */
  readonly shares: Float32Array;
  readonly hints: Hints;
  /** Keyed by `nameKey`. */
  readonly examples: ReadonlyMap<string, readonly number[]>;
  readonly verbs: ToolVerbs;
}

export function weighStem(stem: string): number {
  return /^\p{N}+$/u.test(stem) ? searchParameters.number : searchParameters.word;
}

/** Builds the index in many short steps, between which the caller can serve other requests: see `runInSlices`. */
export function* buildIndex(all: readonly ToolSearchDocument[]): Steps<SearchIndex> {
  const reader = new DocumentReader();
  for (const document of all) yield* reader.add(document);

  const { counts, hints, names, examples } = reader;
  const { terms, byPart, stems, unstemmed } = reader.vocabulary;
  const weights = new Float32Array(terms.size);
  yield* inSteps([...terms.keys()], (stem, term) => {
    weights[term] = weighStem(stem);
  });

  const { saturation, lengthPenalty, fields } = searchParameters;
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
      saturation,
      keyword: fields.keywords,
    }),
    documents: new Uint32Array(total),
    strengths: new Float32Array(total),
    shares: new Float32Array(total),
    verbs: yield* readToolVerbs(all),
  };
  const next = starts.slice();
  const average = counts.sums.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length);
  yield* inSteps(counts.sums, (length, document) => {
    const relative = length / Math.max(average, Number.MIN_VALUE);
    const held = saturation * (1 - lengthPenalty + lengthPenalty * relative);
    weighDocument(index, document, counts, { held, weights, rarity, next });
  });
  return index;
}

class DocumentReader {
  readonly vocabulary = new Vocabulary();
  readonly counts = new TermCounts();
  readonly hints = new TermCounts();
  readonly names = new Map<string, number[]>();
  readonly examples = new Map<string, number[]>();
  /** Caches texts that many tools share: arguments, tags and toolsets. */
  readonly #shared = [new Map<string, readonly number[]>(), new Map<string, readonly number[]>()] as const;

  /** Adds a document, and pauses after every few thousand characters, because one document can have many long texts. */
  *add(document: ToolSearchDocument): Steps<void> {
    yield* this.#addTexts(document);
    if (document.keywords || document.examples) yield* this.#addHints(document);
    this.hints.endDocument();
  }

  *#addTexts(texts: ToolSearchDocument): Steps<void> {
    const { name, address, description = '', tags, toolset, arguments: given } = texts;
    const { counts, vocabulary } = this;
    const { fields } = searchParameters;
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
    const { fields } = searchParameters;
    const document = hints.sums.length;
    hints.addAll(yield* this.#readOnce(keywords), fields.keywords);
    hints.addAll(yield* this.#readOnce(examples), fields.examples);
    for (const example of examples) addName(vocabulary.nameKey(example), document, this.examples);
  }

  /** Returns the terms of some texts. A word that several keywords or examples repeat counts once. */
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

/** The numbers that weigh the terms of a document. All but the first have one entry for each term. */
interface Weighing {
  /** How much the length of the document lowers the weight of its terms: k1 of BM25, normalised by the length. */
  readonly held: number;
  readonly weights: Float32Array;
  readonly rarity: Float32Array;
  /** Where the next entry of each term goes. */
  readonly next: Uint32Array;
}

function weighDocument(
  { documents, strengths, shares }: SearchIndex,
  document: number,
  counts: TermCounts,
  { held, weights, rarity, next }: Weighing,
): void {
  const from = counts.starts[document] ?? 0;
  const end = counts.starts[document + 1] ?? 0;
  let said = 0;
  for (let entry = from; entry < end; entry++) {
    const term = counts.terms[entry] ?? 0;
    const amount = counts.amounts[entry] ?? 0;
    said += (amount / (amount + held)) * (weights[term] ?? 0) * (rarity[term] ?? 0);
  }
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
  }
}

/** Returns the offset of the first entry of each term, and the rarity of the term. */
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

/** Tunes the ranking. The values are general and round, because the ranking is not sensitive to exact values. */
interface SearchParameters {
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
  /** How much numbers and words say about a topic. */
  readonly number: number;
  readonly word: number;
  /** How much a number and a stop word say if they are the whole name of a tool. */
  readonly numberName: number;
  readonly stopWordName: number;
  readonly synonym: number;
  /** How much it counts that the query covers a large part of the tool. */
  readonly coverage: number;
  /** The sum of a tool that the query names. Words and coverage alone add up to at most 1.2. */
  readonly full: number;
  readonly verbs: VerbParameters;
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
  word: 1.5,
  numberName: 1,
  stopWordName: 0.5,
  synonym: 0.6,
  coverage: 0.2,
  full: 1.3,
  verbs: { same: 0.025, opposed: 0.05, risk: 0.005 },
};
