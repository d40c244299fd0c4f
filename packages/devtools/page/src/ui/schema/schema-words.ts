import { typesOf } from '@toolfold/schema/internal';
import { isSchemaObject, resolveSchema } from './resolve-schema.js';
import type { SchemaObject } from './resolve-schema.js';

const plurals: Readonly<Record<string, string>> = {
  string: 'strings',
  integer: 'integers',
  number: 'numbers',
  boolean: 'booleans',
  object: 'objects',
  array: 'lists',
};

/** Describes the type of a schema in a few words, such as "list of strings" or "integer or null". */
export function typeInWords(schema: SchemaObject, root: unknown, depth = 0): string {
  if ('const' in schema) return 'fixed value';
  const types = typesOf(schema) ?? [];
  const alternatives = alternativesOf(schema);
  if (types.length === 0) {
    if (Array.isArray(schema['enum'])) return enumInWords(schema['enum']);
    if (alternatives) return alternativesInWords(alternatives.schemas, root, depth);
    if (isSchemaObject(schema['not']) && Object.keys(schema['not']).length === 0) return 'no value';
    return 'properties' in schema
      ? 'object'
      : 'items' in schema
        ? listInWords(schema, root, depth)
        : 'any value';
  }
  return types
    .map((type) =>
      type === 'array'
        ? listInWords(schema, root, depth)
        : type === 'object'
          ? objectInWords(schema, root, depth)
          : type,
    )
    .join(' or ');
}

/** Returns the branches of a union. */
export function alternativesOf(
  schema: SchemaObject,
): { readonly keyword: 'oneOf' | 'anyOf'; readonly schemas: readonly unknown[] } | undefined {
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const schemas = schema[keyword];
    if (Array.isArray(schemas) && schemas.length > 0) return { keyword, schemas };
  }
  return undefined;
}

function enumInWords(values: readonly unknown[]): string {
  const types = new Set(values.map((value) => (value === null ? 'null' : typeof value)));
  return [...types].join(' or ');
}

function alternativesInWords(schemas: readonly unknown[], root: unknown, depth: number): string {
  const words = schemas.map((each) => typeInWords(resolveSchema(each, '', root).schema, root, depth + 1));
  const different = [...new Set(words)];
  // Two or three short alternatives fit on one line.
  if (depth < 2 && different.length <= 3 && different.join('').length <= 40) return different.join(' or ');
  return `one of ${schemas.length} alternatives`;
}

function listInWords(schema: SchemaObject, root: unknown, depth: number): string {
  if (Array.isArray(schema['prefixItems'])) return `list of ${schema['prefixItems'].length} given items`;
  const { items } = schema;
  if (!isSchemaObject(items) || depth > 2) return 'list';
  const { schema: item, name } = resolveSchema(items, '', root);
  const [type, second] = typesOf(item) ?? [];
  if (second !== undefined) return `list of (${typeInWords(item, root, depth + 1)})`;
  if (type === 'array') return `list of ${plurals['array']} `.trim();
  if (type === 'object' && name !== undefined) return `list of ${name}`;
  if (type !== undefined) return `list of ${plurals[type] ?? type}`;
  if (Array.isArray(item['enum'])) return `list of ${plurals[enumInWords(item['enum'])] ?? 'values'}`;
  return alternativesOf(item) ? 'list of alternatives' : 'list';
}

function objectInWords(schema: SchemaObject, root: unknown, depth: number): string {
  const { additionalProperties } = schema;
  if (isSchemaObject(schema['properties']) || !isSchemaObject(additionalProperties) || depth > 2)
    return 'object';
  const { schema: value } = resolveSchema(additionalProperties, '', root);
  const [type] = typesOf(value) ?? [];
  return type === undefined ? 'map' : `map of ${plurals[type] ?? type}`;
}

/** Describes the limits of a schema in short phrases: format, range, length, pattern. */
export function factsOf(schema: SchemaObject): string[] {
  const facts: string[] = [];
  if (typeof schema['format'] === 'string') facts.push(`format ${schema['format']}`);
  if (typeof schema['contentEncoding'] === 'string') facts.push(`encoding ${schema['contentEncoding']}`);
  if (typeof schema['contentMediaType'] === 'string') facts.push(schema['contentMediaType']);
  const range = rangeOf(schema);
  if (range !== undefined) facts.push(range);
  if (typeof schema['multipleOf'] === 'number') facts.push(`multiple of ${schema['multipleOf']}`);
  pushSize(facts, schema['minLength'], schema['maxLength'], 'character');
  pushSize(facts, schema['minItems'], schema['maxItems'], 'item');
  pushSize(facts, schema['minProperties'], schema['maxProperties'], 'key');
  if (schema['uniqueItems'] === true) facts.push('no duplicates');
  if (typeof schema['pattern'] === 'string') facts.push(`matches ${cut(schema['pattern'], 80)}`);
  if ('default' in schema) facts.push(`default ${valueInWords(schema['default'])}`);
  if ('const' in schema) facts.push(`always ${valueInWords(schema['const'])}`);
  if (schema['readOnly'] === true) facts.push('read-only');
  if (schema['writeOnly'] === true) facts.push('write-only');
  if (schema['deprecated'] === true) facts.push('deprecated');
  return facts;
}

function rangeOf(schema: SchemaObject): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (isNumber(minimum) && isNumber(maximum)) return `${minimum} to ${maximum}`;
  const lower = isNumber(exclusiveMinimum)
    ? `more than ${exclusiveMinimum}`
    : isNumber(minimum)
      ? `at least ${minimum}`
      : undefined;
  const upper = isNumber(exclusiveMaximum)
    ? `less than ${exclusiveMaximum}`
    : isNumber(maximum)
      ? `at most ${maximum}`
      : undefined;
  return [lower, upper].filter((each) => each !== undefined).join(', ') || undefined;
}

function pushSize(facts: string[], min: unknown, max: unknown, noun: string): void {
  const nouns = (count: number) => (count === 1 ? noun : `${noun}s`);
  if (isNumber(min) && isNumber(max))
    facts.push(min === max ? `exactly ${min} ${nouns(min)}` : `${min} to ${max} ${noun}s`);
  else if (isNumber(min) && min > 0) facts.push(`at least ${min} ${nouns(min)}`);
  else if (isNumber(max)) facts.push(`at most ${max} ${nouns(max)}`);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** Writes a short value as JSON. */
export function valueInWords(value: unknown): string {
  return cut(JSON.stringify(value) ?? String(value), 60);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
