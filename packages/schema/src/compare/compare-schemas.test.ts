import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { loadLinearPatterns } from '../patterns/patterns.js';
import { compareSchemas } from './compare-schemas.js';

beforeAll(() => loadLinearPatterns());

/** The relation in one word. */
function relate(before: unknown, after: unknown): string {
  const { keeps, addsNothing } = compareSchemas(before, after);
  if (keeps.holds === undefined || addsNothing.holds === undefined) return 'undecided';
  if (keeps.holds) return addsNothing.holds ? 'same' : 'widened';
  return addsNothing.holds ? 'narrowed' : 'both';
}

const object = (properties: Record<string, JsonSchema>, more: object = {}): JsonSchemaObject => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});
const field = (schema: JsonSchema): JsonSchemaObject => object({ f: schema });

type Case = readonly [what: string, before: unknown, after: unknown, witness?: unknown];

describe('the comparison of two versions of a schema', () => {
  const narrowed: readonly Case[] = [
    ['a required field', object({ a: {} }), object({ a: {} }, { required: ['a'] }), {}],
    ['a removed field', object({ a: {}, b: {} }), object({ a: {} })],
    ['a removed choice', field({ enum: ['x', 'y', 'z'] }), field({ enum: ['z', 'x'] }), { f: 'y' }],
    [
      'a lower maximum',
      field({ type: 'integer', maximum: 500 }),
      field({ type: 'integer', maximum: 100 }),
      { f: 101 },
    ],
    ['a higher minimum', field({ type: 'number' }), field({ type: 'number', minimum: 1 }), { f: 0 }],
    ['whole numbers only', field({ type: 'number' }), field({ type: 'integer' }), { f: 0.5 }],
    ['a shorter text', field({ type: 'string' }), field({ type: 'string', maxLength: 2 })],
    ['a longer text', field({ type: 'string' }), field({ type: 'string', minLength: 1 }), { f: '' }],
    ['a pattern', field({ type: 'string' }), field({ type: 'string', pattern: '^[a-z]+$' }), { f: '' }],
    ['a format', field({ type: 'string' }), field({ type: 'string', format: 'date' }), { f: '' }],
    ['one type less', field({ type: ['string', 'null'] }), field({ type: 'string' }), { f: null }],
    ['fewer items', field({ type: 'array' }), field({ type: 'array', maxItems: 3 })],
    ['different items', field({ type: 'array' }), field({ type: 'array', uniqueItems: true })],
    ['a type of items', field({ type: 'array' }), field({ type: 'array', items: { type: 'string' } })],
    ['a multiple', field({ type: 'number' }), field({ type: 'number', multipleOf: 0.01 })],
    [
      'a nested field',
      field(object({ a: object({ b: { type: 'string' } }) })),
      field(object({ a: object({ b: { type: 'string' } }, { required: ['b'] }) })),
      { f: { a: {} } },
    ],
    ['a closed object', object({ a: {} }, { additionalProperties: undefined }), object({ a: {} })],
    ['a dependency', object({ a: {}, b: {} }), object({ a: {}, b: {} }, { dependentRequired: { a: ['b'] } })],
    [
      'fewer alternatives',
      field({ anyOf: [{ type: 'string' }, object({ x: { type: 'number' } })] }),
      field({ type: 'string' }),
      { f: {} },
    ],
    [
      'a condition',
      object({ k: { enum: ['x', 'y'] }, v: {} }),
      object(
        { k: { enum: ['x', 'y'] }, v: {} },
        { if: { properties: { k: { const: 'x' } }, required: ['k'] }, then: { required: ['v'] } },
      ),
      { k: 'x' },
    ],
    [
      'more names',
      field({ type: 'object' }),
      field({ type: 'object', propertyNames: { pattern: '^[a-z]+$' } }),
    ],
    [
      'an excluded value',
      field({ type: 'integer' }),
      field({ type: 'integer', not: { const: 7 } }),
      { f: 7 },
    ],
    [
      'an alternative less among objects',
      field({
        oneOf: [
          object({ t: { const: 'x' } }, { required: ['t'] }),
          object({ t: { const: 'y' } }, { required: ['t'] }),
        ],
      }),
      field({ oneOf: [object({ t: { const: 'x' } }, { required: ['t'] })] }),
      { f: { t: 'y' } },
    ],
    [
      'a field named __proto__',
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'),
      {},
    ],
    [
      'a field inside a recursive schema',
      {
        $ref: '#/$defs/t',
        $defs: {
          t: {
            type: 'object',
            properties: { n: { type: 'string' }, k: { type: 'array', items: { $ref: '#/$defs/t' } } },
          },
        },
      },
      {
        $ref: '#/$defs/t',
        $defs: {
          t: {
            type: 'object',
            properties: {
              n: { type: 'string' },
              k: { type: 'array', items: { $ref: '#/$defs/t' }, maxItems: 1 },
            },
          },
        },
      },
    ],
  ];

  it.each(narrowed)('finds %s narrower, and the reverse wider', (_, before, after, witness) => {
    const { keeps } = compareSchemas(before, after);
    expect(keeps.holds).toBe(false);
    if (witness !== undefined) expect(keeps).toMatchObject({ witness });
    expect(relate(before, after)).toBe('narrowed');
    expect(relate(after, before)).toBe('widened');
  });

  const same: readonly Case[] = [
    [
      'the order of keys',
      { type: 'object', properties: { a: {}, b: {} } },
      { properties: { b: {}, a: {} }, type: 'object' },
    ],
    ['the order of choices', field({ enum: ['x', 'y'] }), field({ enum: ['y', 'x'] })],
    [
      'titles, descriptions and defaults',
      field({ type: 'string' }),
      field({ type: 'string', title: 'T', description: 'd', default: 'x', examples: ['y'] }),
    ],
    [
      'a reference instead of a copy',
      field({ type: 'string', maxLength: 3 }),
      { ...field({ $ref: '#/$defs/s' }), $defs: { s: { type: 'string', maxLength: 3 } } },
    ],
    [
      'a reference inside of `not`',
      field({ not: { type: 'string' } }),
      { ...field({ not: { $ref: '#/$defs/s' } }), $defs: { s: { type: 'string' } } },
    ],
    [
      'a reference beside other keywords',
      field({ type: 'string', maxLength: 3 }),
      { ...field({ $ref: '#/$defs/s', maxLength: 3 }), $defs: { s: { type: 'string' } } },
    ],
    ['const instead of enum', field({ const: 'x' }), field({ enum: ['x'] })],
    [
      'a list of types instead of alternatives',
      field({ type: ['string', 'null'] }),
      field({ anyOf: [{ type: 'null' }, { type: 'string' }] }),
    ],
    [
      'an exclusive limit of whole numbers',
      field({ type: 'integer', exclusiveMinimum: 0 }),
      field({ type: 'integer', minimum: 1 }),
    ],
    [
      'keywords without effect',
      field({ type: 'string' }),
      field({ type: 'string', minLength: 0, format: 'x-unknown' }),
    ],
    [
      'draft-07',
      field({ type: 'array', prefixItems: [{ type: 'string' }], items: false }),
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        ...field({ type: 'array', items: [{ type: 'string' }], additionalItems: false }),
      },
    ],
    [
      'the order of alternatives',
      field({ oneOf: [{ minLength: 3 }, { maxLength: 1 }] }),
      field({ oneOf: [{ maxLength: 1 }, { minLength: 3 }] }),
    ],
    [
      'the name of a recursive definition',
      { $ref: '#/$defs/t', $defs: { t: { type: 'object', properties: { k: { $ref: '#/$defs/t' } } } } },
      {
        $ref: '#/$defs/node',
        $defs: { node: { properties: { k: { $ref: '#/$defs/node' } }, type: 'object' } },
      },
    ],
  ];

  it.each(same)('ignores %s', (_, before, after) => {
    expect(relate(before, after)).toBe('same');
    expect(relate(after, before)).toBe('same');
  });

  it('proves that an added alternative of a discriminated union widens it', () => {
    const one = (name: string): JsonSchemaObject =>
      object({ t: { const: name }, v: { type: 'string' } }, { required: ['t'] });
    expect(
      relate(field({ oneOf: [one('x'), one('y')] }), field({ oneOf: [one('z'), one('y'), one('x')] })),
    ).toBe('widened');
  });

  it('does not take one of several matching alternatives for a proof', () => {
    const overlapping = field({ oneOf: [{ type: 'string' }, { type: ['string', 'number'] }] });
    expect(compareSchemas(field({ type: 'string' }), overlapping).keeps).toMatchObject({ holds: false });
    expect(compareSchemas(field({ type: 'number' }), overlapping).keeps).toEqual({ holds: true });
  });

  it('shows a text that another pattern rejects, even if it cannot prove anything about the reverse', () => {
    const [before, after] = [field({ pattern: '^[a-z]{3}$' }), field({ pattern: '^[b-z]{3}$' })];
    const { keeps, addsNothing } = compareSchemas(before, after);
    expect(keeps).toMatchObject({ holds: false, witness: { f: 'aaa' } });
    expect(addsNothing.holds).toBeUndefined();
  });

  it('reports both directions with a witness each', () => {
    const { keeps, addsNothing } = compareSchemas(field({ enum: ['x', 'y'] }), field({ enum: ['y', 'z'] }));
    expect(keeps).toMatchObject({ holds: false, witness: { f: 'x' } });
    expect(addsNothing).toMatchObject({ holds: false, witness: { f: 'z' } });
  });

  it('tells calls with undeclared fields from others', () => {
    const open = { type: 'object', properties: { a: { type: 'string' } } };
    const added = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } };
    expect(compareSchemas(open, added).keeps).toMatchObject({ holds: false, isUndeclaredOnly: true });
    expect(compareSchemas(open, { ...open, additionalProperties: false }).keeps).toMatchObject({
      isUndeclaredOnly: true,
    });
    expect(compareSchemas({ type: 'object' }, added).keeps).toMatchObject({ isUndeclaredOnly: true });
    const required = { ...added, required: ['a'] };
    expect(compareSchemas(open, required).keeps).toMatchObject({ holds: false, isUndeclaredOnly: false });
    const anything = { type: 'object', properties: { a: {} } };
    expect(compareSchemas(anything, open).keeps).toMatchObject({ holds: false, isUndeclaredOnly: false });
    const loose = { ...open, additionalProperties: true };
    expect(compareSchemas(loose, added).keeps).toMatchObject({ holds: false, isUndeclaredOnly: false });
  });

  it.each<Case>([
    [
      'a pattern that cannot be matched in linear time',
      field({ type: 'string' }),
      field({ pattern: String.raw`^(a)\1$` }),
    ],
    ['a schema that is not valid', field({ type: 'string' }), field({ type: 'text' })],
    ['a reference to another document', field({}), field({ $ref: 'https://example.com/schema' })],
    [
      'patterns whose difference is not found',
      field({ pattern: '^(a|b)*c{40}d$' }),
      field({ pattern: '^(b|a)*c{40}d$' }),
    ],
  ])('admits that it cannot decide about %s', (_, before, after) => {
    expect(relate(before, after)).toBe('undecided');
  });

  it('gives up on schemas that take too long', () => {
    const wide = (depth: number): JsonSchemaObject =>
      depth === 0
        ? { type: 'string' }
        : { anyOf: [object({ a: wide(depth - 1) }), object({ b: wide(depth - 1) })] };
    const given = {
      allOf: Array.from({ length: 20 }, (_, index) => ({
        anyOf: [{ required: [`a${index}`] }, { required: [`b${index}`] }],
      })),
    };
    expect(
      compareSchemas(field(given), field({ allOf: [given, wide(8)] }), { maxMs: 200 }).keeps.holds,
    ).not.toBe(true);
  });

  it('survives definitions that would double with every level', () => {
    const levels = Array.from({ length: 60 }, (_, index) => [
      `l${index}`,
      {
        type: 'object',
        properties: { a: { $ref: `#/$defs/l${index + 1}` }, b: { $ref: `#/$defs/l${index + 1}` } },
      },
    ]);
    const schema = (last: JsonSchema): JsonSchemaObject => ({
      type: 'object',
      properties: { x: { $ref: '#/$defs/l0' } },
      $defs: { ...Object.fromEntries(levels), l60: last },
    });
    expect(
      compareSchemas(schema({ type: 'string' }), schema({ type: 'number' }), { maxMs: 300 }).keeps.holds,
    ).not.toBe(true);
  });
});

describe('keywords that validators read differently', () => {
  const draft7 = 'http://json-schema.org/draft-07/schema#';
  it.each([
    ['nullable', { type: 'object', properties: { a: { type: 'string', nullable: true } } }],
    [
      'dependencies in 2020-12',
      { type: 'object', properties: { a: { type: 'string' } }, dependencies: { a: ['b'] } },
    ],
    [
      'a keyword beside a draft-07 reference',
      {
        $schema: draft7,
        type: 'object',
        definitions: { q: { type: 'string' } },
        properties: { a: { $ref: '#/definitions/q', minLength: 3 } },
      },
    ],
  ])('leave %s undecided, unless only texts differ', (_, schema) => {
    const { properties, ...rest } = schema;
    const other = { ...rest, properties: { ...properties, c: { type: 'string' } } };
    expect(compareSchemas(schema, other).keeps.holds).toBeUndefined();
    expect(compareSchemas(schema, { ...schema, description: 'Other words' }).keeps.holds).toBe(true);
  });

  it('compares texts beside a draft-07 reference, and fields that have the names of such keywords', () => {
    const schema = {
      $schema: draft7,
      type: 'object',
      definitions: { q: { type: 'string' } },
      properties: {
        nullable: { $ref: '#/definitions/q', description: 'D' },
        dependencies: { type: 'array', items: { type: 'string' } },
      },
    };
    expect(compareSchemas(schema, { ...schema, required: ['nullable'] }).keeps.holds).toBe(false);
  });
});
