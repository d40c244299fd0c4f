import { isJsonObject } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import { profileNames } from '../profile.js';
import type { ProfileName } from '../profile.js';
import type { SchemaRule } from './rule.js';

const gemini: readonly ProfileName[] = ['portable', 'gemini'];
export const KEY_PATTERN = /^[a-zA-Z0-9_.-]{1,64}$/;

export const structureRules: readonly SchemaRule[] = [
  {
    id: 'root-object',
    profiles: profileNames,
    check: (schema, { isRoot }) =>
      isRoot && schema['type'] !== 'object' ? 'The root must have type "object".' : undefined,
  },
  {
    id: 'no-root-composition',
    profiles: profileNames,
    check: (schema, { isRoot }) => {
      if (!isRoot) return undefined;
      const found = rootCompositions.find((keyword) => schema[keyword] !== undefined);
      return found === undefined ? undefined : `The root must not have "${found}".`;
    },
  },
  {
    id: 'property-key',
    profiles: ['portable', 'anthropic', 'bedrock', 'cursor', 'vscode'],
    check: (schema) => {
      const bad = keysOf(schema).find((key) => !KEY_PATTERN.test(key));
      return bad === undefined
        ? undefined
        : `The key ${JSON.stringify(bad.slice(0, 100))} must match ^[a-zA-Z0-9_.-]{1,64}$.`;
    },
  },
  {
    id: 'no-ref',
    profiles: [...gemini, 'openai-strict', 'cursor', 'vscode', 'codex'],
    keywords: ['$ref', '$defs', 'definitions', '$dynamicRef', '$anchor', '$dynamicAnchor', '$id', 'id'],
  },
  {
    id: 'array-items',
    profiles: ['standard', ...gemini, 'vscode', 'openai', 'openai-strict', 'codex', 'cursor'],
    check: (schema) =>
      // The rule `no-tuples` covers lists of schemas.
      hasType(schema, 'array') && !isJsonObject(schema['items']) && !Array.isArray(schema['items'])
        ? 'An array must have "items".'
        : undefined,
  },
  {
    id: 'object-properties',
    profiles: [...gemini, 'codex', 'openai', 'openai-strict'],
    check: (schema) =>
      hasType(schema, 'object') && !isJsonObject(schema['properties'])
        ? 'An object must have "properties".'
        : undefined,
  },
  {
    id: 'properties-not-empty',
    profiles: gemini,
    check: (schema, { isRoot }) =>
      !isRoot &&
      hasType(schema, 'object') &&
      isJsonObject(schema['properties']) &&
      Object.keys(schema['properties']).length === 0
        ? 'A nested object must have at least one property.'
        : undefined,
  },
  {
    id: 'required-defined',
    profiles: gemini,
    check: ({ required, properties }) => {
      if (!Array.isArray(required)) return undefined;
      const missing = (required as unknown[]).find(
        (name) => typeof name !== 'string' || !isJsonObject(properties) || !Object.hasOwn(properties, name),
      );
      return missing === undefined
        ? undefined
        : `"required" names ${JSON.stringify(missing)}, which is no property.`;
    },
  },
  {
    id: 'typed-schemas',
    profiles: gemini,
    check: (schema) =>
      typeof schema['type'] !== 'string' && !Array.isArray(schema['type']) && !Array.isArray(schema['anyOf'])
        ? 'A schema must have a type.'
        : undefined,
  },
  {
    id: 'no-type-list',
    profiles: [...gemini, 'cursor'],
    check: ({ type }) => (Array.isArray(type) ? 'The type must be one name, not a list.' : undefined),
  },
  {
    id: 'no-any-of-in-items',
    profiles: gemini,
    check: (schema, { isItems }) =>
      isItems && schema['anyOf'] !== undefined ? 'The items of an array must not have "anyOf".' : undefined,
  },
  {
    id: 'any-of-as-text',
    profiles: ['portable', 'codex'],
  },
  {
    id: 'any-of-alone',
    profiles: gemini,
    check: (schema) =>
      schema['anyOf'] !== undefined && Object.keys(schema).length > 1
        ? '"anyOf" must be the only keyword of its schema.'
        : undefined,
  },
  {
    id: 'object-keywords',
    profiles: gemini,
    check: (schema) =>
      (schema['properties'] !== undefined || schema['required'] !== undefined) && schema['type'] !== 'object'
        ? '"properties" and "required" need type "object".'
        : undefined,
  },
  {
    id: 'bounded-schema',
    profiles: profileNames.filter((name) => name !== 'standard'),
    check: (_schema, { depth }) => (depth > MAX_DEPTH ? `A schema may have ${MAX_DEPTH} levels.` : undefined),
  },
];

/** Maximum number of properties and items around a subschema. */
export const MAX_DEPTH = 24;

export const rootCompositions = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', '$ref', 'if'] as const;

export function hasType({ type }: JsonSchemaObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

/** Returns the names of all properties that a schema mentions, whether it declares them or not. */
function keysOf({ properties, required, dependentRequired, dependentSchemas }: JsonSchemaObject): string[] {
  const names = [properties, dependentRequired, dependentSchemas].flatMap((map) =>
    isJsonObject(map) ? Object.keys(map) : [],
  );
  return Array.isArray(required)
    ? [...names, ...(required as unknown[]).filter((name) => typeof name === 'string')]
    : names;
}
