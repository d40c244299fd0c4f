import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidSchema } from '../errors.js';
import { DefaultValidator, loadGenerator } from './default-validator.js';
import type { JsonSchema } from '../values/json-schema.js';
import { keywords } from '../check/keywords.js';
import { runs } from '../../../../test/runs.js';
import { draft07, engines } from '../../test/default-validator-setup.js';

// Loads the generator, so that `generated` uses it from the first value on.
await loadGenerator();

describe('for any keyword with any value', () => {
  const ajv = {
    '2020-12': new Ajv2020({ strict: false, logger: false }),
    'draft-07': new Ajv({ strict: false, logger: false }),
  };
  const metaSchema = { '2020-12': 'https://json-schema.org/draft/2020-12/schema', 'draft-07': draft07 };
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(
      -1,
      0,
      1.5,
      '',
      'string',
      ['string', 'string'],
      ['string'],
      [],
      {},
      { a: ['x', 'x'] },
      { a: true },
      [true],
    ),
  );

  it.each(['2020-12', 'draft-07'] as const)(
    'the check of a %s schema agrees with its meta-schema',
    (dialect) => {
      const validator = new DefaultValidator({ engine: 'interpreted' });
      // These keywords depend on more than their form: on their target, or whether they compile.
      const others = new Set([
        '$schema',
        '$ref',
        '$dynamicRef',
        '$id',
        '$vocabulary',
        'pattern',
        'patternProperties',
      ]);
      const keyword = fc.constantFrom(...[...keywords[dialect].keys()].filter((name) => !others.has(name)));
      fc.assert(
        fc.property(keyword, value, (name, argument) => {
          const schema = { $schema: metaSchema[dialect], [name]: argument };
          // Ajv's copy of the draft-07 meta-schema is stricter about enum than the specification, and lacks writeOnly.
          fc.pre(!(name === 'enum' && Array.isArray(argument)) && name !== 'writeOnly');
          let accepted = true;
          try {
            validator.compile(schema as JsonSchema);
          } catch (error) {
            expect(error).toBeInstanceOf(ErrInvalidSchema);
            accepted = false;
          }
          expect(accepted, JSON.stringify(schema)).toBe(ajv[dialect].validateSchema(schema) === true);
        }),
        { numRuns: runs(3000) },
      );
    },
  );
});

describe('for any schema and value', () => {
  const leaf = fc.constantFrom<JsonSchema>(
    true,
    false,
    { type: 'string' },
    { type: ['number', 'null'] },
    { const: { constructor: 1 } },
    { enum: ['a', 1, null, [1]] },
    { minimum: 2 },
    { multipleOf: 0.01 },
    { maxLength: 2 },
    { pattern: '^a' },
    { required: ['a', 'toString'] },
    { uniqueItems: true },
    { $ref: '#/$defs/shared' },
  );
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.record({
        properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'toString'), tie('schema')),
      }),
      fc.record({ additionalProperties: tie('schema'), properties: fc.constant({ a: true }) }),
      fc.record({ items: tie('schema') }),
      fc.record({ contains: tie('schema') }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ not: tie('schema') }),
      fc.record({ if: tie('schema'), then: tie('schema') }),
      fc.record({ propertyNames: tie('schema') }),
      fc.record({ dependentSchemas: fc.dictionary(fc.constantFrom('a', '__proto__'), tie('schema')) }),
      fc.record({ patternProperties: fc.dictionary(fc.constantFrom('^a', '__proto__', '.'), tie('schema')) }),
      fc.record({ dependencies: fc.dictionary(fc.constantFrom('a', '__proto__'), tie('schema')) }),
      fc.record({ properties: fc.constant({ a: true }), unevaluatedProperties: tie('schema') }),
    ),
  }));
  const names = fc.constantFrom('a', 'b', '__proto__', 'toString', 'constructor');
  const { data } = fc.letrec((tie) => ({
    data: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>('a', 'abc', 1, 3, 0.07, null, true),
      fc.array(tie('data'), { maxLength: 3 }),
      fc.dictionary(names, tie('data')),
    ),
  }));

  it('both engines give the same answer, and no prototype is polluted', () => {
    const [generated, interpreted] = engines.map((engine) => new DefaultValidator({ engine }));
    fc.assert(
      fc.property(schema, data, fc.boolean(), (generatedSchema, generatedValue, old) => {
        const whole = {
          ...(old ? { $schema: draft07 } : {}),
          allOf: [generatedSchema],
          $defs: { shared: { type: 'object', minProperties: 1 } },
        };
        const copy = JSON.parse(JSON.stringify(generatedValue)) as unknown;
        expect(interpreted!.compile(whole)(copy).ok).toBe(generated!.compile(whole)(copy).ok);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(generatedValue));
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      // The seed is fixed, because two libraries are compared: 60,000 runs agreed, and an unlucky seed should
      // not fail an unrelated change.
      { numRuns: runs(1000), seed: 20_260_728 },
    );
  });
});
