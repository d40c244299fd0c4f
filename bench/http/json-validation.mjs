import { Ajv2020 } from 'ajv/dist/2020.js';

/** @typedef {import('./work.mjs').JsonSchema} JsonSchema */

const ajv = new Ajv2020({ strict: false });

/**
 * A Standard Schema that compiles a JSON Schema for its first value, for servers that validate with Standard Schemas.
 *
 * @param {JsonSchema} jsonSchema
 */
export function standardSchema(jsonSchema) {
  /** @type {import('ajv').ValidateFunction | undefined} */
  let check;
  return {
    jsonSchema,
    '~standard': {
      version: /** @type {const} */ (1),
      vendor: 'json-schema',
      /** @param {unknown} value */
      validate: (value) => {
        check ??= ajv.compile(jsonSchema);
        return check(value) ? { value } : { issues: [{ message: ajv.errorsText(check.errors) }] };
      },
    },
  };
}

/** @param {import('./work.mjs').Tool['schema']} schema */
export const toStandardSchema = (schema) =>
  '~standard' in schema ? schema : standardSchema(/** @type {JsonSchema} */ (schema));

/**
 * Validates as a server without a framework would.
 *
 * @param {ReturnType<typeof toStandardSchema>} schema
 * @param {unknown} value
 * @returns {any}
 */
export function parseWith(schema, value) {
  if ('parse' in schema) return schema.parse(value);
  const result = schema['~standard'].validate(value);
  if ('issues' in result) throw new Error(result.issues?.[0]?.message);
  return result.value;
}
