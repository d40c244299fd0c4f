import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enough, runs } from '../../../../../test/runs.js';
import { checkDraft } from './check-draft.js';
import { chooseOption, initialDraft, nextId, toDraft, toValue } from './draft.js';
import type { Draft } from './draft.js';
import { itemField } from './field.js';
import type { Field, UnionField } from './field.js';
import { isSame } from './json.js';
import type { Json, JsonObject } from './json.js';
import { readSchema } from './read-schema.js';

const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false });
addFormats.default(ajv);

const name = fc.constantFrom('a', 'b', 'c', 'name', 'd');
const text = fc.record(
  {
    type: fc.constant('string'),
    minLength: fc.integer({ min: 0, max: 3 }),
    maxLength: fc.integer({ min: 2, max: 6 }),
    format: fc.constantFrom('date', 'email', 'uuid', 'date-time', 'time', 'nonsense'),
  },
  { requiredKeys: ['type'] },
);
const number = fc.record(
  {
    type: fc.constantFrom('number', 'integer'),
    minimum: fc.integer({ min: -5, max: 5 }),
    maximum: fc.integer({ min: 0, max: 50 }),
    exclusiveMaximum: fc.integer({ min: 0, max: 50 }),
    multipleOf: fc.constantFrom(1, 2, 5),
  },
  { requiredKeys: ['type'] },
);
const leaf = fc.oneof(
  text,
  number,
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: 'null' }),
  fc.constant({ enum: ['x', 'y', 3, null] }),
  fc.constant({ type: ['string', 'null'] }),
  fc.constant({ type: ['integer', 'boolean'] }),
  fc.constant({ const: 7 }),
  fc.constant({}),
  fc.constant({ type: 'string', contentEncoding: 'base64' }),
  fc.constant({ $ref: '#/$defs/tree' }),
  fc.constant({ allOf: [{ type: 'integer', minimum: 2 }, { maximum: 9 }] }),
);

const { schema } = fc.letrec((tie) => {
  const inner = tie('schema') as fc.Arbitrary<JsonObject>;
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc
        .record({
          properties: fc.dictionary(name, inner, { maxKeys: 3 }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: fc.oneof(fc.boolean(), inner),
        })
        .map((rest) => ({ type: 'object', ...rest })),
      fc
        .record(
          {
            items: inner,
            minItems: fc.constantFrom(0, 1),
            maxItems: fc.constantFrom(2, 3),
            uniqueItems: fc.boolean(),
          },
          { requiredKeys: ['items'] },
        )
        .map((rest) => ({ type: 'array', ...rest })),
      fc
        .record({ prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }), items: fc.boolean() })
        .map((rest) => ({ type: 'array', minItems: 1, ...rest })),
      fc.array(inner, { minLength: 2, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    ),
  };
});
const document = (schema as fc.Arbitrary<JsonObject>).map((root) => ({
  $defs: {
    tree: {
      type: 'object',
      properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
      required: ['label'],
      additionalProperties: false,
    },
  },
  ...root,
}));

const typed = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom(
    '',
    '1',
    '-4',
    '10',
    '2.5',
    '12a',
    '1e3',
    'ada@example.com',
    '2026-02-30',
    '2026-03-01',
    '12:00:00Z',
  ),
  fc.constantFrom('2026-03-01T12:00:00Z', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', '😀😀😀'),
);

/** Fills in a field like a person who does anything that its control offers. */
function draftOf(field: Field, depth = 0): fc.Arbitrary<Draft> {
  const unset = fc.constant<Draft>(undefined);
  const none = field.isNullable ? [fc.constant<Draft>({ value: null })] : [];
  if (depth > 4) return unset;
  const filled = (): fc.Arbitrary<Draft> => {
    switch (field.kind) {
      case 'text':
      case 'number':
        return typed.map((each) => ({ text: each }));
      case 'boolean':
        return fc.boolean().map((value) => ({ value }));
      case 'file':
        return fc.constantFrom('', 'aGk=').map((value) => ({ value }));
      case 'const':
        return fc.constant({ value: field.value });
      case 'choice':
        return fc.constantFrom(...field.options.map(({ value }) => ({ value })));
      case 'object':
        return fc
          .tuple(
            fc.tuple(...field.properties.map((property) => draftOf(property.field(), depth + 1))),
            fc.array(
              fc.tuple(
                name,
                field.additional === false
                  ? fc.constant<Draft>({ raw: '1' })
                  : draftOf(field.additional(), depth + 1),
              ),
              { maxLength: 1 },
            ),
          )
          .map(([drafts, extra]) => ({
            fields: Object.fromEntries(
              field.properties.map((property, index) => [property.name, drafts[index]]),
            ),
            extra: extra.map(([key, draft]) => ({ id: nextId(), key, draft })),
          }));
      case 'array':
        return fc
          .tuple(...[0, 1, 2].map((index) => draftOf(itemField(field, index)?.() ?? field, depth + 1)))
          .chain((drafts) =>
            fc
              .nat(3)
              .map((count) => ({ items: drafts.slice(0, count).map((draft) => ({ id: nextId(), draft })) })),
          );
      case 'union':
        return fc
          .nat(field.options.length - 1)
          .chain((option) =>
            draftOf(field.options[option]!.field(), depth + 1).map((draft) => ({ option, draft })),
          );
      case 'raw':
        return fc.constantFrom('1', '{"a":1}', '', 'no', 'null').map((raw) => ({ raw }));
    }
  };
  return fc.oneof({ weight: 5, arbitrary: filled() }, unset, ...none);
}

describe('the form of a schema', () => {
  it('sends only values that fit the schema, if it reports no problem', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        document.chain((root) => {
          const field = readSchema(root);
          return fc.tuple(fc.constant(root), fc.constant(field), draftOf(field));
        }),
        ([root, field, draft]) => {
          if (checkDraft(field, draft).length > 0) return;
          if (field.kind === 'raw' && !field.isAnything) return;
          accepted++;
          const value = toValue(field, draft);
          expect(ajv.validate(root, value), `${JSON.stringify(root)} ${JSON.stringify(value)}`).toBe(true);
        },
      ),
      { numRuns: runs(20_000) },
    );
    expect(accepted).toBeGreaterThan(enough(2_000));
  });

  it('shows every JSON value, and sends it back unchanged', () => {
    const fitting = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom('x', 7, null, [], {}, { a: 1 }, ['a', 'b']),
    );
    fc.assert(
      fc.property(document, fitting, (root, value) => {
        const field = readSchema(root);
        const sent = toValue(field, toDraft(field, value as Json));
        expect(isSame(sent, JSON.parse(JSON.stringify(value))), JSON.stringify(sent)).toBe(true);
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('reports no problem for a value that it sent itself', () => {
    fc.assert(
      fc.property(
        document.chain((root) => {
          const field = readSchema(root);
          return fc.tuple(fc.constant(field), draftOf(field));
        }),
        ([field, draft]) => {
          if (checkDraft(field, draft).length > 0) return;
          expect(checkDraft(field, toDraft(field, toValue(field, draft)))).toEqual([]);
        },
      ),
      { numRuns: runs(5_000) },
    );
  });
});

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
