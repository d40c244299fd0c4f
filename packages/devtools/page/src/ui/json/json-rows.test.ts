import { expect, test } from 'vitest';
import { jsonRows, MAX_ROWS } from './json-rows.js';
import type { JsonState } from './json-rows.js';

const untouched: JsonState = { decided: new Map(), shown: new Map() };

test('lists values with their pointers, open down to a depth', () => {
  const rows = jsonRows({ a: { b: { c: 1 } }, 'x/y': [true] }, untouched, 2);
  expect(rows.map(({ id }) => id)).toEqual(['', '/a', '/a/b', '/x~1y', '/x~1y/0']);
});

test('follows what the user opened and closed', () => {
  const state = { decided: new Map([['/a', false]]), shown: new Map() };
  expect(jsonRows({ a: { b: 1 } }, state, 2).map(({ id }) => id)).toEqual(['', '/a']);
});

test('shows the first hundred entries of a long list that is opened, and how many are left', () => {
  const value = Array.from({ length: 250 }, (_, index) => index);
  const rows = jsonRows(value, { decided: new Map([['', true]]), shown: new Map() }, 2);
  expect(rows).toHaveLength(102);
  expect(rows.at(-1)).toMatchObject({ kind: 'more', parent: '', left: 150 });
});

test('keeps long lists closed at first', () => {
  expect(jsonRows(Array.from({ length: 101 }), untouched, 2)).toHaveLength(1);
});

test('never makes more rows than the limit, however much is open', () => {
  const value = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ({ a: 1, b: 2 })));
  expect(jsonRows(value, untouched, 10).length).toBeLessThanOrEqual(MAX_ROWS + 10);
});
