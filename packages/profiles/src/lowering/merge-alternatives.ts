import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import type { Alternative, ArrayFacts, ObjectFacts } from './alternative.js';
import { describe, showValue } from './notes.js';
import { schemaKey } from './schema-key.js';

/** Returns the values that fit both alternatives; empty if there are none. */
export function mergeAlternatives(one: Alternative, other: Alternative): Alternative[] {
  const values = commonValues(one.values, other.values);
  if (values?.length === 0) return [];
  return [
    {
      kind: one.kind,
      isInteger: one.isInteger || other.isInteger,
      values,
      keywords: mergeKeywords(one.keywords, other.keywords),
      object: one.object && other.object ? mergeObjects(one.object, other.object) : undefined,
      array: one.array && other.array ? mergeArrays(one.array, other.array) : (one.array ?? other.array),
    },
  ];
}

function commonValues(
  one: readonly unknown[] | undefined,
  other: readonly unknown[] | undefined,
): readonly unknown[] | undefined {
  if (!one || !other) return one ?? other;
  const texts = new Set(other.map(schemaKey));
  return one.filter((value) => texts.has(schemaKey(value)));
}

const lower = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const higher = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);

/** Keeps the tighter bound. If keywords cannot be joined, such as two patterns, the first stays, which accepts more. */
function mergeKeywords(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...other, ...one };
  for (const keyword of Object.keys(other)) {
    const [left, right] = [one[keyword], other[keyword]];
    if (typeof left !== 'number' || typeof right !== 'number') continue;
    if (lower.has(keyword)) merged[keyword] = Math.min(left, right);
    else if (higher.has(keyword)) merged[keyword] = Math.max(left, right);
  }
  return merged;
}

function mergeObjects(one: ObjectFacts, other: ObjectFacts): ObjectFacts {
  const properties = new Map(one.properties);
  for (const [name, schema] of other.properties) {
    const mine = properties.get(name);
    properties.set(name, mine === undefined ? schema : allOf(mine, schema));
  }
  return {
    properties,
    required: new Set([...one.required, ...other.required]),
    others: allOf(one.others, other.others),
    patterns: [...one.patterns, ...other.patterns],
  };
}

function mergeArrays(one: ArrayFacts, other: ArrayFacts): ArrayFacts {
  const length = Math.max(one.first.length, other.first.length);
  const first = Array.from({ length }, (_, index) =>
    allOf(one.first[index] ?? one.rest, other.first[index] ?? other.rest),
  );
  return { first, rest: allOf(one.rest, other.rest) };
}

export function allOf(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (one === false || other === false) return false;
  if (one === true || one === other) return other;
  if (other === true) return one;
  return schemaKey(one) === schemaKey(other) ? one : { allOf: [one, other] };
}

export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  if (schemas.includes(true)) return true;
  const different = new Map<string, JsonSchema>();
  for (const schema of schemas) if (schema !== false) different.set(schemaKey(schema), schema);
  const [first = false, ...others] = different.values();
  return others.length === 0
    ? first
    : (joinTexts([...different.values()]) ?? { anyOf: [...different.values()] });
}

const textKeywords = new Set(['type', 'const', 'enum', 'title', 'description']);

/** Joins schemas of texts into one list, because it is shorter than an alternative for each text. */
function joinTexts(schemas: readonly JsonSchema[]): JsonSchema | undefined {
  const parts: { values: string[]; keywords: JsonSchemaObject }[] = [];
  for (const schema of schemas) {
    if (typeof schema === 'boolean' || !Object.keys(schema).every((keyword) => textKeywords.has(keyword)))
      return undefined;
    const list: unknown = Object.hasOwn(schema, 'const') ? [schema['const']] : schema['enum'];
    if (!Array.isArray(list) || !list.every((value) => typeof value === 'string')) return undefined;
    parts.push({ values: list, keywords: schema });
  }
  const values = new Set(parts.flatMap((part) => part.values));
  const description = describeValues(parts);
  return { type: 'string', enum: [...values], ...(description === undefined ? {} : { description }) };
}

interface Described {
  readonly values: readonly unknown[] | undefined;
  readonly keywords: JsonSchemaObject;
}

/** Joins descriptions: each description of a single value follows that value, and those of lists are unchanged. */
export function describeValues(parts: readonly Described[]): string | undefined {
  const described = parts.filter(({ keywords }) => typeof keywords['description'] === 'string');
  const texts = new Set(described.map(({ keywords }) => keywords['description'] as string));
  const isEach = texts.size > 1 && described.every(({ values = [] }) => values.length === 1);
  if (!isEach) return texts.size === 0 ? undefined : describe(undefined, [...texts]);
  return described
    .map(({ values = [], keywords }) => {
      const [value] = values;
      const name = typeof value === 'string' ? value : showValue(value);
      return `${name}: ${String(keywords['description']).trim().replace(/[.;]$/, '')}`;
    })
    .join('; ');
}
