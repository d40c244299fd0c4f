import { describe, expect, it } from 'vitest';
import { checkDraft } from './check-draft.js';
import { chooseOption, initialDraft, toDraft, toValue } from './draft.js';
import type { Draft } from './draft.js';
import type { Field, UnionField } from './field.js';
import type { Json, JsonObject } from './json.js';
import { readSchema } from './read-schema.js';

const fieldOf = (given: JsonObject, key = 'f'): Field => {
  const root = readSchema({ type: 'object', properties: { [key]: given } });
  return root.kind === 'object' ? root.properties[0]!.field() : root;
};

describe('a field', () => {
  it.each<[string, JsonObject, object]>([
    ['text of one line', { type: 'string' }, { kind: 'text', isMultiline: false }],
    ['text of several lines if it may be long', { type: 'string', maxLength: 5_000 }, { isMultiline: true }],
    ['a secret', { type: 'string', format: 'password' }, { isSecret: true }],
    [
      'a file of base64',
      { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
      { kind: 'file' },
    ],
    ['a file by format', { type: 'string', format: 'byte' }, { kind: 'file' }],
    [
      'a number that may be null',
      { type: ['integer', 'null'] },
      { kind: 'number', isInteger: true, isNullable: true },
    ],
    [
      'a schema that may be null',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { kind: 'text', isNullable: true },
    ],
    ['a choice', { enum: ['a', 2] }, { kind: 'choice' }],
    [
      'a choice with titles, as elicitation writes it',
      {
        type: 'string',
        oneOf: [
          { const: 'r', title: 'Red' },
          { const: 'g', title: 'Green' },
        ],
      },
      {
        kind: 'choice',
        options: [
          { value: 'r', label: 'Red' },
          { value: 'g', label: 'Green' },
        ],
      },
    ],
    ['an object by its properties', { properties: { a: {} } }, { kind: 'object' }],
    ['anything', {}, { kind: 'raw', isAnything: true }],
    [
      'JSON for a missing reference',
      { $ref: '#/$defs/none' },
      { kind: 'raw', reason: 'The schema has no #/$defs/none.' },
    ],
    ['JSON for a circle of references', { $ref: '#/properties/f' }, { kind: 'raw' }],
    [
      'rules that only the server checks',
      { type: 'string', pattern: '(a+)+$' },
      { unchecked: ['the pattern'] },
    ],
    [
      'joined rules',
      {
        allOf: [
          { type: 'number', minimum: 1 },
          { type: 'integer', minimum: 3 },
        ],
      },
      { isInteger: true, minimum: 3 },
    ],
  ])('shows %s', (_, given, expected) => {
    expect(fieldOf(given)).toMatchObject(expected);
  });

  it('distinguishes a text that is unset from an empty one', () => {
    const field = readSchema({ type: 'object', properties: { a: { type: 'string' } } });
    expect(toValue(field, { fields: {}, extra: [] })).toEqual({});
    expect(toValue(field, { fields: { a: { text: '' } }, extra: [] })).toEqual({ a: '' });
  });

  it('starts with constants and required objects, but with no guessed values', () => {
    const field = readSchema({
      type: 'object',
      required: ['kind', 'place', 'name', 'tags'],
      properties: {
        kind: { const: 'x' },
        place: { type: 'object', required: ['street'], properties: { street: { type: 'string' } } },
        name: { type: 'string', default: 'Ada' },
        tags: { type: 'array', items: { type: 'string' } },
        note: { type: 'string' },
      },
    });
    const draft = initialDraft(field);
    expect(toValue(field, draft)).toEqual({ kind: 'x', place: {}, tags: [] });
    expect(checkDraft(field, draft)).toEqual([
      { path: ['place', 'street'], message: 'is required' },
      { path: ['name'], message: 'is required' },
    ]);
  });

  it('keeps the values that fit when another alternative is chosen', () => {
    const alternative = (kind: string, more: JsonObject): JsonObject => ({
      type: 'object',
      required: ['kind', 'name'],
      properties: { kind: { const: kind }, name: { type: 'string' }, ...more },
      additionalProperties: false,
    });
    const field = fieldOf({
      oneOf: [
        alternative('circle', { radius: { type: 'number' } }),
        alternative('square', { side: { type: 'number' } }),
      ],
    }) as UnionField;
    expect(field.options.map(({ label }) => label)).toEqual(['kind: circle', 'kind: square']);
    const circle = toDraft(field, { kind: 'circle', name: 'Ada', radius: 2 });
    expect(circle).toMatchObject({ option: 0 });
    expect(toValue(field, chooseOption(field, circle, 1))).toEqual({ kind: 'square', name: 'Ada' });
  });

  it('reads a hostile schema without running its pattern or looping', () => {
    const deep = Array.from({ length: 5_000 }).reduce<JsonObject>((inner) => ({ allOf: [inner] }), {
      type: 'string',
    });
    expect(fieldOf(deep)).toMatchObject({ kind: 'raw' });
  });
});

describe('a schema that is too large for a form', () => {
  it('is entered as JSON, so that the browser does not freeze', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `f${at}`);
    expect(readSchema({ type: 'string', enum: many })).toMatchObject({
      kind: 'raw',
      reason: 'The schema has 5,000 values, which are too many for a form.',
    });
    const properties = Object.fromEntries(many.map((key) => [key, { type: 'string' }]));
    const field = readSchema({ type: 'object', properties });
    expect(field).toMatchObject({ kind: 'raw', reason: expect.stringContaining('5,000 fields') as unknown });
    expect(toValue(field, toDraft(field, { f1: 'x' }))).toEqual({ f1: 'x' });
  });
});

describe('a schema that contains itself', () => {
  const countParts = (draft: Draft): number =>
    draft !== undefined && 'fields' in draft
      ? Object.values(draft.fields).reduce((sum, each) => sum + countParts(each), 1)
      : 1;

  it('is filled in up to a number of parts, which its fields share equally', () => {
    const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
    const properties = Object.fromEntries(names.map((each) => [each, { $ref: '#' }]));
    const draft = initialDraft(readSchema({ type: 'object', properties, required: names }));
    expect(countParts(draft)).toBeLessThan(600);
    const fields = draft !== undefined && 'fields' in draft ? Object.values(draft.fields) : [];
    expect(fields.filter((each) => each !== undefined)).toHaveLength(20);
  });

  it('is filled in down to the same depth as before if it is small', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#' }, b: { const: 1 } },
      required: ['a', 'b'],
    };
    expect(JSON.stringify(initialDraft(readSchema(schema))).match(/"value":1/g)).toHaveLength(7);
  });

  const alternative = (k: number) => ({
    type: 'object',
    properties: { k: { const: k }, n: { $ref: '#/$defs/u' } },
    required: ['k'],
  });
  const $defs = { u: { anyOf: [alternative(1), alternative(2), alternative(3)] } };
  const field = readSchema({ type: 'object', properties: { v: { $ref: '#/$defs/u' } }, $defs });
  const nest = (depth: number, k: number, last: Json): Json =>
    Array.from({ length: depth }).reduce<Json>((n) => ({ k, n }), last);

  it('chooses the alternatives of deep values by their constants, in little time', () => {
    for (const last of [{ k: 3 }, { k: 9 }]) {
      const value = { v: nest(30, 3, last) };
      const started = performance.now();
      const draft = toDraft(field, value);
      expect(performance.now() - started).toBeLessThan(1_000);
      expect(JSON.stringify(draft).match(/"option":2/g)?.length).toBeGreaterThanOrEqual(30);
      expect(toValue(field, draft)).toEqual(value);
    }
  });

  it('shows a deep value that fits no alternative, in little time', () => {
    const value = { v: nest(30, 9, { k: 9 }) };
    const started = performance.now();
    expect(toValue(field, toDraft(field, value))).toEqual(value);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
