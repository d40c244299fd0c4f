import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod/v3';
import { ErrInvalidSchema } from '../../errors.js';
import { defaultSchemaLimits } from '../../values/json-schema.js';
import type { JsonSchemaObject } from '../../values/json-schema.js';
import { otherCosts, probeJsonSchema, zod3Costs } from './json-schema-probe.js';
import { readSchema } from '../read/read-schema.js';
import type { SchemaSource } from '../read/read-schema.js';
import { convertZod3, zod3Validate } from '../read/zod3.js';
import { enough, runs } from '../../../test/runs.js';

const many = (item: unknown, count = 10_000): unknown[] => Array.from({ length: count }, () => item);
const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
const record = Object.fromEntries(many(1).map((one, index) => [`k${index}`, one]));
const valibot = (schema: v.GenericSchema): SchemaSource => toStandardJsonSchema(schema) as SchemaSource;

/** The converter writes an invalid JSON Schema for some unions. Reading such a schema throws. */
function isReadable(source: z.ZodTypeAny): boolean {
  try {
    return readSchema(source) !== undefined;
  } catch (error) {
    if (error instanceof ErrInvalidSchema) return false;
    throw error;
  }
}

describe('a large value for a schema of a library that collects every issue', () => {
  it.each<[string, SchemaSource, unknown, (string | number)[]]>([
    ['Zod 3', z.object({ a: z.array(z.object({ x: z.number(), y: z.number() })) }), {}, ['a', 1, 'x']],
    [
      'Valibot',
      valibot(v.object({ a: v.array(v.object({ x: v.number(), y: v.number() })) })),
      {},
      ['a', 1, 'x'],
    ],
    ['ArkType', type({ a: type({ x: 'number', y: 'number' }).array() }), {}, ['a', 1, 'x']],
    ['ArkType with a least length', type({ a: 'string[] >= 2' }), 5, ['a', 1]],
  ])('is rejected with the first issue, in the wording of the library: %s', (_what, source, item, path) => {
    const { validate } = readSchema(source);
    const good = typeof item === 'number' ? 'text' : { x: 1, y: 1 };
    const small = validate({ a: [good, item] });
    const large = validate({ a: [good, ...many(item)] });
    expect(large).toMatchObject({ ok: false, issues: [{ path }] });
    // A library may report a small value in another order.
    expect('issues' in small && small.issues).toContainEqual('issues' in large && large.issues[0]);
    expect(validate({ a: many(good) })).toMatchObject({ ok: true });
  });

  it.each<[string, SchemaSource, unknown]>([
    ['Zod 3 strings', z.object({ value: z.array(z.string().min(3).regex(/^a/)) }), many('')],
    ['Zod 3 e-mail addresses', z.object({ value: z.array(z.string().email()) }), many('no')],
    ['a Zod 3 record', z.object({ value: z.record(z.string()) }), record],
    ['a Zod 3 tuple', z.object({ value: z.tuple([z.string()]).rest(z.number()) }), ['a', ...many('b')]],
    [
      'a Zod 3 union',
      z.object({ value: z.array(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])) }),
      many({ c: 1 }),
    ],
    ['a Zod 3 enum', z.object({ value: z.array(z.enum(['a', 'b'])) }), many('c')],
    [
      'a large branch of a discriminated union',
      z.object({
        value: z.discriminatedUnion('t', [
          z.object({ t: z.literal('a'), items: z.array(z.object({ x: z.number() })) }),
          z.object({ t: z.literal('b') }),
        ]),
      }),
      { items: many({}), t: 'a' },
    ],
    [
      'a field that is converted, before another that is wrong',
      z.object({ value: z.array(z.object({ n: z.coerce.number(), x: z.number() })) }),
      many({ n: '1' }),
    ],
    [
      'wrappers of Zod 3',
      z.object({ value: z.array(z.lazy(() => z.string().nullable())).default([]) }),
      many(5),
    ],
    ['a Valibot record', valibot(v.object({ value: v.record(v.string(), v.string()) })), record],
    [
      'a Valibot variant',
      valibot(
        v.object({
          value: v.array(
            v.variant('t', [
              v.object({ t: v.literal('a'), n: v.number() }),
              v.object({ t: v.literal('b'), n: v.string() }),
            ]),
          ),
        }),
      ),
      many({ t: 'a', n: 'x' }),
    ],
    ['unknown fields of ArkType', type({ value: { '+': 'reject', 'x?': 'number' } }), record],
    [
      'a union of ArkType',
      type({ value: type({ a: 'string' }).or({ b: 'string' }).array() }),
      many({ c: 1 }),
    ],
  ])('has few issues instead of thousands: %s', (_what, source, value) => {
    const result = readSchema(source).validate({ value });
    expect(result).toMatchObject({ ok: false });
    expect('issues' in result && result.issues.length).toBeLessThanOrEqual(3);
  });

  it('is rejected if a union of Zod 3 would be tried too often', () => {
    const [first, second, ...more] = names.map((name) => z.object({ [name]: z.string() }));
    const { validate } = readSchema(z.object({ a: z.array(z.union([first!, second!, ...more])) }));
    expect(validate({ a: many({ f19: 'x' }, 500) })).toMatchObject({ ok: true });
    expect(validate({ a: many({ f0: 'x' }, 9_000) })).toMatchObject({ ok: true });
    expect(validate({ a: many({ f19: 'x' }) })).toEqual({
      ok: false,
      issues: [{ path: [], message: 'takes too long to check' }],
    });
  });

  it('is passed to the library in small parts before it is validated', () => {
    const validate = vi.fn<(value: unknown) => { ok: true; value: unknown }>((value) => ({
      ok: true,
      value,
    }));
    const jsonSchema: JsonSchemaObject = {
      type: 'object',
      properties: {
        kind: { type: 'string' },
        a: {
          type: 'array',
          items: { type: 'object', required: ['x'], properties: { x: { type: 'number' } } },
        },
      },
    };
    const probe = probeJsonSchema(validate, () => jsonSchema, {
      limits: defaultSchemaLimits,
      costs: otherCosts,
    });
    // This library accepts values that its JSON Schema forbids, so nothing is rejected, and each rule is
    // tried once.
    expect(probe({ kind: 'k', other: 1, a: [...many({}), ...many({ x: 'text' })] }, 100_000)).toBeUndefined();
    expect(validate.mock.calls).toEqual([[{ kind: 'k', a: [{}] }], [{ kind: 'k', a: [{ x: 'text' }] }]]);
  });

  it('is never rejected by the probe if Zod 3 accepts it', () => {
    const leaf = fc.constantFrom<z.ZodTypeAny>(
      z.string(),
      z.string().min(2),
      z.string().trim().max(1),
      z.string().datetime(),
      z.coerce.number(),
      z.number().int(),
      z.boolean(),
      z.null(),
      z.literal('a'),
      z.enum(['a', 'bb']),
      z.any(),
      z.string().catch('c'),
      z.preprocess(String, z.string()),
      z.string().transform(Number),
      z.string().refine((text) => text !== 'a'),
      z.never(),
    );
    const { schema } = fc.letrec<{ schema: z.ZodTypeAny }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        tie('schema').map((inner) => inner.optional()),
        tie('schema').map((inner) => inner.nullable()),
        tie('schema').map((inner) => inner.default('a')),
        tie('schema').map((inner) => inner.catch(5)),
        tie('schema').map((inner) => z.lazy(() => inner)),
        tie('schema').map((inner) => z.array(inner)),
        tie('schema').map((inner) => z.array(inner).min(2)),
        tie('schema').map((inner) => z.record(inner)),
        tie('schema').map((inner) => z.preprocess((data) => [data].flat().slice(-1), z.array(inner))),
        fc.tuple(tie('schema'), tie('schema')).map(([left, right]) => z.union([left, right])),
        fc
          .tuple(tie('schema'), tie('schema'))
          .map(([left, right]) => z.intersection(z.object({ a: left }), z.object({ b: right }))),
        fc.tuple(tie('schema'), tie('schema')).map(([first, rest]) => z.tuple([first]).rest(rest)),
        fc.record({ a: tie('schema'), b: tie('schema') }).chain((shape) =>
          fc.constantFrom<z.ZodTypeAny>(
            z.object(shape),
            z.object(shape).strict(),
            z.object(shape).catchall(shape.a),
            z.object(shape).refine((data) => data['a'] !== undefined),
          ),
        ),
        tie('schema').map((a) =>
          z.discriminatedUnion('t', [z.object({ t: z.literal('a'), a }), z.object({ t: z.literal(1) })]),
        ),
      ),
    }));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, true, 0, 1.5, '', 'a', 'bb', ' a '),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 't', 'c'), tie('value'), { noNullPrototype: true }),
      ),
    }));
    let accepted = 0;
    let found = 0;
    fc.assert(
      fc.property(schema, value, (source, data) => {
        fc.pre(isReadable(source));
        const toJsonSchema = () => convertZod3(source, 'input', true);
        const options = { limits: defaultSchemaLimits, costs: zod3Costs };
        const issues = probeJsonSchema(zod3Validate(source), toJsonSchema, options)(data, 1_000);
        if (issues) found++;
        if (!source.safeParse(data).success) return;
        accepted++;
        expect(issues).toBeUndefined();
      }),
      { numRuns: runs(5_000) },
    );
    expect(accepted).toBeGreaterThan(enough(200));
    expect(found).toBeGreaterThan(enough(200));
  });
});
