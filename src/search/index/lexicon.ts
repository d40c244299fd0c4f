import { lexiconData } from './lexicon-data.js';
import { stemWord } from './stem.js';

/**
 * Knowledge of English words: which have similar meanings, and which are specific for a topic. The vector of a stem is stored in
 * slices, and each slice is one of 64 columns of a table, so that comparing two stems takes a few additions.
 */
export interface Lexicon {
  readonly dimensions: number;
  readonly sliceCount: number;
  /** The index of a stem, or -1 if it is unknown. */
  find(stem: string): number;
  knows(word: string): boolean;
  /** How specific a stem is for a topic: about 1 for a typical word, less for "specifically", more for "earthquake". */
  topicality(place: number): number;
  /** The vector of a stem, of length 1. */
  direction(place: number): Float32Array;
  /** The column of each slice of a stem. */
  slices(place: number): Uint8Array;
  /** For every slice and column, the amount that it adds to the similarity with this stem. */
  compare(place: number): Float32Array;
}

/** Number of columns of each slice. */
export const COLUMNS = 64;

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

let english: Lexicon | undefined;

/** The English lexicon. It is decoded on first use. */
export function readLexicon(): Lexicon {
  english ??= unpack(lexiconData);
  return english;
}

function unpack({ slices, slice, scale, centroids, stems, lengths, codes }: typeof lexiconData): Lexicon {
  const digits = new Uint8Array(128);
  for (let digit = 0; digit < COLUMNS; digit++) digits[DIGITS.charCodeAt(digit)] = digit;
  const digitAt = (text: string, at: number): number => digits[text.charCodeAt(at)] ?? 0;

  const places = new Map(stems.split(' ').map((stem, place) => [stem, place]));
  const table = Float32Array.from({ length: slices * COLUMNS * slice }, (_, at) => {
    const value = digitAt(centroids, at * 2) * COLUMNS + digitAt(centroids, at * 2 + 1);
    return ((value - 2048) / 2047) * scale;
  });
  const dimensions = slices * slice;
  const readSlices = (place: number): Uint8Array => {
    const columns = new Uint8Array(slices);
    for (let part = 0; part < slices; part++) columns[part] = digitAt(codes, place * slices + part);
    return columns;
  };
  const readDirection = (place: number): Float32Array => {
    const vector = new Float32Array(dimensions);
    for (let part = 0; part < slices; part++) {
      const from = (part * COLUMNS + digitAt(codes, place * slices + part)) * slice;
      for (let i = 0; i < slice; i++) vector[part * slice + i] = table[from + i] ?? 0;
    }
    return normalize(vector);
  };

  return {
    dimensions,
    sliceCount: slices,
    find: (stem) => places.get(stem) ?? -1,
    knows: (word) => places.has(stemWord(word)),
    topicality: (place) => (digitAt(lengths, place) / 32) ** 2,
    direction: readDirection,
    slices: readSlices,
    compare(place) {
      const vector = readDirection(place);
      const summands = new Float32Array(slices * COLUMNS);
      for (let at = 0; at < summands.length; at++) {
        const from = Math.floor(at / COLUMNS) * slice;
        let sum = 0;
        for (let i = 0; i < slice; i++) sum += (vector[from + i] ?? 0) * (table[at * slice + i] ?? 0);
        summands[at] = sum;
      }
      return summands;
    },
  };
}

/** Scales a vector to length 1, in place. A zero vector does not change. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += (vector[at] ?? 0) * (vector[at] ?? 0);
  const length = Math.sqrt(sum);
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
