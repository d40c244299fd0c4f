import { toPath } from './json-schema.js';
import type { JsonSchema, JsonSchemaObject, Trail } from './json-schema.js';
import type { SchemaIssue } from './validation-result.js';

/** More problems than this help nobody, and a hostile value can have millions. */
const MAX_ISSUES = 100;

/** Which parts of a value a schema has spoken about. */
export interface Evaluated {
  keys: Set<string>;
  indexes: Set<number>;
}

/** Where problems are noted; without it, the first one ends the check. */
export type Issues = SchemaIssue[] | undefined;

/** One value on its way through a schema. */
export interface SchemaWalk {
  readonly isDraft07: boolean;
  /** Whether what is evaluated counts. */
  readonly tracks: boolean;
  target(reference: unknown): JsonSchema;
  /**
   * Applies one schema to one value. With a list of issues it goes on after a problem; without, it stops at once.
   * What it says about parts of the value is added to `evaluated` only if the value fits.
   */
  apply(schema: JsonSchema, value: unknown, trail: Trail, issues: Issues, evaluated?: Evaluated): boolean;
}

/** Applies the keywords of one kind. Gives whether the value fits them. */
export type Check = (
  this: SchemaWalk,
  schema: JsonSchemaObject,
  value: unknown,
  trail: Trail,
  issues: Issues,
  own: Evaluated | undefined,
) => boolean;

export function fail(issues: Issues, trail: Trail, message: string): false {
  add(issues, { path: toPath(trail), message });
  return false;
}

export function add(issues: Issues, issue: SchemaIssue): void {
  if (issues && issues.length < MAX_ISSUES) issues.push(issue);
}

/** The schemas of a keyword that holds several; none where it is absent. */
export function schemaList(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? (value as JsonSchema[]) : [];
}
