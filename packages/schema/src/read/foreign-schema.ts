import { declaredFields } from '../visit/own-facts.js';
import { ToolfoldError } from '../errors.js';
import { defaultSchemaLimits, isSchema } from '../values/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import type { ReadSchema } from './checked-schema.js';
import type { SchemaField } from './schema-fields.js';
import { isKnownStandalone, surveySchema } from '../check/survey-schema.js';

// A schema is foreign if only the author's SchemaValidator can read it: it uses another dialect or refers to other
// documents. The validator checks values; these functions determine what clients see of the schema.

type Part = Pick<ReadSchema, 'jsonSchema' | 'fields'>;

/** Whether the built-in rules cannot read an accepted schema, so that the author's validator must know it. */
export function isForeign(schema: JsonSchemaObject): boolean {
  if (isKnownStandalone(schema)) return false;
  try {
    surveySchema(schema, defaultSchemaLimits);
    return false;
  } catch (error) {
    if (error instanceof ToolfoldError) return true;
    throw error;
  }
}

/** Returns the fields of a schema. For a foreign schema, these are the fields that its root declares. */
export function shownFields({ jsonSchema, fields }: Part): ReadSchema['fields'] {
  return fields ?? (isForeign(jsonSchema) ? foreignFields(jsonSchema) : undefined);
}

/** Whether a schema includes other schemas at its root. A foreign schema may then have fields that cannot be listed. */
export function isComposed(schema: JsonSchemaObject): boolean {
  return compositions.some((keyword) => schema[keyword] !== undefined);
}

/** Keywords that some model APIs reject at the root of an input schema. */
const compositions = ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', '$dynamicRef'];

function foreignFields(foreign: JsonSchemaObject): ReadonlyMap<string, SchemaField> {
  return new Map(
    declaredFields(foreign).flatMap(({ name, schema, isRequired }) =>
      isSchema(schema) ? [[name, { name, schema, required: isRequired }] as const] : [],
    ),
  );
}

/** Keywords that mean the same in every dialect and refer to nothing else. */
const universal = ['type', 'enum', 'title', 'description'];

/**
 * Makes a subschema of a foreign schema independent: it stays unchanged if it can be read alone, otherwise only universal
 * keywords remain.
 */
export function standAlone(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean' || isSelfContained(schema)) return schema;
  const kept = universal.flatMap((keyword) =>
    keyword in schema ? [[keyword, schema[keyword]] as const] : [],
  );
  const reduced = Object.fromEntries(kept);
  return isSelfContained(reduced) ? reduced : {};
}

function isSelfContained(schema: JsonSchemaObject): boolean {
  return !isForeign(schema) && isKnownStandalone(schema);
}
