import type { ProfileName } from '../profile.js';
import type { SchemaRule } from './rule.js';

const gemini: readonly ProfileName[] = ['portable', 'gemini'];

/** Keywords of Gemini's `Schema` message. Its parser rejects the whole request for any other key. */
const geminiKeywords: ReadonlySet<string> = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'anyOf',
  'default',
]);

/** The `format` values that Gemini accepts, by type. */
export const geminiFormats: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

export const keywordRules: readonly SchemaRule[] = [
  {
    id: 'no-one-of',
    profiles: [...gemini, 'openai-strict'],
    keywords: ['oneOf', 'allOf'],
  },
  {
    id: 'no-conditions',
    profiles: [...gemini, 'openai-strict'],
    keywords: ['not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  },
  {
    id: 'no-exclusive-bounds',
    profiles: gemini,
    keywords: ['exclusiveMinimum', 'exclusiveMaximum'],
  },
  {
    id: 'no-const',
    profiles: gemini,
    keywords: ['const'],
  },
  {
    id: 'string-enums',
    profiles: gemini,
    check: (schema) =>
      schema['enum'] !== undefined &&
      (schema['type'] !== 'string' ||
        !Array.isArray(schema['enum']) ||
        (schema['enum'] as unknown[]).some((value) => typeof value !== 'string' || value === ''))
        ? 'An enum must have type "string" and texts that are not empty.'
        : undefined,
  },
  {
    id: 'no-multiple-of',
    profiles: gemini,
    keywords: ['multipleOf'],
  },
  {
    id: 'no-unique-items',
    profiles: gemini,
    keywords: ['uniqueItems'],
  },
  {
    id: 'no-tuples',
    profiles: [...gemini, 'openai', 'openai-strict', 'codex', 'vscode', 'cursor'],
    keywords: ['prefixItems', 'additionalItems'],
    check: ({ items }) => (Array.isArray(items) ? '"items" must be one schema.' : undefined),
  },
  {
    id: 'no-contains',
    profiles: [...gemini, 'openai-strict'],
    keywords: ['contains', 'minContains', 'maxContains', 'unevaluatedItems', 'unevaluatedProperties'],
  },
  {
    id: 'no-pattern-properties',
    profiles: [...gemini, 'openai-strict'],
    keywords: ['patternProperties', 'propertyNames'],
  },
  {
    id: 'no-additional-properties',
    profiles: gemini,
    keywords: ['additionalProperties'],
  },
  {
    id: 'known-formats',
    profiles: gemini,
    check: ({ format, type }) =>
      format === undefined ||
      (typeof format === 'string' && typeof type === 'string' && geminiFormats[type]?.includes(format))
        ? undefined
        : `The format ${JSON.stringify(format)} is not known.`,
  },
  {
    id: 'no-examples',
    profiles: gemini,
    keywords: ['examples', 'example'],
  },
  {
    id: 'known-keywords',
    profiles: gemini,
    check: (schema) => {
      const unknown = Object.keys(schema).find((key) => !geminiKeywords.has(key) && !isNamedElsewhere(key));
      return unknown === undefined
        ? undefined
        : `The keyword ${JSON.stringify(unknown.slice(0, 100))} is not known.`;
    },
  },
];

/** Whether this rule ignores a keyword. MCP clients read `x-mcp-header` themselves, so authors can rely on it. */
function isNamedElsewhere(keyword: string): boolean {
  return namedElsewhere.has(keyword) || keyword === 'x-mcp-header';
}

/** Keywords of other rules. They are skipped here, so that each fault is reported once. */
const namedElsewhere: ReadonlySet<string> = new Set(
  [
    '$ref $defs definitions $dynamicRef $anchor $dynamicAnchor $id id oneOf allOf not if then else dependentRequired',
    'dependentSchemas dependencies exclusiveMinimum exclusiveMaximum const multipleOf uniqueItems prefixItems',
    'additionalItems contains minContains maxContains unevaluatedItems unevaluatedProperties patternProperties',
    'propertyNames additionalProperties examples example',
  ].flatMap((words) => words.split(' ')),
);
