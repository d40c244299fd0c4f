import type { JsonSchemaObject } from '@toolfold/schema';
import { clip } from '@toolfold/schema/internal';

const MAX_DESCRIPTION = 1_000;
const MAX_VALUE = 120;
const MAX_RULES = 300;
const MAX_EXAMPLES = 3;

/** Writes the text of a comment. Text from another server must not end the comment early. */
export function writeComment(lines: readonly string[], indent: string): string {
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'));
  if (safe.length <= 1) return `/** ${safe[0] ?? ''} */`;
  return ['/**', ...safe.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n');
}

/** Matches control characters and unpaired surrogates. */
const NO_TEXT = /[\p{Cc}\p{Cs}]/gu;

export function toLines(text: string, maxLength: number): readonly string[] {
  const lines = clip(text, maxLength)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(NO_TEXT, ' ').trimEnd());
  return lines.filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== '' && at < lines.length - 1));
}

/** Describes a schema in one line: its description, its default and the rules that its type does not show. */
export function describeSchema(schema: JsonSchemaObject): string {
  const { description } = schema;
  const text =
    typeof description === 'string'
      ? toLines(description, MAX_DESCRIPTION).join(' ').replace(/\s+/g, ' ')
      : '';
  return [text.trim().replace(/\.$/, ''), ...notesOf(schema)].filter((part) => part !== '').join('. ');
}

function notesOf(schema: JsonSchemaObject): readonly string[] {
  const { type, format, pattern, examples, deprecated } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return [
    types.includes('integer') ? 'Integer' : '',
    writeRange(schema),
    writeCount(schema, 'Length', 'characters'),
    writeCount(schema, 'Items', 'items'),
    writeCount(schema, 'Properties', 'fields'),
    schema['uniqueItems'] === true ? 'Unique items' : '',
    typeof format === 'string' ? `Format: ${toText(format)}` : '',
    typeof pattern === 'string' ? `Pattern: ${toText(pattern)}` : '',
    schema['multipleOf'] === undefined ? '' : `Multiple of ${writeJson(schema['multipleOf'])}`,
    schema['default'] === undefined ? '' : `Default: ${writeJson(schema['default'])}`,
    Array.isArray(examples) && examples.length > 0
      ? `Examples: ${examples
          .slice(0, MAX_EXAMPLES)
          .map((each) => writeJson(each))
          .join(', ')}`
      : '',
    deprecated === true ? 'Deprecated' : '',
    writeRules(schema),
  ];
}

function toText(text: string): string {
  return clip(text.replace(NO_TEXT, ' '), MAX_VALUE);
}

function writeRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchemaObject): string {
  if (isNumber(minimum) && isNumber(maximum)) return `${minimum} to ${maximum}`;
  return [
    isNumber(minimum) ? `At least ${minimum}` : '',
    isNumber(exclusiveMinimum) ? `Above ${exclusiveMinimum}` : '',
    isNumber(maximum) ? `At most ${maximum}` : '',
    isNumber(exclusiveMaximum) ? `Below ${exclusiveMaximum}` : '',
  ]
    .filter((part) => part !== '')
    .join('. ');
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function writeCount(schema: JsonSchemaObject, what: 'Length' | 'Items' | 'Properties', unit: string): string {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]];
  if (isNumber(least) && isNumber(most)) return `${least} to ${most} ${unit}`;
  if (isNumber(least)) return `${least} or more ${unit}`;
  return isNumber(most) ? `At most ${most} ${unit}` : '';
}

/** TypeScript has no counterpart to these keywords, so they are written as JSON. */
const otherRules = [
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'propertyNames',
  'contains',
] as const;

function writeRules(schema: JsonSchemaObject): string {
  const rules = otherRules.flatMap((rule) =>
    schema[rule] === undefined ? [] : [[rule, schema[rule]] as const],
  );
  if (rules.length === 0) return '';
  return `Rules: ${writeJson(Object.fromEntries(rules), MAX_RULES)}`;
}

/** Larger values are not written as JSON. */
const MAX_VALUES = 100;
const MAX_DEPTH = 12;

/** Writes a value as JSON, or `…` if it is too long to read. */
function writeJson(value: unknown, maxLength = MAX_VALUE): string {
  if (!isSmall(value)) return '…';
  return clip((JSON.stringify(value) ?? '…').replace(NO_TEXT, ' '), maxLength);
}

/** Caches objects with many fields, because listing their names takes long, and many references can lead to the same object. */
const largeObjects = new WeakSet();

/** Whether a JSON value is small and flat enough to be written quickly. */
export function isSmall(value: unknown): boolean {
  let left = MAX_VALUES;
  const isShallow = (each: unknown, depth: number): boolean => {
    if (left-- <= 0 || depth > MAX_DEPTH) return false;
    if (typeof each !== 'object' || each === null) return true;
    const values = valuesOf(each);
    return values !== undefined && values.every((inner) => isShallow(inner, depth + 1));
  };
  return isShallow(value, 0);
}

/** Returns the values of an object or array, or `undefined` if there are too many. */
function valuesOf(given: object): readonly unknown[] | undefined {
  if (Array.isArray(given)) return given.length > MAX_VALUES ? undefined : given;
  if (largeObjects.has(given)) return undefined;
  const names = Object.keys(given);
  if (names.length <= MAX_VALUES)
    return names.map((name) => (given as Readonly<Record<string, unknown>>)[name]);
  largeObjects.add(given);
  return undefined;
}
