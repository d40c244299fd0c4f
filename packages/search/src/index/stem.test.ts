import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stemWord } from './stem.js';

describe('a stem', () => {
  it('is the same for all forms of a word', () => {
    const families = [
      ['list', 'lists', 'listed', 'listing', 'listings'],
      ['recommend', 'recommends', 'recommended', 'recommendation', 'recommendations'],
      ['create', 'creates', 'created', 'creating'],
      ['repository', 'repositories'],
      ['run', 'runs', 'running'],
      ['reply', 'replies', 'replied'],
      ['invest', 'investing', 'investment', 'investments'],
    ];
    for (const family of families) {
      expect(new Set(family.map(stemWord)), family.join()).toHaveLength(1);
    }
  });

  it('keeps unrelated words with similar spelling separate', () => {
    for (const [one, other] of [
      ['news', 'new'],
      ['sky', 'ski'],
      ['inning', 'inn'],
      ['exceed', 'exc'],
      ['feed', 'fe'],
    ] as const) {
      expect(stemWord(one)).not.toBe(stemWord(other));
    }
  });

  // One word for every rule, with the stem that Snowball's English stemmer gives.
  it.each(
    Object.entries({
      caresses: 'caress',
      ties: 'tie',
      cries: 'cri',
      gas: 'gas',
      gaps: 'gap',
      focus: 'focus',
      agreed: 'agre',
      feed: 'feed',
      luxuriating: 'luxuri',
      hopping: 'hop',
      hoping: 'hope',
      bed: 'bed',
      sing: 'sing',
      happily: 'happili',
      by: 'by',
      say: 'say',
      relational: 'relat',
      conditional: 'condit',
      organization: 'organ',
      hopefulness: 'hope',
      analogy: 'analog',
      quickly: 'quick',
      generalize: 'general',
      generously: 'generous',
      communism: 'communism',
      electricity: 'electr',
      negative: 'negat',
      native: 'nativ',
      adjustment: 'adjust',
      replacement: 'replac',
      adoption: 'adopt',
      religion: 'religion',
      controlling: 'control',
      rate: 'rate',
      probate: 'probat',
      yes: 'yes',
      young: 'young',
      boyish: 'boyish',
      dying: 'die',
      early: 'earli',
      atlas: 'atlas',
      proceed: 'proceed',
      outing: 'outing',
      ab: 'ab',
      '': '',
    }),
  )('of "%s" is "%s"', (word, stem) => expect(stemWord(word)).toBe(stem));

  it('of a word that cannot be English is the word', () => {
    for (const word of ['ελλάδος', 'комнаты', '会议s', 'x2s', `${'a'.repeat(64)}s`])
      expect(stemWord(word)).toBe(word);
  });

  it('exists for any text, and is hardly longer than it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (word) => {
        expect(stemWord(word).length).toBeLessThanOrEqual(word.length + 1);
      }),
    );
  });
});
