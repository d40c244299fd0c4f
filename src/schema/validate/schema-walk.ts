import { toPath } from '../../values/json-schema.js';
import type { JsonSchema, JsonSchemaObject, Trail } from '../../values/json-schema.js';
import { MAX_ISSUES } from './schema-validator.js';
import type { SchemaIssue } from './schema-validator.js';

/** Which parts of a value a schema has spoken about. */
export interface Evaluated {
  keys: Set<string>;
  indexes: Set<number>;
}

/** Where problems are noted; without it, the first one ends the check. */
export type Issues = SchemaIssue[] | undefined;

/** A schema prepared for walking: one function for each kind of keyword that it has. */
export type SchemaNode = boolean | { readonly checks: readonly Check[] };

/** One value on its way through a schema. */
export interface SchemaWalk {
  /** Whether what is evaluated counts. */
  readonly tracks: boolean;
  /**
   * Applies one schema to one value. With a list of issues it goes on after a problem; without, it stops at once.
   * What it says about parts of the value is added to `evaluated` only if the value fits.
   */
  apply(node: SchemaNode, value: unknown, trail: Trail, issues: Issues, evaluated?: Evaluated): boolean;
  /** Counts work that grows with the value beyond the one step of each applied schema. */
  spend(steps: number): void;
  /** The number of characters of a text as JSON Schema counts them. Several keywords may ask for the same text. */
  lengthOf(text: string): number;
}

/** Applies the keywords of one kind. Returns whether the value fits them. */
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
  /** The node that a reference leads to. It may be the one that is being prepared, so it is asked for later. */
  target(reference: unknown): SchemaNode;
}

/** Reads the keywords of one kind from a schema; `undefined` where it has none. */
export type PrepareCheck = (schema: JsonSchemaObject, preparation: Preparation) => Check | undefined;

export function fail(issues: Issues, trail: Trail, message: string): false {
  if (issues) add(issues, { path: toPath(trail), message });
  return false;
}

export function add(issues: Issues, issue: SchemaIssue): void {
  if (issues && issues.length < MAX_ISSUES) issues.push(issue);
}

/** Whether further problems would not be noted, so that a check can stop at the first one. */
export function isFull(issues: Issues): boolean {
  return issues === undefined || issues.length >= MAX_ISSUES;
}

/** The place of a part of the value, where problems are noted. */
export function below(issues: Issues, above: Trail, key: string | number): Trail {
  return issues && { above, key };
}

/** The schemas of a keyword that holds several; none where it is absent. */
export function schemaList(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? (value as JsonSchema[]) : [];
}

export function schemaEntries(value: unknown): [string, JsonSchema][] {
  return value === undefined ? [] : (Object.entries(value as object) as [string, JsonSchema][]);
}
