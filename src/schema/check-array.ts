import type { JsonSchema } from './json-schema.js';
import { canonicalJson } from './json-value.js';
import { fail, schemaList } from './schema-check.js';
import type { Check } from './schema-check.js';

export const applyToArray: Check = function (schema, value, trail, issues, own) {
  if (!Array.isArray(value)) return true;
  let isValid = true;
  const no = (message: string): void => {
    isValid = fail(issues, trail, message);
  };
  const { minItems, maxItems } = schema as Record<string, number | undefined>;
  if (minItems !== undefined && value.length < minItems) no(`must have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems) no(`must have at most ${maxItems} items`);
  if (schema['uniqueItems'] === true && new Set(value.map((item) => canonicalJson(item))).size < value.length)
    no('must not hold the same item twice');

  const isTuple = Array.isArray(schema['items']);
  const prefix = schemaList(this.isDraft07 ? (isTuple ? schema['items'] : undefined) : schema['prefixItems']);
  const rest = isTuple ? schema['additionalItems'] : schema['items'];
  for (const [index, item] of value.entries()) {
    const part = prefix[index] ?? rest;
    if (part === undefined) continue;
    if (!isValid && !issues) return false;
    own?.indexes.add(index);
    if (!this.apply(part as JsonSchema, item ?? null, { above: trail, key: index }, issues)) isValid = false;
  }
  if (schema['contains'] !== undefined) {
    const { minContains = 1, maxContains } = schema as Record<string, number | undefined>;
    const found = value.flatMap((item, index) =>
      this.apply(schema['contains'] as JsonSchema, item ?? null, undefined, undefined) ? [index] : [],
    );
    if (found.length < minContains)
      no(
        minContains === 1
          ? 'has no item of the form that is asked for'
          : `must have at least ${minContains} items of the form that is asked for`,
      );
    if (maxContains !== undefined && found.length > maxContains)
      no(`must have at most ${maxContains} items of this form`);
    for (const index of found) own?.indexes.add(index);
  }
  return isValid;
};
