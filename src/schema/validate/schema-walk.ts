import { toPath } from '../../values/json-schema.js';
import type { JsonSchema, JsonSchemaObject, Trail } from '../../values/json-schema.js';
import { MAX_ISSUES } from './schema-validator.js';
import type { SchemaIssue } from './schema-validator.js';

/** The parts of a value that keywords have evaluated. */
export interface Evaluated {
  keys: Set<string>;
  indexes: Set<number>;
}

/** Collects issues. If `undefined`, the first issue ends the check. */
export type Issues = SchemaIssue[] | undefined;

/** A schema prepared for walking: one function for each kind of keyword that it has. */
export type SchemaNode = boolean | { readonly checks: readonly Check[] };

/** The state of one validation. */
export interface SchemaWalk {
  /** Whether evaluated parts are tracked. */
  readonly tracks: boolean;
  /**
   * Applies a schema to a value. With a list of issues it continues after an issue; without, it stops. Adds to `evaluated` only
   * if the value matches.
   */
  apply(node: SchemaNode, value: unknown, trail: Trail, issues: Issues, evaluated?: Evaluated): boolean;
  /** Counts steps beyond the one for each applied schema. */
  spend(steps: number): void;
  /** The length of a text in code points. Cached, because several keywords may need the length of the same text. */
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

/** Turns schemas into nodes. */
export interface Preparation {
  readonly isDraft07: boolean;
  readonly tracks: boolean;
  prepare(schema: JsonSchema): SchemaNode;
  /** The node of a reference's target. Requested during validation, because it may be the node that is being prepared. */
  target(reference: unknown): SchemaNode;
}

/** Prepares the keywords of one kind; `undefined` if the schema has none. */
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

/** The place of a part of the value; `undefined` if no issues are collected. */
export function below(issues: Issues, above: Trail, key: string | number): Trail {
  return issues && { above, key };
}

/** The schemas of a keyword with a list of schemas; empty if it is absent. */
export function schemaList(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? (value as JsonSchema[]) : [];
}

export function schemaEntries(value: unknown): [string, JsonSchema][] {
  return value === undefined ? [] : (Object.entries(value as object) as [string, JsonSchema][]);
}
