import { toPath } from '../visit/json-pointer.js';
import type { Trail } from '../visit/json-pointer.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { MAX_ISSUES } from './schema-validator.js';
import type { SchemaIssue } from './schema-validator.js';

/** The fields and items of a value that keywords have already evaluated. */
export interface Evaluated {
  keys: Set<string>;
  indexes: Set<number>;
}

/** The list that collects issues. If `undefined`, the check ends at the first issue. */
export type Issues = SchemaIssue[] | undefined;

/** A schema prepared for validation, with one function for each kind of keyword that it has. */
export type SchemaNode = boolean | { readonly checks: readonly Check[] };

export interface SchemaWalk {
  readonly tracks: boolean;
  /**
   * Applies a schema to a value. With a list of issues it continues after an issue; without one it stops. Adds to `evaluated`
   * only if the value matches.
   */
  apply(node: SchemaNode, value: unknown, trail: Trail, issues: Issues, evaluated?: Evaluated): boolean;
  /** Counts steps beyond the one for each applied schema. */
  spend(steps: number): void;
  /** Returns the length of a text in code points. Cached, because several keywords may need the length of the same text. */
  lengthOf(text: string): number;
}

/** Applies the keywords of one kind. Returns whether the value matches. */
export type Check = (
  walk: SchemaWalk,
  value: unknown,
  trail: Trail,
  issues: Issues,
  own: Evaluated | undefined,
) => boolean;

export interface Preparation {
  readonly isDraft07: boolean;
  readonly tracks: boolean;
  prepare(schema: JsonSchema): SchemaNode;
  /**
   * Returns the node of a reference's target. Call it during validation only, because the target may be the node that is being
   * prepared.
   */
  target(reference: unknown): SchemaNode;
}

/** Prepares the keywords of one kind. Returns `undefined` if the schema has none. */
export type PrepareCheck = (schema: JsonSchemaObject, preparation: Preparation) => Check | undefined;

export function fail(issues: Issues, trail: Trail, message: string): false {
  if (issues) add(issues, { path: toPath(trail), message });
  return false;
}

export function add(issues: Issues, issue: SchemaIssue): void {
  if (issues && issues.length < MAX_ISSUES) issues.push(issue);
}

/** Whether further issues would be ignored, so that a check can stop. */
export function isFull(issues: Issues): boolean {
  return issues === undefined || issues.length >= MAX_ISSUES;
}

/** Returns the place of a part of the value; `undefined` if no issues are collected. */
export function below(issues: Issues, above: Trail, key: string | number): Trail {
  return issues && { above, key };
}
