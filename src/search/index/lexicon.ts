/**
 * Knowledge of the words of a language: which words have similar meanings, and which are specific for a topic. Import `english`
 * from `toolfold/lexicon`.
 */
export interface Lexicon {
  /** The language of the words, as a BCP 47 tag. */
  readonly language: string;
  /**
   * The number of values in the vector of a stem.
   *
   * @internal
   */
  readonly dimensions: number;
  /**
   * The vector of a stem is stored in slices, and each slice is one of 64 columns of a table, so that comparing two stems takes
   * a few additions.
   *
   * @internal
   */
  readonly sliceCount: number;
  /**
   * The index of a stem, or -1 if it is unknown.
   *
   * @internal
   */
  find(stem: string): number;
  /** @internal */
  knows(word: string): boolean;
  /**
   * How specific a stem is for a topic: about 1 for a typical word, less for "specifically", more for "earthquake".
   *
   * @internal
   */
  topicality(place: number): number;
  /**
   * The vector of a stem, of length 1.
   *
   * @internal
   */
  direction(place: number): Float32Array;
  /**
   * The column of each slice of a stem.
   *
   * @internal
   */
  slices(place: number): Uint8Array;
  /**
   * For every slice and column, the amount that it adds to the similarity with this stem.
   *
   * @internal
   */
  compare(place: number): Float32Array;
}

/** Number of columns of each slice. */
export const COLUMNS = 64;

const nothing = new Float32Array();

/** The lexicon of a search without one: it knows no word, so words match by stem and by spelling. */
export const noLexicon: Lexicon = {
  language: '',
  dimensions: 0,
  sliceCount: 0,
  find: () => -1,
  knows: () => false,
  topicality: () => 1,
  direction: () => nothing,
  slices: () => new Uint8Array(),
  compare: () => nothing,
};

export function isLexicon(value: unknown): value is Lexicon {
  const { language, find, compare } = Object(value) as Partial<Lexicon>;
  return typeof language === 'string' && typeof find === 'function' && typeof compare === 'function';
}

/** Scales a vector to length 1, in place. A zero vector does not change. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += (vector[at] ?? 0) * (vector[at] ?? 0);
  const length = Math.sqrt(sum);
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
