import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { readSchema } from '../read/read-schema.js';

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
});
