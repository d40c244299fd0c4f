import type { JsonSchema } from '../values/json-schema.js';
import { isJsonObject, presentKeys, typeName } from '../values/json-value.js';
import { inPlaceKeywords } from '../check/keywords.js';
import { schemasIn } from '../values/json-schema.js';
import { choicesOf, namesIn } from '../visit/own-facts.js';
import { add, below, fail, isFull } from './schema-walk.js';
import type { Check, Issues, Preparation, PrepareCheck, SchemaNode } from './schema-walk.js';
import type { SchemaIssue } from './schema-validator.js';

/** Checks references and compositions, whose schemas apply to the same value. */
export const prepareInPlace: PrepareCheck = (schema, preparation) => {
  const reference = schema['$ref'];
  if (reference === undefined && !Object.keys(schema).some((keyword) => inPlaceKeywords.has(keyword)))
    return undefined;
  const prepareAt = (keyword: string): SchemaNode | undefined =>
    schema[keyword] === undefined ? undefined : preparation.prepare(schema[keyword] as JsonSchema);
  const all = schemasIn(schema['allOf']).map((part) => preparation.prepare(part));
  const branches = (['anyOf', 'oneOf'] as const).flatMap((keyword) =>
    schema[keyword] === undefined ? [] : [prepareBranches(keyword, schemasIn(schema[keyword]), preparation)],
  );
  const not = prepareAt('not');
  const [condition, then, otherwise] = [prepareAt('if'), prepareAt('then'), prepareAt('else')];

  return (walk, value, trail, issues, own) => {
    let isValid = true;
    if (reference !== undefined && !walk.apply(preparation.target(reference), value, trail, issues, own))
      isValid = false;
    for (const node of all) {
      if (!isValid && isFull(issues)) return false;
      if (!walk.apply(node, value, trail, issues, own)) isValid = false;
    }
    for (const check of branches) {
      if (!isValid && isFull(issues)) return false;
      if (!check(walk, value, trail, issues, own)) isValid = false;
    }
    if (not !== undefined && (isValid || issues) && walk.apply(not, value, trail, undefined))
      isValid = fail(issues, trail, 'must not match this schema');
    if (condition !== undefined && (isValid || issues)) {
      const branch = walk.apply(condition, value, trail, undefined, own) ? then : otherwise;
      if (branch !== undefined && !walk.apply(branch, value, trail, issues, own)) isValid = false;
    }
    return isValid;
  };
};

function prepareBranches(
  keyword: 'anyOf' | 'oneOf',
  schemas: readonly JsonSchema[],
  preparation: Preparation,
): Check {
  const nodes = schemas.map((schema) => preparation.prepare(schema));
  const choose = prepareDiscriminator(schemas, nodes);
  const isEnough = (matches: number): boolean => (keyword === 'anyOf' ? matches > 0 : matches === 1);

  return (walk, value, trail, issues, own) => {
    let matches = 0;
    // Further matching branches matter only for oneOf and for unevaluated keywords.
    if (!walk.tracks) {
      for (const node of choose?.(value) ?? nodes) {
        if (!walk.apply(node, value, undefined, undefined)) continue;
        if (keyword === 'anyOf') return true;
        if (++matches > 1) break;
      }
      if (isEnough(matches)) return true;
      if (!issues) return false;
    }
    matches = 0;
    let closest: SchemaIssue[] | undefined;
    for (const node of nodes) {
      const problems: Issues = issues && [];
      if (walk.apply(node, value, trail, problems, own)) matches++;
      else if (problems && (!closest || problems.length < closest.length)) closest = problems;
    }
    if (isEnough(matches)) return true;
    if (matches > 1)
      return fail(issues, trail, `must match exactly one of ${nodes.length} schemas, but matches ${matches}`);
    for (const problem of closest ?? []) add(issues, problem);
    return fail(issues, trail, `must match one of ${nodes.length} schemas`);
  };
}

/**
 * If every branch requires a field with fixed values, as in `{ kind: { const: 'circle' } }`, only the branches with the value of
 * that field need to be tried.
 */
function prepareDiscriminator(
  schemas: readonly JsonSchema[],
  nodes: readonly SchemaNode[],
): ((value: unknown) => readonly SchemaNode[] | undefined) | undefined {
  const [first] = schemas;
  if (schemas.length < 3 || !isJsonObject(first)) return undefined;
  const field = namesIn(first['required']).find((name) =>
    schemas.every((schema) => fixedValues(schema, name)),
  );
  if (field === undefined) return undefined;
  const byValue = new Map<unknown, SchemaNode[]>();
  for (const [index, schema] of schemas.entries()) {
    for (const value of new Set(fixedValues(schema, field))) {
      const fitting = byValue.get(value) ?? [];
      byValue.set(value, [...fitting, nodes[index] as SchemaNode]);
    }
  }
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    return (Object.hasOwn(value, field) ? byValue.get(value[field]) : undefined) ?? [];
  };
}

/** Returns the possible values of a required field, if they are listed and all are scalars. */
function fixedValues(schema: JsonSchema, field: string): readonly unknown[] | undefined {
  if (typeof schema === 'boolean' || !(schema['required'] as string[] | undefined)?.includes(field))
    return undefined;
  const { properties } = schema;
  const part = isJsonObject(properties) && Object.hasOwn(properties, field) ? properties[field] : undefined;
  if (!isJsonObject(part)) return undefined;
  const values = choicesOf(part);
  return values?.every((value) => typeof value !== 'object' || value === null) ? values : undefined;
}

/**
 * Checks `unevaluatedItems` and `unevaluatedProperties`, which apply to parts of a value that no other keyword has evaluated.
 * Must run last.
 */
export const prepareUnevaluated: PrepareCheck = (schema, { prepare }) => {
  const { unevaluatedItems, unevaluatedProperties } = schema;
  if (unevaluatedItems === undefined && unevaluatedProperties === undefined) return undefined;
  const items = unevaluatedItems === undefined ? undefined : prepare(unevaluatedItems as JsonSchema);
  const fields =
    unevaluatedProperties === undefined ? undefined : prepare(unevaluatedProperties as JsonSchema);

  return (walk, value, trail, issues, own) => {
    if (!own) return true;
    let isValid = true;
    if (items !== undefined && Array.isArray(value)) {
      for (const [index, item] of (value as unknown[]).entries()) {
        if (!isValid && isFull(issues)) return false;
        if (own.indexes.has(index)) continue;
        own.indexes.add(index);
        if (!walk.apply(items, item ?? null, below(issues, trail, index), issues)) isValid = false;
      }
    }
    if (fields !== undefined && typeName(value) === 'object') {
      const data = value as Readonly<Record<string, unknown>>;
      for (const key of presentKeys(data)) {
        if (!isValid && isFull(issues)) return false;
        if (own.keys.has(key)) continue;
        own.keys.add(key);
        if (!walk.apply(fields, data[key], below(issues, trail, key), issues)) isValid = false;
      }
    }
    return isValid;
  };
};
