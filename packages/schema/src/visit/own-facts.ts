import { isSchema } from '../values/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { isJsonObject } from '../values/json-value.js';

/** Returns the types that `type` names; `undefined` if the schema has no `type`. */
export function typesOf({ type }: JsonSchemaObject): readonly string[] | undefined {
  if (typeof type === 'string') return [type];
  if (!Array.isArray(type)) return undefined;
  // JSON Schema has seven types, but a schema of another server can list any number of names.
  return [...new Set(type.slice(0, 7))].filter((name) => typeof name === 'string');
}

/** Returns the only valid values, if the schema lists them. */
export function choicesOf(schema: JsonSchemaObject): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const']];
  const { enum: choices } = schema;
  return Array.isArray(choices) ? choices : undefined;
}

export interface DeclaredField {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
  readonly description: string | undefined;
}

/**
 * Returns the fields that `properties` declares, in their order. Their schemas may be anything, because another server may have
 * written them.
 */
export function declaredFields(schema: unknown): DeclaredField[] {
  const { properties, required } = mapIn(schema);
  const needed = new Set(namesIn(required));
  return Object.entries(mapIn(properties)).map(([name, field]) => {
    const { description } = mapIn(field);
    return {
      name,
      schema: field,
      isRequired: needed.has(name),
      description: typeof description === 'string' ? description : undefined,
    };
  });
}

/** Reads a keyword that maps names to values. An absent or malformed map is empty. */
export function mapIn(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

/** Reads a keyword that maps names to schemas. Anything else in the map is skipped. */
export function schemaEntries(value: unknown): [string, JsonSchema][] {
  return Object.entries(mapIn(value)).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]));
}

/** Reads a list of texts, such as `required`. Anything else in the list is skipped. */
export function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
