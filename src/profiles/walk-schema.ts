import { isSchema } from '../values/json-schema.js';
import { isJsonObject } from '../values/json-value.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import type { SchemaPlace } from './rules/rule.js';

/** A subschema on the way through a schema. */
export interface Visited {
  readonly schema: JsonSchemaObject;
  readonly place: SchemaPlace;
  readonly parent: Visited | undefined;
  /** The keys from the parent to this subschema. */
  readonly keys: readonly (string | number)[];
}

const inPlace = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'];
const below =
  'properties items prefixItems additionalItems additionalProperties patternProperties propertyNames contains unevaluatedItems unevaluatedProperties contentSchema'.split(
    ' ',
  );
const definitions = ['$defs', 'definitions'];

/** Keywords that contain subschemas. */
export const schemaKeywords: ReadonlySet<string> = new Set([...inPlace, ...below, ...definitions]);

/** Keywords that map names to subschemas. */
export const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  ...definitions,
]);

/** Subschemas that are visited at most, because a saved list may contain a schema of any size. */
const MAX_SUBSCHEMAS = 20_000;

const anything: JsonSchemaObject = Object.freeze({});

/**
 * Visits every subschema from the outside in, until `visit` returns false. Subschemas of more than `maxDepth` levels are visited, but
 * not those below them. Returns false if there are too many.
 */
export function walkSchema(
  root: JsonSchemaObject,
  maxDepth: number,
  visit: (visited: Visited) => boolean | void,
): boolean {
  const open: Visited[] = [
    { schema: root, place: { isRoot: true, isItems: false, depth: 0 }, parent: undefined, keys: [] },
  ];
  for (let count = 0; open.length > 0; count++) {
    if (count > MAX_SUBSCHEMAS) return false;
    const visited = open.pop() as Visited;
    if (visit(visited) === false) return true;
    if (visited.place.depth > maxDepth) continue;
    const children = childrenOf(visited);
    for (let index = children.length - 1; index >= 0; index--) open.push(children[index] as Visited);
  }
  return true;
}

/** The subschemas directly in a subschema. */
export function childrenOf(parent: Visited): Visited[] {
  const { schema, place } = parent;
  const children: Visited[] = [];
  for (const keyword in schema) {
    if (!schemaKeywords.has(keyword) || !Object.hasOwn(schema, keyword)) continue;
    const value = schema[keyword];
    if (typeof value !== 'object' || value === null) continue;
    const isBelow = !inPlace.includes(keyword);
    // Composition can nest as deep as properties, so it counts for the limit, but only as a part of a level.
    const depth = definitions.includes(keyword) ? 1 : isBelow ? place.depth + 1 : place.depth + 1 / 64;
    const add = (child: JsonSchema, keys: readonly (string | number)[]): void => {
      children.push({
        schema: typeof child === 'boolean' ? anything : child,
        place: { isRoot: false, isItems: keyword === 'items', depth },
        parent,
        keys,
      });
    };
    if (schemaMaps.has(keyword)) {
      for (const [key, child] of Object.entries(value as object))
        if (isSchema(child)) add(child, [keyword, key]);
    } else if (Array.isArray(value)) {
      for (const [index, child] of (value as unknown[]).entries())
        if (isSchema(child)) add(child, [keyword, index]);
    } else if (isJsonObject(value)) add(value, [keyword]);
  }
  return children;
}

/** JSON pointer of a visited subschema below its root. */
export function pointerOf(visited: Visited | undefined): string {
  let pointer = '';
  for (let at = visited; at; at = at.parent) {
    pointer =
      at.keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') + pointer;
  }
  return pointer;
}
