import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeKey } from './cache-entry.js';
import { runs } from '../../../../../test/runs.js';

describe('a cache key', () => {
  it('is equal only for equal parts', () => {
    const part = fc.anything({
      withBigInt: true,
      withDate: true,
      withNullPrototype: true,
      withSparseArray: true,
      maxDepth: 3,
      key: fc.constantFrom('a', 'b', '__proto__', 'a":1'),
      values: [
        fc.constantFrom(undefined, null, true, 1, '1', 1n, NaN, 'NaN', 'a', ',', '"', '[', 'undefined'),
        fc.string(),
        fc.double(),
      ],
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), fc.array(part, { maxLength: 3 }), (one, other) => {
        expect(encodeKey(one) === encodeKey(other)).toBe(isSame(one, other));
        expect(encodeKey(one)).toBe(encodeKey(structuredClone(one)));
      }),
      { numRuns: runs(3000) },
    );
  });
});

/** A second, independent implementation of key equality. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other || (Number.isNaN(one) && Number.isNaN(other))) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (one instanceof Date || other instanceof Date) {
    return one instanceof Date && other instanceof Date && isSame(one.getTime(), other.getTime());
  }
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    for (let index = 0; index < one.length; index++) if (!isSame(one[index], other[index])) return false;
    return true;
  }
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  );
}
