import type { ProfileName } from '../profile.js';
import type { SchemaRule } from './rule.js';

const gemini: readonly ProfileName[] = ['portable', 'gemini'];
const geminiProbe = {
  source: 'LibreChat#13850 (probed against both APIs)',
  date: '2026-06',
  profiles: gemini,
};

/** Keywords of Gemini's `Schema` message. Its parser rejects the whole request for any other key. */
export const geminiKeywords: ReadonlySet<string> = new Set([
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

/** Rules about single keywords of input schemas. */
export const keywordRules: readonly SchemaRule[] = [
  {
    id: 'no-one-of',
    reason: '`oneOf` and `allOf` are rejected.',
    source: 'code-assistant#181, pizza-bot#62',
    date: '2026-09',
    profiles: [...gemini, 'openai-strict'],
    lowering: '`oneOf` becomes `anyOf`; the schemas of `allOf` are merged.',
    keywords: ['oneOf', 'allOf'],
  },
  {
    id: 'no-conditions',
    reason: 'Conditional keywords are rejected.',
    source: 'LibreChat#13850, OpenAI guide to structured outputs',
    date: '2026-06',
    profiles: [...gemini, 'openai-strict'],
    lowering:
      'The condition is left out; validation still applies it. Dependencies move into the description.',
    keywords: ['not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  },
  {
    id: 'no-exclusive-bounds',
    reason: '`exclusiveMinimum` and `exclusiveMaximum` are rejected.',
    ...geminiProbe,
    lowering:
      '`minimum` and `maximum`, one higher or lower for integers; the description says "Greater than 0." for others.',
    keywords: ['exclusiveMinimum', 'exclusiveMaximum'],
  },
  {
    id: 'no-const',
    reason: '`const` is rejected.',
    ...geminiProbe,
    lowering: '`enum` with one value.',
    keywords: ['const'],
  },
  {
    id: 'string-enums',
    reason: '`enum` is accepted for strings only.',
    source: '9router#380',
    date: '2026-03',
    profiles: gemini,
    lowering: 'The values move into the description.',
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
    reason: '`multipleOf` is rejected.',
    ...geminiProbe,
    lowering: '"A multiple of 5." in the description.',
    keywords: ['multipleOf'],
  },
  {
    id: 'no-unique-items',
    reason: '`uniqueItems` is rejected.',
    ...geminiProbe,
    lowering: '"No duplicates." in the description.',
    keywords: ['uniqueItems'],
  },
  {
    id: 'no-tuples',
    reason: '`prefixItems`, and `items` as a list, are rejected.',
    ...geminiProbe,
    profiles: [...gemini, 'openai-strict', 'codex', 'vscode'],
    lowering: '`items` that accepts each of them; the description lists them in order.',
    keywords: ['prefixItems', 'additionalItems'],
    check: ({ items }) => (Array.isArray(items) ? '"items" must be one schema.' : undefined),
  },
  {
    id: 'no-contains',
    reason: '`contains` and the `unevaluated` keywords are rejected.',
    source: 'code-assistant#181, OpenAI guide to structured outputs',
    date: '2026-08',
    profiles: [...gemini, 'openai-strict'],
    lowering: 'They are left out; validation still applies them.',
    keywords: ['contains', 'minContains', 'maxContains', 'unevaluatedItems', 'unevaluatedProperties'],
  },
  {
    id: 'no-pattern-properties',
    reason: '`patternProperties` and `propertyNames` are rejected.',
    ...geminiProbe,
    profiles: [...gemini, 'openai-strict'],
    lowering: 'Such fields count as additional fields; the description gives the pattern.',
    keywords: ['patternProperties', 'propertyNames'],
  },
  {
    id: 'no-additional-properties',
    reason: '`additionalProperties` is rejected, also as `true` or `false`.',
    source: 'code-assistant#181, LibreChat#13850',
    date: '2026-08',
    profiles: gemini,
    lowering: 'It is left out; validation still rejects unknown fields. Maps are JSON text.',
    keywords: ['additionalProperties'],
  },
  {
    id: 'known-formats',
    reason: 'Other formats than `date-time`, `enum`, `float`, `double`, `int32` and `int64` are rejected.',
    source: 'langchain-mcp-tools-ts#36, collmbo#195',
    date: '2025-06',
    profiles: gemini,
    lowering: '"Format: email." in the description.',
    check: ({ format, type }) =>
      format === undefined ||
      (typeof format === 'string' && typeof type === 'string' && geminiFormats[type]?.includes(format))
        ? undefined
        : `The format ${JSON.stringify(format)} is not known.`,
  },
  {
    id: 'no-examples',
    reason: '`examples` is rejected.',
    ...geminiProbe,
    lowering: '"Example: …" in the description.',
    keywords: ['examples', 'example'],
  },
  {
    id: 'known-keywords',
    reason:
      'Any other keyword is rejected, such as `$schema`, `$comment`, `deprecated` and keys that begin with `x-`.',
    source: 'LibreChat#13850, freellmapi#65, freellmapi#417',
    date: '2026-06',
    profiles: gemini,
    lowering: 'It is left out.',
    check: (schema) => {
      const unknown = Object.keys(schema).find((key) => !geminiKeywords.has(key) && !namedElsewhere.has(key));
      return unknown === undefined
        ? undefined
        : `The keyword ${JSON.stringify(unknown.slice(0, 100))} is not known.`;
    },
  },
];

/** Keywords of other rules, so that one fault is reported once. */
const namedElsewhere: ReadonlySet<string> = new Set(
  [
    '$ref $defs definitions $dynamicRef $anchor $dynamicAnchor $id id oneOf allOf not if then else dependentRequired',
    'dependentSchemas dependencies exclusiveMinimum exclusiveMaximum const multipleOf uniqueItems prefixItems',
    'additionalItems contains minContains maxContains unevaluatedItems unevaluatedProperties patternProperties',
    'propertyNames additionalProperties examples example',
  ].flatMap((words) => words.split(' ')),
);
