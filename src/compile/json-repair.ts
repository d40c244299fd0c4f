import { followPointer, isSchema } from '../schema/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../schema/json-schema.js';
import { typeName } from '../schema/json-value.js';
import type { ReadSchema } from '../schema/read-schema.js';

/**
 * The fields that take an object or array and never text. Models send such values as JSON text now and then;
 * there it cannot be anything else.
 */
export function findRepairable(
  schemas: readonly Pick<ReadSchema, 'jsonSchema' | 'fields'>[],
): ReadonlySet<string> {
  const fields = schemas.flatMap(({ jsonSchema, fields: own }) =>
    [...(own?.values() ?? [])].filter(({ schema }) => takesOnlyNested(schema, jsonSchema)),
  );
  return new Set(fields.map(({ name }) => name));
}

/** The arguments with JSON text parsed where only an object or array can stand, and the names of those fields. */
export function repairJson(
  input: Readonly<Record<string, unknown>>,
  repairable: ReadonlySet<string>,
): { input: Readonly<Record<string, unknown>>; repairs: readonly string[] } {
  let repaired: Record<string, unknown> | undefined;
  const repairs: string[] = [];
  for (const name of repairable) {
    const text = Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof text !== 'string') continue;
    const value = parseNested(text);
    if (value === undefined) continue;
    repaired ??= { ...input };
    repaired[name] = value;
    repairs.push(name);
  }
  return repaired ? { input: repaired, repairs } : { input, repairs };
}

function parseNested(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether an object or array can stand here, and text cannot. */
function takesOnlyNested(schema: JsonSchema, root: JsonSchemaObject): boolean {
  if (typeof schema === 'object' && scalarTypes.has(schema['type'])) return false;
  const types = typesOf(schema, root);
  return !types.has('string') && (types.has('object') || types.has('array'));
}

const scalarTypes: ReadonlySet<unknown> = new Set(['null', 'boolean', 'number', 'integer', 'string']);

const allTypes: ReadonlySet<string> = new Set(['null', 'boolean', 'object', 'array', 'number', 'string']);

/** The types that a value may have; where it is not plain to see, all. */
function typesOf(schema: JsonSchema, root: JsonSchemaObject, depth = 0): ReadonlySet<string> {
  if (typeof schema === 'boolean' || depth > 8) return schema === false ? new Set() : allTypes;
  const inside = (part: JsonSchema): ReadonlySet<string> => typesOf(part, root, depth + 1);
  const { $ref, type, enum: choices, allOf } = schema;
  if (typeof $ref === 'string') {
    const target = followPointer(root, $ref);
    return isSchema(target) ? inside(target) : allTypes;
  }
  const limits: ReadonlySet<string>[] = schemasIn(allOf).map(inside);
  if (type !== undefined)
    limits.push(new Set([type].flat().map((name) => (name === 'integer' ? 'number' : String(name)))));
  if (Array.isArray(choices)) limits.push(new Set(choices.map(typeName)));
  if ('const' in schema) limits.push(new Set([typeName(schema['const'])]));
  for (const branches of [schemasIn(schema['anyOf']), schemasIn(schema['oneOf'])]) {
    if (branches.length > 0) limits.push(new Set(branches.flatMap((branch) => [...inside(branch)])));
  }
  return new Set([...allTypes].filter((name) => limits.every((limit) => limit.has(name))));
}

function schemasIn(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}
