import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolfoldError } from '../../errors.js';
import { defaultSchemaLimits } from '../../values/json-schema.js';
import type { JsonSchemaObject } from '../../values/json-schema.js';
import { isKnownStandalone, surveySchema } from './survey-schema.js';
import { runs } from '../../../test/runs.js';

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
  it.each<[string, JsonSchemaObject, boolean]>([
    ['properties', { type: 'object', properties: { a: { type: 'string', minLength: 1 }, b: true } }, true],
    ['its dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema', items: {} }, true],
    ['its dialect, spelled otherwise', { $schema: 'http://json-schema.org/draft/2020-12/schema#' }, true],
    ['patterns of names', { patternProperties: { '^a': {} } }, true],
    ['custom keywords', { 'x-mine': { $ref: 'https://x.example/' } }, true],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, false],
    ['a reference', { items: { $ref: '#' } }, false],
    ['an identifier', { anyOf: [{ $id: 'https://x.example/' }] }, false],
    ['an anchor', { not: { $anchor: 'a' } }, false],
  ])('recognises schemas that mean the same in any document: %s', (_what, schema, isStandalone) => {
    surveySchema(schema, defaultSchemaLimits);
    expect(isKnownStandalone(schema)).toBe(isStandalone);
  });

  it('terminates for a schema that contains itself, and for one that repeats a part many times', () => {
    const circle: Record<string, unknown> = { type: 'object' };
    circle['properties'] = { again: circle };
    expect(survey(circle)).toBe('sound');
    let branch: JsonSchemaObject = { type: 'string' };
    for (let level = 0; level < 40; level++) branch = { anyOf: [branch, branch] };
    expect(survey(branch)).toBe('sound');
  });

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
