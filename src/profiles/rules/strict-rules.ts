import { isJsonObject } from '../../values/json-value.js';
import type { SchemaRule } from './rule.js';
import { hasType } from './structure-rules.js';

/** Levels of objects and arrays below the root, and properties of the whole schema, at most. */
export const STRICT_DEPTH = 5;
export const STRICT_PROPERTIES = 100;

export const strictFormats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

const strict = {
  source: 'OpenAI guide to structured outputs, mcpconform 0.2.1',
  date: '2026-06',
  profiles: ['openai-strict'],
} as const;

/** Rules of OpenAI's strict mode. */
export const strictRules: readonly SchemaRule[] = [
  {
    id: 'strict-closed',
    reason: 'Every object must have `additionalProperties: false`.',
    ...strict,
    lowering:
      'Open objects get the property `additional_fields`, JSON text with the fields that have no property.',
    check: (schema) =>
      hasType(schema, 'object') && schema['additionalProperties'] !== false
        ? 'An object must have "additionalProperties": false.'
        : undefined,
  },
  {
    id: 'strict-required',
    reason: 'Every property must be required.',
    ...strict,
    lowering:
      'Optional properties become nullable, and null leaves them out. The text "null" is null where the author accepts null too.',
    check: ({ properties, required }) => {
      if (!isJsonObject(properties)) return undefined;
      const names = new Set(Array.isArray(required) ? (required as unknown[]) : []);
      const optional = Object.keys(properties).find((name) => !names.has(name));
      return optional === undefined
        ? undefined
        : `The property ${JSON.stringify(optional)} must be required.`;
    },
  },
  {
    id: 'strict-typed',
    reason: 'A schema without `type` is rejected, unless it is an `anyOf`.',
    ...strict,
    lowering: 'The value is text that may be JSON.',
    check: (schema) =>
      schema['type'] === undefined && !Array.isArray(schema['anyOf'])
        ? 'A schema must have a type.'
        : undefined,
  },
  {
    id: 'strict-no-default',
    reason: '`default` is rejected.',
    ...strict,
    lowering: '"Default: 10." in the description.',
    keywords: ['default'],
  },
  {
    id: 'strict-formats',
    reason:
      'Only the formats date-time, time, date, duration, email, hostname, ipv4, ipv6 and uuid are accepted.',
    ...strict,
    lowering: '"Format: uri." in the description.',
    check: ({ format }) =>
      format === undefined || strictFormats.has(format)
        ? undefined
        : `The format ${JSON.stringify(format)} is not known.`,
  },
  {
    id: 'strict-keywords',
    reason: '`minLength`, `maxLength`, `uniqueItems`, `minProperties` and `maxProperties` are rejected.',
    ...strict,
    lowering: 'They move into the description.',
    keywords: ['minLength', 'maxLength', 'uniqueItems', 'minProperties', 'maxProperties'],
  },
  {
    id: 'strict-depth',
    reason: 'More than 5 levels of nesting are rejected.',
    source: 'ellmer#671, mcpconform 0.2.1',
    date: '2026-06',
    profiles: ['openai-strict'],
    lowering: 'Deeper values are JSON text.',
    check: (schema, { depth }) =>
      depth >= STRICT_DEPTH && (hasType(schema, 'object') || hasType(schema, 'array'))
        ? 'A strict schema may have 5 levels.'
        : undefined,
  },
  {
    id: 'strict-properties',
    reason: 'More than 100 properties in the whole schema are rejected.',
    ...strict,
    lowering:
      'The innermost objects become JSON text; then properties beyond 100 move to `additional_fields`.',
  },
];
