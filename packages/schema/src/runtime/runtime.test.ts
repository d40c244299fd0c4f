import { expect, it } from 'vitest';
import { randomId } from 'toolfold/internal';

it('makes ids that are never the same, of characters that headers, URLs and event ids hold', () => {
  const ids = Array.from({ length: 10_000 }, randomId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[\w-]{32}$/.test(id))).toEqual([]);
});

it('uses every bit of an id', () => {
  const ids = Array.from({ length: 2_000 }, randomId);
  for (let at = 0; at < 32; at++) expect(new Set(ids.map((id) => id[at])).size).toBe(64);
});
