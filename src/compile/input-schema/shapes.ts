import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { canonicalJson } from '../../values/json-value.js';

/** Keywords that explain a value but do not affect validation. */
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
 * Merges the shapes of a field that several actions declare into one that accepts every value that any of them accepts. Shapes
 * that cannot be united become branches of `anyOf`. The title and the like come from the first shape, the description from the
 * first shape that has one.
 */
export function mergeShapes(shapes: readonly JsonSchema[]): JsonSchemaObject {
  const first = toObject(shapes[0] ?? true);
  const explanation = Object.fromEntries(
    Object.entries(first).filter(([keyword]) => explaining.has(keyword)),
  );
  if (explanation['description'] === undefined) {
    const described = shapes.find((shape) => typeof shape === 'object' && shape['description'] !== undefined);
    if (described) explanation['description'] = (described as JsonSchemaObject)['description'];
  }
  const united = uniteShapes(shapes);
  return united.length === 1 ? { ...united[0], ...explanation } : { ...explanation, anyOf: united };
}

/** The smallest equivalent list of shapes: duplicates are removed, enums united and integers widened to a number. */
export function uniteShapes(shapes: readonly JsonSchema[]): JsonSchemaObject[] {
  return widenIntegers(uniteChoices(distinctShapes(shapes)));
}

/** The number of shapes that are compared directly before their canonical text is compared. */
const REMEMBERED = 8;

/** The distinct shapes, without explaining keywords. */
function distinctShapes(shapes: readonly JsonSchema[]): JsonSchemaObject[] {
  const distinct = new Map<string, JsonSchemaObject>();
  const remembered: JsonSchemaObject[] = [];
  for (const shape of shapes.map(toObject)) {
    // Fast path: most shapes of a field repeat one of a few, and a direct comparison is faster than canonical text.
    if (remembered.some((other) => isRepeated(other, shape))) continue;
    if (remembered.length < REMEMBERED) remembered.push(shape);
    const rules = bare(shape);
    const text = canonicalJson(rules);
    if (!distinct.has(text)) distinct.set(text, rules);
  }
  return [...distinct.values()];
}

function toObject(shape: JsonSchema): JsonSchemaObject {
  if (typeof shape === 'object') return shape;
  return shape ? {} : { not: {} };
}

function bare(shape: JsonSchemaObject): JsonSchemaObject {
  return Object.fromEntries(Object.entries(shape).filter(([keyword]) => !explaining.has(keyword)));
}

/** Whether two shapes are equal except for explaining keywords. */
function isRepeated(left: JsonSchemaObject, right: JsonSchemaObject): boolean {
  let unmatched = 0;
  for (const keyword of Object.keys(left)) {
    if (explaining.has(keyword)) continue;
    if (!isSameAt(keyword, left, right)) return false;
    unmatched++;
  }
  for (const keyword of Object.keys(right)) if (!explaining.has(keyword)) unmatched--;
  return unmatched === 0;
}

function isSameAt(key: string, left: object, right: object): boolean {
  if (!Object.hasOwn(right, key)) return false;
  const value = (left as Record<string, unknown>)[key];
  const other = (right as Record<string, unknown>)[key];
  if (typeof value !== 'object' || typeof other !== 'object' || value === null || other === null)
    return value === other;
  if (Array.isArray(value) !== Array.isArray(other)) return false;
  const keys = Object.keys(value);
  return keys.length === Object.keys(other).length && keys.every((inner) => isSameAt(inner, value, other));
}

/** Unites shapes that are nothing but enums or constants of the same type. */
function uniteChoices(shapes: readonly JsonSchemaObject[]): JsonSchemaObject[] {
  const groups = new Map<unknown, JsonSchemaObject[]>();
  for (const shape of shapes) {
    const key = choicesOf(shape) ? canonicalJson(shape['type']) : shape;
    const group = groups.get(key);
    if (group) group.push(shape);
    else groups.set(key, [shape]);
  }
  return [...groups.values()].map(uniteGroup);
}

function uniteGroup(group: readonly JsonSchemaObject[]): JsonSchemaObject {
  const [first = {}, ...others] = group;
  if (others.length === 0) return first;
  const choices = group.flatMap((shape) => choicesOf(shape) ?? []);
  const united = new Map(choices.map((choice) => [canonicalJson(choice), choice]));
  return { ...(first['type'] === undefined ? {} : { type: first['type'] }), enum: [...united.values()] };
}

function choicesOf(shape: JsonSchemaObject): readonly unknown[] | undefined {
  const others = Object.keys(shape).filter((keyword) => !['type', 'enum', 'const'].includes(keyword));
  if (others.length > 0) return undefined;
  if (Array.isArray(shape['enum']) && !('const' in shape)) return shape['enum'];
  return 'const' in shape && !('enum' in shape) ? [shape['const']] : undefined;
}

/** Unites all integers and the first number into one number with the limits that all of them share. */
function widenIntegers(shapes: JsonSchemaObject[]): JsonSchemaObject[] {
  const number = shapes.find((shape) => shape['type'] === 'number');
  const [first = {}, ...others] = shapes.filter((shape) => shape === number || shape['type'] === 'integer');
  if (!number || others.length === 0) return shapes;
  const shared = Object.entries(first).filter(([keyword, value]) => {
    const text = canonicalJson(value);
    return others.every((other) => canonicalJson(other[keyword]) === text);
  });
  const wide = { type: 'number', ...Object.fromEntries(shared) };
  const gone = new Set(others);
  const rest = shapes.filter((shape) => !gone.has(shape));
  // With fewer limits it may now equal another number shape.
  return distinctShapes(rest.map((shape) => (shape === first ? wide : shape)));
}
