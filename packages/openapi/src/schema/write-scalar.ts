import { toLinearPattern, toUnicodePattern, UnsupportedPattern } from '@toolfold/schema/internal';
import { plainText } from '../describe.js';
import type { Describe } from '../describe.js';
import type { SpecObject } from '../read/read-document.js';
import { listOf } from '../read/resolve.js';

const types = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);
/** Formats that add nothing to the type. */
const idleFormats = new Set(['int32', 'int64', 'float', 'double', 'string', 'binary', 'password', 'byte']);
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;
const MAX_ENUM = 200;
const MAX_EXAMPLE = 60;

export function writeScalar(
  schema: SpecObject,
  side: 'input' | 'output',
  describe: Describe,
): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  const type = readType(schema['type']);
  // Some specifications write `null` where they mean that a value may be missing.
  if (type !== undefined && (side === 'input' || type !== 'null'))
    written['type'] = side === 'output' ? withNull(type) : type;
  if (side === 'output') return written;
  const description = describe(schema['description']) || plainText(schema['title'], 60);
  if (description !== '') written['description'] = description;
  writeValues(schema, type, written);
  for (const keyword of bounds) {
    const value = schema[keyword];
    if (typeof value === 'number' && Number.isFinite(value) && (keyword !== 'multipleOf' || value > 0))
      written[keyword] = value;
  }
  for (const keyword of counts) {
    const value = schema[keyword];
    if (Number.isSafeInteger(value) && (value as number) >= 0) written[keyword] = value;
  }
  if (schema['uniqueItems'] === true) written['uniqueItems'] = true;
  const { format, pattern, contentEncoding } = schema;
  if (typeof format === 'string' && format.length <= 40 && !idleFormats.has(format))
    written['format'] = format;
  if (contentEncoding === 'base64' || format === 'byte') written['contentEncoding'] = 'base64';
  if (typeof pattern === 'string' && isLinear(pattern)) written['pattern'] = pattern;
  return written;
}

function readType(type: unknown): string | readonly string[] | undefined {
  const known = [...new Set([type].flat().filter((each) => typeof each === 'string' && types.has(each)))];
  return (known.length > 1 ? known : known[0]) as string | readonly string[] | undefined;
}

/** Adds `null`, which many APIs return where their specification does not say so. */
function withNull(type: string | readonly string[]): readonly string[] {
  return [...new Set([type, 'null'].flat())];
}

function writeValues(
  schema: SpecObject,
  type: string | readonly string[] | undefined,
  written: Record<string, unknown>,
): void {
  // YAML reads values such as 1.0 and no as other types than the author meant.
  const fit = (value: unknown): unknown =>
    type === 'string' && (typeof value === 'number' || typeof value === 'boolean') ? String(value) : value;
  const { const: constant, default: fallback } = schema;
  const listed = listOf(schema['enum']).map(fit);
  // Specifications of 3.0 leave null out of the values of a nullable field.
  const isNullable = listed.length > 0 && [type].flat().includes('null');
  const values = [...new Set(isNullable ? [...listed, null] : listed)];
  if (constant !== undefined) written['const'] = fit(constant);
  else if (values.length > 0 && values.length <= MAX_ENUM) written['enum'] = values;
  if (fallback !== undefined && fallback !== null && typeof fallback !== 'object')
    written['default'] = fit(fallback);
  const isClear = ['description', 'enum', 'const', 'default'].some(
    (keyword) => written[keyword] !== undefined,
  );
  const example = isClear ? undefined : exampleOf(schema);
  if (example !== undefined) written['examples'] = [example];
}

/** Returns a short example, for fields without any other explanation. */
function exampleOf({ examples, example }: SpecObject): unknown {
  const first = listOf(examples)[0] ?? example;
  const isShort = ['string', 'number'].includes(typeof first) && String(first).length <= MAX_EXAMPLE;
  return isShort ? first : undefined;
}

/** Whether a pattern of the specification can be matched in linear time. */
function isLinear(pattern: string): boolean {
  const unicode = toUnicodePattern(pattern);
  if (unicode === undefined) return false;
  try {
    toLinearPattern(unicode);
    return true;
  } catch (error) {
    if (error instanceof UnsupportedPattern) return false;
    throw error;
  }
}
