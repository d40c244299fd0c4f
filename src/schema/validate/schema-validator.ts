import type { Tool } from '../../model/tool.js';
import type { JsonSchema } from '../../values/json-schema.js';
import type { Validate, ValidationResult } from './validation-result.js';

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
