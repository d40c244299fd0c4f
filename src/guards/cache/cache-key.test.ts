import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidModel } from '../../errors.js';
import { encodeKey } from './cache-key.js';

const cyclic: unknown[] = [];
cyclic.push(cyclic);

describe('a cache key', () => {
  it('differs from every other', () => {
    const date = new Date(5);
    const keys = [
      'a,b',
      '["a"]',
      'undefined',
      '',
      [],
      [[]],
      [''],
      ['a'],
      'a',
      ['a,b'],
      ['a', 'b'],
      [['a'], 'b'],
      ['a', ['b']],
      ['a', undefined, 'b'],
      ['a', null, 'b'],
      ['a', 'undefined', 'b'],
      [undefined],
      [null],
      ['null'],
      [1],
      ['1'],
      [1n],
      ['1n'],
      [true],
      ['true'],
      [NaN],
      ['NaN'],
      [Infinity],
      [-Infinity],
      [0],
      [5],
      [date],
      [date.toISOString()],
      ['Date(5)'],
      [new Date(NaN)],
      [{}],
      ['{}'],
      [{ a: undefined }],
      [{ a: 1 }],
      [{ a: '1' }],
      [{ a: { b: 1 } }],
      [{ 'a":1,"b': 1 }],
      [{ a: 1, b: 1 }],
      [JSON.parse('{"__proto__":1}')],
      [{ constructor: 1 }],
      ['\ud800'],
      ['\ufffd'],
    ];
    expect(new Set(keys.map(encodeKey)).size).toBe(keys.length);
  });

  it('does not depend on the order of names, on holes or on the sign of zero', () => {
    expect(encodeKey([{ a: 1, b: { c: 2, d: 3 } }])).toBe(encodeKey([{ b: { d: 3, c: 2 }, a: 1 }]));
    expect(encodeKey([, 1])).toBe(encodeKey([undefined, 1]));
    expect(encodeKey([-0])).toBe(encodeKey([0]));
    expect(encodeKey([Object.create(null)])).toBe(encodeKey([{}]));
  });

  it('is equal for equal parts only', () => {
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
      { numRuns: 3000 },
    );
  });

  it('can be decoded where it is JSON, so that nothing is lost', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (parts) => {
        expect(JSON.parse(encodeKey(parts))).toEqual(JSON.parse(JSON.stringify(parts)));
      }),
    );
  });

  it.each<[string, unknown]>([
    ['a function', [() => 1]],
    ['a symbol', [Symbol('a')]],
    ['a Map', [new Map()]],
    ['a Set', [new Set()]],
    ['an instance', [new URLSearchParams()]],
    ['a name that is a symbol', [{ [Symbol('a')]: 1 }]],
    ['itself', cyclic],
    ['nothing at all', undefined],
    ['a number', 1],
    ['a record', { length: 0 }],
  ])('must not be or hold %s', (_, key) => {
    expect(() => encodeKey(key as string)).toThrow(ErrInvalidModel);
  });
});

/** Equality as the rule has it, said a second time and in another way. */
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
