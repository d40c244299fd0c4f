import { lexiconData } from './lexicon-data.js';
import { COLUMNS, normalize, type Lexicon } from './lexicon.js';
import { stemWord } from './stem.js';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const { slices: sliceCount, slice, scale, centroids, stems, lengths, codes } = lexiconData;
const dimensions = sliceCount * slice;

const digits = new Uint8Array(128);
for (let digit = 0; digit < COLUMNS; digit++) digits[DIGITS.charCodeAt(digit)] = digit;
const digitAt = (text: string, at: number): number => digits[text.charCodeAt(at)] ?? 0;

interface Tables {
  readonly places: ReadonlyMap<string, number>;
  /** The values of every column of every slice. */
  readonly values: Float32Array;
}

let unpacked: Tables | undefined;

/** Unpacks the data on first use, because a process that never searches does not need it. */
function tables(): Tables {
  unpacked ??= {
    places: new Map(stems.split(' ').map((stem, place) => [stem, place])),
    values: Float32Array.from({ length: sliceCount * COLUMNS * slice }, (_, at) => {
      const value = digitAt(centroids, at * 2) * COLUMNS + digitAt(centroids, at * 2 + 1);
      return ((value - 2048) / 2047) * scale;
    }),
  };
  return unpacked;
}

function readSlices(place: number): Uint8Array {
  const columns = new Uint8Array(sliceCount);
  for (let part = 0; part < sliceCount; part++) columns[part] = digitAt(codes, place * sliceCount + part);
  return columns;
}

function readDirection(place: number): Float32Array {
  const { values } = tables();
  const vector = new Float32Array(dimensions);
  for (let part = 0; part < sliceCount; part++) {
    const from = (part * COLUMNS + digitAt(codes, place * sliceCount + part)) * slice;
    for (let i = 0; i < slice; i++) vector[part * slice + i] = values[from + i] ?? 0;
  }
  return normalize(vector);
}

function compare(place: number): Float32Array {
  const { values } = tables();
  const vector = readDirection(place);
  const summands = new Float32Array(sliceCount * COLUMNS);
  for (let at = 0; at < summands.length; at++) {
    const from = Math.floor(at / COLUMNS) * slice;
    let sum = 0;
    for (let i = 0; i < slice; i++) sum += (vector[from + i] ?? 0) * (values[at * slice + i] ?? 0);
    summands[at] = sum;
  }
  return summands;
}

/** The words of English: their similarities and how specific they are. The module takes 600 kB. */
export const english: Lexicon = Object.freeze<Lexicon>({
  language: 'en',
  dimensions,
  sliceCount,
  find: (stem) => tables().places.get(stem) ?? -1,
  knows: (word) => tables().places.has(stemWord(word)),
  topicality: (place) => (digitAt(lengths, place) / 32) ** 2,
  direction: readDirection,
  slices: readSlices,
  compare,
});
