import { ErrInvalidSchema } from '../../errors.js';
import type { Dialect, JsonSchema, JsonSchemaObject, SchemaLimits } from '../../values/json-schema.js';
import { toPointer } from '../../values/json-schema.js';
import { forEachSubschema, inPlaceKeywords, keywords, mapSubschemas } from './keywords.js';
import { toUnicodePattern } from '../patterns/patterns.js';
import { surveySchema, tooManySubschemas } from './survey-schema.js';
import { tooDeep } from './copy-schema.js';
import type { SchemaSurvey } from './survey-schema.js';

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

/** Says where things are or explains them. References are resolved here, so no engine needs these. */
const withoutEffect = new Set(
  [
    ['$schema', '$id', '$anchor', '$dynamicAnchor', '$vocabulary', '$defs', 'definitions', '$comment'],
    ['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples'],
    ['contentMediaType', 'contentEncoding', 'contentSchema'],
  ].flat(),
);

/** Throws for a schema that could not be brought into normal form. */
export function checkSchema(schema: JsonSchema, limits: SchemaLimits): SchemaSurvey {
  const survey = surveySchema(schema, limits);
  // Without references a schema is a tree that the survey has seen to the end.
  if (survey.hasReferences) toNormalForm(schema, survey, limits, false);
  return survey;
}

/** Checks a schema completely and brings it into normal form. */
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

/** The dynamic anchors in force: for each name the one of the outermost resource on the way. */
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

  /** A schema that a reference leads to, once for every scope in which it means something else. */
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

  function rebuild(keyword: string, value: unknown, scope: Scope): unknown {
    if (keyword === 'pattern') return toUnicodePattern(value as string);
    const rebuilt = mapSubschemas(keyword, value, dialect, (child) => build(child, scope));
    return keyword === 'patternProperties' ? respellPatterns(rebuilt as Record<string, JsonSchema>) : rebuilt;
  }

  const root = build(schema, new Map());
  for (const work of waiting) work();
  return { dialect, root, targets };
}

/** Two patterns that come out the same both apply. */
function respellPatterns(patterns: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const respelled = new Map<string, JsonSchema>();
  for (const [pattern, schema] of Object.entries(patterns)) {
    const key = toUnicodePattern(pattern) ?? pattern;
    const other = respelled.get(key);
    respelled.set(key, other === undefined ? schema : { allOf: [other, schema] });
  }
  return Object.fromEntries(respelled);
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
