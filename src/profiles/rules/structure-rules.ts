import { isJsonObject } from '../../values/json-value.js';
import type { JsonSchemaObject } from '../../values/json-schema.js';
import type { ProfileName } from '../profile.js';
import type { SchemaRule } from './rule.js';

const all: readonly ProfileName[] = [
  'portable',
  'anthropic',
  'openai',
  'openai-strict',
  'gemini',
  'cursor',
  'vscode',
  'codex',
  'bedrock',
];
const gemini: readonly ProfileName[] = ['portable', 'gemini'];
export const KEY_PATTERN = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Rules about the structure of input schemas. */
export const structureRules: readonly SchemaRule[] = [
  {
    id: 'root-object',
    reason:
      'The root of an input must have `type: "object"`; the official client rejects the whole list otherwise.',
    source: 'MCP 2025-11-25 and 2026-07-28',
    date: '2026-07',
    profiles: all,
    lowering: 'The root becomes an object with the fields that it accepts.',
    check: (schema, { isRoot }) =>
      isRoot && schema['type'] !== 'object' ? 'The root must have type "object".' : undefined,
  },
  {
    id: 'no-root-composition',
    reason: '`oneOf`, `anyOf`, `allOf`, `not` and `enum` at the root fail the whole request.',
    source: 'notion-mcp-server#340, claude-code#5973, flywheel_connectors#49',
    date: '2026-05',
    profiles: all,
    lowering: 'One object with the fields of all branches. The description says which belong together.',
    check: (schema, { isRoot }) => {
      if (!isRoot) return undefined;
      const found = rootCompositions.find((keyword) => schema[keyword] !== undefined);
      return found === undefined ? undefined : `The root must not have "${found}".`;
    },
  },
  {
    id: 'property-key',
    reason:
      'One key outside ^[a-zA-Z0-9_.-]{1,64}$ fails the whole request. Cursor, VS Code and Bedrock offer Claude models too.',
    source: 'claude-code#79418, studio#6874, composio#3500',
    date: '2026-07',
    profiles: ['portable', 'anthropic', 'bedrock', 'cursor', 'vscode'],
    lowering: 'The key is renamed, its description names the original, and arguments are mapped back.',
    check: (schema) => {
      const bad = keysOf(schema).find((key) => !KEY_PATTERN.test(key));
      return bad === undefined
        ? undefined
        : `The key ${JSON.stringify(bad.slice(0, 100))} must match ^[a-zA-Z0-9_.-]{1,64}$.`;
    },
  },
  {
    id: 'no-ref',
    reason: '`$ref` and `$defs` are rejected, or the client reads them as text or drops them.',
    source: 'gemini-cli#13326, fastmcp#2808, codex#22166',
    date: '2026-05',
    profiles: [...gemini, 'openai-strict', 'cursor', 'vscode', 'codex'],
    lowering: 'References are inlined. Recursion ends after two levels, and deeper values are JSON text.',
    keywords: ['$ref', '$defs', 'definitions', '$dynamicRef', '$anchor', '$dynamicAnchor', '$id', 'id'],
  },
  {
    id: 'array-items',
    reason: 'An array without `items` is rejected.',
    source: 'vscode#284536, hermes-agent#24158, iwdp-mcp#4',
    date: '2026-05',
    profiles: [...gemini, 'vscode', 'openai', 'openai-strict', 'codex', 'cursor'],
    lowering: '`items: {}` where untyped schemas are accepted, otherwise items as text that may be JSON.',
    check: (schema) =>
      hasType(schema, 'array') && !isJsonObject(schema['items']) ? 'An array must have "items".' : undefined,
  },
  {
    id: 'object-properties',
    reason: 'An object without `properties` is rejected, also that of a tool without arguments.',
    source: 'codex#13768, iwdp-mcp#3',
    date: '2026-05',
    profiles: [...gemini, 'codex', 'openai', 'openai-strict'],
    lowering: '`properties: {}` is added.',
    check: (schema) =>
      hasType(schema, 'object') && !isJsonObject(schema['properties'])
        ? 'An object must have "properties".'
        : undefined,
  },
  {
    id: 'properties-not-empty',
    reason: 'A nested object with empty `properties` is rejected.',
    source: 'browser-use#3786',
    date: '2025-12',
    profiles: gemini,
    lowering: 'The value is JSON text.',
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
    reason: 'Every name in `required` must be a property.',
    source: 'kilocode#11950',
    date: '2026-04',
    profiles: gemini,
    lowering: 'A property is added.',
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
    reason: 'A schema without `type` is rejected, unless it is an `anyOf`.',
    source: 'opencode#14234, opencode#13148, gemini-cli#5694',
    date: '2026-02',
    profiles: gemini,
    lowering: 'The value is text that may be JSON.',
    check: (schema) =>
      typeof schema['type'] !== 'string' && !Array.isArray(schema['type']) && !Array.isArray(schema['anyOf'])
        ? 'A schema must have a type.'
        : undefined,
  },
  {
    id: 'no-type-list',
    reason: 'A list of types is rejected; Cursor rejects valid calls because of it.',
    source: 'LibreChat#13850, opencode#43495, cursor#3778',
    date: '2026-09',
    profiles: [...gemini, 'cursor'],
    lowering: '`anyOf` with one type each, or `nullable` for Gemini.',
    check: ({ type }) => (Array.isArray(type) ? 'The type must be one name, not a list.' : undefined),
  },
  {
    id: 'no-any-of-in-items',
    reason: '`anyOf` in `items` is rejected.',
    source: 'mcp-server-excel#672',
    date: '2026-06',
    profiles: gemini,
    lowering: 'Alternatives become one object with all fields, or text that may be JSON.',
    check: (schema, { isItems }) =>
      isItems && schema['anyOf'] !== undefined ? 'The items of an array must not have "anyOf".' : undefined,
  },
  {
    id: 'any-of-as-text',
    reason: 'Codex shows a union to the model as text. It accepts the tool, so nothing is reported.',
    source: 'codex#13768',
    date: '2026-03',
    profiles: ['portable', 'codex'],
    lowering: 'The schema stays. JSON text is read as the value where the union accepts no text.',
  },
  {
    id: 'any-of-alone',
    reason: 'Vertex rejects keywords beside `anyOf`, descriptions included.',
    source: 'ai-memory#450, langchain-google#1216, litellm#11164',
    date: '2026-08',
    profiles: gemini,
    lowering: 'The description moves into the first alternative.',
    check: (schema) =>
      schema['anyOf'] !== undefined && Object.keys(schema).length > 1
        ? '"anyOf" must be the only keyword of its schema.'
        : undefined,
  },
  {
    id: 'object-keywords',
    reason: '`properties` and `required` are accepted for type "object" only.',
    source: 'opencode#11888',
    date: '2026-02',
    profiles: gemini,
    lowering: 'They move to the alternative that is an object.',
    check: (schema) =>
      (schema['properties'] !== undefined || schema['required'] !== undefined) && schema['type'] !== 'object'
        ? '"properties" and "required" need type "object".'
        : undefined,
  },
  {
    id: 'bounded-schema',
    reason: 'A schema of more than 24 levels is rejected or cut.',
    source: 'Limits of Toolfold, so that lowering ends soon',
    date: '2026-11',
    profiles: all,
    lowering: 'Deeper values are JSON text.',
    check: (_schema, { depth }) => (depth > MAX_DEPTH ? `A schema may have ${MAX_DEPTH} levels.` : undefined),
  },
];

/** Properties and items around a subschema, at most. */
export const MAX_DEPTH = 24;

export const rootCompositions = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', '$ref', 'if'] as const;

export function hasType({ type }: JsonSchemaObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

/** The names of properties that a schema mentions. */
function keysOf({ properties, required, dependentRequired, dependentSchemas }: JsonSchemaObject): string[] {
  const names = [properties, dependentRequired, dependentSchemas].flatMap((map) =>
    isJsonObject(map) ? Object.keys(map) : [],
  );
  return Array.isArray(required)
    ? [...names, ...(required as unknown[]).filter((name) => typeof name === 'string')]
    : names;
}
