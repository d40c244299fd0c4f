import { followPointer, isSchema } from '../../values/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { canonicalJson, typeName } from '../../values/json-value.js';

const allTypes: ReadonlySet<string> = new Set(['null', 'boolean', 'object', 'array', 'number', 'string']);

/** The types that a valid value may have; all types if that cannot be determined. */
export function typesOf(schema: JsonSchema, root: JsonSchemaObject, depth = 0): ReadonlySet<string> {
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

export function schemasIn(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** Whether certainly no value is valid for both schemas, because their types or their enums have nothing in common. */
export function isContradiction(
  left: readonly [JsonSchema, JsonSchemaObject],
  right: readonly [JsonSchema, JsonSchemaObject],
): boolean {
  const types = typesOf(...right);
  if (![...typesOf(...left)].some((type) => types.has(type))) return true;
  const [choices, others] = [choicesOf(left[0]), choicesOf(right[0])];
  return choices !== undefined && others !== undefined && !choices.some((choice) => others.includes(choice));
}

function choicesOf(schema: JsonSchema): string[] | undefined {
  if (typeof schema === 'boolean') return undefined;
  const { enum: choices } = schema;
  if ('const' in schema) return [canonicalJson(schema['const'])];
  return Array.isArray(choices) ? choices.map((choice) => canonicalJson(choice)) : undefined;
}
