import { followPointer, isJsonObject, isSchema } from '../schema/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../schema/json-schema.js';
import type { ReadSchema } from '../schema/read-schema.js';

/**
 * The fields that take objects or arrays and never text. Models send such values as JSON text now and then;
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

function takesOnlyNested(schema: JsonSchema, root: JsonSchemaObject, depth = 0): boolean {
  if (typeof schema === 'boolean' || depth > 8) return false;
  if (typeof schema['$ref'] === 'string') {
    const target = followPointer(root, schema['$ref']);
    return isSchema(target) && takesOnlyNested(target, root, depth + 1);
  }
  const types = [schema['type']].flat().filter((type) => type !== undefined);
  if (types.length > 0)
    return types.every((type) => nested.has(type)) && types.some((type) => type !== 'null');
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const others = branches.filter((branch) => !(isJsonObject(branch) && branch['type'] === 'null'));
    return (
      others.length > 0 &&
      others.every((branch) => isSchema(branch) && takesOnlyNested(branch, root, depth + 1))
    );
  }
  return false;
}

const nested: ReadonlySet<unknown> = new Set(['object', 'array', 'null']);
