import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { z as z3 } from 'zod/v3';
import { readSchema } from '../read/read-schema.js';
import type { SchemaSource } from '../read/read-schema.js';

/** With the values around them, as many as a request may contain. */
const MAX_VALUES = 19_700;
const map = (value: unknown, count = MAX_VALUES) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
const list = (item: unknown, values: number) =>
  Array.from({ length: Math.floor(MAX_VALUES / values) }, () => item);
const nested = (depth: number): unknown => (depth === 0 ? 7 : { and: [nested(depth - 1)] });
const twenty = <T>(make: (index: number) => T): T[] => Array.from({ length: 20 }, (_, index) => make(index));
const valibot = (schema: v.GenericSchema) => toStandardJsonSchema(v.object({ a: schema })) as SchemaSource;
const tooLong = { ok: false, issues: [{ path: [], message: 'takes too long to check' }] };

const { string, number } = { string: z.string(), number: z.number() };
const record = z.record(string, number);
const union = z.union(twenty((index) => z.object({ [`f${index}`]: string })));
const union3 = z3.union(twenty((index) => z3.object({ [`f${index}`]: z3.string() })) as never);
const fields = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, string]));
const expression3: z3.ZodType = z3.lazy(() =>
  z3.union([
    z3.object({ and: z3.array(expression3) }),
    z3.object({ and: z3.array(expression3).optional(), b: z3.literal(1) }),
    z3.object({ and: z3.array(expression3).optional(), c: z3.literal(1) }),
  ]),
);
const expression: v.GenericSchema = v.lazy(() =>
  v.union([
    v.object({ and: v.array(expression) }),
    v.object({ and: v.optional(v.array(expression)), b: v.literal(1) }),
    v.object({ and: v.optional(v.array(expression)), c: v.literal(1) }),
  ]),
);

interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}
const tree: z.ZodType = z.array(z.object({ name: string, children: z.lazy(() => tree) }));
const tall = (depth: number): Tree => ({
  name: 'x',
  children: depth === 0 ? [] : [tall(depth - 1), tall(depth - 1)],
});

const slow: readonly (readonly [string, SchemaSource, unknown])[] = [
  [
    'a template literal with three open parts',
    z.object({ a: z.templateLiteral([string, '-', string, '-', string, '!']) }),
    '-'.repeat(3_000),
  ],
  [
    'a template literal of numbers without text between them',
    z.object({ a: z.templateLiteral([number, number, number, number, 'x']) }),
    '1'.repeat(3_000),
  ],
  [
    'a template literal as a key',
    z.object({ a: z.record(z.templateLiteral([string, '-', string, '-', string, '!']), number) }),
    { ['-'.repeat(3_000)]: 1 },
  ],
  [
    'an intersection of open objects',
    z.object({ a: z.intersection(z.looseObject({}), z.looseObject({})) }),
    map(1),
  ],
  ['an intersection of records', z.object({ a: z.intersection(record, record) }), map(1)],
  [
    'an intersection of strict objects',
    z.object({ a: z.intersection(z.strictObject({ x: number.optional() }), z.strictObject({})) }),
    map(1),
  ],
  [
    'an intersection of objects with records in them',
    z.object({ a: z.intersection(z.object({ m: record }), z.object({ m: record })) }),
    { m: map(1) },
  ],
  [
    'an intersection of open objects, with Zod 3',
    z3.object({ a: z3.intersection(z3.object({}).passthrough(), z3.object({}).passthrough()) }),
    map(1),
  ],
  [
    'an intersection of records, with Zod 3',
    z3.object({ a: z3.intersection(z3.record(z3.number()), z3.record(z3.number())) }),
    map(1),
  ],
  [
    'an intersection of records, with Valibot',
    valibot(v.intersect(Array.from({ length: 9 }, () => v.record(v.string(), v.number())))),
    map(1),
  ],
  ['a catchall of a union', z.object({ a: z.object({}).catchall(union) }), map({ f19: 1 }, MAX_VALUES / 2)],
  [
    'a pipe from a prefault to a union',
    z.object({ a: z.array(z.any()).prefault([]).pipe(z.array(union)) }),
    list({ f19: 1 }, 2),
  ],
  ['a catch around a union', z.object({ a: z.array(union.catch({ f0: '' })) }), list({}, 1)],
  ['a catch around a wide object', z.object({ a: z.array(z.object(fields).catch({})) }), list({}, 1)],
  [
    'a union of objects with large lists',
    z.object({ a: z.union(twenty((index) => z.object({ rows: z.array(z.literal(index)) }))) }),
    { rows: list(19, 1) },
  ],
  [
    'a union of large lists, with Zod 3',
    z3.object({
      a: z3.union([z3.array(z3.object({ x: z3.number() })), z3.array(z3.object({ y: z3.number() }))]),
    }),
    list({}, 1),
  ],
  [
    'a union of large maps, with ArkType',
    type({ a: type({ '[string]': 'number' }).or({ '[string]': 'string' }) }),
    map(true),
  ],
  ['a recursive union, with Zod 3', z3.object({ a: expression3 }), nested(20)],
  ['a recursive union, with Valibot', valibot(expression), nested(20)],
];

describe('a schema whose validation takes longer than its input grows', () => {
  it.each(slow)('rejects large arguments at once: %s', (_what, source, a) => {
    expect(readSchema(source).validate({ a })).toEqual(tooLong);
  });

  it.each(slow)('rejects large results at once: %s', (_what, source, a) => {
    expect(readSchema(source, { side: 'output' }).validate({ a })).toEqual(tooLong);
  });

  it.each<[string, SchemaSource, unknown]>([
    ['unions in lists of Zod 4', z.object({ a: z.array(union) }), list({ f19: 1 }, 2)],
    [
      'unions in maps of Zod 3',
      z3.object({ a: z3.object({}).catchall(union3) }),
      map({ f19: '' }, MAX_VALUES / 2),
    ],
  ])('rejects large results as it rejects arguments: %s', (_what, source, a) => {
    expect(readSchema(source, { side: 'output' }).validate({ a })).toEqual(tooLong);
  });

  it('does not hang on a result that contains itself', () => {
    const { validate } = readSchema(z.object({ a: z.array(z.any()), b: z.any() }), { side: 'output' });
    const endless: unknown[] = list(1, 1);
    endless.push(endless, endless);
    expect(validate({ a: endless, b: 1 })).toMatchObject({ ok: true });
  });

  it.each<[string, SchemaSource, unknown]>([
    [
      'paths in a template literal',
      z.object({ a: z.templateLiteral([string, '/', string, '/', string, '/', string]) }),
      `${'x'.repeat(100)}/`.repeat(20),
    ],
    [
      'a megabyte in a template literal with one open part',
      z.object({ a: z.templateLiteral(['a', string]) }),
      'a'.repeat(1_000_000),
    ],
    ['rows', z.object({ a: z.array(z.object({ x: number, y: number })) }), list({ x: 1, y: 2 }, 3)],
    [
      'rows of 40 fields',
      z.object({ a: z.array(z.object(fields)) }),
      list(Object.fromEntries(Object.keys(fields).map((name) => [name, ''])), 41),
    ],
    ['a record', z.object({ a: record }), map(1)],
    ['an open object', z.object({ a: z.looseObject({}) }), map(1)],
    ['choices', z.object({ a: z.array(z.enum(['a', 'b'])) }), list('b', 1)],
    [
      'a union of scalars',
      z.object({ a: z.array(z.union([string, number, z.boolean(), z.null()])) }),
      list(null, 1),
    ],
    [
      'a record of scalars',
      z.object({ a: z.record(string, z.union([string, number, z.boolean()])) }),
      map(true),
    ],
    [
      'a union of six small objects',
      z.object({
        a: z.array(
          z.union(
            Array.from({ length: 6 }, (_, index) => z.object({ k: z.literal(index), x: number, y: number })),
          ),
        ),
      }),
      list({ k: 5, x: 1, y: 2 }, 4),
    ],
    [
      'a discriminated union of 20 objects',
      z.object({
        a: z.array(
          z.discriminatedUnion(
            'k',
            twenty((index) => z.object({ k: z.literal(`${index}`), x: number })) as never,
          ),
        ),
      }),
      list({ k: '19', x: 1 }, 3),
    ],
    [
      'rows of two objects in one',
      z.object({ a: z.array(z.object({ x: number }).and(z.object({ y: number }))) }),
      list({ x: 1, y: 2 }, 3),
    ],
    [
      'arguments of two objects in one',
      z.object({ b: number.optional() }).and(z.object({ a: z.array(z.object({ x: number })) })),
      list({ x: 1 }, 2),
    ],
    [
      'rows with defaults and refinements',
      z.object({
        a: z.array(z.object({ x: number.default(1), y: string.trim().optional() }).refine(() => true)),
      }),
      list({ x: 1, y: 'a' }, 3),
    ],
    ['a tree', z.object({ a: z.lazy(() => tree) }), [tall(9)]],
    [
      'rows of Zod 3',
      z3.object({ a: z3.array(z3.object({ x: z3.number(), y: z3.number() })) }),
      list({ x: 1, y: 2 }, 3),
    ],
    [
      'a union of three objects of Zod 3',
      z3.object({
        a: z3.array(
          z3.union([
            z3.object({ x: z3.number() }),
            z3.object({ y: z3.number() }),
            z3.object({ z: z3.number() }),
          ]),
        ),
      }),
      list({ y: 1 }, 2),
    ],
    ['rows of Valibot', valibot(v.array(v.object({ x: v.number() }))), list({ x: 1 }, 2)],
    [
      'a union of three objects of Valibot',
      valibot(v.array(v.union([v.object({ x: v.number() }), v.object({ y: v.number() })]))),
      list({ y: 1 }, 2),
    ],
    ['rows of ArkType', type({ a: type({ x: 'number' }).array() }), list({ x: 1 }, 2)],
  ])('leaves ordinary schemas as many values as a request may contain: %s', (_what, source, a) => {
    expect(readSchema(source).validate({ a })).toMatchObject({ ok: true });
    expect(readSchema(source, { side: 'output' }).validate({ a })).toMatchObject({ ok: true });
  });
});
