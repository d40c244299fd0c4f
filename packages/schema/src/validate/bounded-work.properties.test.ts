import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DefaultValidator, loadGenerator } from './default-validator.js';
import type { JsonSchema } from '../values/json-schema.js';
import { runs } from '../../../../test/runs.js';

await loadGenerator();

/** Enough calls to make a validator generate code. */
const WARM_UP = 110;

describe('the work limit of a value', () => {
  it('gives the same verdict in both engines, for arbitrary schemas and values near the limit', () => {
    const scalar = fc.constantFrom<unknown>(null, true, 0, 1, 2.5, 'a', 'bb', '😀', 'x'.repeat(300));
    const { schema, value } = fc.letrec<{ schema: JsonSchema; value: unknown }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        fc.constantFrom<JsonSchema>(true, false, {}, { type: 'string' }, { type: 'integer' }),
        fc.constantFrom<JsonSchema>({ minLength: 2 }, { maxLength: 1 }, { enum: ['a', 1, { a: 1 }] }),
        fc.constantFrom<JsonSchema>({ multipleOf: 0.5 }, { uniqueItems: true }, { $ref: '#/$defs/d' }),
        fc.array(tie('schema'), { minLength: 1, maxLength: 4 }).map((anyOf) => ({ anyOf })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
        tie('schema').map((items) => ({ type: 'array', items })),
        tie('schema').map((not) => ({ not })),
        tie('schema').map((propertyNames) => ({ propertyNames })),
        tie('schema').map((part) => ({ patternProperties: { '^a': part }, additionalProperties: part })),
        fc
          .record({ a: tie('schema'), b: tie('schema') })
          .map((properties) => ({ type: 'object', properties, required: ['a'] })),
      ),
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie('value'), { maxLength: 8 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'c'), tie('value'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(
        schema,
        schema,
        value,
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 40 }),
        (part, definition, item, steps, copies) => {
          const whole = { items: part, $defs: { d: definition } };
          const data = Array.from({ length: copies }, () => item);
          const build = (engine?: 'interpreted' | 'generated') => {
            const options = engine === undefined ? {} : { engine };
            return new DefaultValidator({ limits: { steps }, ...options });
          };
          let interpreted;
          try {
            interpreted = build('interpreted').compile(whole);
          } catch {
            // A definition that applies itself endlessly to the same value is rejected.
            return;
          }
          const expected = interpreted(data);
          expect(build('generated').compile(whole)(data)).toEqual(expected);
          const warm = build().compile(whole);
          expect(warm(data)).toEqual(expected);
          for (let call = 0; call < WARM_UP; call++) warm([]);
          expect(warm(data)).toEqual(expected);
        },
      ),
      { numRuns: runs(400) },
    );
  });
});
