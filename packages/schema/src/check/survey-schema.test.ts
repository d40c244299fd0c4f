import { describe, expect, it } from 'vitest';
import { ToolfoldError } from '../errors.js';
import { defaultSchemaLimits } from '../values/json-schema.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { isKnownStandalone, surveySchema } from './survey-schema.js';

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
});
