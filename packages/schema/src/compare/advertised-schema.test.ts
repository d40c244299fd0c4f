import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ErrInvalidSchema } from '../errors.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { readSchema } from '../read/read-schema.js';
import type { SchemaSource } from '../read/read-schema.js';
import { assertAccepts } from './schema-comparison.js';

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
