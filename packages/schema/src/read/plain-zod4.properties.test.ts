import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../../test/runs.js';
import { convertPlain } from './plain-zod4.js';
import { convertZod4 } from './zod4.js';

const text = fc.constantFrom<(size: number) => z.ZodType>(
  () => z.string(),
  (size) =>
    z
      .string()
      .min(size)
      .max(size + 3),
  (size) =>
    z
      .string()
      .min(size)
      .max(size + 9)
      .min(2)
      .max(5),
  (size) => z.string().length(size),
  (size) => z.string().min(size - 2),
  (size) => z.string().max(size / 2),
  () => z.email(),
  () => z.string().email(),
  () => z.url(),
  () => z.uuid(),
  () => z.uuidv4(),
  () => z.guid(),
  () => z.cuid(),
  () => z.jwt(),
  () => z.base64(),
  () => z.ipv4(),
  () => z.ipv6().min(3),
  () => z.iso.datetime(),
  () => z.iso.datetime({ local: true }),
  () => z.iso.datetime({ precision: -1 }),
  () => z.iso.date(),
  () => z.iso.time(),
  () => z.string().trim().toLowerCase(),
  () => z.string().overwrite((value) => value),
  (size) => z.email({ pattern: size > 2 ? /^a{,5}\-$/ : /^a$/ }),
  () => z.email().regex(/a/),
  () => z.string().startsWith('a'),
  () => z.string().regex(/^a+$/),
  () => z.string().regex(/^a+$/i),
  () => z.string().regex(/^a+$/).regex(/b/),
  () => z.string().regex(/^[\w-.]+\:$/),
  () => z.string().meta({ id: 'same' }).min(1).max(5),
  () => z.string().describe('a').min(1).describe('b'),
);
const number = fc.constantFrom<(size: number) => z.ZodType>(
  () => z.number(),
  (size) =>
    z
      .number()
      .min(size)
      .max(size + 1),
  (size) =>
    z
      .number()
      .gt(size)
      .min(3)
      .lt(9)
      .max(size + 2),
  (size) => z.int().multipleOf(size + 1),
  (size) => z.number().multipleOf(size),
  (size) =>
    z
      .number()
      .multipleOf(size + 1)
      .multipleOf(3),
  () => z.number().max(Infinity),
  () => z.number().positive(),
  () => z.number().nonnegative().gt(0),
  () => z.number().int(),
  () => z.number().int().min(Number.MIN_SAFE_INTEGER),
  () => z.number().min(Number.MIN_SAFE_INTEGER),
  () => z.int().gt(Number.MIN_SAFE_INTEGER),
  () => z.int().positive().max(10),
  () => z.int32().int(),
  () => z.uint32().min(5),
  () => z.float32().int(),
  () => z.float64(),
  () => z.coerce.number(),
  () => z.number().overwrite((value) => value),
);
const rare = fc.constantFrom<() => z.ZodType>(
  () => z.boolean(),
  () => z.coerce.boolean(),
  () => z.enum(['a', 'b']),
  () => z.enum({ A: 1, B: 'x' }),
  () => z.enum([]),
  () => z.literal([1, 'a', true, null]),
  () => z.literal(['a', 'b']),
  () => z.literal(null),
  () => z.literal(3),
  () => z.literal([]),
  () => z.literal(1n),
  () => z.literal(undefined),
  () => z.null(),
  () => z.undefined(),
  () => z.bigint(),
  () => z.date(),
  () => z.nan(),
  () => z.file(),
  () => z.json(),
  () => z.never(),
  () => z.unknown(),
  () => z.any(),
  () => z.record(z.string(), z.number()),
  () => z.record(z.string().min(2), z.unknown()),
  () => z.record(z.string().optional() as never, z.string()),
  () => z.record(z.enum(['a', 'b']), z.number()),
  () => z.record(z.literal(['a']), z.string()),
  () => z.record(z.number(), z.string()),
  () => z.record(z.union([z.string(), z.number()]), z.string()),
  () => z.partialRecord(z.enum(['a']), z.number()),
  () => z.looseRecord(z.string().regex(/a/), z.string()),
  () => z.union([z.string()]),
  () => z.union([z.string(), z.null(), z.string()]),
  () => z.union([z.string().min(1), z.number()]),
  () => z.union([z.union([z.string(), z.boolean()]), z.number()]),
  () => z.xor([z.string(), z.number()]),
  () => z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
  () => z.strictObject({ a: z.string() }),
  () => z.looseObject({ a: z.string() }),
  () => z.object({ a: z.string() }).catchall(z.number().describe('Others')),
  () => z.object({ a: z.string() }).refine(() => true),
  () => z.array(z.string()).nonempty(),
  () => z.tuple([z.string()]),
  () => z.set(z.string()),
  () => z.map(z.string(), z.string()),
  () => z.string().transform(Number),
  () => z.string().refine(() => true),
  () => z.string().catch('a'),
  () => z.string().prefault('a'),
  () => z.stringbool(),
  () => z.custom<string>(),
  () => z.lazy(() => z.string()),
  () => z.templateLiteral(['a', z.string()]),
);
const leaf: fc.Arbitrary<z.ZodType> = fc.oneof(
  fc.tuple(text, fc.nat(5)).map(([make, size]) => make(size)),
  fc.tuple(number, fc.nat(5)).map(([make, size]) => make(size)),
  rare.map((make) => make()),
);
const names = fc.constantFrom('a', 'b', 'c_d', 'e-f', '__proto__', 'a b', 'constructor', '1');
const defaults = fc.constantFrom<unknown>(
  'a',
  1n,
  null,
  [],
  { a: [1, undefined], b: undefined },
  () => {
    throw new Error('boom');
  },
  () => undefined,
  () => ['made'],
);

const { schema } = fc.letrec<{ schema: z.ZodType; node: z.ZodType }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('node').map((inner) => inner.optional()),
    tie('node').map((inner) => inner.nullable()),
    tie('node').map((inner) => inner.nullish()),
    tie('node').map((inner) => inner.readonly()),
    tie('node').map((inner) => z.nonoptional(inner)),
    fc.tuple(tie('node'), defaults).map(([inner, value]) => inner.default(value as never)),
    tie('node').map((inner) => inner.describe('Text')),
    tie('node').map((inner) => inner.meta({ title: 'Title', description: 'Text' })),
    tie('node').map((inner) => inner.meta({ title: 'Title', examples: [1] })),
    tie('node').map((inner) => z.array(inner).max(3)),
    tie('node').map((inner) => z.array(inner).min(1).describe('List')),
    tie('node').map((inner) => z.record(z.string(), inner)),
    fc.tuple(tie('node'), tie('node')).map((pair) => z.union(pair)),
    tie('schema'),
  ),
  schema: fc
    .tuple(fc.dictionary(names, tie('node'), { maxKeys: 4 }), fc.nat(5))
    .map(([shape, kind]) =>
      kind === 0
        ? z.strictObject(shape)
        : kind === 1
          ? z.looseObject(shape)
          : kind === 2
            ? z.object(shape).describe('Whole')
            : z.object(shape),
    ),
}));
it('converts each schema to the text that the converter of Zod writes, or leaves it to Zod', () => {
  let plain = 0;
  fc.assert(
    fc.property(schema, fc.constantFrom('input' as const, 'output' as const), (source, side) => {
      const converted = convertPlain(source, side);
      if (!converted) return;
      plain++;
      expect(JSON.stringify(converted)).toBe(JSON.stringify(convertZod4(source, side)));
    }),
    { numRuns: runs(10_000) },
  );
  expect(plain).toBeGreaterThan(runs(10_000) / 5);
});
