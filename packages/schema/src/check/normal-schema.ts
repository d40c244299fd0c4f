import { ErrInvalidSchema } from '../errors.js';
import type { Dialect, JsonSchema, JsonSchemaObject, SchemaLimits } from '../values/json-schema.js';
import { toPointer } from '../visit/json-pointer.js';
import { countValues } from '../values/json-limits.js';
import { forEachSubschema, inPlaceKeywords, keywords, mapSubschemas } from './keywords.js';
import { toUnicodePattern } from '../patterns/patterns.js';
import { surveySchema, tooManySubschemas } from './survey-schema.js';
import { tooDeep } from './copy-schema.js';
import type { SchemaSurvey } from './survey-schema.js';

/**
 * A checked schema in a form that every engine reads the same way: only validating keywords of its dialect, no identifiers or
 * anchors, and every reference is a key of `targets`.
 */
export interface NormalSchema {
  readonly dialect: Dialect;
  readonly root: JsonSchema;
  /** Maps the text of each reference, `#/$defs/<number>`, to its target. */
  readonly targets: ReadonlyMap<string, JsonSchema>;
}

/** Keywords that identify or explain. No engine needs them, because references are already resolved. */
export const withoutEffect = new Set(
  [
    ['$schema', '$id', '$anchor', '$dynamicAnchor', '$vocabulary', '$defs', 'definitions', '$comment'],
    ['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples'],
    ['contentMediaType', 'contentEncoding', 'contentSchema'],
  ].flat(),
);

/** Throws if a schema has no normal form. */
export function checkSchema(schema: JsonSchema, limits: SchemaLimits): SchemaSurvey {
  const survey = surveySchema(schema, limits);
  // Without references a schema is a tree, which the survey has checked completely.
  if (survey.hasReferences) toNormalForm(schema, survey, limits, false);
  return survey;
}

/** Checks a schema completely and returns its normal form. */
export function normalizeSchema(
  schema: JsonSchema,
  { limits, formats = false }: { limits: SchemaLimits; formats?: boolean },
): NormalSchema {
  return toNormalForm(schema, surveySchema(schema, limits), limits, formats);
}

function toNormalForm(
  schema: JsonSchema,
  survey: SchemaSurvey,
  limits: SchemaLimits,
  formats: boolean,
): NormalSchema {
  const normal = rewrite(schema, survey, limits, formats);
  assertBounded(normal, limits);
  return normal;
}

/** The dynamic anchors in scope. Each name belongs to the outermost resource on the way that has an anchor of that name. */
type Scope = ReadonlyMap<string, JsonSchemaObject>;

function rewrite(
  schema: JsonSchema,
  { dialect, places }: SchemaSurvey,
  limits: SchemaLimits,
  formats: boolean,
): NormalSchema {
  const targets = new Map<string, JsonSchema>();
  const names = new Map<JsonSchema, Map<string, string>>();
  const waiting: (() => void)[] = [];
  let count = 0;

  /** Returns the name of a target. A target gets one name for each scope in which its dynamic references resolve differently. */
  function nameOf(target: JsonSchema, outer: Scope): string {
    const scope = enter(target, outer);
    const key = [...scope]
      .map(([anchor, node]) => `${anchor} ${toPointer(places.get(node)?.trail)}`)
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
    if (++count > limits.subschemas) throw tooManySubschemas(limits);
    if (typeof node === 'boolean') return node;
    const scope = enter(node, outer);
    const [first, second] = (places.get(node)?.references ?? []).map(({ target, dynamicAnchor }) => ({
      $ref: nameOf((dynamicAnchor !== undefined && scope.get(dynamicAnchor)) || target, scope),
    }));
    // Draft-07 ignores keywords beside a reference.
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

  function rebuild(keyword: string, value: unknown, scope: Scope): unknown {
    if (keyword === 'pattern') return toUnicodePattern(value as string);
    const rebuilt = mapSubschemas(keyword, value, dialect, (child) => build(child, scope));
    return keyword === 'patternProperties' ? respellPatterns(rebuilt as Record<string, JsonSchema>) : rebuilt;
  }

  const root = build(schema, new Map());
  for (const work of waiting) work();
  return { dialect, root, targets };
}

/** Rewrites patterns to the syntax of the `u` flag. If two patterns become equal, both of their schemas apply. */
function respellPatterns(patterns: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const respelled = new Map<string, JsonSchema>();
  for (const [pattern, schema] of Object.entries(patterns)) {
    const key = toUnicodePattern(pattern) ?? pattern;
    const other = respelled.get(key);
    respelled.set(key, other === undefined ? schema : { allOf: [other, schema] });
  }
  return Object.fromEntries(respelled);
}

/** Rejects schemas that would never finish, or would take too long, on a single value. */
function assertBounded({ dialect, root, targets }: NormalSchema, limits: SchemaLimits): void {
  const costs = new Map<JsonSchemaObject, number | 'open'>();

  function cost(node: JsonSchema, depth: number): number {
    if (typeof node === 'boolean') return 1;
    const known = costs.get(node);
    if (known === 'open') {
      throw new ErrInvalidSchema('The schema applies itself to the same value endlessly.', {
        hint: 'Put the reference below properties or items.',
      });
    }
    if (known !== undefined) return known;
    if (depth > limits.depth) throw tooDeep(limits);
    costs.set(node, 'open');
    let total = 1;
    for (const [keyword, value] of Object.entries(node)) {
      if (keyword === '$ref') total += cost(targets.get(value as string) ?? true, depth + 1);
      if (!inPlaceKeywords.has(keyword)) continue;
      forEachSubschema(keywords[dialect].get(keyword), value, (child) => {
        total += cost(child, depth + 1);
      });
    }
    if (total > limits.subschemas) throw tooManySubschemas(limits);
    costs.set(node, total);
    return total;
  }

  function visit(node: JsonSchema): void {
    cost(node, 0);
    for (const [keyword, value] of Object.entries(node)) {
      forEachSubschema(keywords[dialect].get(keyword), value, visit);
    }
  }

  for (const schema of [root, ...targets.values()]) visit(schema);
}

/**
 * Returns a test for values on which a schema cannot spend many steps. Only these are validated without counting steps, by
 * generated code if available. Larger values are always walked with a step limit, so the result does not depend on which engine
 * is ready.
 */
export function createSizeRule(schema: NormalSchema, maxSteps: number): (value: unknown) => boolean {
  let maxValues: number | undefined;
  return (value) => {
    maxValues ??= Math.floor(maxSteps / countApplications(schema));
    return countValues(value, maxValues, CHARS_PER_VALUE) <= maxValues;
  };
}

/** Every 200 characters of text count as one value, because checking them takes about as long as one step. */
const CHARS_PER_VALUE = 200;

/** Longer chains of references count as recursive. */
const MAX_CHAIN = 100;

/**
 * Returns the maximum number of subschemas that apply to one value: the number of subschemas after every reference is replaced
 * by its target. Infinite for recursive schemas.
 */
function countApplications({ dialect, root, targets }: NormalSchema): number {
  const known = new Map<string, number>();
  let chain = 0;

  const count = (node: JsonSchema): number => {
    if (typeof node === 'boolean') return 1;
    let total = 1;
    for (const [keyword, value] of Object.entries(node)) {
      if (keyword === '$ref') total += countTarget(value as string);
      const form = keywords[dialect].get(keyword);
      forEachSubschema(form, value, (child) => {
        total += count(child);
      });
    }
    return total;
  };
  const countTarget = (name: string): number => {
    const found = known.get(name);
    if (found !== undefined) return found;
    if (chain >= MAX_CHAIN) return Infinity;
    // A target that refers to itself before it is counted is recursive.
    known.set(name, Infinity);
    chain++;
    const total = count(targets.get(name) ?? true);
    chain--;
    known.set(name, total);
    return total;
  };
  return count(root);
}
