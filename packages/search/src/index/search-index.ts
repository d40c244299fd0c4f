import { type Hints, listPostings, type Postings, weighHints } from './hints.js';
import { type Steps } from './slices.js';
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
  /** Arguments are found by their names, their descriptions and the values that they accept, such as "closed". */
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly values?: readonly string[] | undefined;
  }[];
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
  const { saturation, lengthPenalty } = searchParameters;
  const average = counts.sums.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length);
  const postings = yield* listPostings(counts, terms.size, (document) => {
    const relative = (counts.sums[document] ?? 0) / Math.max(average, Number.MIN_VALUE);
    return saturation * (1 - lengthPenalty + lengthPenalty * relative);
  });
  return {
    ...postings,
    size: all.length,
    names,
    examples,
    terms,
    textTerms: new Set(counts.terms).size,
    byPart,
    stems,
    unstemmed,
    hints: yield* weighHints(hints, terms.size, saturation),
    verbs: yield* readToolVerbs(all),
  };
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
      for (const value of argument.values ?? []) this.#addShared(value, true, fields.argumentValue);
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
    for (const [texts, weight] of [
      [keywords, fields.keywords],
      [examples, fields.examples],
    ] as const) {
      for (const text of texts) {
        hints.addAll(vocabulary.read(text, false), weight);
        if (vocabulary.isStepDone()) yield;
      }
    }
    for (const example of examples) addName(vocabulary.nameKey(example), document, this.examples);
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
    readonly argumentValue: number;
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
  /** The sum of a tool that the query names. Words alone add up to less than 1. */
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
    argumentValue: 0.25,
    keywords: 1,
    examples: 0.5,
  },
  saturation: 1,
  lengthPenalty: 0.5,
  number: 0.2,
  word: 1.5,
  numberName: 1,
  stopWordName: 0.5,
  synonym: 0.6,
  full: 1.1,
  verbs: { same: 0.025, opposed: 0.05, risk: 0.005 },
};
