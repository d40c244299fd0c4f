import { describe, expect, it } from 'vitest';
import { z } from 'zod/v3';
import { z as z3 } from 'zod3';
import { readSchema } from './read-schema.js';

/** Fields whose handling by an object schema of Zod 3 differs: absent, defaulted, transformed, nested and asynchronous ones. */
const shapeOf = (zod: typeof z) => ({
  id: zod.string().min(2, 'too short').describe('Which'),
  limit: zod.coerce.number().default(10),
  note: zod.string().optional(),
  parent: zod.object({ name: zod.string() }).nullable(),
  tags: zod.array(zod.enum(['a', 'b'])).optional(),
  length: zod
    .string()
    .optional()
    .transform((text) => text?.length),
  mine: zod
    .string()
    .optional()
    .superRefine((value, { addIssue, path }) => {
      if (value === 'bad') addIssue({ code: 'custom', message: `bad at ${path.join('.')}` });
    }),
});

const values: readonly unknown[] = [
  { id: 'ab', parent: null },
  { id: 'ab', parent: { name: 'c', more: 1 }, note: undefined, more: 2 },
  { id: 'ab', parent: null, limit: '4', length: 'four', mine: 'good', tags: ['a'] },
  { id: 'a', parent: { name: 1 }, limit: 'x', tags: ['a', 'c'], mine: 'bad' },
  {},
  [],
  null,
  'text',
  undefined,
];

describe.each([
  ['zod 3', z3 as unknown as typeof z],
  ['zod/v3', z],
])('a raw shape of fields of %s', (_, zod) => {
  const shape = shapeOf(zod);
  const [ours, theirs] = [readSchema(shape), readSchema(zod.object(shape))];

  it('is converted like an object schema', () => {
    expect(ours.jsonSchema).toEqual(theirs.jsonSchema);
    expect(ours.required).toEqual(['id', 'parent']);
    expect(ours.vendor).toBe('zod3');
  });

  it.each(values.map((value) => [JSON.stringify(value), value]))(
    'validates %s like an object schema',
    (_text, value) => {
      const result = ours.validate(value);
      expect(result).toStrictEqual(theirs.validate(value));
      expect(result).not.toBeInstanceOf(Promise);
    },
  );

  it('waits for asynchronous checks of its fields', async () => {
    const later = { ...shape, free: zod.string().refine(async (name) => name !== 'taken', 'is taken') };
    const check = readSchema(later).validate;
    const given = { id: 'ab', parent: null };
    expect(await check({ ...given, free: 'taken' })).toEqual(
      await readSchema(zod.object(later)).validate({ ...given, free: 'taken' }),
    );
    expect(await check({ ...given, free: 'new' })).toEqual({
      ok: true,
      value: { ...given, free: 'new', limit: 10 },
    });
  });
});
