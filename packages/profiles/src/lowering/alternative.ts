import type { JsonSchema } from '@toolfold/schema';
import type { Kind } from './codecs.js';

/** The values of one JSON type that a schema accepts. */
export interface Alternative {
  readonly kind: Kind;
  readonly isInteger: boolean;
  /** The accepted values, if the schema lists them. */
  readonly values: readonly unknown[] | undefined;
  /** Keywords about this type, and annotations. Their values contain no subschemas. */
  readonly keywords: Readonly<Record<string, unknown>>;
  readonly object: ObjectFacts | undefined;
  readonly array: ArrayFacts | undefined;
}

export interface ObjectFacts {
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly required: ReadonlySet<string>;
  /** The schema of other fields; `false` if there are none. */
  readonly others: JsonSchema;
  readonly patterns: readonly (readonly [pattern: string, schema: JsonSchema])[];
}

export interface ArrayFacts {
  readonly first: readonly JsonSchema[];
  readonly rest: JsonSchema;
}

/** Maximum number of alternatives of one schema, because combinations of unions multiply. */
export const MAX_ALTERNATIVES = 48;
