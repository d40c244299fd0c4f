import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTooDeep } from './json-depth.js';

/** How many objects and lists are around the innermost value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('the depth of JSON', () => {
  it('is too much exactly where it is above the bound', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(8), (value, levels) => {
        expect(isTooDeep(value, levels)).toBe(depthOf(value) > levels);
      }),
      { numRuns: 500 },
    );
  });

  it('is found out without going deeper than the bound', () => {
    const deep = (open: string, close: string): unknown =>
      JSON.parse(`${open.repeat(200_000)}1${close.repeat(200_000)}`) as unknown;
    expect(isTooDeep(deep('[', ']'), 100)).toBe(true);
    expect(isTooDeep(deep('{"a":', '}'), 100)).toBe(true);
    expect(isTooDeep(deep('[', ']'), 1_000)).toBe(true);
  });

  it('counts keys of prototypes like any other', () => {
    expect(isTooDeep(JSON.parse('{"__proto__":{"a":{}}}'), 2)).toBe(true);
    expect(isTooDeep(JSON.parse('{"__proto__":{"a":1}}'), 2)).toBe(false);
  });
});
