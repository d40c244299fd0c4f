import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions, ErrInvalidResult } from '../../errors.js';
import { encodeKey, fromJsonText, toJsonText } from './cache-entry.js';
import { runs } from '../../../test/runs.js';

const cyclicList: unknown[] = [];
cyclicList.push(cyclicList);

describe('a cache key', () => {
  it('differs from every other key', () => {
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

  it('can be decoded if it is JSON, so that no part is lost', () => {
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
    ['itself', cyclicList],
    ['nothing at all', undefined],
    ['a number', 1],
    ['a record', { length: 0 }],
  ])('must not be or contain %s', (_, key) => {
    expect(() => encodeKey(key as string)).toThrow(ErrInvalidOptions);
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

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

describe('a value for the cache', () => {
  it('is read back unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(fromJsonText(toJsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    const proto: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    expect(toJsonText(fromJsonText(toJsonText(proto)))).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  it('may be undefined, and may have undefined fields', () => {
    expect(fromJsonText(toJsonText(undefined))).toBeUndefined();
    expect(fromJsonText(toJsonText({ a: undefined, b: 1 }))).toEqual({ b: 1 });
  });

  it.each<[string, unknown]>([
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a bigint', 1n],
    ['NaN', NaN],
    ['Infinity', -Infinity],
    ['a date', new Date(0)],
    ['a Map', new Map([[1, 2]])],
    ['a Set', new Set([1])],
    ['an instance', new URLSearchParams()],
    ['a record with toJSON', { toJSON: () => 1 }],
    ['a list with toJSON', Object.assign([1], { toJSON: () => 1 })],
    ['a boxed number', Object(1)],
    ['bytes', new Uint8Array(2)],
    ['an error', new Error('a')],
    ['itself', cyclic],
  ])('must not be or contain %s', (_, value) => {
    expect(() => toJsonText(value)).toThrow(ErrInvalidResult);
    expect(() => toJsonText({ a: [{ b: value }] })).toThrow(ErrInvalidResult);
  });

  it.each([[[undefined]], [[1, , 2]]])('must not contain a list with gaps', (value) => {
    expect(() => toJsonText(value)).toThrow(ErrInvalidResult);
  });

  it('must not contain a getter that returns an invalid value only on its first read', () => {
    let reads = 0;
    const value = {
      get a() {
        return reads++ === 0 ? NaN : 1;
      },
    };
    expect(() => toJsonText(value)).toThrow(ErrInvalidResult);
  });

  it('is rejected with the path of the invalid part', () => {
    expect(() => toJsonText({ user: { createdAt: new Date(0) } })).toThrow(
      'A value for the cache contains an instance of a class at "createdAt", which JSON cannot express. ' +
        'Return plain data from the loader, such as a date as a text.',
    );
  });
});
