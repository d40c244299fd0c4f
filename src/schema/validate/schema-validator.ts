import type { Tool } from '../../model/tool.js';
import type { JsonSchema } from '../../values/json-schema.js';

/**
 * Validates values against JSON Schemas. Hand in your own for other dialects, formats or references.
 * A schema that cannot be used throws; a value that does not fit is a result.
 */
export interface SchemaValidator {
  /** Builds a validator once, to be called for every value. */
  compile(schema: JsonSchema): Validate;
  /** Checks arguments against the tool's input schema. */
  validateInput(tool: Tool, input: unknown): ValidationResult;
  /** Checks a result against the tool's output schema; without one everything passes. */
  validateOutput(tool: Tool, output: unknown): ValidationResult;
}

/** One thing that is wrong with a value, at the place where it is wrong. */
export interface SchemaIssue {
  /** The keys that lead to the value, from outside; empty for the value as a whole. */
  readonly path: readonly (string | number)[];
  /** What is wrong with it. */
  readonly message: string;
}

/** A validator reports at most this many issues: more help nobody, and a hostile value can have millions. */
export const MAX_ISSUES = 100;

/** A value that passed, as the schema's library returned it, or what is wrong with it: the first 100 issues. */
export type ValidationResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** A validator built once and called often. */
export type Validate = (value: unknown) => ValidationResult;

/** The same where the schema's library may have to wait. */
export type MaybeAsyncValidate = (value: unknown) => ValidationResult | Promise<ValidationResult>;

/** Makes data that nests deeper than the stack a value that does not fit, instead of a crash. */
export function boundStack<V extends MaybeAsyncValidate>(validate: V): V {
  return ((value) => {
    try {
      const result = validate(value);
      return isThenable(result) ? result.then((settled) => settled, tooDeep) : result;
    } catch (error) {
      return tooDeep(error);
    }
  }) as V;
}

/** A promise of any realm or library. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

function tooDeep(error: unknown): ValidationResult {
  // Other RangeErrors, such as that of an invalid date, are somebody's bug.
  if (!(error instanceof RangeError && error.message.includes('call stack'))) throw error;
  return { ok: false, issues: [{ path: [], message: 'is nested too deeply' }] };
}
