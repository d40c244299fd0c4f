import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { readSchema } from '../read/read-schema.js';
import { probeZod4 } from './zod4-probe.js';
import { enough, runs } from '../../../test/runs.js';

const many = (item: unknown, count = 10_000): unknown[] => Array.from({ length: count }, () => item);

describe('a large value for a Zod schema', () => {
  it('is rejected with the first issue, in the wording of Zod', () => {
    const { validate } = readSchema(z.object({ a: z.array(z.object({ x: z.number(), y: z.number() })) }));
    expect(validate({ a: [{ x: 1, y: 1 }, ...many({})] })).toEqual({
      ok: false,
      issues: [{ path: ['a', 1, 'x'], message: 'Invalid input: expected number, received undefined' }],
    });
    expect(validate({ a: many({ x: 1, y: 2 }) })).toMatchObject({ ok: true });
  });

  it('of ordinary size is reported with every issue', () => {
    const { validate } = readSchema(z.object({ a: z.array(z.object({ x: z.number(), y: z.number() })) }));
    const result = validate({ a: many({}, 20) });
    expect(result).toMatchObject({ ok: false });
    expect('issues' in result && result.issues).toHaveLength(40);
  });

  it.each<[string, z.ZodType, unknown]>([
    ['strings', z.array(z.string().min(3).regex(/^a/)), many('')],
    ['numbers', z.array(z.number().int().multipleOf(7)), many(1.5)],
    [
      'a record',
      z.record(z.string(), z.string()),
      Object.fromEntries(many(1).map((one, i) => [`k${i}`, one])),
    ],
    ['a tuple', z.tuple([z.string()], z.number()), ['a', ...many('b')]],
    ['a union', z.array(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])), many({ c: 1 })],
    ['an enum', z.array(z.enum(['a', 'b'])), many('c')],
    [
      'a discriminated union',
      z.array(z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })])),
      many({ t: 'c' }),
    ],
    ['wrappers', z.array(z.lazy(() => z.string().nullable()).readonly()).default([]), many(5)],
  ])('has one issue instead of thousands: %s', (_what, schema, value) => {
    const result = readSchema(z.object({ value: schema })).validate({ value });
    expect(result).toMatchObject({ ok: false });
    expect('issues' in result && result.issues.length).toBeLessThanOrEqual(3);
  });

  it('is rejected if a union would be tried too often', () => {
    const options = Array.from({ length: 20 }, (_, index) => z.object({ [`f${index}`]: z.string() }));
    const { validate } = readSchema(z.object({ a: z.array(z.union(options)) }));
    expect(validate({ a: many({ f19: 'x' }, 1_000) })).toMatchObject({ ok: true });
    expect(validate({ a: many({ f19: 'x' }) })).toEqual({
      ok: false,
      issues: [{ path: [], message: 'takes too long to check' }],
    });
  });

  it('does not run code of the author twice', async () => {
    const check = vi.fn<(value: string) => boolean>((value) => value !== '');
    const schema = z.object({
      a: z.array(z.string().refine(check)),
      b: z.array(
        z
          .string()
          .transform((text) => (check(text), text))
          .pipe(z.string()),
      ),
    });
    const result = await readSchema(schema).validate({ a: many('x', 1_000), b: many('y', 30_000) });
    expect(result).toMatchObject({ ok: true });
    expect(check).toHaveBeenCalledTimes(31_000);
  });

  it('is never rejected by the probe if Zod accepts it', () => {
    const leaf = fc.constantFrom<z.ZodType>(
      z.string(),
      z.string().min(2),
      z.string().trim().max(1),
      z.coerce.number(),
      z.number().int(),
      z.boolean(),
      z.null(),
      z.literal(['a', 1]),
      z.enum(['a', 'bb']),
      z.any(),
      z.unknown().meta({ type: 'string' }),
      z.string().catch('c'),
      z.preprocess(String, z.string()),
      z.stringbool(),
      z.string().transform(Number),
      z.string().refine((text) => text !== 'a'),
      z.never(),
    );
    const { schema } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        tie('schema').map((inner) => inner.optional()),
        tie('schema').map((inner) => inner.nullable()),
        tie('schema').map((inner) => inner.default('a')),
        tie('schema').map((inner) => inner.catch(5)),
        tie('schema').map((inner) => z.lazy(() => inner)),
        tie('schema').map((inner) => z.array(inner)),
        tie('schema').map((inner) => z.array(inner).min(1)),
        tie('schema').map((inner) => z.record(z.string(), inner)),
        tie('schema').map((inner) => z.looseRecord(z.string().regex(/^a/), inner)),
        tie('schema').map((inner) => z.partialRecord(z.enum(['a', 'b']), inner)),
        fc.tuple(tie('schema'), tie('schema')).map(([left, right]) => z.union([left, right])),
        fc
          .tuple(tie('schema'), tie('schema'))
          .map(([left, right]) => z.intersection(z.object({ a: left }), z.strictObject({ b: right }))),
        fc.tuple(tie('schema'), tie('schema')).map(([first, rest]) => z.tuple([first], rest)),
        fc
          .record({ a: tie('schema'), b: tie('schema') })
          .chain((shape) =>
            fc.constantFrom<z.ZodType>(z.object(shape), z.strictObject(shape), z.looseObject(shape)),
          ),
        tie('schema').map((a) =>
          z.discriminatedUnion('t', [z.object({ t: z.literal('a'), a }), z.object({ t: z.literal(1) })]),
        ),
      ),
    }));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, true, 0, 1.5, '', 'a', 'bb', ' a ', 'yes'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 't', 'c'), tie('value'), { noNullPrototype: true }),
      ),
    }));
    let accepted = 0;
    let found = 0;
    fc.assert(
      fc.property(schema, value, (source, data) => {
        const issues = probeZod4(source, true)(data, 1_000);
        const pure = probeZod4(source, false);
        const result = source.safeParse(data);
        if (issues) found++;
        if (!result.success) return;
        accepted++;
        expect(issues).toBeUndefined();
        expect(pure(data, 1_000)).toBeUndefined();
      }),
      { numRuns: runs(5_000) },
    );
    expect(accepted).toBeGreaterThan(enough(200));
    expect(found).toBeGreaterThan(enough(200));
  });
});
