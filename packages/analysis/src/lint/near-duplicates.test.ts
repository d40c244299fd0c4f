import { describe, expect, it } from 'vitest';
import { findNearDuplicates } from './near-duplicates.js';
import { wordsOf } from './words.js';

const of = (entries: Readonly<Record<string, string>>): number[][] =>
  findNearDuplicates(
    Object.entries(entries).map(([name, text]) => ({ name, text, nameWords: new Set(wordsOf(name)) })),
  );

const long =
  'Returns the parcels that are on their way to the given address, newest first, with state and place.';

describe('findNearDuplicates', () => {
  it('finds equal texts, whatever their case, spaces and punctuation', () => {
    expect(of({ track: 'Lists parcels.', other: 'Counts vans', follow: '  lists PARCELS' })).toEqual([
      [0, 2],
    ]);
  });

  it('finds long texts that differ in a word that says nothing about their names', () => {
    expect(of({ track: long, follow: long.replace('newest', 'latest') })).toEqual([[0, 1]]);
  });

  it('accepts texts that differ in the words of their names', () => {
    expect(of({ list_parcels: long, list_letters: long.replace('parcels', 'letters') })).toEqual([]);
  });

  it('accepts a text that refers to the other tool', () => {
    expect(of({ track: long, track_fast: `${long} Prefer it over track.` })).toEqual([]);
  });

  it('accepts short texts that differ in a word', () => {
    expect(of({ a_b: 'Lists the open parcels', c_d: 'Lists the late parcels' })).toEqual([]);
  });

  it('does a bounded amount of work for many long texts', () => {
    const text = (index: number): string =>
      Array.from({ length: 300 }, (_, at) => `w${at % 10 === 0 ? index : at}`).join(' ');
    const entries = Array.from({ length: 5_000 }, (_, index) => [`tool${index}`, text(index)] as const);
    expect(of(Object.fromEntries(entries))).toEqual([]);
  });
});
