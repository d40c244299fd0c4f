import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceededLimit, exceededTextLimit } from './json-limits.js';
import { runs } from '../../../../test/runs.js';

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
});
