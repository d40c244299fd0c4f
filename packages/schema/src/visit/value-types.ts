import { isSchema, schemasIn } from '../values/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { typeName } from '../values/json-value.js';
import { followPointer } from './json-pointer.js';
import { typesOf } from './own-facts.js';

/** Maximum number of nested references and compositions that are followed. */
const MAX_DEPTH = 8;

const everyType: ReadonlySet<string> = new Set(['null', 'boolean', 'object', 'array', 'number', 'string']);

/** Returns the types that a valid value may have; all types if that cannot be determined. */
export function valueTypes(schema: JsonSchema, root: JsonSchemaObject, depth = 0): ReadonlySet<string> {
  if (typeof schema === 'boolean' || depth > MAX_DEPTH) return schema === false ? new Set() : everyType;
  const inside = (part: JsonSchema): ReadonlySet<string> => valueTypes(part, root, depth + 1);
  const { $ref, enum: choices, allOf } = schema;
  if (typeof $ref === 'string') {
    const target = followPointer(root, $ref);
    return isSchema(target) ? inside(target) : everyType;
  }
  const limits: ReadonlySet<string>[] = schemasIn(allOf).map(inside);
  const types = typesOf(schema);
  if (types) limits.push(new Set(types.map((name) => (name === 'integer' ? 'number' : name))));
  if (Array.isArray(choices)) limits.push(new Set(choices.map(typeName)));
  if ('const' in schema) limits.push(new Set([typeName(schema['const'])]));
  for (const branches of [schemasIn(schema['anyOf']), schemasIn(schema['oneOf'])]) {
    if (branches.length > 0) limits.push(new Set(branches.flatMap((branch) => [...inside(branch)])));
  }
  return new Set([...everyType].filter((name) => limits.every((limit) => limit.has(name))));
}

/**
 * Returns the schema of the only object or array that is valid here, behind references and unions. Returns `undefined` if there
 * are several or none.
 */
export function nestedSchema(
  schema: JsonSchema,
  root: JsonSchemaObject,
  depth = 0,
): JsonSchemaObject | undefined {
  if (typeof schema === 'boolean' || depth > MAX_DEPTH) return undefined;
  const { $ref, anyOf, oneOf } = schema;
  if (typeof $ref === 'string') {
    const target = followPointer(root, $ref);
    return isSchema(target) ? nestedSchema(target, root, depth + 1) : undefined;
  }
  const branches = [...schemasIn(anyOf), ...schemasIn(oneOf)];
  if (branches.length === 0) return schema;
  const [only, another] = branches.filter((branch) => {
    const types = valueTypes(branch, root);
    return types.has('object') || types.has('array');
  });
  return only === undefined || another !== undefined ? undefined : nestedSchema(only, root, depth + 1);
}
