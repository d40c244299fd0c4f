import type { JsonSchema, JsonSchemaObject } from '../schema/json-schema.js';
import type { ReadSchema } from '../schema/read-schema.js';
import { Definitions } from './definitions.js';

type Part = Pick<ReadSchema, 'jsonSchema' | 'fields' | 'required'>;

/** Compositions that some model APIs refuse at the root of an input. */
const compositions = ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', '$dynamicRef'];

/**
 * The input schema of one action on its own: the common fields, then its own, with an object at the root and
 * no composition there. Where neither has to be added or taken away, the action's schema goes out as it is.
 */
export function generateFlatSchema(action: Part, common?: Part): JsonSchemaObject {
  const { $schema, ...own } = action.jsonSchema;
  const definitions = new Definitions();
  if (!common && compositions.every((keyword) => own[keyword] === undefined)) {
    const isObject = own['type'] === 'object';
    if (isObject && ($schema === undefined || /2020-12/.test(String($schema)))) return own;
    // In a dialect that only the author's validator knows.
    if (isObject && action.fields === undefined) return action.jsonSchema;
    const { $schema: _, ...moved } = definitions.from(action.jsonSchema)(
      action.jsonSchema,
    ) as JsonSchemaObject;
    return { properties: {}, ...moved, type: 'object', ...definitions.toKeyword() };
  }
  const properties = new Map<string, JsonSchema>();
  const required = new Set<string>();
  for (const part of common ? [common, action] : [action]) {
    const move = definitions.from(part.jsonSchema);
    for (const { name, schema } of part.fields?.values() ?? []) properties.set(name, move(schema));
    for (const name of part.required) required.add(name);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size > 0 ? { required: [...required] } : {}),
    ...definitions.toKeyword(),
  };
}
