import type { JsonSchemaObject } from '../values/json-schema.js';
import { forEachSubschema, holdsSchemas, inPlaceKeywords, keywords, mapInPlaces } from '../check/keywords.js';
import type { KeywordForm } from '../check/keywords.js';
import { joinPointer } from './json-pointer.js';
import { namesIn } from './own-facts.js';

/** A subschema, and its position in the schemas around it. */
export interface SchemaNode {
  /** The keywords. A subschema that is `true` or `false` has none. */
  readonly schema: JsonSchemaObject;
  readonly isBoolean: boolean;
  readonly parent: SchemaNode | undefined;
  /** The keyword of the parent that holds the subschema, and its name or index in the value of the keyword. */
  readonly keyword: string | undefined;
  readonly key: string | number | undefined;
  readonly isRoot: boolean;
  /** Whether it describes the items of an array. */
  readonly isItems: boolean;
  /** Levels of properties and items around it. A composition counts as 1/64 of a level, because it can nest as deep as properties can. */
  readonly depth: number;
  /** The name of the field that it describes, if it is directly under `properties`. */
  readonly field: string | undefined;
  readonly isRequired: boolean;
  /** Number of fields around it, including itself if it is one. */
  readonly fields: number;
}

/**
 * The keywords of all dialects that hold schemas. In an unchecked schema their values may be malformed; whatever is a schema in
 * them is still visited.
 */
const schemaKeywords: ReadonlyMap<string, KeywordForm> = new Map(
  [...keywords['2020-12'], ...keywords['draft-07']].filter(([, form]) => holdsSchemas.has(form)),
);

/** Maximum number of visited subschemas, because a saved list may contain a schema of any size. */
const MAX_SUBSCHEMAS = 20_000;

/**
 * Visits every subschema in the order in which they are written, until `visit` returns false. Does not follow references. At
 * more than `maxDepth` levels, a subschema is visited, but not the schemas inside it. Returns false if there are too many
 * subschemas.
 */
export function walkSchema(
  root: JsonSchemaObject,
  visit: (node: SchemaNode) => boolean | void,
  maxDepth = Infinity,
): boolean {
  const open = [rootNode(root)];
  let count = 0;
  for (let node = open.pop(); node; node = open.pop()) {
    if (count++ > MAX_SUBSCHEMAS) return false;
    if (visit(node) === false) return true;
    if (node.depth > maxDepth) continue;
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index--) open.push(children[index] as SchemaNode);
  }
  return true;
}

export function rootNode(schema: JsonSchemaObject): SchemaNode {
  return {
    schema,
    isBoolean: false,
    parent: undefined,
    keyword: undefined,
    key: undefined,
    isRoot: true,
    isItems: false,
    depth: 0,
    field: undefined,
    isRequired: false,
    fields: 0,
  };
}

const none: JsonSchemaObject = Object.freeze({});

/** Returns the subschemas directly inside a subschema. */
export function childrenOf(parent: SchemaNode): SchemaNode[] {
  const { schema } = parent;
  const children: SchemaNode[] = [];
  for (const keyword in schema) {
    if (!schemaKeywords.has(keyword) || !Object.hasOwn(schema, keyword)) continue;
    const value = schema[keyword];
    if (typeof value !== 'object' || value === null) continue;
    const isFields = keyword === 'properties';
    const required = isFields ? new Set(namesIn(schema['required'])) : undefined;
    const depth = depthIn(keyword, parent.depth);
    forEachSubschema(schemaKeywords.get(keyword), value, (child, key) => {
      const field = isFields ? String(key) : undefined;
      children.push({
        schema: typeof child === 'boolean' ? none : child,
        isBoolean: typeof child === 'boolean',
        parent,
        keyword,
        key,
        isRoot: false,
        isItems: keyword === 'items',
        depth,
        field,
        isRequired: field !== undefined && required?.has(field) === true,
        fields: parent.fields + (isFields ? 1 : 0),
      });
    });
  }
  return children;
}

function depthIn(keyword: string, depth: number): number {
  if (keyword === '$defs' || keyword === 'definitions') return 1;
  return inPlaceKeywords.has(keyword) ? depth + 1 / 64 : depth + 1;
}

/** Copies a schema and applies `map` to every value at the place of a subschema, whether or not it is valid. */
export function mapChildren(
  schema: Readonly<Record<string, unknown>>,
  map: (child: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      mapInPlaces(schemaKeywords.get(keyword), value, map),
    ]),
  );
}

/** Returns the JSON pointer of a subschema. `root` is the pointer of the whole schema. */
export function pointerOf(node: SchemaNode | undefined, root: string): string {
  const keys: (string | number)[] = [];
  for (let at = node; at?.keyword !== undefined; at = at.parent) {
    if (at.key !== undefined) keys.push(at.key);
    keys.push(at.keyword);
  }
  return joinPointer(root, ...keys.toReversed());
}
