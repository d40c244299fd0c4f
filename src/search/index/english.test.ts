import { describe, expect, it } from 'vitest';
import { lexiconData } from './lexicon-data.js';
import { english as lexicon } from './english.js';
import { COLUMNS } from './lexicon.js';
import { stemWord } from './stem.js';

const placeOf = (word: string): number => lexicon.find(stemWord(word));
const compare = (one: string, other: string): number => {
  const summands = lexicon.compare(placeOf(one));
  return lexicon
    .slices(placeOf(other))
    .reduce((sum, column, slice) => sum + summands[slice * COLUMNS + column]!, 0);
};

describe('the lexicon', () => {
  it('has unique stems in order, with all data for each', () => {
    const stems = lexiconData.stems.split(' ');
    expect(stems).toEqual([...new Set(stems)].toSorted());
    expect(lexiconData.lengths).toHaveLength(stems.length);
    expect(lexiconData.codes).toHaveLength(stems.length * lexiconData.slices);
    expect(lexiconData.centroids).toHaveLength(lexiconData.slices * COLUMNS * lexiconData.slice * 2);
  });

  it('finds no inherited names', () => {
    for (const word of ['__proto__', 'hasOwnProperty', 'valueOf', '', ' ', 'qqqqq']) {
      expect(lexicon.find(word), word).toBe(-1);
    }
    expect(lexicon.knows('weather')).toBe(true);
  });

  it('knows related words', () => {
    for (const [word, alike, unlike] of [
      ['movie', 'film', 'law'],
      ['delete', 'remove', 'weather'],
      ['car', 'vehicle', 'poem'],
      ['email', 'inbox', 'banana'],
      ['repository', 'git', 'guitar'],
    ] as const) {
      expect(compare(word, alike), `${word} ${alike}`).toBeGreaterThan(compare(word, unlike) + 0.2);
    }
  });

  it('weighs words by how much they say about a topic', () => {
    for (const [topical, general] of [
      ['earthquake', 'specifically'],
      ['weather', 'provide'],
      ['guitar', 'current'],
    ] as const) {
      expect(lexicon.topicality(placeOf(topical))).toBeGreaterThan(2 * lexicon.topicality(placeOf(general)));
    }
  });

  it('has directions of length 1, whose similarity is their dot product up to rounding', () => {
    const one = lexicon.direction(placeOf('hotel'));
    const other = lexicon.direction(placeOf('travel'));
    const product = one.reduce((sum, value, at) => sum + value * other[at]!, 0);
    expect(Math.hypot(...one)).toBeCloseTo(1, 5);
    expect(one).toHaveLength(lexicon.dimensions);
    expect(Math.abs(compare('hotel', 'travel') - product)).toBeLessThan(0.05);
  });
});
