import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { canonicalJson, comparable, joinSentences } from '@toolfold/schema/internal';

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

/** Replaces the boolean schemas `true` and `false` by equivalent objects. */
export function toObject(shape: JsonSchema): JsonSchemaObject {
  if (typeof shape === 'object') return shape;
  return shape ? {} : { not: {} };
}

export function keywordsOf(shape: JsonSchemaObject, kind: 'explaining' | 'validating'): JsonSchemaObject {
  return Object.fromEntries(
    Object.entries(shape).filter(([keyword]) => explaining.has(keyword) === (kind === 'explaining')),
  );
}

/**
 * Returns the explaining keywords that are equal in all shapes of a field, and the first description. `x-mcp-header` comes
 * from the first shape, because a client sends the header for the field, whatever the action.
 */
export function sharedExplanation(shapes: readonly JsonSchema[]): JsonSchemaObject {
  const [first = {}, ...others] = shapes.map(toObject);
  const shared = Object.entries(keywordsOf(first, 'explaining')).filter(
    ([keyword, value]) =>
      keyword === 'x-mcp-header' || others.every((shape) => isSame(value, shape[keyword])),
  );
  const described = [first, ...others].find(({ description }) => description !== undefined);
  return {
    ...Object.fromEntries(shared),
    ...(described ? { description: described['description'] } : {}),
  };
}

/** Compares two keyword values as JSON. A missing keyword equals only another missing one. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return left !== undefined && right !== undefined && canonicalJson(left) === canonicalJson(right);
}

/** Returns the values without those that equal an earlier one as JSON. */
export function distinctValues<T>(values: readonly T[]): T[] {
  const distinct = new Map<string, T>();
  for (const value of values) {
    const text = canonicalJson(value);
    if (!distinct.has(text)) distinct.set(text, value);
  }
  return [...distinct.values()];
}

/**
 * Moves the explanation of the only branch beside null to the shape itself, so that it is found there and the branch can be united
 * with others: `{anyOf: [{type: 'string', description: 'Day'}, {type: 'null'}]}`.
 */
export function liftExplanation(shape: JsonSchema): JsonSchema {
  if (typeof shape !== 'object' || !Array.isArray(shape['anyOf'])) return shape;
  const branches = (shape['anyOf'] as JsonSchema[]).map(toObject);
  const [only, another] = branches.filter((branch) => !isNull(branch));
  if (!only || another || branches.length < 2) return shape;
  const { 'x-mcp-header': _, ...inner } = keywordsOf(only, 'explaining');
  if (Object.keys(inner).length === 0) return shape;
  const rest = Object.fromEntries(Object.entries(only).filter(([keyword]) => !Object.hasOwn(inner, keyword)));
  const description = joinTexts(shape['description'], inner['description']);
  return {
    ...inner,
    ...shape,
    ...(description === '' ? {} : { description }),
    anyOf: branches.map((branch) => (branch === only ? rest : branch)),
  };
}

function isNull(shape: JsonSchemaObject): boolean {
  return shape['type'] === 'null' || ('const' in shape && shape['const'] === null);
}

/** Leaves out the inner description if the outer one contains it. */
function joinTexts(outer: unknown, inner: unknown): string {
  const [first, second] = [outer, inner].map((text) => (typeof text === 'string' ? text.trim() : '')) as [
    string,
    string,
  ];
  return comparable(first).includes(comparable(second)) ? first : joinSentences(first, second);
}
