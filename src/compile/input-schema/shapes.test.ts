import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DefaultValidator } from '../../schema/validate/default-validator.js';
import type { JsonSchema } from '../../values/json-schema.js';
import { mergeShapes, uniteShapes } from './shapes.js';
import { runs } from '../../../test/runs.js';

describe('shapes of one field', () => {
  it('that are equal are merged, in any order of their keywords', () => {
    const shapes = [
      { type: 'string', maxLength: 5 },
      { maxLength: 5, type: 'string' },
    ];
    expect(uniteShapes(shapes)).toEqual([{ type: 'string', maxLength: 5 }]);
    expect(mergeShapes(shapes)).toEqual({ type: 'string', maxLength: 5 });
  });

  it('keep the annotations of the first', () => {
    expect(
      mergeShapes([
        { type: 'string', title: 'A', description: 'First', default: 'x', examples: ['x'] },
        { type: 'string', title: 'B', description: 'Second', default: 'y', deprecated: true },
      ]),
    ).toEqual({ type: 'string', title: 'A', description: 'First', default: 'x', examples: ['x'] });
  });

  it('use the first description', () => {
    expect(mergeShapes([{ type: 'string' }, { type: 'string', description: 'Second' }])).toEqual({
      type: 'string',
      description: 'Second',
    });
  });

  it.each<[string, JsonSchema[], JsonSchema]>([
    [
      'two lists',
      [
        { type: 'string', enum: ['a', 'b'] },
        { type: 'string', enum: ['b', 'c'] },
      ],
      { type: 'string', enum: ['a', 'b', 'c'] },
    ],
    [
      'a list and a constant',
      [
        { type: 'string', enum: ['a'] },
        { type: 'string', const: 'b' },
      ],
      { type: 'string', enum: ['a', 'b'] },
    ],
    ['constants without a type', [{ const: 'a' }, { const: 1 }, { const: null }], { enum: ['a', 1, null] }],
    [
      'lists of several types',
      [
        { type: ['string', 'null'], enum: ['a', null] },
        { type: ['string', 'null'], enum: ['b', null] },
      ],
      { type: ['string', 'null'], enum: ['a', null, 'b'] },
    ],
    [
      'values that are objects',
      [{ const: { a: 1, b: 2 } }, { const: { b: 2, a: 1 } }],
      { const: { a: 1, b: 2 } },
    ],
  ])('that are enums are merged: %s', (_what, shapes, merged) => {
    expect(mergeShapes(shapes)).toEqual(merged);
  });

  it('widen from integer to number, within the limits of both', () => {
    const integer = { type: 'integer', minimum: 0, maximum: 10 };
    const number = { type: 'number', minimum: 0, maximum: 99 };
    expect(mergeShapes([integer, number])).toEqual({ type: 'number', minimum: 0 });
    expect(mergeShapes([number, integer])).toEqual({ type: 'number', minimum: 0 });
    expect(mergeShapes([{ ...integer, description: 'How many' }, { type: 'number' }])).toEqual({
      type: 'number',
      description: 'How many',
    });
  });

  it('widen to the first number, in any order', () => {
    const narrow = { type: 'integer', minimum: 0, maximum: 10 };
    const wide = { type: 'integer', minimum: 0 };
    const number = { type: 'number', minimum: 0, maximum: 99 };
    for (const shapes of [
      [narrow, wide, number],
      [narrow, number, wide],
      [number, narrow, wide],
    ]) {
      expect(uniteShapes(shapes)).toEqual([{ type: 'number', minimum: 0 }]);
      expect(uniteShapes([...shapes, { type: 'number', maximum: 5 }])).toEqual([
        { type: 'number', minimum: 0 },
        { type: 'number', maximum: 5 },
      ]);
    }
  });

  it('are merged if widening makes them equal', () => {
    expect(
      uniteShapes([
        { type: 'number', minimum: 0, maximum: 99 },
        { type: 'number', minimum: 0 },
        { type: 'integer', minimum: 0 },
      ]),
    ).toEqual([{ type: 'number', minimum: 0 }]);
  });

  it('may be thousands: enums become one list, and different limits are listed once each', () => {
    const indexes = Array.from({ length: 5000 }, (_, index) => index);
    const choices = indexes.map((index) => ({ type: 'string', enum: ['all', `kind_${index}`] }));
    const limits = indexes.map((maximum) => ({ type: 'number', maximum, description: `${maximum}` }));
    expect(mergeShapes(choices)).toEqual({
      type: 'string',
      enum: ['all', ...indexes.map((index) => `kind_${index}`)],
    });
    expect(mergeShapes([...limits, ...limits])).toEqual({
      description: '0',
      anyOf: indexes.map((maximum) => ({ type: 'number', maximum })),
    });
  });

  it('are distinguished by names that every object inherits', () => {
    const shapes = [
      JSON.parse('{"properties":{"__proto__":{}}}') as JsonSchema,
      { properties: { other: {} } },
      JSON.parse('{"__proto__":{}}') as JsonSchema,
      { properties: { constructor: {} } },
    ];
    expect(uniteShapes(shapes)).toHaveLength(4);
    expect(uniteShapes([...shapes, ...shapes])).toHaveLength(4);
  });

  it('that cannot be merged are listed as alternatives, with the annotations outside', () => {
    expect(
      mergeShapes([
        { type: 'string', description: 'Which' },
        { type: 'integer', description: 'Number' },
        { type: 'string' },
        { type: 'number' },
      ]),
    ).toEqual({ description: 'Which', anyOf: [{ type: 'string' }, { type: 'number' }] });
  });

  it.each<[string, JsonSchema, JsonSchema]>([
    ['limits', { type: 'string' }, { type: 'string', maxLength: 5 }],
    ['choices and free text', { type: 'string' }, { type: 'string', enum: ['a'] }],
    ['choices of other types', { type: 'string', enum: ['a'] }, { type: 'number', enum: [1] }],
    ['choices under a rule', { enum: ['a'] }, { enum: ['b'], pattern: '^b' }],
    ['items', { type: 'array', items: { type: 'string' } }, { type: 'array', items: { type: 'number' } }],
    ['an integer in a list of types', { type: ['integer', 'null'] }, { type: ['number', 'null'] }],
  ])('cannot be merged if they differ in %s', (_what, left, right) => {
    expect(mergeShapes([left, right])).toEqual({ anyOf: [left, right] });
  });

  it('may be true or false', () => {
    expect(mergeShapes([true])).toEqual({});
    expect(mergeShapes([false])).toEqual({ not: {} });
    expect(mergeShapes([true, true])).toEqual({});
    expect(mergeShapes([{ type: 'string' }, false])).toEqual({ anyOf: [{ type: 'string' }, { not: {} }] });
  });

  it('together accept every value that one of them accepts, and nothing else if listed as alternatives', () => {
    const validator = new DefaultValidator({ engine: 'interpreted' });
    const accepts = (schema: JsonSchema, value: unknown) => validator.compile(schema)(value).ok;
    const choice = fc.constantFrom<unknown>('a', 'b', 1, 2.5, null);
    const shape = fc.oneof(
      fc.constantFrom<JsonSchema>(true, false, { type: 'string' }, { type: ['integer', 'null'] }),
      fc.record(
        {
          type: fc.constantFrom('integer', 'number'),
          minimum: fc.constantFrom(0, 1),
          maximum: fc.constantFrom(1, 2),
          multipleOf: fc.constantFrom(1, 0.5),
          description: fc.string(),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constantFrom('string', 'number'), enum: fc.uniqueArray(choice, { minLength: 1 }) },
        { requiredKeys: ['enum'] },
      ),
      fc.record({ const: choice }),
    );
    const value = fc.oneof(choice, fc.double({ min: -1, max: 3, noNaN: true }), fc.string());
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 4 }), value, (shapes, data) => {
        const isAccepted = shapes.some((each) => accepts(each, data));
        if (isAccepted) expect(accepts(mergeShapes(shapes), data)).toBe(true);
        const isWidened = uniteShapes(shapes).some((each) => each['type'] === 'number' && !('enum' in each));
        if (!isAccepted && !isWidened) expect(accepts(mergeShapes(shapes), data)).toBe(false);
      }),
      { numRuns: runs(1000) },
    );
  });
});
