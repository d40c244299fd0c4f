import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/runs.js';
import { diffWords } from './word-diff.js';

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'lists', 'notes'), { maxLength: 30 });
const textOf = (changes: ReturnType<typeof diffWords>, without: string): string =>
  changes
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join(' ');

describe('the word diff', () => {
  it('contains both texts, word by word', () => {
    fc.assert(
      fc.property(words, words, (before, after) => {
        const changes = diffWords(before.join(' '), after.join('\n'));
        expect(textOf(changes, 'added')).toBe(before.join(' '));
        expect(textOf(changes, 'removed')).toBe(after.join(' '));
      }),
      { numRuns: runs(1_000) },
    );
  });
});
