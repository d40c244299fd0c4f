import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { zod4Validate } from '../read/zod4.js';
import { countZod4Steps } from './zod4-steps.js';
import { enough, runs } from '../../../../test/runs.js';

/** Zod throws for values that it cannot merge. */
const attempt = <T>(run: () => T): T | 'threw' => {
  try {
    return run();
  } catch {
    return 'threw';
  }
};

describe('a large value for a Zod schema', () => {
  it('gets the verdict and the value of Zod, and fewer calls of checks than counted steps', () => {
    let calls = 0;
    const counted = z.custom<string>((value) => (calls++, value !== 'a'));
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
      counted,
      counted,
      z.templateLiteral(['a', z.string(), 'b', z.string()]),
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
        tie('schema').map((inner) => inner.prefault('a').pipe(inner)),
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
        tie('schema').map((inner) => z.intersection(inner, inner)),
        tie('schema').map((inner) => z.object({ a: inner }).catchall(inner)),
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
    let called = 0;
    fc.assert(
      fc.property(schema, value, (source, data) => {
        calls = 0;
        const result = attempt(() => source.safeParse(data));
        expect(countZod4Steps(source, data, Infinity)).toBeGreaterThanOrEqual(calls);
        called += calls;
        const fast = attempt(() => zod4Validate(source, false, true)(data));
        if (result !== 'threw' && result.success) {
          accepted++;
          expect(fast).toEqual({ ok: true, value: result.data });
        } else expect(fast).not.toMatchObject({ ok: true });
      }),
      { numRuns: runs(8_000) },
    );
    expect(accepted).toBeGreaterThan(enough(200));
    expect(called).toBeGreaterThan(enough(500));
  });
});
