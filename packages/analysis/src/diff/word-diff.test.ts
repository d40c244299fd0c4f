import { describe, expect, it } from 'vitest';
import { diffWords, withContext } from './word-diff.js';

describe('the word diff', () => {
  it('keeps the words that did not change', () => {
    expect(diffWords('Lists notes of a user', 'Lists all notes of one user')).toEqual([
      { kind: 'same', text: 'Lists' },
      { kind: 'added', text: 'all' },
      { kind: 'same', text: 'notes of' },
      { kind: 'removed', text: 'a' },
      { kind: 'added', text: 'one' },
      { kind: 'same', text: 'user' },
    ]);
  });

  it('shows only a few unchanged words beside a change', () => {
    const long = Array.from({ length: 40 }, (_, index) => `w${index}`).join(' ');
    const shown = withContext(diffWords(`${long} x ${long}`, `${long} y ${long}`));
    expect(shown.map(({ text }) => text)).toEqual(['… w36 w37 w38 w39', 'x', 'y', 'w0 w1 w2 w3 …']);
  });

  it('replaces texts that are too long to compare', () => {
    const text = (letter: string): string =>
      Array.from({ length: 5_000 }, (_, index) => `${letter}${index}`).join(' ');
    expect(diffWords(`same ${text('a')} end`, `same ${text('b')} end`).map(({ kind }) => kind)).toEqual([
      'same',
      'removed',
      'added',
      'same',
    ]);
  });
});
