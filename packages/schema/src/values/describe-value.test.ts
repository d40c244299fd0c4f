import { describe, expect, it } from 'vitest';
import { describeKind, describeValue } from './describe-value.js';

class Apple {
  readonly core = 1;
}
class Named {
  readonly name = 'n';
}

describe('the words for a value in a message', () => {
  it.each([
    ['a', 'the text "a"'],
    ['x'.repeat(60), `the text "${'x'.repeat(40)}…"`],
    [3, 'the number 3'],
    [Number.NaN, 'the number NaN'],
    [undefined, 'undefined'],
    [null, 'null'],
    [true, 'true'],
    [1n, 'a bigint'],
    [Symbol('s'), 'a symbol'],
    [Promise.resolve(), 'a promise'],
    [[], 'an empty list'],
    [[1], 'a list'],
    [{}, 'an empty object'],
    [{ name: 'a', args: {} }, 'an object with name, args'],
    [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 }, 'an object with a, b, c, d, e, f …'],
    [Object.create(null), 'an empty object'],
    [new Apple(), 'an Apple'],
    [new Named(), 'the Named "n"'],
    [new Map(), 'a Map'],
    [Apple, 'the class Apple'],
    [function create() {}, 'the function create'],
  ])('%# name its kind', (value, words) => {
    expect(describeValue(value)).toBe(words);
  });

  it('show no text where it may be secret', () => {
    expect(describeKind('secret')).toBe('text');
    expect(describeKind('')).toBe('empty text');
    expect(describeKind(5)).toBe('5');
  });
});
