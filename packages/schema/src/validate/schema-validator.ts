import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';

/** The part of a tool that a validator reads. A `Tool` has these fields. */
export interface ValidatedTool {
  /** Name for error messages. */
  readonly name: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonSchemaObject;
  /** JSON Schema of `structuredContent`. */
  readonly outputSchema: JsonSchemaObject | undefined;
}

/**
 * Validates values against JSON Schemas. Implement it to support other dialects, formats or references. It throws for an unusable
 * schema, and returns issues for an invalid value.
 */
export interface SchemaValidator {
  /** Compiles a schema to a validator, which is called for every value. */
  compile(schema: JsonSchema): Validate;
  /** Checks arguments against the tool's input schema. */
  validateInput(tool: ValidatedTool, input: unknown): ValidationResult;
  /** Checks a result against the tool's output schema. Every result is valid for a tool without one. */
  validateOutput(tool: ValidatedTool, output: unknown): ValidationResult;
}

/** A problem with a value. */
export interface SchemaIssue {
  /** The path to the value; empty for the whole value. */
  readonly path: readonly (string | number)[];
  /** Describes the problem. */
  readonly message: string;
}

/** Maximum number of issues that a validator reports, because a hostile value can have millions. */
export const MAX_ISSUES = 100;

/** The message for an undeclared field. `describeIssues` appends a suggestion. */
export const UNKNOWN_FIELD = 'is not a known field';

/** The validated value, as the schema's library returned it, or the first 100 issues. */
export type ValidationResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Validates a value against a compiled schema. */
export type Validate = (value: unknown) => ValidationResult;

/** Like `Validate`, but may be asynchronous. */
export type MaybeAsyncValidate = (value: unknown) => ValidationResult | Promise<ValidationResult>;

/** Whether a value is a promise, also one of another realm or library. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
