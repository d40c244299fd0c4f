/** A JSON Schema that is an object, as MCP requires at the root of a tool's input. */
export interface JsonSchemaObject {
  readonly [keyword: string]: unknown;
}

/** Any JSON Schema: an object of keywords, or `true` / `false`. */
export type JsonSchema = JsonSchemaObject | boolean;

/** The dialects that are understood, each with its own rules. */
export type Dialect = '2020-12' | 'draft-07';

/** How large a schema may be. */
export interface SchemaLimits {
  /** Levels of JSON nesting. */
  readonly depth: number;
  /** Characters of keys and strings, plus one for every value. */
  readonly size: number;
  /** Subschemas, and subschemas applied to one place of the data through references. */
  readonly subschemas: number;
}

export const defaultSchemaLimits: SchemaLimits = { depth: 128, size: 1_000_000, subschemas: 10_000 };

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Where something stands in a schema, as a URI fragment. */
export function toPointer(path: readonly (string | number)[]): string {
  return `#${path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;
}
