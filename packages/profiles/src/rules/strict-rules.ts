import { isJsonObject } from '@toolfold/schema/internal';
import type { ProfileName } from '../profile.js';
import type { SchemaRule } from './rule.js';
import { hasType } from './structure-rules.js';

/** The levels of objects and arrays below the root, and the properties of the whole schema, that strict mode accepts. */
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

const strict: readonly ProfileName[] = ['openai-strict'];

export const strictRules: readonly SchemaRule[] = [
  {
    id: 'strict-closed',
    profiles: strict,
    check: (schema) =>
      hasType(schema, 'object') && schema['additionalProperties'] !== false
        ? 'An object must have "additionalProperties": false.'
        : undefined,
  },
  {
    id: 'strict-required',
    profiles: strict,
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
    profiles: strict,
    check: (schema) =>
      schema['type'] === undefined && !Array.isArray(schema['anyOf'])
        ? 'A schema must have a type.'
        : undefined,
  },
  {
    id: 'strict-no-default',
    profiles: strict,
    keywords: ['default'],
  },
  {
    id: 'strict-formats',
    profiles: strict,
    check: ({ format }) =>
      format === undefined || strictFormats.has(format)
        ? undefined
        : `The format ${JSON.stringify(format)} is not known.`,
  },
  {
    id: 'strict-keywords',
    profiles: strict,
    keywords: ['minLength', 'maxLength', 'uniqueItems', 'minProperties', 'maxProperties'],
  },
  {
    id: 'strict-depth',
    profiles: ['openai-strict'],
    check: (schema, { depth }) =>
      depth >= STRICT_DEPTH && (hasType(schema, 'object') || hasType(schema, 'array'))
        ? 'A strict schema may have 5 levels.'
        : undefined,
  },
  {
    id: 'strict-properties',
    profiles: strict,
  },
];
