import { describe, expect, it } from 'vitest';
import { exceededLimit, exceededTextLimit } from './json-limits.js';

const NONE = Number.MAX_SAFE_INTEGER;

describe('the limits of JSON', () => {
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
