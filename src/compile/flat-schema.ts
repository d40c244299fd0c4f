import type { JsonSchema, JsonSchemaObject } from '../schema/json-schema.js';
import type { ReadSchema } from '../schema/read-schema.js';
import { Definitions } from './definitions.js';

type Part = Pick<ReadSchema, 'jsonSchema' | 'fields' | 'required'>;

/** Compositions that some model APIs refuse at the root of an input. */
const compositions = ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', '$dynamicRef'];

/**
 * The input schema of one action on its own: the common fields, then its own, with an object at the root and
 * no composition there. Without either the action's schema goes out as it is.
 */
export function generateFlatSchema(action: Part, common?: Part): JsonSchemaObject {
  const { $schema, ...own } = action.jsonSchema;
  const isPlain = own['type'] === 'object' && compositions.every((keyword) => own[keyword] === undefined);
  if (!common && isPlain && ($schema === undefined || String($schema).includes('2020-12'))) return own;

  const definitions = new Definitions();
  const properties = new Map<string, JsonSchema>();
  const required = new Set<string>();
  for (const part of common ? [common, action] : [action]) {
    const move = definitions.from(part.jsonSchema);
    for (const { name, schema } of part.fields?.values() ?? []) properties.set(name, move(schema));
    for (const name of part.required) required.add(name);
  }
  const more = own['additionalProperties'];
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size > 0 ? { required: [...required] } : {}),
    ...(more === undefined || common ? {} : { additionalProperties: more }),
    ...definitions.toKeyword(),
  };
}
