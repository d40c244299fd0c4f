import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions, ErrInvalidResult } from '@toolfold/schema/errors';
import { encodeKey, fromJsonText, toJsonText } from './cache-entry.js';

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
