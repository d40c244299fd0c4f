import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod/v3';
import { defaultSchemaLimits } from '../values/json-schema.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { otherCosts, probeJsonSchema } from './json-schema-probe.js';
import { readSchema } from '../read/read-schema.js';
import type { SchemaSource } from '../read/read-schema.js';

const many = (item: unknown, count = 10_000): unknown[] => Array.from({ length: count }, () => item);
const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
const record = Object.fromEntries(many(1).map((one, index) => [`k${index}`, one]));
const valibot = (schema: v.GenericSchema): SchemaSource => toStandardJsonSchema(schema) as SchemaSource;

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
});
