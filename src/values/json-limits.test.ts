import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceededLimit, exceededTextLimit } from './json-limits.js';
import { runs } from '../../test/runs.js';

/** The number of objects and lists around the innermost value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, item) => sum + valuesOf(item), 0);
}

const NONE = Number.MAX_SAFE_INTEGER;

describe('the limits of JSON', () => {
  it('are exceeded by exactly the values and texts that are deeper or have more values', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6 }),
        fc.nat(8),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 1, '\t'),
        (value, maxDepth, maxValues, space) => {
          const isTooDeep = depthOf(value) > maxDepth;
          const isTooMuch = valuesOf(value) > maxValues;
          const text = JSON.stringify(value, null, space);
          for (const exceeded of [
            (limits: { maxDepth: number; maxValues: number }) => exceededLimit(value, limits),
            (limits: { maxDepth: number; maxValues: number }) => exceededTextLimit(text, limits),
          ]) {
            expect(exceeded({ maxDepth, maxValues: NONE })).toBe(isTooDeep ? 'maxDepth' : undefined);
            expect(exceeded({ maxDepth: NONE, maxValues })).toBe(isTooMuch ? 'maxValues' : undefined);
            expect(exceeded({ maxDepth, maxValues }) !== undefined).toBe(isTooDeep || isTooMuch);
          }
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it('are checked without recursion, for any value', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const text = `${open.repeat(200_000)}1${close.repeat(200_000)}`;
      const value: unknown = JSON.parse(text);
      for (const maxDepth of [100, 1_000, 199_999]) {
        expect(exceededLimit(value, { maxDepth, maxValues: NONE })).toBe('maxDepth');
        expect(exceededTextLimit(text, { maxDepth, maxValues: NONE })).toBe('maxDepth');
      }
      expect(exceededLimit(value, { maxDepth: 200_000, maxValues: NONE })).toBeUndefined();
      expect(exceededTextLimit(text, { maxDepth: 200_000, maxValues: NONE })).toBeUndefined();
    }
  });

  it('count prototype keys like any other', () => {
    const limits = (maxDepth: number, maxValues: number) => ({ maxDepth, maxValues });
    const deep: unknown = JSON.parse('{"__proto__":{"a":{}}}');
    expect(exceededLimit(deep, limits(2, 9))).toBe('maxDepth');
    expect(exceededLimit(deep, limits(3, 2))).toBe('maxValues');
    expect(exceededLimit(JSON.parse('{"__proto__":{"a":1}}'), limits(2, 3))).toBeUndefined();
  });

  it('ignore brackets and commas inside strings', () => {
    const text = JSON.stringify(['[[[{{{,,,', '\\', '"],[', '\\"[']);
    expect(exceededTextLimit(text, { maxDepth: 1, maxValues: 5 })).toBeUndefined();
    expect(exceededTextLimit(text, { maxDepth: 1, maxValues: 4 })).toBe('maxValues');
  });
});
