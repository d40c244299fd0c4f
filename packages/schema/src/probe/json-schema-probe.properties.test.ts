import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod/v3';
import { ErrInvalidSchema } from '../errors.js';
import { defaultSchemaLimits } from '../values/json-schema.js';
import { probeJsonSchema, zod3Costs } from './json-schema-probe.js';
import { readSchema } from '../read/read-schema.js';
import { convertZod3, zod3Validate } from '../read/zod3.js';
import { enough, runs } from '../../../../test/runs.js';

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
