/** `@toolfold/schema`: reads schemas of every kind, checks them, validates values and compares two schemas. */
export { compareSchemas } from './compare/compare-schemas.js';
export type { Inclusion, SchemaRelation } from './compare/compare-schemas.js';
export { ToolfoldError } from './errors.js';
export type { ErrorCode } from './errors.js';
export type { ReadSchema } from './read/checked-schema.js';
export { readSchema } from './read/read-schema.js';
export type { InferInput, ReadSchemaOptions, SchemaSource } from './read/read-schema.js';
export type { SchemaField } from './read/schema-fields.js';
export { DefaultValidator } from './validate/default-validator.js';
export type { DefaultValidatorOptions } from './validate/default-validator.js';
export type { UnknownFields } from './validate/input-validator.js';
export type {
  MaybeAsyncValidate,
  SchemaIssue,
  SchemaValidator,
  Validate,
  ValidationResult,
} from './validate/schema-validator.js';
export type { JsonSchema, JsonSchemaObject, SchemaLimits } from './values/json-schema.js';
