import type { JsonSchema, JsonSchemaObject } from '../schema/json-schema.js';
import { canonicalJson } from '../schema/json-value.js';

/** Keywords that explain a value without deciding which values are valid. */
export const explaining: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  '$comment',
  'x-mcp-header',
]);

/**
 * One shape for a field that several actions declare: whatever one of the shapes accepts, it accepts. The
 * first shape explains the field; those that cannot be one stand side by side in `anyOf`.
 */
export function mergeShapes(shapes: readonly JsonSchema[]): JsonSchemaObject {
  const first = toObject(shapes[0] ?? true);
  const explanation = Object.fromEntries(
    Object.entries(first).filter(([keyword]) => explaining.has(keyword)),
  );
  const united = uniteShapes(shapes);
  return united.length === 1 ? { ...united[0], ...explanation } : { ...explanation, anyOf: united };
}

/** The fewest shapes that say the same: equal ones are one, enums unite, an integer widens to a number. */
export function uniteShapes(shapes: readonly JsonSchema[]): JsonSchemaObject[] {
  const united: JsonSchemaObject[] = [];
  // Most shapes of a field are the same to the letter, which is quicker to see than that they mean the same.
  const written = new Map(shapes.map((shape) => [JSON.stringify(shape), shape]));
  const bareShapes = [...written.values()].map((shape) => bare(toObject(shape)));
  const distinct = new Map(bareShapes.map((shape) => [canonicalJson(shape), shape]));
  for (const shape of distinct.values()) {
    const index = united.findIndex((other) => unite(other, shape) !== undefined);
    if (index < 0) united.push(shape);
    else united[index] = unite(united[index] ?? {}, shape) ?? shape;
  }
  return united;
}

function toObject(shape: JsonSchema): JsonSchemaObject {
  if (typeof shape === 'object') return shape;
  return shape ? {} : { not: {} };
}

function bare(shape: JsonSchemaObject): JsonSchemaObject {
  return Object.fromEntries(Object.entries(shape).filter(([keyword]) => !explaining.has(keyword)));
}

function unite(left: JsonSchemaObject, right: JsonSchemaObject): JsonSchemaObject | undefined {
  return canonicalJson(left) === canonicalJson(right)
    ? left
    : (uniteEnums(left, right) ?? widen(left, right));
}

/** Both are lists of choices of the same type, and nothing else. */
function uniteEnums(left: JsonSchemaObject, right: JsonSchemaObject): JsonSchemaObject | undefined {
  const [choices, others] = [choicesOf(left), choicesOf(right)];
  if (!choices || !others || canonicalJson(left['type']) !== canonicalJson(right['type'])) return undefined;
  const united = new Map([...choices, ...others].map((choice) => [canonicalJson(choice), choice]));
  return { ...(left['type'] === undefined ? {} : { type: left['type'] }), enum: [...united.values()] };
}

function choicesOf(shape: JsonSchemaObject): readonly unknown[] | undefined {
  const others = Object.keys(shape).filter((keyword) => !['type', 'enum', 'const'].includes(keyword));
  if (others.length > 0) return undefined;
  if (Array.isArray(shape['enum']) && !('const' in shape)) return shape['enum'];
  return 'const' in shape && !('enum' in shape) ? [shape['const']] : undefined;
}

/** One is an integer, the other a number: a number, under the limits that both have. */
function widen(left: JsonSchemaObject, right: JsonSchemaObject): JsonSchemaObject | undefined {
  const types = new Set([left['type'], right['type']]);
  if (types.size !== 2 || !types.has('integer') || !types.has('number')) return undefined;
  const shared = Object.entries(left).filter(
    ([keyword, value]) => keyword in right && canonicalJson(value) === canonicalJson(right[keyword]),
  );
  return { type: 'number', ...Object.fromEntries(shared) };
}
