import { canonicalJson, isJsonObject } from '@toolfold/schema/internal';
import type { SpecObject } from '../read/read-document.js';
import { entriesOf, follow, listOf } from '../read/resolve.js';

/** Keywords that only describe. If several parts have one, that of the outermost part is kept. */
const annotations = new Set([
  'description',
  'title',
  'default',
  'examples',
  'example',
  'deprecated',
  '$comment',
]);
const MAX_PARTS = 200;

/**
 * Returns a schema without `$ref` and `allOf` at its root that accepts what all of its parts accept, or `undefined` if the parts cannot be
 * merged safely. Properties that several parts declare become `allOf` themselves.
 */
export function mergeAllOf(document: SpecObject, schema: SpecObject): SpecObject | undefined {
  const parts: SpecObject[] = [];
  if (!collectParts(document, schema, { parts, left: MAX_PARTS }, new Set())) return undefined;
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const merged: Record<string, unknown> = {};
  for (const part of parts) if (!mergeInto(merged, part)) return undefined;
  return merged;
}

function collectParts(
  document: SpecObject,
  schema: unknown,
  state: { readonly parts: SpecObject[]; left: number },
  above: Set<string>,
): boolean {
  // References can double the number of parts at each level.
  if (--state.left < 0) return false;
  if (schema === true) return true;
  if (!isJsonObject(schema)) return false;
  const { $ref, allOf, ...own } = schema;
  if (Object.keys(own).length > 0) state.parts.push(own);
  if (typeof $ref === 'string' && !above.has($ref)) {
    // A schema that includes itself adds nothing to itself.
    const inner = new Set([...above, $ref]);
    if (!collectParts(document, follow(document, $ref), state, inner)) return false;
  }
  return listOf(allOf).every((part) => collectParts(document, part, state, above));
}

function mergeInto(merged: Record<string, unknown>, part: SpecObject): boolean {
  return Object.entries(part).every(([keyword, value]) => {
    const before = Object.hasOwn(merged, keyword) ? merged[keyword] : undefined;
    const joined = before === undefined ? value : joinKeyword(keyword, before, value);
    if (joined === undefined) return false;
    merged[keyword] = joined;
    return true;
  });
}

/** Joins the values of a keyword that two parts have, or returns `undefined` if no single value is right. */
function joinKeyword(keyword: string, left: unknown, right: unknown): unknown {
  if (annotations.has(keyword) || keyword.startsWith('x-')) return left;
  if (keyword === 'properties') return joinProperties(left, right);
  if (keyword === 'required') return [...new Set([...listOf(left), ...listOf(right)])];
  if (keyword === 'readOnly' || keyword === 'writeOnly') return left === true || right === true;
  // Each part closes only its own properties, and the author means the union.
  if (keyword === 'additionalProperties' && (left === false || right === false)) return true;
  if (keyword === 'type') return joinTypes([left].flat(), [right].flat());
  if (keyword === 'enum') return joinEnums(listOf(left), listOf(right));
  return canonicalJson(left) === canonicalJson(right) ? left : undefined;
}

function joinTypes(left: readonly unknown[], right: readonly unknown[]): unknown {
  const both = left.filter((type) => right.includes(type));
  return both.length > 1 ? both : both[0];
}

function joinEnums(left: readonly unknown[], right: readonly unknown[]): unknown {
  const both = left.filter((value) => right.includes(value));
  return both.length > 0 ? both : undefined;
}

function joinProperties(left: unknown, right: unknown): SpecObject {
  const joined = new Map(entriesOf(left));
  for (const [name, schema] of entriesOf(right)) {
    const before = joined.get(name);
    const isEqual = before === undefined || canonicalJson(before) === canonicalJson(schema);
    joined.set(name, isEqual ? schema : { allOf: [before, schema] });
  }
  return Object.fromEntries(joined);
}
