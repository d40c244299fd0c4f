import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidResult } from '../../errors.js';
import { fromJsonText, toJsonText } from './cache-value.js';

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

describe('a value for the cache', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(fromJsonText(toJsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    const proto: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    expect(toJsonText(fromJsonText(toJsonText(proto)))).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  it('may be undefined, and have fields that are', () => {
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
    ['a record with a form of its own', { toJSON: () => 1 }],
    ['a list with a form of its own', Object.assign([1], { toJSON: () => 1 })],
    ['a boxed number', Object(1)],
    ['bytes', new Uint8Array(2)],
    ['an error', new Error('a')],
    ['itself', cyclic],
  ])('must not be or hold %s', (_, value) => {
    expect(() => toJsonText(value)).toThrow(ErrInvalidResult);
    expect(() => toJsonText({ a: [{ b: value }] })).toThrow(ErrInvalidResult);
  });

  it.each([[[undefined]], [[1, , 2]]])('must not hold a list with gaps', (value) => {
    expect(() => toJsonText(value)).toThrow(ErrInvalidResult);
  });

  it('must not hold a field that is wrong only when it is read first', () => {
    let reads = 0;
    const value = {
      get a() {
        return reads++ === 0 ? NaN : 1;
      },
    };
    expect(() => toJsonText(value)).toThrow(ErrInvalidResult);
  });

  it('is refused with the place that is wrong', () => {
    expect(() => toJsonText({ user: { createdAt: new Date(0) } })).toThrow(
      'A value for the cache holds an instance of a class at "createdAt", which JSON cannot say. ' +
        'Return plain data from the loader, such as a date as a text.',
    );
  });
});
