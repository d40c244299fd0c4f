import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { githubTools } from '../../../test/catalog/github.js';
import { createTokenCounter } from './token-counter.js';

const reference = new Tiktoken(o200k);
const expected = (text: string): number => reference.encode(text, [], []).length;

/** Texts of words, signs and scripts, without a run of one kind that the counter cuts. */
const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(
      ' ',
      '\n',
      '{"type":"string"}',
      '日本語のテキスト',
      'ภาษาไทย',
      '😀',
      '<|endoftext|>',
      "don't",
    ),
  ),
  { maxLength: 3 },
);

describe('the token counter', () => {
  it('counts like another implementation of o200k', async () => {
    const counter = createTokenCounter();
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        expect(counter.count(text)).toBe(expected(text));
      }),
    );
    for (const tool of githubTools) {
      const text = JSON.stringify(tool);
      expect(counter.count(text)).toBe(expected(text));
    }
    expect(counter.isExact()).toBe(true);
  });

  it('counts special tokens of the model as the text that they are', async () => {
    const counter = createTokenCounter();
    expect(counter.count('<|endoftext|>')).toBe(expected('<|endoftext|>'));
    expect(counter.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  it.each([
    ['letters', 'a'],
    ['spaces', ' '],
    ['signs', '!'],
    ['capitals', 'A'],
    ['Han characters', '字'],
    ['emoji', '😀'],
    ['marks', '\u0301'],
    ['lone surrogates', '\ud800'],
    ['digits', '7'],
  ])('counts a million characters of repeated %s in little time', async (_, character) => {
    const counter = createTokenCounter();
    const text = character.repeat(1_000_000);
    const tokens = counter.count(text);
    expect(tokens).toBeGreaterThan(1_000);
    expect(counter.isExact()).toBe(false);
  });

  it('is off by less than 3 % for long runs, which it counts in pieces', async () => {
    const counter = createTokenCounter();
    const letters = Array.from({ length: 1_000 }, (_, at) =>
      String.fromCodePoint(97 + ((at * at * 31 + at * 7) % 26)),
    );
    const text = letters.join('');
    expect(counter.isExact()).toBe(true);
    expect(Math.abs(counter.count(text) / expected(text) - 1)).toBeLessThan(0.03);
    expect(counter.isExact()).toBe(false);
  });

  it('extrapolates the end of a huge text', async () => {
    const counter = createTokenCounter();
    const sentence = 'Lists the issues of a repository. ';
    const text = sentence.repeat(100_000);
    expect(Math.abs(counter.count(text) / (expected(sentence) * 100_000) - 1)).toBeLessThan(0.2);
    expect(counter.isExact()).toBe(false);
  });
});
