import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { JsonSchema } from '../values/json-schema.js';
import { canonicalJson } from '../values/json-value.js';
import { mapSubschemas } from '../check/keywords.js';
import type { NormalSchema } from '../check/normal-schema.js';

/** Maximum number of subschemas after references are replaced by their targets. */
const MAX_INLINED = 20_000;

/**
 * Rewrites a normal schema so that schemas which differ only in notation become equal: references that are not recursive are
 * replaced by their targets, lists without order are sorted, and keywords without effect are dropped.
 */
export function toCanonicalSchema(schema: NormalSchema): NormalSchema {
  const { dialect, root, targets } = schema;
  // `properties: { a: true }` has an effect on `unevaluatedProperties`.
  const tracks = /"unevaluated(?:Items|Properties)"/.test(JSON.stringify([root, ...targets.values()]));
  const inlined = findInlined(schema);
  const done = new Map<JsonSchema, JsonSchema>();
  const rewrite = (node: JsonSchema): JsonSchema => {
    if (typeof node === 'boolean') return node;
    const known = done.get(node);
    if (known !== undefined) return known;
    const built: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(node))
      built[keyword] = mapSubschemas(keyword, value, dialect, rewrite);
    const rewritten = simplify(withTarget(built), tracks);
    done.set(node, rewritten);
    return rewritten;
  };
  const withTarget = (node: Record<string, unknown>): JsonSchema => {
    const { $ref, ...rest } = node;
    if (typeof $ref !== 'string' || !inlined.has($ref)) return node;
    const target = rewrite(targets.get($ref) ?? true);
    if (Object.keys(rest).length === 0) return target;
    return { ...rest, allOf: [...((rest['allOf'] as JsonSchema[] | undefined) ?? []), target] };
  };
  return {
    dialect,
    root: rewrite(root),
    targets: new Map(
      [...targets].filter(([name]) => !inlined.has(name)).map(([name, node]) => [name, rewrite(node)]),
    ),
  };
}

/** Finds the references that can be replaced by their targets: those that lead to no recursion, unless the result is too large. */
function findInlined({ root, targets }: NormalSchema): ReadonlySet<string> {
  const sizes = new Map<string, number>();
  const open = new Set<string>();
  const sizeOf = (node: unknown, recursion: number): number => {
    if (typeof node !== 'object' || node === null) return 0;
    let total = 1;
    for (const [key, value] of Object.entries(node) as [string, unknown][])
      total +=
        key === '$ref' && typeof value === 'string'
          ? sizeOfTarget(value, recursion)
          : sizeOf(value, recursion);
    return total;
  };
  const sizeOfTarget = (name: string, recursion: number): number => {
    const known = sizes.get(name);
    if (known !== undefined) return Number.isFinite(known) ? known : recursion;
    if (open.has(name)) return recursion;
    open.add(name);
    const size = sizeOf(targets.get(name), recursion);
    open.delete(name);
    sizes.set(name, size);
    return size;
  };
  const names = [...targets.keys()].filter((name) => Number.isFinite(sizeOfTarget(name, Infinity)));
  // The remaining targets are kept as references, so they count once.
  const total = [root, ...targets.values()].reduce<number>((sum, node) => sum + sizeOf(node, 1), 0);
  return new Set(total > MAX_INLINED ? [] : names);
}

/** Keywords that have no effect if their value, as JSON, is this text. */
const idle: Readonly<Record<string, string>> = {
  minLength: '0',
  minItems: '0',
  minProperties: '0',
  uniqueItems: 'false',
  required: '[]',
  dependentRequired: '{}',
  dependentSchemas: '{}',
  dependencies: '{}',
};

/** More keywords without effect, as long as no keyword depends on which fields and items are evaluated. */
const idleUntracked: Readonly<Record<string, string>> = {
  patternProperties: '{}',
  items: 'true',
  additionalItems: 'true',
  prefixItems: '[]',
  propertyNames: 'true',
  unevaluatedItems: 'true',
  unevaluatedProperties: 'true',
};

function simplify(node: JsonSchema, tracks: boolean): JsonSchema {
  if (typeof node === 'boolean') return node;
  const entries = new Map(Object.entries(node));
  const drop = (...names: string[]): void => {
    for (const name of names) entries.delete(name);
  };
  if (entries.has('const')) mergeConst(entries);
  for (const keyword of ['enum', 'required', 'anyOf', 'oneOf', 'allOf', 'type']) sortList(keyword, entries);
  simplifyType(entries);
  if (!Object.hasOwn(fullFormats, String(entries.get('format')))) drop('format');
  const isBranching = entries.has('then') || entries.has('else');
  // With `unevaluatedProperties`, an `if` alone still decides which fields are evaluated.
  if (!entries.has('if') || (!isBranching && !tracks)) drop('if', 'then', 'else');
  if (!entries.has('contains')) drop('minContains', 'maxContains');
  for (const table of tracks ? [idle] : [idle, idleUntracked])
    for (const [keyword, text] of Object.entries(table))
      if (entries.has(keyword) && JSON.stringify(entries.get(keyword)) === text) drop(keyword);
  if (entries.get('not') === false) drop('not');
  if (entries.get('not') === true || canonicalJson(entries.get('enum')) === '[]') return false;
  return entries.size === 0 ? true : Object.fromEntries(entries);
}

function mergeConst(entries: Map<string, unknown>): void {
  const text = canonicalJson(entries.get('const'));
  const choices = entries.get('enum');
  const isAllowed = !Array.isArray(choices) || choices.some((choice) => canonicalJson(choice) === text);
  entries.set('enum', isAllowed ? [entries.get('const')] : []);
  entries.delete('const');
}

/** Sorts a list whose order has no meaning. Only `oneOf` may contain a schema twice. */
function sortList(keyword: string, entries: Map<string, unknown>): void {
  const list = entries.get(keyword);
  if (!Array.isArray(list)) return;
  const texts = (list as unknown[]).map((item) => [canonicalJson(item), item] as const);
  const kept = keyword === 'oneOf' ? texts : [...new Map(texts)];
  entries.set(
    keyword,
    kept.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)).map(([, item]) => item),
  );
}

function simplifyType(entries: Map<string, unknown>): void {
  const given = entries.get('type');
  if (Array.isArray(given)) {
    const names = given.includes('number') ? given.filter((name) => name !== 'integer') : given;
    entries.set('type', names.length === 1 ? names[0] : names);
  }
  if (entries.get('type') !== 'integer') return;
  tighten(entries, 'exclusiveMinimum', 'minimum', (limit) => Math.floor(limit) + 1, Math.max);
  tighten(entries, 'minimum', 'minimum', Math.ceil, Math.max);
  tighten(entries, 'exclusiveMaximum', 'maximum', (limit) => Math.ceil(limit) - 1, Math.min);
  tighten(entries, 'maximum', 'maximum', Math.floor, Math.min);
}

/** Rewrites a limit of integers as an inclusive one. */
function tighten(
  entries: Map<string, unknown>,
  from: string,
  to: string,
  round: (limit: number) => number,
  choose: (...limits: number[]) => number,
): void {
  const limit = entries.get(from);
  // Beyond the safe integers, a neighbour may be the same number.
  if (typeof limit !== 'number' || !Number.isSafeInteger(round(limit)) || Math.abs(limit) > 2 ** 50) return;
  entries.delete(from);
  const other = entries.get(to);
  entries.set(to, typeof other === 'number' ? choose(other, round(limit)) : round(limit));
}

/**
 * Closes the root and every open object that lists its fields, so that only declared fields remain. Objects with
 * `additionalProperties: true` stay open, because their authors expect further fields. Objects that are combined with other
 * schemas stay open, because each part of a combination lists only some of the fields.
 */
export function withoutUndeclared(schema: NormalSchema): NormalSchema {
  const close = (node: JsonSchema, depth: number): JsonSchema => {
    if (typeof node === 'boolean' || depth > 64) return node;
    const isCombined = [
      'allOf',
      'anyOf',
      'oneOf',
      '$ref',
      'not',
      'if',
      'dependentSchemas',
      'dependencies',
    ].some((keyword) => keyword in node);
    if (isCombined || Object.keys(node).some((keyword) => keyword.startsWith('unevaluated'))) return node;
    const closed: Record<string, unknown> = { ...node };
    for (const keyword of ['items', 'properties', 'prefixItems'])
      if (keyword in node)
        closed[keyword] = mapSubschemas(keyword, node[keyword], schema.dialect, (child) =>
          close(child, depth + 1),
        );
    const isListed = 'properties' in node || depth === 0;
    if (isListed && !('additionalProperties' in node) && !('patternProperties' in node))
      closed['additionalProperties'] = false;
    return closed;
  };
  return { ...schema, root: close(schema.root, 0) };
}
