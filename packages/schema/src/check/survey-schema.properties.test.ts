import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolfoldError } from '../errors.js';
import { defaultSchemaLimits } from '../values/json-schema.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { surveySchema } from './survey-schema.js';
import { runs } from '../../../../test/runs.js';

const survey = (schema: JsonSchemaObject, limits = defaultSchemaLimits): string => {
  try {
    surveySchema(schema, limits);
    return 'sound';
  } catch (error) {
    if (!(error instanceof ToolfoldError)) throw error;
    return error.message;
  }
};

describe('a survey', () => {
  it('gives the same verdict with the fast check and with the full one', () => {
    const names = [
      '$schema',
      '$ref',
      '$dynamicRef',
      '$recursiveRef',
      'properties',
      'patternProperties',
      'items',
      'additionalItems',
      'dependencies',
      'definitions',
      'anyOf',
      'not',
      'type',
      'pattern',
      'required',
    ];
    const { schema } = fc.letrec<{ schema: JsonSchemaObject; value: unknown }>((tie) => ({
      schema: fc
        .uniqueArray(fc.tuple(fc.constantFrom(...names), tie('value')), {
          maxLength: 3,
          selector: ([name]) => name,
        })
        .map((entries) => Object.fromEntries(entries)),
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<unknown>(
          'string',
          '#',
          '#/x',
          'https://x.example/',
          '[',
          'a',
          true,
          0,
          -1,
          1.5,
          null,
        ),
        fc.constantFrom<unknown>([], ['string'], ['a', 'a'], {}),
        tie('schema'),
        fc.array(tie('schema'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', '['), tie('schema'), { maxKeys: 2 }),
      ),
    }));
    const limits = { ...defaultSchemaLimits, subschemas: 3 };
    fc.assert(
      fc.property(schema, (source) => {
        fc.pre(!('$anchor' in source || '$dynamicAnchor' in source || '$id' in source));
        expect(survey(source, limits)).toBe(survey({ ...source, $anchor: 'looked-at' }, limits));
      }),
      {
        numRuns: runs(3000),
        examples: [[{ items: { $schema: 'string' } }], [{ not: { not: { not: {} } } }]],
      },
    );
  });
});
