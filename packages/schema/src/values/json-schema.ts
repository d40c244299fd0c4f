import { isJsonObject } from './json-value.js';
import { assertOptions } from './options.js';
import type { Rule, Rules } from './options.js';

/** A JSON Schema that is an object, as MCP requires at the root of a tool's input. */
export interface JsonSchemaObject {
  /** Any keyword. Its value is checked when the schema is read. */
  readonly [keyword: string]: unknown;
}

/** Any JSON Schema: an object of keywords, or `true` / `false`. */
export type JsonSchema = JsonSchemaObject | boolean;

/** The supported JSON Schema dialects. */
export type Dialect = '2020-12' | 'draft-07';

/** Limits on a schema and on the work of a validation. */
export interface SchemaLimits {
  /** Maximum levels of JSON nesting. */
  readonly depth: number;
  /** Maximum size: the characters of keys and strings, plus one for every value. */
  readonly size: number;
  /** Maximum number of subschemas, also of those that references apply to one place of the data. */
  readonly subschemas: number;
  /**
   * Maximum steps of one validation: about one for each subschema that is applied to a value. Values that need more are rejected,
   * unless four steps for each of their JSON values are enough.
   */
  readonly steps: number;
}

export const defaultSchemaLimits: SchemaLimits = {
  depth: 128,
  size: 1_000_000,
  subschemas: 10_000,
  steps: 100_000,
};

const limit: Rule = [(value) => typeof value === 'number' && value > 0, 'a number above 0'];
const limitRules: Rules<keyof SchemaLimits> = { depth: limit, size: limit, subschemas: limit, steps: limit };

export function withDefaultLimits(limits: Partial<SchemaLimits> | undefined): SchemaLimits {
  if (!limits) return defaultSchemaLimits;
  assertOptions('limits', limits, limitRules, { nameOf: (name) => `limits.${name}` });
  const pick = (name: keyof SchemaLimits): number => limits[name] ?? defaultSchemaLimits[name];
  return { depth: pick('depth'), size: pick('size'), subschemas: pick('subschemas'), steps: pick('steps') };
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Reads a keyword that holds a list of schemas. An absent list is empty. */
export function schemasIn(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}
