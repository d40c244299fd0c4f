import type { JsonSchema } from '../values/json-schema.js';
import { canonicalJson, presentKeys } from '../values/json-value.js';
import { toMatcher } from '../patterns/patterns.js';
import { schemasIn } from '../values/json-schema.js';
import { mapIn, schemaEntries } from '../visit/own-facts.js';
import { below, fail, isFull } from './schema-walk.js';
import type { Check, PrepareCheck, SchemaNode, SchemaWalk } from './schema-walk.js';

const arrayKeywords = [
  ['minItems', 'maxItems', 'uniqueItems', 'items', 'prefixItems', 'additionalItems'],
  ['contains', 'minContains', 'maxContains'],
].flat();

export const prepareArray: PrepareCheck = (schema, { prepare, isDraft07 }) => {
  if (!arrayKeywords.some((keyword) => keyword in schema)) return undefined;
  const { minItems, maxItems } = schema as Record<string, number | undefined>;
  const isUnique = schema['uniqueItems'] === true;
  const isTuple = Array.isArray(schema['items']);
  const prefix = schemasIn(isDraft07 ? (isTuple ? schema['items'] : undefined) : schema['prefixItems']).map(
    prepare,
  );
  const others = isTuple ? schema['additionalItems'] : schema['items'];
  const rest = others === undefined ? undefined : prepare(others as JsonSchema);
  const contains = prepareContains(schema, prepare);

  return (walk, value, trail, issues, own) => {
    if (!Array.isArray(value)) return true;
    const items = value as unknown[];
    let isValid = true;
    if (minItems !== undefined && items.length < minItems)
      isValid = fail(issues, trail, `must have at least ${minItems} items`);
    if (maxItems !== undefined && items.length > maxItems)
      isValid = fail(issues, trail, `must have at most ${maxItems} items`);
    if (isUnique && (isValid || issues) && hasDuplicates(items, walk))
      isValid = fail(issues, trail, 'must not contain duplicate items');
    const end = rest === undefined ? Math.min(prefix.length, items.length) : items.length;
    for (let index = 0; index < end; index++) {
      if (!isValid && isFull(issues)) return false;
      own?.indexes.add(index);
      const node = prefix[index] ?? (rest as SchemaNode);
      if (!walk.apply(node, items[index] ?? null, below(issues, trail, index), issues)) isValid = false;
    }
    if (contains && (isValid || issues) && !contains(walk, items, trail, issues, own)) isValid = false;
    return isValid;
  };
};

/** Whether an array contains equal items. Scalars are compared directly, other items by their canonical text. */
function hasDuplicates(items: readonly unknown[], walk: SchemaWalk): boolean {
  const scalars = new Set<unknown>();
  const texts = new Set<string>();
  walk.spend(items.length >> 3);
  for (const item of items) {
    if (typeof item !== 'object' || item === null) {
      // JSON writes a gap in an array as null.
      const scalar = item ?? null;
      if (scalars.has(scalar)) return true;
      scalars.add(scalar);
    } else {
      const text = canonicalJson(item);
      walk.spend(text.length >> 3);
      if (texts.has(text)) return true;
      texts.add(text);
    }
  }
  return false;
}

function prepareContains(
  schema: Readonly<Record<string, unknown>>,
  prepare: (schema: JsonSchema) => SchemaNode,
): Check | undefined {
  if (schema['contains'] === undefined) return undefined;
  const node = prepare(schema['contains'] as JsonSchema);
  const { minContains = 1, maxContains } = schema as Record<string, number | undefined>;
  return (walk, value, trail, issues, own) => {
    let found = 0;
    for (const [index, item] of (value as unknown[]).entries()) {
      // Further matches matter only for maxContains and unevaluatedItems.
      if (found >= minContains && maxContains === undefined && !own) break;
      if (!walk.apply(node, item ?? null, undefined, undefined)) continue;
      found++;
      own?.indexes.add(index);
    }
    if (found < minContains)
      return fail(
        issues,
        trail,
        minContains === 1
          ? 'must contain at least one matching item'
          : `must contain at least ${minContains} matching items`,
      );
    if (maxContains !== undefined && found > maxContains)
      return fail(issues, trail, `must contain at most ${maxContains} matching items`);
    return true;
  };
}

const objectKeywords = [
  ['minProperties', 'maxProperties', 'required', 'properties', 'patternProperties', 'additionalProperties'],
  ['propertyNames', 'dependentRequired', 'dependentSchemas', 'dependencies'],
].flat();

/** Up to this many declared fields, looking each up is faster than listing the keys of an object. */
const FEW_FIELDS = 16;

export const prepareObject: PrepareCheck = (schema, { prepare }) => {
  if (!objectKeywords.some((keyword) => keyword in schema)) return undefined;
  const { minProperties, maxProperties } = schema as Record<string, number | undefined>;
  const required = (schema['required'] ?? []) as string[];
  const properties = new Map(schemaEntries(schema['properties']).map(([key, part]) => [key, prepare(part)]));
  const patterns = schemaEntries(schema['patternProperties']).map(
    ([pattern, part]) => [toMatcher(pattern), prepare(part)] as const,
  );
  const prepareAt = (keyword: string): SchemaNode | undefined =>
    schema[keyword] === undefined ? undefined : prepare(schema[keyword] as JsonSchema);
  const others = prepareAt('additionalProperties');
  const names = prepareAt('propertyNames');
  const looksAtAll = patterns.length > 0 || others !== undefined || names !== undefined;
  const needsKeys =
    looksAtAll || minProperties !== undefined || maxProperties !== undefined || properties.size > FEW_FIELDS;
  const requiredBeside = ['dependentRequired', 'dependencies']
    .flatMap((keyword) => Object.entries(mapIn(schema[keyword])))
    .filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
  const schemasBeside = ['dependentSchemas', 'dependencies']
    .flatMap((keyword) => schemaEntries(schema[keyword]))
    .map(([key, part]) => [key, prepare(part)] as const);

  return (walk, value, trail, issues, own) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
    const data = value as Readonly<Record<string, unknown>>;
    let isValid = true;
    const inside = (node: SchemaNode, key: string): void => {
      own?.keys.add(key);
      if (!walk.apply(node, data[key], below(issues, trail, key), issues)) isValid = false;
    };
    const isDone = (): boolean => !isValid && isFull(issues);
    const keys = needsKeys ? presentKeys(data) : undefined;
    if (keys) {
      walk.spend(keys.length >> 2);
      if (minProperties !== undefined && keys.length < minProperties)
        isValid = fail(issues, trail, `must have at least ${minProperties} fields`);
      if (maxProperties !== undefined && keys.length > maxProperties)
        isValid = fail(issues, trail, `must have at most ${maxProperties} fields`);
    }
    for (const key of required) {
      if (isDone()) return false;
      if (!isPresent(data, key)) isValid = fail(issues, below(issues, trail, key), 'is required');
    }
    if (keys && properties.size > Math.max(FEW_FIELDS, keys.length)) {
      for (const key of keys) {
        if (isDone()) return false;
        const node = properties.get(key);
        if (node !== undefined) inside(node, key);
      }
    } else {
      walk.spend(properties.size >> 3);
      for (const [key, node] of properties) {
        if (isDone()) return false;
        if (isPresent(data, key)) inside(node, key);
      }
    }
    if (keys && looksAtAll) {
      walk.spend((keys.length * patterns.length) / 2);
      for (const key of keys) {
        if (isDone()) return false;
        let isKnown = properties.has(key);
        for (const [pattern, node] of patterns) {
          if (!pattern.test(key)) continue;
          isKnown = true;
          inside(node, key);
        }
        if (!isKnown && others !== undefined) inside(others, key);
        if (names !== undefined && !walk.apply(names, key, undefined, undefined))
          isValid = fail(issues, below(issues, trail, key), 'is not an allowed name');
      }
    }
    for (const [key, needed] of requiredBeside) {
      if (!isPresent(data, key)) continue;
      for (const other of needed) {
        if (isDone()) return false;
        if (!isPresent(data, other))
          isValid = fail(issues, below(issues, trail, other), `is required because "${key}" is given`);
      }
    }
    for (const [key, node] of schemasBeside) {
      if (isDone()) return false;
      if (isPresent(data, key) && !walk.apply(node, value, trail, issues, own)) isValid = false;
    }
    return isValid;
  };
};

function isPresent(data: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(data, key) && data[key] !== undefined;
}
