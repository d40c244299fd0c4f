import { expect, test } from 'vitest';
import { countOf, formatMs, formatShare, formatShort } from './figures.js';

test('shortens numbers without a jump at the limits', () => {
  expect([0, 999, 1000, 9949, 9950, 999_499, 999_500].map(formatShort)).toEqual([
    '0',
    '999',
    '1.0k',
    '9.9k',
    '10k',
    '999k',
    '1.0M',
  ]);
});

test('counts with the right noun', () => {
  expect([countOf(1, 'tool'), countOf(1200, 'tool'), countOf(2, 'entry', 'entries')]).toEqual([
    '1 tool',
    '1,200 tools',
    '2 entries',
  ]);
});

test('shows small shares and short times with a decimal', () => {
  expect([formatShare(1, 300), formatShare(1, 2), formatShare(0, 0)]).toEqual(['0.3 %', '50 %', '0 %']);
  expect([formatMs(0.42), formatMs(12.3), formatMs(3210)]).toEqual(['0.4 ms', '12 ms', '3.2 s']);
});
