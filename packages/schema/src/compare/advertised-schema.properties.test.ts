import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidSchema } from '../errors.js';
import { DefaultValidator } from '../validate/default-validator.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { readSchema } from '../read/read-schema.js';
import { assertAccepts } from './schema-comparison.js';
import { createInputValidator } from '../validate/input-validator.js';
import { enough, runs } from '../../../../test/runs.js';

describe('an accepted advertised schema', () => {
  const names = ['a', 'b', 'c'];
  const small = fc.integer({ min: 0, max: 3 });
  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    leaf: fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, 0.5, '', 'a', 'ab', 'abc'),
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('any'), { maxKeys: 3 }),
    ),
  })).any;
  const { any: schema, fields } = fc.letrec<{ leaf: JsonSchema; any: JsonSchema; fields: JsonSchemaObject }>(
    (tie) => {
      const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
      const record = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonSchemaObject> =>
        fc.record(model).map((each) => JSON.parse(JSON.stringify(each)) as JsonSchemaObject);
      const objects = {
        type: fc.constant('object'),
        properties: optional(fc.dictionary(fc.constantFrom(...names), tie('any'), { maxKeys: 2 })),
        required: optional(fc.subarray(names, { maxLength: 2 })),
        additionalProperties: optional(fc.oneof(fc.boolean(), tie('any'))),
        patternProperties: optional(fc.dictionary(fc.constantFrom('a', 'b|c'), tie('any'), { maxKeys: 1 })),
        minProperties: optional(small),
        propertyNames: optional(fc.constantFrom({ maxLength: 1 }, { enum: ['a', 'b'] }, { pattern: 'a' })),
      };
      return {
        leaf: fc.oneof(
          fc.boolean(),
          fc.constant({}),
          record({
            type: fc.constantFrom(
              'string',
              'number',
              'integer',
              'boolean',
              'null',
              ['string', 'number'],
              ['integer', 'null'],
            ),
          }),
          record({ enum: fc.subarray([null, true, 1, 'a', 'ab'], { minLength: 1 }) }),
          record({ const: fc.constantFrom(1, 'a', {}) }),
          record({
            type: fc.constantFrom('number', 'integer', ['number', 'string']),
            minimum: optional(small),
            exclusiveMaximum: optional(small),
            maximum: optional(small),
            exclusiveMinimum: optional(small),
          }),
          record({
            type: optional(fc.constant('string')),
            minLength: optional(small),
            maxLength: optional(small),
            pattern: optional(fc.constantFrom('a', '^ab')),
          }),
        ),
        any: fc.oneof(
          { depthSize: 'small', maxDepth: 3 },
          tie('leaf'),
          tie('fields'),
          record({
            type: fc.constant('array'),
            items: optional(tie('any')),
            prefixItems: optional(fc.array(tie('any'), { minLength: 1, maxLength: 2 })),
            minItems: optional(small),
            maxItems: optional(small),
            uniqueItems: optional(fc.boolean()),
          }),
          record({ anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }), maxLength: optional(small) }),
          record({ oneOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
          record({ allOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
          record({ not: tie('leaf') }),
          record({ if: tie('leaf'), then: optional(tie('leaf')), else: optional(tie('leaf')) }),
          record({ $ref: fc.constantFrom('#/$defs/x', '#/$defs/y'), minLength: optional(small) }),
        ),
        fields: record(objects),
      };
    },
  );
  const root = fc.tuple(fields, schema, schema).map(([own, x, y]): JsonSchemaObject => ({
    ...own,
    $defs: { x: { type: ['array', 'string'], items: x }, y: { properties: { a: y } } },
  }));
  /** One schema and a similar one, changed in one place, or an unrelated one. */
  const pair = fc.oneof(
    fc.tuple(root, root),
    fc.tuple(root, fc.infiniteStream(fc.nat({ max: 1000 }))).map(([given, stream]) => {
      const next = (): number => Number(stream.next().value);
      return [given, change(given, next) as JsonSchemaObject] as const;
    }),
  );

  it('accepts every value that the input schema accepts', () => {
    let taken = 0;
    let accepted = 0;
    fc.assert(
      fc.property(
        pair,
        fc.array(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3 }), {
          minLength: 30,
          maxLength: 30,
        }),
        ([input, advertised], values) => {
          const [read, other] = tryRead(input, advertised);
          if (!read || !other) return;
          try {
            assertAccepts(other, read, 'Tool "a"');
          } catch (error) {
            expect(error).toBeInstanceOf(ErrInvalidSchema);
            return;
          }
          taken++;
          const validate = createInputValidator(read, undefined, 'strict');
          const check = new DefaultValidator().compile(advertised);
          for (const each of values) {
            const result = validate(each);
            if (result instanceof Promise || !result.ok) continue;
            accepted++;
            if (!check(each).ok) throw new Error(`${JSON.stringify(each)} is rejected`);
          }
        },
      ),
      { numRuns: runs(1_500) },
    );
    // The property is meaningful only if enough pairs were compared.
    expect(taken).toBeGreaterThan(enough(200));
    expect(accepted).toBeGreaterThan(enough(200));
  }, 60_000);
});

/** Schemas that apply themselves endlessly are rejected before any comparison. */
function tryRead(...sources: readonly JsonSchemaObject[]) {
  try {
    return sources.map((source) => readSchema(source));
  } catch (error) {
    expect(error).toBeInstanceOf(ErrInvalidSchema);
    return [];
  }
}

/** Sometimes widens, narrows or drops a keyword. */
function change(node: unknown, next: () => number): unknown {
  if (Array.isArray(node)) return node.map((each) => change(each, next));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).flatMap(([key, each]): [string, unknown][] => {
    const dice = next();
    if (dice < 60 && key !== '$defs' && key !== 'x' && key !== 'y') return [];
    if (dice < 200 && typeof each === 'number' && key !== 'const')
      return [[key, Math.max(0, each + (dice % 3) - 1)]];
    if (dice < 120 && key === 'additionalProperties') return [[key, dice % 2 === 0]];
    return [[key, key === 'enum' || key === 'const' || key === 'required' ? each : change(each, next)]];
  });
  return Object.fromEntries(entries);
}
