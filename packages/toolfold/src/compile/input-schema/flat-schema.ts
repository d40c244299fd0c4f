import { isComposed, isForeign, mapIn, shownFields } from '@toolfold/schema/internal';
import type { JsonSchema, JsonSchemaObject, ReadSchema } from '@toolfold/schema';
import type { UndeclaredFields } from '@toolfold/schema/internal';
import { Definitions } from './definitions.js';

type Part = Pick<ReadSchema, 'jsonSchema' | 'fields'> & { readonly hasOnlyProperties?: boolean };

interface FlatSchemaOptions {
  readonly common?: Part | undefined;
  /** How calls treat undeclared fields. Default: as the schema says. */
  readonly undeclared?: UndeclaredFields;
}

/**
 * The listed input schema of one action: an object with the common fields, then the action's own, and no composition at the root.
 * Without common fields and composition, the keywords of the action's schema stay unchanged.
 */
export function generateFlatSchema(
  action: Part,
  { common, undeclared }: FlatSchemaOptions = {},
): JsonSchemaObject {
  const { $schema, ...own } = action.jsonSchema;
  const definitions = new Definitions();
  const finish = (schema: JsonSchemaObject): JsonSchemaObject =>
    undeclared === 'rejected'
      ? closeSchema(schema, action)
      : undeclared === 'dropped'
        ? openSchema(schema)
        : schema;
  if (!common && !isComposed(own)) {
    const isObject = own['type'] === 'object';
    if (isObject && ($schema === undefined || /2020-12/.test(String($schema)))) return finish(own);
    // Only the author's validator can read this dialect, so the schema is listed unchanged.
    if (action.fields === undefined && isForeign(action.jsonSchema))
      return { ...action.jsonSchema, type: 'object' };
    const { $schema: _, ...moved } = definitions.from(action.jsonSchema)(
      action.jsonSchema,
    ) as JsonSchemaObject;
    return finish({ properties: {}, ...moved, type: 'object', ...definitions.toKeyword() });
  }
  const properties = new Map<string, JsonSchema>();
  const required = new Set<string>();
  for (const part of common ? [common, action] : [action]) {
    const move = definitions.from(part.jsonSchema);
    for (const field of shownFields(part)?.values() ?? []) {
      properties.set(field.name, move(field.schema));
      if (field.required) required.add(field.name);
    }
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size > 0 ? { required: [...required] } : {}),
    ...(undeclared === 'rejected' ? { additionalProperties: false } : {}),
    ...definitions.toKeyword(),
  };
}

/**
 * Makes a schema reject undeclared fields. Fields that are declared outside `properties`, such as those that are only
 * required, are added there, because `additionalProperties` would exclude them.
 */
function closeSchema(schema: JsonSchemaObject, part: Part): JsonSchemaObject {
  if (part.hasOnlyProperties === true) return { ...schema, additionalProperties: false };
  const { fields } = part;
  const properties = mapIn(schema['properties']);
  const hidden = [...(fields?.keys() ?? [])].filter((name) => !Object.hasOwn(properties, name));
  const all = Object.fromEntries([...Object.entries(properties), ...hidden.map((name) => [name, {}])]);
  return { ...schema, ...(hidden.length > 0 ? { properties: all } : {}), additionalProperties: false };
}

/** Lets clients send undeclared fields, because the call drops them. */
function openSchema(schema: JsonSchemaObject): JsonSchemaObject {
  const { additionalProperties: _, unevaluatedProperties: __, ...rest } = schema;
  return rest;
}
