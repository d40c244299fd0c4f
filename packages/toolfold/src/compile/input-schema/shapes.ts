import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { canonicalJson, isJsonObject } from '@toolfold/schema/internal';
import { getOrMake } from '../../values/get-or-make.js';
import {
  distinctValues,
  explaining,
  isSame,
  keywordsOf,
  liftExplanation,
  sharedExplanation,
  toObject,
} from './explanations.js';
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

/** Below this depth, different shapes become alternatives. */
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
    const explanation = Object.entries(keywordsOf(one, 'explaining')).filter(([keyword, value]) =>
      isSame(value, other[keyword]),
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

/** Whether a shape accepts any value: `{ not: {} }` accepts none. */
function isPossible({ not, ...rest }: JsonSchemaObject): boolean {
  return !(isJsonObject(not) && Object.keys(not).length === 0 && Object.keys(rest).length === 0);
}

/** Splits a shape that consists of `anyOf` alone. Branches with descriptions stay together, because a split would lose them. */
function branchesOf(shape: JsonSchemaObject): readonly JsonSchemaObject[] {
  const { anyOf, ...rest } = shape;
  if (!Array.isArray(anyOf) || anyOf.length === 0 || Object.keys(rest).length > 0) return [shape];
  const branches = (anyOf as JsonSchema[]).map(toObject);
  const isExplained = branches.some((branch) =>
    Object.keys(branch).some((keyword) => explaining.has(keyword)),
  );
  return isExplained ? [shape] : branches;
}

function distinctShapes(shapes: readonly JsonSchema[]): JsonSchemaObject[] {
  const rules = shapes.map((shape) => keywordsOf(toObject(shape), 'validating'));
  return distinctValues(rules);
}

/** Unites shapes that are nothing but enums or constants of the same type. */
function uniteChoices(shapes: readonly JsonSchemaObject[]): JsonSchemaObject[] {
  const groups = new Map<unknown, JsonSchemaObject[]>();
  for (const shape of shapes) {
    const key = onlyChoicesOf(shape) ? canonicalJson(shape['type']) : shape;
    getOrMake(groups, key, () => []).push(shape);
  }
  return [...groups.values()].map(uniteGroup);
}

function uniteGroup(group: readonly JsonSchemaObject[]): JsonSchemaObject {
  const [first = {}, ...others] = group;
  if (others.length === 0) return first;
  const choices = distinctValues(group.flatMap((shape) => onlyChoicesOf(shape) ?? []));
  return { ...(first['type'] === undefined ? {} : { type: first['type'] }), enum: choices };
}

/** Returns nothing for a shape with other validating keywords. */
function onlyChoicesOf(shape: JsonSchemaObject): readonly unknown[] | undefined {
  const others = Object.keys(shape).filter((keyword) => !['type', 'enum', 'const'].includes(keyword));
  return others.length > 0 ? undefined : choicesOf(shape);
}
