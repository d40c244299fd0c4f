import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '@toolfold/schema';
import { mergeShapes } from './shapes.js';
import { enough, runs } from '../../../../../test/runs.js';

describe('shapes of one field', () => {
  it('together accept every value that one of them accepts, and are not written longer than alternatives', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const leaf = fc.constantFrom<unknown>('', 'a', 'ab', 0, 1, 2, 2.5, -1, null, true, false);
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { weight: 3, arbitrary: leaf },
        { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
        {
          weight: 2,
          arbitrary: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 3 }),
        },
      ),
    }));
    const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(
      fields: T,
      required: (keyof T & string)[] = [],
    ) => fc.record(fields, { requiredKeys: required }) as fc.Arbitrary<JsonSchema>;
    const number = fc.integer({ min: 0, max: 3 });
    const names = fc.subarray(['a', 'b']);
    const { shape } = fc.letrec<{ shape: JsonSchema }>((tie) => ({
      shape: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<JsonSchema>(
          true,
          false,
          {},
          { type: ['string', 'null'] },
          { type: ['integer', 'null'] },
        ),
        optional(
          {
            type: fc.constant('string'),
            minLength: number,
            maxLength: number,
            pattern: fc.constantFrom('^a', 'b$'),
            enum: fc.constantFrom(['a'], ['a', 'ab']),
            description: fc.constantFrom('A', 'B'),
          },
          ['type'],
        ),
        optional(
          {
            type: fc.constantFrom('integer', 'number'),
            minimum: number,
            maximum: number,
            exclusiveMinimum: number,
            exclusiveMaximum: number,
            multipleOf: fc.constantFrom(1, 0.5),
          },
          ['type'],
        ),
        optional(
          { type: fc.constantFrom('string', 'number'), enum: fc.uniqueArray(leaf, { minLength: 1 }) },
          ['enum'],
        ),
        fc.record({ const: leaf }),
        optional(
          {
            type: fc.constantFrom('array', ['array', 'null']),
            items: tie('shape'),
            minItems: number,
            maxItems: number,
            uniqueItems: fc.boolean(),
            contains: tie('shape'),
            minContains: number,
            prefixItems: fc.array(tie('shape'), { minLength: 1, maxLength: 2 }),
          },
          ['type'],
        ),
        optional(
          {
            type: fc.constantFrom('object', ['object', 'null']),
            properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('shape'), { maxKeys: 3 }),
            required: names,
            additionalProperties: fc.oneof(fc.constant(false), tie('shape')),
            maxProperties: number,
            propertyNames: fc.constant({ pattern: '^a' }),
            dependentRequired: fc.constant({ a: ['b'] }),
            patternProperties: fc.constant({ '^b': { type: 'string' } }),
          },
          ['type'],
        ),
        fc.array(tie('shape'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
        fc.record({ allOf: fc.array(tie('shape'), { minLength: 1, maxLength: 2 }) }),
      ) as fc.Arbitrary<JsonSchema>,
    }));
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.array(shape, { minLength: 1, maxLength: 4 }),
        fc.array(value, { minLength: 5, maxLength: 15 }),
        (shapes, values) => {
          const merged = mergeShapes(shapes);
          const [isMerged, ...each] = [merged, ...shapes].map((one) => ajv.compile(one));
          for (const data of values) {
            if (!each.some((accepts) => accepts(data))) continue;
            accepted++;
            expect(isMerged!(data), JSON.stringify({ shapes, merged, data })).toBe(true);
          }
          expect(JSON.stringify(merged).length).toBeLessThanOrEqual(JSON.stringify({ anyOf: shapes }).length);
        },
      ),
      { numRuns: runs(1000) },
    );
    expect(accepted).toBeGreaterThan(enough(1000));
  });
});
