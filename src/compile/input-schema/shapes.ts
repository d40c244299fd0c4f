import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { canonicalJson, isJsonObject } from '../../values/json-value.js';
import { explaining, keywordsOf, liftExplanation, sharedExplanation, toObject } from './explanations.js';
import { choicesOf, widenShape } from './widen-shape.js';

/**
 * Merges the shapes of a field that several actions declare into one that accepts every value that any of them accepts. Shapes
 * that cannot be united become branches of `anyOf`. See `sharedExplanation` for the title, the default and the like.
 */
export function mergeShapes(shapes: readonly JsonSchema[]): JsonSchemaObject {
  return withExplanation(uniteShapes(shapes), sharedExplanation(shapes));
}

function withExplanation(
  united: readonly JsonSchemaObject[],
  explanation: JsonSchemaObject,
): JsonSchemaObject {
  return united.length === 1 ? { ...united[0], ...explanation } : { ...explanation, anyOf: united };
}

/** Deeper differences are listed as alternatives. */
const MAX_DEPTH = 16;
/** Maximum number of alternatives with which a shape is compared. Further shapes are alternatives without a comparison. */
const MAX_COMPARED = 32;

/** The shapes as a shorter list that accepts at least the same values: shapes of one type are widened until they are one. */
export function uniteShapes(shapes: readonly JsonSchema[], depth = 0): JsonSchemaObject[] {
  const distinct = distinctShapes(shapes);
  if (distinct.length < 2) return distinct;
  const alternatives = uniteChoices(distinctShapes(distinct.filter(isPossible).flatMap(branchesOf)));
  const united: JsonSchemaObject[] = [];
  for (const shape of alternatives) addShape(united, shape, depth);
  return united.length > 0 ? united : distinct;
}

/** Adds a shape to a list of alternatives, or widens one of them. The wider one may then include others of the list. */
function addShape(united: JsonSchemaObject[], shape: JsonSchemaObject, depth: number): void {
  for (const [index, other] of united.slice(0, MAX_COMPARED).entries()) {
    const wide = depth > MAX_DEPTH ? undefined : widenShape(other, shape, uniteBelow(depth + 1));
    if (!wide || !isShorter(wide, other, shape)) continue;
    const later = united.splice(index).slice(1);
    united.push(wide);
    for (const each of later) addShape(united, each, depth);
    return;
  }
  united.push(shape);
}

/** Whether one shape is written shorter than two alternatives. Only objects can repeat the schema of their other fields. */
function isShorter(wide: JsonSchemaObject, left: JsonSchemaObject, right: JsonSchemaObject): boolean {
  if (!('properties' in wide) && !('items' in wide)) return true;
  return JSON.stringify(wide).length <= JSON.stringify({ anyOf: [left, right] }).length;
}

/** Unites the schemas of one place inside two shapes, with the descriptions of both. */
function uniteBelow(depth: number): (left: JsonSchema, right: JsonSchema) => JsonSchema {
  return (left, right) => {
    const [one, other] = [left, right].map((shape) => toObject(liftExplanation(shape))) as [
      JsonSchemaObject,
      JsonSchemaObject,
    ];
    const explanation = Object.entries(one).filter(
      ([keyword, value]) => explaining.has(keyword) && isSameAt(keyword, { [keyword]: value }, other),
    );
    const descriptions = new Set([one['description'], other['description']].filter(isText));
    return withExplanation(uniteShapes([one, other], depth), {
      ...Object.fromEntries(explanation),
      ...(descriptions.size > 0 ? { description: [...descriptions].join(' / ') } : {}),
    });
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Whether a shape accepts any value at all. */
function isPossible({ not, ...rest }: JsonSchemaObject): boolean {
  return !(isJsonObject(not) && Object.keys(not).length === 0 && Object.keys(rest).length === 0);
}

/** The branches of a shape that is nothing but alternatives without explanations. */
function branchesOf(shape: JsonSchemaObject): readonly JsonSchemaObject[] {
  const { anyOf, ...rest } = shape;
  if (!Array.isArray(anyOf) || anyOf.length === 0 || Object.keys(rest).length > 0) return [shape];
  const branches = (anyOf as JsonSchema[]).map(toObject);
  const isExplained = branches.some((branch) =>
    Object.keys(branch).some((keyword) => explaining.has(keyword)),
  );
  return isExplained ? [shape] : branches;
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
    const rules = keywordsOf(shape, 'validating');
    const text = canonicalJson(rules);
    if (!distinct.has(text)) distinct.set(text, rules);
  }
  return [...distinct.values()];
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
    const key = onlyChoicesOf(shape) ? canonicalJson(shape['type']) : shape;
    const group = groups.get(key);
    if (group) group.push(shape);
    else groups.set(key, [shape]);
  }
  return [...groups.values()].map(uniteGroup);
}

function uniteGroup(group: readonly JsonSchemaObject[]): JsonSchemaObject {
  const [first = {}, ...others] = group;
  if (others.length === 0) return first;
  const choices = group.flatMap((shape) => onlyChoicesOf(shape) ?? []);
  const united = new Map(choices.map((choice) => [canonicalJson(choice), choice]));
  return { ...(first['type'] === undefined ? {} : { type: first['type'] }), enum: [...united.values()] };
}

/** The choices of a shape that is nothing but an enum or a constant. */
function onlyChoicesOf(shape: JsonSchemaObject): readonly unknown[] | undefined {
  const others = Object.keys(shape).filter((keyword) => !['type', 'enum', 'const'].includes(keyword));
  return others.length > 0 ? undefined : choicesOf(shape);
}
