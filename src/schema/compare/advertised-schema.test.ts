import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ErrInvalidSchema } from '../../errors.js';
import { DefaultValidator } from '../validate/default-validator.js';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { readSchema } from '../read/read-schema.js';
import type { SchemaSource } from '../read/read-schema.js';
import { assertAccepts } from './schema-comparison.js';
import { createInputValidator } from '../validate/input-validator.js';
import { enough, runs } from '../../../test/runs.js';

const object = (properties: Record<string, JsonSchema>, more: object = {}): JsonSchemaObject => ({
  type: 'object',
  properties,
  ...more,
});
const text = { type: 'string' };
const number = { type: 'number' };

function compare(input: SchemaSource, advertised: JsonSchemaObject): void {
  assertAccepts(readSchema(advertised), readSchema(input), 'Tool "a"');
}

type Case = readonly [what: string, input: SchemaSource, advertised: JsonSchemaObject];

const tree = {
  type: 'object',
  properties: { node: { $ref: '#/$defs/node' } },
  $defs: {
    node: object({ name: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
  },
};

describe('an advertised schema', () => {
  const narrower: readonly Case[] = [
    [
      'says more beside a reference',
      z.object({ a: z.string() }),
      object({ a: { $ref: '#/$defs/a', maxLength: 3 } }, { $defs: { a: text } }),
    ],
    [
      'says more beside a reference at its root',
      z.object({ a: z.string().optional() }),
      { type: 'object', $ref: '#/$defs/a', required: ['a'], $defs: { a: object({ a: text }) } },
    ],
    [
      'says more beside a choice',
      z.object({ a: z.string() }),
      object({ a: { anyOf: [text, number], maxLength: 3 } }),
    ],
    [
      'has alternatives that exclude each other',
      z.object({ a: z.string() }),
      object({ a: { oneOf: [text, { type: ['string', 'number'] }] } }),
    ],
    [
      'closes an object inside',
      z.object({ a: z.object({ b: z.string() }) }),
      object({ a: object({ b: text }, { required: ['b'], additionalProperties: false }) }),
    ],
    [
      'closes an object in a list',
      z.object({ a: z.array(z.object({ b: z.string() })) }),
      object({ a: { type: 'array', items: object({ b: text }, { additionalProperties: false }) } }),
    ],
    ['types further fields', z.looseObject({}), object({}, { additionalProperties: text })],
    ['types a field that is only a further one', z.looseObject({}), object({ a: text })],
    [
      'types a field inside that is only a further one',
      z.object({ a: z.object({}) }),
      object({ a: object({ b: text }) }),
    ],
    [
      'has other values in a record',
      z.object({ a: z.record(z.string(), z.string()) }),
      object({ a: { type: 'object', additionalProperties: number } }),
    ],
    [
      'types one field of a record otherwise',
      z.object({ a: z.record(z.string(), z.string()) }),
      object({ a: object({ b: number }) }),
    ],
    [
      'has other values in a record at its root',
      z.record(z.string(), z.string()),
      { type: 'object', additionalProperties: number },
    ],
    [
      'wants names of a kind',
      z.object({ a: z.record(z.string(), z.string()) }),
      object({ a: { type: 'object', propertyNames: { maxLength: 3 } } }),
    ],
    [
      'has patterns for names',
      z.object({ a: z.record(z.string(), z.string()) }),
      object({ a: { type: 'object', patternProperties: { '^x': number } } }),
    ],
    [
      'has a pattern for a declared name',
      z.strictObject({ xa: z.string() }),
      { type: 'object', patternProperties: { '^x': number } },
    ],
    [
      'wants other first items',
      z.object({ a: z.array(z.string()) }),
      object({ a: { type: 'array', prefixItems: [number] } }),
    ],
    [
      'lacks an alternative',
      z.object({ a: z.union([z.string(), z.number(), z.null()]) }),
      object({ a: { anyOf: [text, number] } }),
    ],
    [
      'splits values so that none fits all',
      z.object({ a: z.object({ k: z.string() }) }),
      object({ a: { anyOf: [object({ k: { const: 'x' } }), object({ k: { const: 'y' } })] } }),
    ],
    [
      'has one demand of several that is narrower',
      z.object({ a: z.string() }),
      object({ a: { allOf: [text, { minLength: 1 }] } }),
    ],
    [
      'has a condition',
      z.object({ a: z.string() }),
      object({ a: text }, { if: { required: ['a'] }, then: { required: ['b'] } }),
    ],
    ['has an empty choice', z.object({ a: z.string() }), object({ a: false })],
    [
      'is deeper in what refers to itself',
      tree,
      {
        ...tree,
        $defs: {
          node: object({
            name: { ...text, maxLength: 3 },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          }),
        },
      },
    ],
    [
      'refers to something else under the same name',
      object({ a: { not: { $ref: '#/$defs/a' } } }, { $defs: { a: text } }),
      object({ a: { not: { $ref: '#/$defs/a' } } }, { $defs: { a: number } }),
    ],
    [
      'leaves nothing unevaluated',
      object({ a: object({ b: text }) }),
      object({ a: object({ b: text }, { unevaluatedProperties: false }) }),
    ],
    [
      'has the same words in another dialect',
      object({ a: { dependencies: { x: ['y'] } } }),
      object({ a: { dependencies: { x: ['y'] } } }, { $schema: 'http://json-schema.org/draft-07/schema#' }),
    ],
    [
      'wants at least one field',
      z.object({ a: z.string().optional() }),
      object({ a: text }, { minProperties: 1 }),
    ],
    ['has a higher end below', z.object({ a: z.number().gt(1) }), object({ a: { ...number, minimum: 1.5 } })],
    [
      'has a higher open end below',
      z.object({ a: z.number().gt(1) }),
      object({ a: { ...number, exclusiveMinimum: 1.5 } }),
    ],
    [
      'leaves out the end below',
      z.object({ a: z.number().min(1) }),
      object({ a: { ...number, exclusiveMinimum: 1 } }),
    ],
    ['has a lower end above', z.object({ a: z.number().lt(2) }), object({ a: { ...number, maximum: 1.5 } })],
    [
      'has a lower open end above',
      z.object({ a: z.number().lt(2) }),
      object({ a: { ...number, exclusiveMaximum: 1.5 } }),
    ],
    [
      'leaves out the end above',
      z.object({ a: z.number().max(2) }),
      object({ a: { ...number, exclusiveMaximum: 2 } }),
    ],
    ['wants a format', z.object({ a: z.string() }), object({ a: { ...text, format: 'email' } })],
  ];

  it.each(narrower)('that %s is rejected', (_, input, advertised) => {
    expect(() => compare(input, advertised)).toThrow(ErrInvalidSchema);
    expect(() => compare(input, advertised)).toThrow('allowNarrower');
  });

  const recursive = z.object({
    name: z.string(),
    get children() {
      return z.array(recursive);
    },
  });
  const union = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), n: z.number() }),
    z.object({ kind: z.literal('b'), s: z.string() }),
  ]);
  const same = z.object({
    text: z.string().min(2).max(9).regex(/^x/),
    email: z.email(),
    number: z.number().min(0).multipleOf(2),
    integer: z.int(),
    choice: z.enum(['x', 'y']),
    either: z.union([z.string(), z.number()]).nullable(),
    list: z.array(z.tuple([z.string(), z.number()])).min(1),
    record: z.record(z.string(), z.number()),
    union,
    strict: z.strictObject({ a: z.boolean() }).optional(),
    loose: z.looseObject({ a: z.unknown() }),
    any: z.any(),
    recursive,
  });

  it.each<Case>([
    ['is the same', same, readSchema(same).jsonSchema],
    ['has its keys in another order', same, reorder(readSchema(same).jsonSchema) as JsonSchemaObject],
    ['explains more', same, explain(readSchema(same).jsonSchema) as JsonSchemaObject],
    [
      'refers to itself, and so does the other',
      recursive,
      reorder(explain(readSchema(recursive).jsonSchema)) as JsonSchemaObject,
    ],
    [
      'refers to itself and is wider',
      tree,
      { ...tree, $defs: { node: object({ children: { type: 'array', items: { $ref: '#/$defs/node' } } }) } },
    ],
    [
      'refers to itself in longer steps',
      tree,
      {
        type: 'object',
        properties: { node: { $ref: '#/$defs/a' } },
        $defs: {
          a: object({ children: { type: 'array', items: { $ref: '#/$defs/b' } } }),
          b: object({ name: text, children: { items: { $ref: '#/$defs/a' } } }),
        },
      },
    ],
    [
      'has wider ranges',
      z.object({
        a: z.number().min(2).max(5),
        b: z.number().positive(),
        c: z.array(z.string()).min(2).max(3),
      }),
      object({
        a: { ...number, minimum: 1, exclusiveMaximum: 6 },
        b: { ...number, minimum: 0 },
        c: { type: 'array', minItems: 1, maxItems: 4 },
      }),
    ],
    [
      'drops constraints',
      z.object({ a: z.string().min(2).regex(/^x/), b: z.email() }),
      object({ a: text, b: text }),
    ],
    ['takes numbers for integers', z.object({ a: z.int() }), object({ a: number })],
    ['speaks of texts where there are none', z.object({ a: z.number() }), object({ a: { minLength: 3 } })],
    [
      'refers to what was written in place',
      z.object({ a: z.object({ b: z.string() }) }),
      object({ a: { $ref: '#/$defs/a', description: 'An a' } }, { $defs: { a: object({ b: text }) } }),
    ],
    [
      'writes in place what was referred to',
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: text } }),
      object({ a: text }),
    ],
    [
      'says the same beside a reference',
      z.object({ a: z.string().max(3) }),
      object({ a: { $ref: '#/$defs/a', maxLength: 3 } }, { $defs: { a: text } }),
    ],
    ['closes its root', z.object({ a: z.string() }), object({ a: text }, { additionalProperties: false })],
    [
      'types fields that cannot be sent',
      z.object({ a: z.string() }),
      object({ a: text, b: number }, { additionalProperties: number }),
    ],
    [
      'closes what is closed',
      z.object({ a: z.strictObject({ b: z.string() }) }),
      object({ a: object({ b: text }, { additionalProperties: false }) }),
    ],
    [
      'types a record as it is',
      z.record(z.string(), z.string()),
      object({ a: text }, { additionalProperties: { type: ['string', 'number'] } }),
    ],
    [
      'lists types instead of alternatives',
      z.object({ a: z.union([z.string(), z.number(), z.null()]) }),
      object({ a: { type: ['number', 'string', 'null'] } }),
    ],
    [
      'has alternatives instead of types',
      object({ a: { type: ['string', 'number'] } }),
      object({ a: { anyOf: [text, number] } }),
    ],
    ['lists both truth values', z.object({ a: z.boolean() }), object({ a: { enum: [true, false] } })],
    [
      'has a choice with more alternatives',
      z.object({ a: union }),
      object({
        a: { anyOf: [object({ kind: { const: 'b' }, s: text }), object({ kind: { enum: ['a'] } }), text] },
      }),
    ],
    [
      'has all demands in pieces',
      z.object({ a: z.string().min(2) }),
      object({ a: { allOf: [text, { minLength: 1 }] } }),
    ],
    ['says nothing', z.object({ a: z.string() }), { type: 'object' }],
    [
      'is in another dialect',
      z.object({ a: z.tuple([z.string(), z.number()]) }),
      object(
        { a: { type: 'array', items: [text, number] } },
        { $schema: 'http://json-schema.org/draft-07/schema#' },
      ),
    ],
  ])('that %s is accepted', (_, input, advertised) => {
    expect(() => compare(input, advertised)).not.toThrow();
  });

  it('that would take too long to compare is rejected quickly', () => {
    const wide = (depth: number): JsonSchemaObject =>
      depth === 0 ? text : { anyOf: [object({ a: wide(depth - 1) }), object({ b: wide(depth - 1) })] };
    const given = {
      allOf: Array.from({ length: 20 }, (_, index) => ({
        anyOf: [object({ [`a${index}`]: text }), object({ [`b${index}`]: number })],
      })),
    };
    expect(() => compare(object({ a: given }), object({ a: wide(8) }))).toThrow(ErrInvalidSchema);
  });
});

describe('an accepted advertised schema', () => {
  const names = ['a', 'b', 'c'];
  const small = fc.integer({ min: 0, max: 3 });
  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    leaf: fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, 0.5, '', 'a', 'ab', 'abc'),
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('any'), { maxKeys: 3 }),
    ),
  })).any;
  const { any: schema, fields } = fc.letrec<{ leaf: JsonSchema; any: JsonSchema; fields: JsonSchemaObject }>(
    (tie) => {
      const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
      const record = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonSchemaObject> =>
        fc.record(model).map((each) => JSON.parse(JSON.stringify(each)) as JsonSchemaObject);
      const objects = {
        type: fc.constant('object'),
        properties: optional(fc.dictionary(fc.constantFrom(...names), tie('any'), { maxKeys: 2 })),
        required: optional(fc.subarray(names, { maxLength: 2 })),
        additionalProperties: optional(fc.oneof(fc.boolean(), tie('any'))),
        patternProperties: optional(fc.dictionary(fc.constantFrom('a', 'b|c'), tie('any'), { maxKeys: 1 })),
        minProperties: optional(small),
        propertyNames: optional(fc.constantFrom({ maxLength: 1 }, { enum: ['a', 'b'] }, { pattern: 'a' })),
      };
      return {
        leaf: fc.oneof(
          fc.boolean(),
          fc.constant({}),
          record({
            type: fc.constantFrom(
              'string',
              'number',
              'integer',
              'boolean',
              'null',
              ['string', 'number'],
              ['integer', 'null'],
            ),
          }),
          record({ enum: fc.subarray([null, true, 1, 'a', 'ab'], { minLength: 1 }) }),
          record({ const: fc.constantFrom(1, 'a', {}) }),
          record({
            type: fc.constantFrom('number', 'integer', ['number', 'string']),
            minimum: optional(small),
            exclusiveMaximum: optional(small),
            maximum: optional(small),
            exclusiveMinimum: optional(small),
          }),
          record({
            type: optional(fc.constant('string')),
            minLength: optional(small),
            maxLength: optional(small),
            pattern: optional(fc.constantFrom('a', '^ab')),
          }),
        ),
        any: fc.oneof(
          { depthSize: 'small', maxDepth: 3 },
          tie('leaf'),
          tie('fields'),
          record({
            type: fc.constant('array'),
            items: optional(tie('any')),
            prefixItems: optional(fc.array(tie('any'), { minLength: 1, maxLength: 2 })),
            minItems: optional(small),
            maxItems: optional(small),
            uniqueItems: optional(fc.boolean()),
          }),
          record({ anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }), maxLength: optional(small) }),
          record({ oneOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
          record({ allOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
          record({ not: tie('leaf') }),
          record({ if: tie('leaf'), then: optional(tie('leaf')), else: optional(tie('leaf')) }),
          record({ $ref: fc.constantFrom('#/$defs/x', '#/$defs/y'), minLength: optional(small) }),
        ),
        fields: record(objects),
      };
    },
  );
  const root = fc.tuple(fields, schema, schema).map(([own, x, y]): JsonSchemaObject => ({
    ...own,
    $defs: { x: { type: ['array', 'string'], items: x }, y: { properties: { a: y } } },
  }));
  /** One schema and a similar one, changed in one place, or an unrelated one. */
  const pair = fc.oneof(
    fc.tuple(root, root),
    fc.tuple(root, fc.infiniteStream(fc.nat({ max: 1000 }))).map(([given, stream]) => {
      const next = (): number => Number(stream.next().value);
      return [given, change(given, next) as JsonSchemaObject] as const;
    }),
  );

  it('accepts every value that the input schema accepts', () => {
    let taken = 0;
    let accepted = 0;
    fc.assert(
      fc.property(
        pair,
        fc.array(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3 }), {
          minLength: 30,
          maxLength: 30,
        }),
        ([input, advertised], values) => {
          const [read, other] = tryRead(input, advertised);
          if (!read || !other) return;
          try {
            assertAccepts(other, read, 'Tool "a"');
          } catch (error) {
            expect(error).toBeInstanceOf(ErrInvalidSchema);
            return;
          }
          taken++;
          const validate = createInputValidator(read, undefined, 'strict');
          const check = new DefaultValidator().compile(advertised);
          for (const each of values) {
            const result = validate(each);
            if (result instanceof Promise || !result.ok) continue;
            accepted++;
            if (!check(each).ok) throw new Error(`${JSON.stringify(each)} is rejected`);
          }
        },
      ),
      { numRuns: runs(1_500) },
    );
    // The property is meaningful only if enough pairs were compared.
    expect(taken).toBeGreaterThan(enough(200));
    expect(accepted).toBeGreaterThan(enough(200));
  }, 60_000);
});

/** Schemas that apply themselves endlessly are rejected before any comparison. */
function tryRead(...sources: readonly JsonSchemaObject[]) {
  try {
    return sources.map((source) => readSchema(source));
  } catch (error) {
    expect(error).toBeInstanceOf(ErrInvalidSchema);
    return [];
  }
}

/** Sometimes widens, narrows or drops a keyword. */
function change(node: unknown, next: () => number): unknown {
  if (Array.isArray(node)) return node.map((each) => change(each, next));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).flatMap(([key, each]): [string, unknown][] => {
    const dice = next();
    if (dice < 60 && key !== '$defs' && key !== 'x' && key !== 'y') return [];
    if (dice < 200 && typeof each === 'number' && key !== 'const')
      return [[key, Math.max(0, each + (dice % 3) - 1)]];
    if (dice < 120 && key === 'additionalProperties') return [[key, dice % 2 === 0]];
    return [[key, key === 'enum' || key === 'const' || key === 'required' ? each : change(each, next)]];
  });
  return Object.fromEntries(entries);
}

function reorder(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(reorder);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .toReversed()
      .map(([key, each]) => [key, reorder(each)]),
  );
}

/** Adds keywords without effect to every schema. */
function explain(node: unknown, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((each) => explain(each));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, each]): [string, unknown] =>
    !isMap && ['enum', 'const', 'required', 'type'].includes(key)
      ? [key, each]
      : [key, explain(each, !isMap && ['properties', '$defs'].includes(key))],
  );
  const words = isMap
    ? []
    : [
        ['description', 'Words'],
        ['examples', [1]],
        ['x-order', { type: 'null' }],
      ];
  return Object.fromEntries([...entries, ...words]);
}
