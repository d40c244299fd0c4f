import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '@toolfold/schema';
import { mergeShapes, uniteShapes } from './shapes.js';

describe('shapes of one field', () => {
  it('that are equal are merged, in any order of their keywords', () => {
    const shapes = [
      { type: 'string', maxLength: 5 },
      { maxLength: 5, type: 'string' },
    ];
    expect(uniteShapes(shapes)).toEqual([{ type: 'string', maxLength: 5 }]);
    expect(mergeShapes(shapes)).toEqual({ type: 'string', maxLength: 5 });
  });

  it('keep the annotations that all of them have, and the header of the first', () => {
    expect(
      mergeShapes([
        {
          type: 'string',
          title: 'A',
          description: 'First',
          default: 'x',
          examples: ['x'],
          'x-mcp-header': 'X',
        },
        {
          type: 'string',
          title: 'A',
          description: 'Second',
          default: 'y',
          examples: ['x'],
          deprecated: true,
        },
      ]),
    ).toEqual({ type: 'string', title: 'A', description: 'First', examples: ['x'], 'x-mcp-header': 'X' });
    expect(mergeShapes([{ type: 'string', default: 'x' }, { type: 'string' }])).toEqual({ type: 'string' });
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

  it('widen from integer to number, within the wider limits', () => {
    const integer = { type: 'integer', minimum: 0, maximum: 10 };
    const number = { type: 'number', minimum: 0, maximum: 99 };
    expect(mergeShapes([integer, number])).toEqual({ type: 'number', minimum: 0, maximum: 99 });
    expect(mergeShapes([number, integer])).toEqual({ type: 'number', minimum: 0, maximum: 99 });
    expect(mergeShapes([{ ...integer, description: 'How many' }, { type: 'number' }])).toEqual({
      type: 'number',
      description: 'How many',
    });
  });

  it('widen to a number, in any order', () => {
    const narrow = { type: 'integer', minimum: 0, maximum: 10 };
    const wide = { type: 'integer', minimum: 0 };
    const number = { type: 'number', minimum: 0, maximum: 99 };
    for (const shapes of [
      [narrow, wide, number],
      [narrow, number, wide],
      [number, narrow, wide],
    ]) {
      expect(uniteShapes(shapes)).toEqual([{ type: 'number', minimum: 0 }]);
      expect(uniteShapes([...shapes, { type: 'number', maximum: 5 }])).toEqual([{ type: 'number' }]);
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

  it('may be thousands: enums become one list, and different limits the widest', () => {
    const indexes = Array.from({ length: 5000 }, (_, index) => index);
    const choices = indexes.map((index) => ({ type: 'string', enum: ['all', `kind_${index}`] }));
    const limits = indexes.map((maximum) => ({ type: 'number', maximum, description: `${maximum}` }));
    expect(mergeShapes(choices)).toEqual({
      type: 'string',
      enum: ['all', ...indexes.map((index) => `kind_${index}`)],
    });
    expect(mergeShapes([...limits, ...limits])).toEqual({
      description: '0',
      type: 'number',
      maximum: 4999,
    });
    const objects = indexes.slice(0, 1000).map((index) => ({
      type: 'object',
      properties: { [`field_${index}`]: { type: 'string' } },
    }));
    expect(uniteShapes(objects)).toHaveLength(1000);
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

  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  const person = (fields: Record<string, JsonSchema>, more: Record<string, unknown> = {}) => ({
    type: 'object',
    properties: fields,
    ...more,
  });
  const closed = { additionalProperties: false };

  it.each<[string, JsonSchema, JsonSchema, JsonSchema]>([
    ['a pattern', text, { ...text, pattern: '^a' }, text],
    [
      'a format',
      { ...text, format: 'date' },
      { ...text, format: 'date', minLength: 1 },
      { ...text, format: 'date' },
    ],
    [
      'lengths',
      { ...text, minLength: 1, maxLength: 5 },
      { ...text, minLength: 0, maxLength: 9 },
      { ...text, minLength: 0, maxLength: 9 },
    ],
    ['a limit that one has', text, { ...text, maxLength: 5 }, text],
    ['choices and free text', text, { ...text, enum: ['a'] }, text],
    ['a constant without type and free text', { const: 'a' }, text, text],
    ['choices under a rule', { enum: ['a'] }, { enum: ['b'], pattern: '^b' }, { enum: ['a', 'b'] }],
    [
      'an integer in a list of types',
      { type: ['integer', 'null'] },
      { type: ['number', 'null'] },
      { type: ['number', 'null'] },
    ],
    ['null', { ...text, maxLength: 5 }, { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'alternatives',
      { anyOf: [text, { type: 'null' }] },
      { ...text, pattern: '^a' },
      { anyOf: [text, { type: 'null' }] },
    ],
    [
      'null, with explained branches of nested fields',
      person({ a: { anyOf: [{ ...text, maxLength: 5, description: 'Who' }, { type: 'null' }] } }),
      person({ a: { ...text, description: 'Who' } }),
      person({ a: { description: 'Who', anyOf: [text, { type: 'null' }] } }),
    ],
    [
      'exclusive limits',
      { type: 'number', minimum: 1 },
      { type: 'number', exclusiveMinimum: 1 },
      { type: 'number', minimum: 1 },
    ],
    [
      'limits of both kinds',
      { type: 'number', minimum: 1, exclusiveMaximum: 5 },
      { type: 'number', exclusiveMinimum: 0, maximum: 4 },
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 5 },
    ],
    [
      'items',
      { type: 'array', items: text, maxItems: 2 },
      { type: 'array', items: { ...text, pattern: 'a' }, maxItems: 5 },
      { type: 'array', items: text, maxItems: 5 },
    ],
    [
      'items of other types',
      { type: 'array', items: text },
      { type: 'array', items: flag },
      { type: 'array', items: { anyOf: [text, flag] } },
    ],
    [
      'items that one has',
      { type: 'array', items: text, uniqueItems: true },
      { type: 'array', uniqueItems: true },
      { type: 'array', uniqueItems: true },
    ],
    [
      'required fields',
      person({ a: text, b: flag }, { required: ['a', 'b'] }),
      person({ a: text, b: flag }, { required: ['b'] }),
      person({ a: text, b: flag }, { required: ['b'] }),
    ],
    [
      'fields of closed objects',
      person({ a: text, b: flag }, closed),
      person({ a: { ...text, pattern: 'a' }, c: flag }, closed),
      person({ a: text, b: flag, c: flag }, closed),
    ],
    [
      'fields of a closed and an open object',
      person({ a: text }, closed),
      person({ a: text, b: flag }),
      person({ a: text, b: flag }),
    ],
    [
      'the rule for other fields',
      person({ a: text }, closed),
      person({ a: text }, { additionalProperties: flag }),
      person({ a: text }, { additionalProperties: flag }),
    ],
    [
      'descriptions of nested fields',
      person({ a: { ...text, description: 'Who' } }),
      person({ a: { ...text, description: 'Whom' } }),
      person({ a: { ...text, description: 'Who / Whom' } }),
    ],
  ])('of one type become the wider one if they differ in %s', (_what, left, right, wide) => {
    expect(mergeShapes([left, right])).toEqual(wide);
  });

  it.each<[string, JsonSchema, JsonSchema]>([
    ['choices of other types', { type: 'string', enum: ['a'] }, { type: 'number', enum: [1] }],
    ['types', text, { type: 'number' }],
    ['references', { $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
    ['fields that an open object does not declare', person({ a: text }), person({ b: flag })],
    ['tuples', { type: 'array', prefixItems: [text] }, { type: 'array', prefixItems: [flag] }],
    ['compositions', { ...text, allOf: [{ pattern: 'a' }] }, text],
    ['whether there is any rule', text, {}],
  ])('are alternatives if they differ in %s', (_what, left, right) => {
    expect(mergeShapes([left, right])).toEqual({ anyOf: [left, right] });
  });

  it('may be true or false', () => {
    expect(mergeShapes([true])).toEqual({});
    expect(mergeShapes([false])).toEqual({ not: {} });
    expect(mergeShapes([true, true])).toEqual({});
    expect(mergeShapes([{ type: 'string' }, false])).toEqual({ type: 'string' });
  });
});
