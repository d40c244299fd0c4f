import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { mapIn, namesIn, typesOf } from '@toolfold/schema/internal';
import { distinctValues, isSame } from './explanations.js';

/** Unites two nested schemas at the same place, such as the `items` of two shapes. */
export type UniteInner = (left: JsonSchema, right: JsonSchema) => JsonSchema;

/**
 * Keywords that apply whole schemas. Shapes in which they differ become alternatives, because one wider shape would lose
 * them.
 */
const composing = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/** Keywords whose meaning depends on other keywords of the same shape, so that these cannot be widened. */
const dependent = ['prefixItems', 'patternProperties', 'unevaluatedItems', 'unevaluatedProperties'];

const smaller = ['minLength', 'minItems', 'minProperties'];
const larger = ['maxLength', 'maxItems', 'maxProperties'];
const counting = ['contains', 'minContains', 'maxContains'];
const bounds = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'];

/** Keywords that this file widens. All others are kept if they are equal in both shapes, and dropped otherwise. */
const widened = new Set([
  'type',
  'enum',
  'const',
  'items',
  'properties',
  'required',
  'additionalProperties',
  ...[smaller, larger, counting, bounds].flat(),
]);

/**
 * One shape that accepts every value that either of two shapes accepts: the constraints that both have, each as wide as the wider
 * one. `undefined` if the shapes have different types, or if a single shape would have to give up the types of fields.
 */
export function widenShape(
  left: JsonSchemaObject,
  right: JsonSchemaObject,
  unite: UniteInner,
): JsonSchemaObject | undefined {
  const types = widerTypes(shapeTypes(left), shapeTypes(right));
  if (!types || dependent.some((keyword) => keyword in left || keyword in right)) return undefined;
  if (composing.some((keyword) => !isSame(left[keyword], right[keyword]))) return undefined;
  const object = widenObject(left, right, unite);
  if (!object) return undefined;
  const choices = widenChoices(left, right);
  const typed = [left, right].filter(({ type }) => type !== undefined).length;
  // Choices without a type get one only if a single type is known.
  const isTyped = choices['enum'] === undefined || typed === 2 || (typed === 1 && types.length === 1);
  const kept = Object.entries(left).filter(
    ([keyword, value]) => !widened.has(keyword) && isSame(value, right[keyword]),
  );
  return {
    ...(isTyped ? { type: types.length === 1 ? types[0] : types } : {}),
    ...choices,
    ...Object.fromEntries(kept),
    ...widenSizes(left, right),
    ...widenBounds(left, right),
    ...(counting.every((keyword) => isSame(left[keyword], right[keyword])) ? pick(left, counting) : {}),
    ...(left['items'] !== undefined && right['items'] !== undefined
      ? { items: unite(left['items'] as JsonSchema, right['items'] as JsonSchema) }
      : {}),
    ...object,
  };
}

function pick(shape: JsonSchemaObject, keywords: readonly string[]): JsonSchemaObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) => (keyword in shape ? [[keyword, shape[keyword]]] : [])),
  );
}

/** The types of a shape, from `type` or else from its choices. */
function shapeTypes(shape: JsonSchemaObject): readonly string[] | undefined {
  return typesOf(shape) ?? (choicesOf(shape) && [...new Set(choicesOf(shape)?.map(typeOfChoice))]);
}

function typeOfChoice(choice: unknown): string {
  if (choice === null) return 'null';
  if (Array.isArray(choice)) return 'array';
  return Number.isInteger(choice) ? 'integer' : typeof choice;
}

export function choicesOf(shape: JsonSchemaObject): readonly unknown[] | undefined {
  if (Array.isArray(shape['enum'])) return 'const' in shape ? undefined : shape['enum'];
  return 'const' in shape ? [shape['const']] : undefined;
}

/** Returns the list that includes the other. `number` includes `integer`. */
function widerTypes(
  left: readonly string[] | undefined,
  right: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!left || !right) return undefined;
  return includesTypes(left, right) ? left : includesTypes(right, left) ? right : undefined;
}

function includesTypes(wide: readonly string[], narrow: readonly string[]): boolean {
  return narrow.every((type) => wide.includes(type) || (type === 'integer' && wide.includes('number')));
}

function widenChoices(left: JsonSchemaObject, right: JsonSchemaObject): JsonSchemaObject {
  const [first, second] = [choicesOf(left), choicesOf(right)];
  if (!first || !second) return {};
  return { enum: distinctValues([...first, ...second]) };
}

function widenSizes(left: JsonSchemaObject, right: JsonSchemaObject): JsonSchemaObject {
  const sizes: Record<string, unknown> = {};
  for (const keyword of [...smaller, ...larger]) {
    const [one, other] = [left[keyword], right[keyword]];
    if (typeof one !== 'number' || typeof other !== 'number') continue;
    sizes[keyword] = smaller.includes(keyword) ? Math.min(one, other) : Math.max(one, other);
  }
  return sizes;
}

/** A limit of a number, negated if it is an upper one, so that the smaller of two limits is always the wider one. */
interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
}

function widenBounds(left: JsonSchemaObject, right: JsonSchemaObject): JsonSchemaObject {
  const wide: Record<string, unknown> = {};
  for (const [end, exclusiveEnd, sign] of [
    ['minimum', 'exclusiveMinimum', 1],
    ['maximum', 'exclusiveMaximum', -1],
  ] as const) {
    const [one, other] = [left, right].map((shape): Bound | undefined => {
      const [inclusive, exclusive] = [shape[end], shape[exclusiveEnd]];
      const found: Bound[] = [];
      if (typeof inclusive === 'number') found.push({ value: sign * inclusive, isExclusive: false });
      if (typeof exclusive === 'number') found.push({ value: sign * exclusive, isExclusive: true });
      return found.toSorted(compareBounds).at(-1);
    });
    if (!one || !other) continue;
    const bound = compareBounds(one, other) <= 0 ? one : other;
    wide[bound.isExclusive ? exclusiveEnd : end] = sign * bound.value;
  }
  return wide;
}

/** Orders bounds from the wider to the narrower. */
function compareBounds(left: Bound, right: Bound): number {
  return left.value - right.value || Number(left.isExclusive) - Number(right.isExclusive);
}

/**
 * The keywords of objects, or `undefined` if a field that only one of them declares could have any value in the other: as one
 * shape, the field would lose its type.
 */
function widenObject(
  left: JsonSchemaObject,
  right: JsonSchemaObject,
  unite: UniteInner,
): JsonSchemaObject | undefined {
  const [leftFields, rightFields] = [mapIn(left['properties']), mapIn(right['properties'])];
  const fields = new Map<string, unknown>();
  for (const name of new Set([...Object.keys(leftFields), ...Object.keys(rightFields)])) {
    const [one, other] = [fieldOf(left, leftFields, name), fieldOf(right, rightFields, name)];
    if (!Object.hasOwn(leftFields, name) && acceptsAll(one)) return undefined;
    if (!Object.hasOwn(rightFields, name) && acceptsAll(other)) return undefined;
    fields.set(name, one === false ? other : other === false ? one : unite(one, other));
  }
  const required = namesIn(left['required']).filter((name) => namesIn(right['required']).includes(name));
  const [first, second] = [left, right].map(({ additionalProperties = true }) => additionalProperties) as [
    JsonSchema,
    JsonSchema,
  ];
  const others = first === false ? second : second === false ? first : unite(first, second);
  const isLimited = !acceptsAll(first) && !acceptsAll(second);
  return {
    ...(fields.size > 0 || ('properties' in left && 'properties' in right)
      ? { properties: Object.fromEntries(fields) }
      : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(isLimited ? { additionalProperties: others } : {}),
  };
}

/** An undeclared field has the schema of `additionalProperties`. */
function fieldOf(
  { additionalProperties = true }: JsonSchemaObject,
  fields: Readonly<Record<string, unknown>>,
  name: string,
): JsonSchema {
  return (Object.hasOwn(fields, name) ? fields[name] : additionalProperties) as JsonSchema;
}

function acceptsAll(schema: JsonSchema): boolean {
  return schema === true || (typeof schema === 'object' && Object.keys(schema).length === 0);
}
