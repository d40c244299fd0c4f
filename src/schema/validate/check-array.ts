import type { JsonSchema } from '../../values/json-schema.js';
import { canonicalJson } from '../../values/json-value.js';
import { below, fail, isFull, schemaList } from './schema-walk.js';
import type { Check, PrepareCheck, SchemaNode, SchemaWalk } from './schema-walk.js';

const keywords = [
  ['minItems', 'maxItems', 'uniqueItems', 'items', 'prefixItems', 'additionalItems'],
  ['contains', 'minContains', 'maxContains'],
].flat();

export const prepareArray: PrepareCheck = (schema, { prepare, isDraft07 }) => {
  if (!keywords.some((keyword) => keyword in schema)) return undefined;
  const { minItems, maxItems } = schema as Record<string, number | undefined>;
  const isUnique = schema['uniqueItems'] === true;
  const isTuple = Array.isArray(schema['items']);
  const prefix = schemaList(isDraft07 ? (isTuple ? schema['items'] : undefined) : schema['prefixItems']).map(
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
