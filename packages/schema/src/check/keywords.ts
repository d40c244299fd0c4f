import type { Dialect, JsonSchema } from '../values/json-schema.js';
import { isSchema } from '../values/json-schema.js';
import { isJsonObject } from '../values/json-value.js';
import { toUnicodePattern } from '../patterns/patterns.js';

/** The form of a keyword's value. The first five forms contain subschemas. */
export type KeywordForm =
  | 'schema'
  | 'schemas'
  | 'schema map'
  | 'schema or schemas'
  | 'dependencies'
  | 'string'
  | 'boolean'
  | 'number'
  | 'positive number'
  | 'count'
  | 'array'
  | 'object'
  | 'type'
  | 'pattern'
  | 'unique strings'
  | 'unique strings map'
  | 'anchor'
  | 'identifier'
  | 'anything';

const shared = {
  $schema: 'string',
  $ref: 'string',
  $comment: 'string',
  title: 'string',
  description: 'string',
  default: 'anything',
  readOnly: 'boolean',
  writeOnly: 'boolean',
  examples: 'array',
  type: 'type',
  enum: 'array',
  const: 'anything',
  multipleOf: 'positive number',
  maximum: 'number',
  exclusiveMaximum: 'number',
  minimum: 'number',
  exclusiveMinimum: 'number',
  maxLength: 'count',
  minLength: 'count',
  pattern: 'pattern',
  maxItems: 'count',
  minItems: 'count',
  uniqueItems: 'boolean',
  contains: 'schema',
  maxProperties: 'count',
  minProperties: 'count',
  required: 'unique strings',
  properties: 'schema map',
  patternProperties: 'schema map',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
  format: 'string',
  contentMediaType: 'string',
  contentEncoding: 'string',
  definitions: 'schema map',
} as const satisfies Record<string, KeywordForm>;

export const holdsSchemas: ReadonlySet<KeywordForm> = new Set([
  'schema',
  'schemas',
  'schema map',
  'schema or schemas',
  'dependencies',
]);

/** Every keyword of each dialect. All other keys are annotations of the author. */
export const keywords: Readonly<Record<Dialect, ReadonlyMap<string, KeywordForm>>> = {
  '2020-12': new Map<string, KeywordForm>(
    Object.entries({
      ...shared,
      $id: 'identifier',
      $anchor: 'anchor',
      $dynamicRef: 'string',
      $dynamicAnchor: 'anchor',
      $vocabulary: 'object',
      $defs: 'schema map',
      deprecated: 'boolean',
      minContains: 'count',
      maxContains: 'count',
      dependentRequired: 'unique strings map',
      dependentSchemas: 'schema map',
      prefixItems: 'schemas',
      items: 'schema',
      unevaluatedItems: 'schema',
      unevaluatedProperties: 'schema',
      contentSchema: 'schema',
    } as const satisfies Record<string, KeywordForm>),
  ),
  'draft-07': new Map<string, KeywordForm>(
    Object.entries({
      ...shared,
      $id: 'string',
      items: 'schema or schemas',
      additionalItems: 'schema',
      dependencies: 'dependencies',
    } as const satisfies Record<string, KeywordForm>),
  ),
};

/**
 * Keywords of the other dialect that contain schemas. They have no effect here, but their content is checked, because another
 * reader of the schema may apply them.
 */
export const foreignKeywords: Readonly<Record<Dialect, ReadonlyMap<string, KeywordForm>>> = {
  '2020-12': foreignTo('2020-12', 'draft-07'),
  'draft-07': foreignTo('draft-07', '2020-12'),
};

function foreignTo(dialect: Dialect, other: Dialect): ReadonlyMap<string, KeywordForm> {
  return new Map(
    [...keywords[other]].filter(
      ([keyword, form]) => holdsSchemas.has(form) && !keywords[dialect].has(keyword),
    ),
  );
}

/** Keywords whose subschemas apply to the same value as the schema that contains them. */
export const inPlaceKeywords: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);

function isSchemaMap(form: KeywordForm): boolean {
  return form === 'schema map' || form === 'dependencies';
}

/** Visits every schema in a keyword's value. `key` is its name or index, if it has one. The value may be malformed. */
export function forEachSubschema(
  form: KeywordForm | undefined,
  value: unknown,
  visit: (schema: JsonSchema, key: string | number | undefined) => void,
): void {
  if (form === undefined || !holdsSchemas.has(form)) return;
  const entries = isSchemaMap(form)
    ? Object.entries(Object(value) as object)
    : Array.isArray(value)
      ? value.entries()
      : [[undefined, value] as const];
  for (const [key, child] of entries as Iterable<[string | number | undefined, unknown]>) {
    if (isSchema(child)) visit(child, key);
  }
}

/** Copies a keyword's value with `map` applied to everything in the place of a schema, whether or not it is one. */
export function mapInPlaces(
  form: KeywordForm | undefined,
  value: unknown,
  map: (child: unknown) => unknown,
): unknown {
  if (form === undefined || !holdsSchemas.has(form)) return value;
  if (Array.isArray(value)) return (value as unknown[]).map(map);
  if (!isSchemaMap(form) || !isJsonObject(value)) return map(value);
  // Unlike an assignment, `fromEntries` makes `__proto__` an ordinary key.
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, map(child)]));
}

export function mapSubschemas(
  keyword: string,
  value: unknown,
  dialect: Dialect,
  map: (schema: JsonSchema) => JsonSchema,
): unknown {
  return mapInPlaces(keywords[dialect].get(keyword), value, (child) =>
    isSchema(child) ? map(child) : child,
  );
}

const types = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);

/** Describes what is wrong with a keyword's value; `undefined` if it is valid. */
export function formProblem(form: KeywordForm, value: unknown): string | undefined {
  return formChecks[form](value);
}

const formChecks: Record<KeywordForm, (value: unknown) => string | undefined> = {
  schema: (value) => (isSchema(value) ? undefined : 'must be a schema'),
  schemas: (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isSchema)
      ? undefined
      : 'must be a non-empty array of schemas',
  'schema map': (value) =>
    isJsonObject(value) && Object.values(value).every(isSchema) ? undefined : 'must map names to schemas',
  'schema or schemas': (value) => formChecks.schema(value) && formChecks.schemas(value),
  dependencies: (value) =>
    isJsonObject(value) && Object.values(value).every((entry) => isSchema(entry) || isUniqueStrings(entry))
      ? undefined
      : 'must map names to schemas or to lists of names',
  string: (value) => (typeof value === 'string' ? undefined : 'must be a string'),
  boolean: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  number: (value) => (typeof value === 'number' ? undefined : 'must be a number'),
  'positive number': (value) =>
    typeof value === 'number' && value > 0 ? undefined : 'must be a number above 0',
  count: (value) =>
    Number.isInteger(value) && (value as number) >= 0 ? undefined : 'must be a whole number from 0',
  array: (value) => (Array.isArray(value) ? undefined : 'must be an array'),
  object: (value) => (isJsonObject(value) ? undefined : 'must be an object'),
  type: (value) => {
    const names = Array.isArray(value) ? (value as unknown[]) : [value];
    return names.length > 0 &&
      names.every((name) => typeof name === 'string' && types.has(name)) &&
      new Set(names).size === names.length
      ? undefined
      : `must name one or more of ${[...types].join(', ')}`;
  },
  pattern: (value) =>
    typeof value === 'string' && toUnicodePattern(value) !== undefined
      ? undefined
      : 'must be a regular expression that JavaScript accepts with the u flag',
  'unique strings': (value) => (isUniqueStrings(value) ? undefined : 'must be an array of different strings'),
  'unique strings map': (value) =>
    isJsonObject(value) && Object.values(value).every(isUniqueStrings)
      ? undefined
      : 'must map names to arrays of different strings',
  anchor: (value) =>
    typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)
      ? undefined
      : 'must be a name of letters, digits, "-", "_" and "."',
  identifier: (value) =>
    typeof value === 'string' && /^[^#]*#?$/.test(value) ? undefined : 'must be a URI without a fragment',
  anything: () => undefined,
};

function isUniqueStrings(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === 'string') &&
    new Set(value).size === value.length
  );
}
