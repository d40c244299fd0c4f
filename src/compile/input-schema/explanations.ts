import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { canonicalJson } from '../../values/json-value.js';
import { comparable, joinSentences } from '../sentences.js';

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

/** A shape as an object: `true` accepts anything, `false` nothing. */
export function toObject(shape: JsonSchema): JsonSchemaObject {
  if (typeof shape === 'object') return shape;
  return shape ? {} : { not: {} };
}

/** The keywords of a shape that explain it, or those that validate. */
export function keywordsOf(shape: JsonSchemaObject, kind: 'explaining' | 'validating'): JsonSchemaObject {
  return Object.fromEntries(
    Object.entries(shape).filter(([keyword]) => explaining.has(keyword) === (kind === 'explaining')),
  );
}

/**
 * The explanation that holds for all shapes of a field: the keywords whose value is the same in each, and the first description.
 * Headers are those of the first shape, because a client sends them for a field, whatever the action.
 */
export function sharedExplanation(shapes: readonly JsonSchema[]): JsonSchemaObject {
  const [first = {}, ...others] = shapes.map(toObject);
  const shared = Object.entries(keywordsOf(first, 'explaining')).filter(
    ([keyword, value]) => keyword === 'x-mcp-header' || isInAll(keyword, value, others),
  );
  const described = [first, ...others].find(({ description }) => description !== undefined);
  return {
    ...Object.fromEntries(shared),
    ...(described ? { description: described['description'] } : {}),
  };
}

function isInAll(keyword: string, value: unknown, shapes: readonly JsonSchemaObject[]): boolean {
  if (shapes.length === 0) return true;
  const text = canonicalJson(value);
  return shapes.every(
    (shape) =>
      Object.hasOwn(shape, keyword) && (shape[keyword] === value || canonicalJson(shape[keyword]) === text),
  );
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

/** Two descriptions of one value, or one of them if it says all that the other says. */
function joinTexts(outer: unknown, inner: unknown): string {
  const [first, second] = [outer, inner].map((text) => (typeof text === 'string' ? text.trim() : '')) as [
    string,
    string,
  ];
  return comparable(first).includes(comparable(second)) ? first : joinSentences(first, second);
}
