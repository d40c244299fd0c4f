import { expect, test } from 'vitest';
import { wellFormed } from './well-formed.js';

test('replaces halves of characters, which addresses cannot contain', () => {
  expect(wellFormed('a\ud800b\udc00')).toBe('a\ufffdb\ufffd');
  expect(encodeURIComponent(wellFormed('\udc00\ud800'))).toBe('%EF%BF%BD%EF%BF%BD');
});

test('keeps whole characters', () => {
  expect(wellFormed('aß日😀')).toBe('aß日😀');
});
