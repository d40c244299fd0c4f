import { ToolfoldError } from '../../errors.js';
import { defaultSchemaLimits, isSchema } from '../../values/json-schema.js';
import { isJsonObject } from '../../values/json-value.js';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import type { ReadSchema } from './read-schema.js';
import type { SchemaField } from './schema-fields.js';
import { isKnownStandalone, surveySchema } from '../check/survey-schema.js';

// A schema is foreign if only the author's SchemaValidator can read it: it uses another dialect or refers to other
// documents. The validator checks values; these functions determine what clients see of the schema.

type Part = Pick<ReadSchema, 'jsonSchema' | 'fields'>;

/** Whether an accepted schema cannot be read by the built-in rules, so that the author's validator must know it. */
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

/** The fields of a schema. For a foreign schema, those declared at its root. */
export function shownFields({ jsonSchema, fields }: Part): ReadSchema['fields'] {
  return fields ?? (isForeign(jsonSchema) ? declaredFields(jsonSchema) : undefined);
}

/** Whether a schema includes other schemas at its root. A foreign schema may then have fields that cannot be listed. */
export function isComposed(schema: JsonSchemaObject): boolean {
  return compositions.some((keyword) => schema[keyword] !== undefined);
}

/** Keywords that some model APIs reject at the root of an input schema. */
const compositions = ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', '$dynamicRef'];

function declaredFields({ properties, required }: JsonSchemaObject): ReadonlyMap<string, SchemaField> {
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const declared = Object.entries(isJsonObject(properties) ? properties : {});
  return new Map(
    declared.flatMap(([name, schema]) =>
      isSchema(schema) ? [[name, { name, schema, required: needed.has(name) }] as const] : [],
    ),
  );
}

/** Keywords that mean the same in every dialect and need no context. */
const universal = ['type', 'enum', 'title', 'description'];

/**
 * A subschema of a foreign schema as an independent schema: unchanged if it can be read, otherwise reduced to universal keywords.
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
