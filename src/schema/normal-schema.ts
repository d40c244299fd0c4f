import { ErrExternalRef, ErrInvalidSchema, ErrUnsupportedSchema } from '../errors.js';
import type { Dialect, JsonSchema, JsonSchemaObject, SchemaLimits } from './json-schema.js';
import { isJsonObject, isSchema, toPointer } from './json-schema.js';
import { formProblem, inPlaceKeywords, keywords, subschemasOf } from './keywords.js';
import { toUnicodePattern } from './patterns.js';

type Path = readonly (string | number)[];

/**
 * A checked schema in one plain form that every engine reads the same way: only keywords of its dialect
 * that decide validity, no identifiers or anchors, and every reference a key of `targets`.
 */
export interface NormalSchema {
  readonly dialect: Dialect;
  readonly root: JsonSchema;
  /** What references point at, by the text of the reference: `#/$defs/<number>`. */
  readonly targets: ReadonlyMap<string, JsonSchema>;
}

/** One schema resource: a root and the anchors below it. A nested `$id` starts another. */
interface Resource {
  readonly root: JsonSchema;
  readonly anchors: Map<string, JsonSchemaObject>;
  readonly dynamicAnchors: Map<string, JsonSchemaObject>;
}

/** Where a subschema stands and what its references lead to. */
interface Place {
  readonly path: Path;
  readonly resource: Resource;
  readonly references: Reference[];
}

interface Reference {
  readonly target: JsonSchema;
  /** The anchor of a `$dynamicRef`: the outermost resource on the way that has it decides. */
  readonly dynamicAnchor?: string;
}

/** Says where things are or explains them. References are resolved here, so no engine needs these. */
const withoutEffect = new Set(
  [
    ['$schema', '$id', '$anchor', '$dynamicAnchor', '$vocabulary', '$defs', 'definitions', '$comment'],
    ['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples'],
    ['contentMediaType', 'contentEncoding', 'contentSchema'],
  ].flat(),
);

/** Checks a schema completely and brings it into normal form. Nothing is ever fetched. */
export function normalizeSchema(
  schema: JsonSchema,
  { limits, formats = false }: { limits: SchemaLimits; formats?: boolean },
): NormalSchema {
  const dialect =
    isJsonObject(schema) && schema['$schema'] !== undefined ? dialectOf(schema['$schema'], []) : '2020-12';
  const normal = rewrite(schema, survey(schema, dialect, limits), { dialect, limits, formats });
  assertBounded(normal, limits);
  return normal;
}

function dialectOf(uri: unknown, path: Path): Dialect {
  if (typeof uri !== 'string') {
    throw new ErrInvalidSchema(`"$schema" at ${toPointer(path)} must be a string.`, { details: { path } });
  }
  const match = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12)|(draft-07))\/schema#?$/.exec(uri);
  const dialect = match?.[1] ?? match?.[2];
  if (!dialect) {
    throw new ErrUnsupportedSchema(`The schema dialect "${uri}" at ${toPointer(path)} is not supported.`, {
      hint: 'Use JSON Schema 2020-12 or draft-07, or hand in a SchemaValidator that knows it.',
      details: { path, dialect: uri },
    });
  }
  return dialect as Dialect;
}

/** Visits every subschema once, checks its keywords and resolves its references. */
function survey(schema: JsonSchema, dialect: Dialect, limits: SchemaLimits): Map<JsonSchemaObject, Place> {
  const places = new Map<JsonSchemaObject, Place>();
  let count = 0;

  function visit(node: JsonSchema, path: Path, above: Resource | undefined): void {
    if (++count > limits.subschemas) throw tooMany(limits);
    let resource = above;
    if (!resource || startsResource(node, dialect)) {
      resource = { root: node, anchors: new Map(), dynamicAnchors: new Map() };
    }
    if (typeof node === 'boolean') return;
    places.set(node, { path, resource, references: [] });
    noteAnchors(node, path, resource, dialect);
    for (const [keyword, value] of Object.entries(node)) {
      assertKeyword(keyword, value, [...path, keyword], dialect);
      for (const [key, child] of subschemasOf(keyword, value, dialect)) {
        visit(child, [...path, keyword, ...key], resource);
      }
    }
  }

  visit(schema, [], undefined);
  // The map grows while it is walked: a reference may lead to a place that no keyword leads to.
  for (const [node, { path, resource, references }] of places) {
    for (const keyword of dialect === '2020-12' ? ['$ref', '$dynamicRef'] : ['$ref']) {
      if (node[keyword] === undefined) continue;
      const reference = String(node[keyword]);
      const target = resolve(reference, resource, [...path, keyword]);
      if (isJsonObject(target) && !places.has(target)) visit(target, [...path, keyword], resource);
      const dynamicAnchor = reference.slice(1);
      const isDynamic = keyword === '$dynamicRef' && resource.dynamicAnchors.has(dynamicAnchor);
      references.push(isDynamic ? { target, dynamicAnchor } : { target });
    }
  }
  return places;
}

function startsResource(node: JsonSchema, dialect: Dialect): boolean {
  if (typeof node === 'boolean' || typeof node['$id'] !== 'string') return false;
  return dialect === '2020-12' || (node['$ref'] === undefined && !node['$id'].startsWith('#'));
}

function noteAnchors(node: JsonSchemaObject, path: Path, resource: Resource, dialect: Dialect): void {
  const names =
    dialect === '2020-12'
      ? [node['$anchor'], node['$dynamicAnchor']]
      : [node['$ref'] === undefined && /^#(.+)/.exec(String(node['$id']))?.[1]];
  for (const name of names) {
    if (typeof name !== 'string') continue;
    if (resource.anchors.has(name)) {
      throw new ErrInvalidSchema(`The anchor "${name}" at ${toPointer(path)} is already taken.`, {
        details: { path },
      });
    }
    resource.anchors.set(name, node);
    if (node['$dynamicAnchor'] === name) resource.dynamicAnchors.set(name, node);
  }
}

function assertKeyword(keyword: string, value: unknown, path: Path, dialect: Dialect): void {
  const form = keywords[dialect].get(keyword);
  if (form === undefined) return;
  let problem = formProblem(form, value);
  if (keyword === 'patternProperties' && !problem) {
    const wrong = Object.keys(value as object).find((pattern) => toUnicodePattern(pattern) === undefined);
    if (wrong !== undefined) problem = `has the key "${wrong}", which is not a regular expression`;
  }
  if (problem) {
    throw new ErrInvalidSchema(`"${keyword}" at ${toPointer(path)} ${problem}.`, {
      details: { path, keyword },
    });
  }
  if (keyword === '$schema' && dialectOf(value, path) !== dialect) {
    throw new ErrUnsupportedSchema(`The schema changes its dialect at ${toPointer(path)}.`, {
      hint: `Write all of it in ${dialect}.`,
      details: { path, dialect: value },
    });
  }
}

function resolve(reference: string, resource: Resource, path: Path): JsonSchema {
  if (reference !== '' && !reference.startsWith('#')) {
    throw new ErrExternalRef(`The schema refers to "${reference}" at ${toPointer(path)}, outside itself.`, {
      hint: 'Copy the target under $defs and refer to it as "#/$defs/…"; nothing is fetched.',
      details: { path, reference },
    });
  }
  const fragment = decodeFragment(reference.slice(1));
  const target =
    fragment === undefined || fragment === '' || fragment.startsWith('/')
      ? follow(resource.root, fragment)
      : resource.anchors.get(fragment);
  if (!isSchema(target)) {
    throw new ErrInvalidSchema(`"${reference}" at ${toPointer(path)} leads to no schema.`, {
      details: { path, reference },
    });
  }
  return target;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function follow(root: JsonSchema, pointer: string | undefined): unknown {
  if (pointer === undefined) return undefined;
  let value: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The dynamic anchors in force: for each name the one of the outermost resource on the way. */
type Scope = ReadonlyMap<string, JsonSchemaObject>;

function rewrite(
  schema: JsonSchema,
  places: ReadonlyMap<JsonSchema, Place>,
  { dialect, limits, formats }: { dialect: Dialect; limits: SchemaLimits; formats: boolean },
): NormalSchema {
  const targets = new Map<string, JsonSchema>();
  const names = new Map<JsonSchema, Map<string, string>>();
  const waiting: (() => void)[] = [];
  let count = 0;

  /** A schema that a reference leads to, once for every scope in which it means something else. */
  function nameOf(target: JsonSchema, outer: Scope): string {
    const scope = enter(target, outer);
    const key = [...scope]
      .map(([anchor, node]) => `${anchor} ${toPointer(places.get(node)?.path ?? [])}`)
      .join('\n');
    const named = names.get(target) ?? new Map<string, string>();
    names.set(target, named);
    let name = named.get(key);
    if (name === undefined) {
      name = `#/$defs/${targets.size}`;
      named.set(key, name);
      targets.set(name, true);
      const place = name;
      waiting.push(() => targets.set(place, build(target, scope)));
    }
    return name;
  }

  function enter(node: JsonSchema, scope: Scope): Scope {
    const own = places.get(node)?.resource.dynamicAnchors;
    if (!own || [...own.keys()].every((anchor) => scope.has(anchor))) return scope;
    return new Map([...own, ...scope]);
  }

  function build(node: JsonSchema, outer: Scope): JsonSchema {
    if (++count > limits.subschemas) throw tooMany(limits);
    if (typeof node === 'boolean') return node;
    const scope = enter(node, outer);
    const [first, second] = (places.get(node)?.references ?? []).map(({ target, dynamicAnchor }) => ({
      $ref: nameOf((dynamicAnchor !== undefined && scope.get(dynamicAnchor)) || target, scope),
    }));
    // In draft-07 a reference stands alone: whatever is written beside it has no effect.
    if (first && dialect === 'draft-07') return first;
    const built: Record<string, unknown> = { ...first };
    for (const [keyword, value] of Object.entries(node)) {
      if (!keywords[dialect].has(keyword) || withoutEffect.has(keyword)) continue;
      if (keyword === '$ref' || keyword === '$dynamicRef' || (keyword === 'format' && !formats)) continue;
      built[keyword] = rebuild(keyword, value, scope);
    }
    if (second) built['allOf'] = [...((built['allOf'] as JsonSchema[] | undefined) ?? []), second];
    return built;
  }

  /** The value of a keyword with its subschemas built. */
  function rebuild(keyword: string, value: unknown, scope: Scope): unknown {
    if (keyword === 'pattern') return toUnicodePattern(value as string);
    const respell = (key: string): string =>
      keyword === 'patternProperties' ? (toUnicodePattern(key) ?? key) : key;
    const built = new Map(
      subschemasOf(keyword, value, dialect).map(([key, child]) => [key[0], build(child, scope)] as const),
    );
    if (built.size === 0) return value;
    if (built.has(undefined)) return built.get(undefined);
    if (Array.isArray(value)) return [...built.values()];
    return Object.fromEntries(
      Object.entries(value as object).map(([key, entry]: [string, unknown]) => [
        respell(key),
        built.get(key) ?? entry,
      ]),
    );
  }

  const root = build(schema, new Map());
  for (const work of waiting) work();
  return { dialect, root, targets };
}

/** Refuses schemas that would never finish, or would take too long, on a single value. */
function assertBounded({ dialect, root, targets }: NormalSchema, limits: SchemaLimits): void {
  const costs = new Map<JsonSchemaObject, number | 'open'>();

  function cost(node: JsonSchema, depth: number): number {
    if (typeof node === 'boolean') return 1;
    const known = costs.get(node);
    if (known === 'open') {
      throw new ErrInvalidSchema('The schema applies itself to the same value without end.', {
        hint: 'Put the reference below properties or items.',
      });
    }
    if (known !== undefined) return known;
    if (depth > limits.depth) throw tooMany(limits);
    costs.set(node, 'open');
    let total = 1;
    for (const [keyword, value] of Object.entries(node)) {
      if (keyword === '$ref') total += cost(targets.get(value as string) ?? true, depth + 1);
      if (!inPlaceKeywords.has(keyword)) continue;
      for (const [, child] of subschemasOf(keyword, value, dialect)) total += cost(child, depth + 1);
    }
    if (total > limits.subschemas) throw tooMany(limits);
    costs.set(node, total);
    return total;
  }

  function visit(node: JsonSchema): void {
    cost(node, 0);
    for (const [keyword, value] of Object.entries(node)) {
      for (const [, child] of subschemasOf(keyword, value, dialect)) visit(child);
    }
  }

  for (const schema of [root, ...targets.values()]) visit(schema);
}

function tooMany(limits: SchemaLimits): ErrInvalidSchema {
  return new ErrInvalidSchema(
    `The schema has, or its references multiply to, more than ${limits.subschemas} subschemas.`,
    {
      hint: 'Simplify it or raise limits.subschemas.',
      details: { limit: 'subschemas', max: limits.subschemas },
    },
  );
}
