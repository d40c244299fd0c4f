import type { JsonSchema } from './json-schema.js';
import { presentKeys, typeName } from './json-value.js';
import type { Check } from './schema-check.js';

/** Comes last: whatever nothing beside it has spoken about. */
export const applyUnevaluated: Check = function (schema, value, trail, issues, own) {
  if (!own) return true;
  let isValid = true;
  if (schema['unevaluatedItems'] !== undefined && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (own.indexes.has(index)) continue;
      own.indexes.add(index);
      if (
        !this.apply(
          schema['unevaluatedItems'] as JsonSchema,
          item ?? null,
          { above: trail, key: index },
          issues,
        )
      )
        isValid = false;
    }
  }
  if (schema['unevaluatedProperties'] !== undefined && typeName(value) === 'object') {
    for (const key of presentKeys(value as Readonly<Record<string, unknown>>)) {
      if (own.keys.has(key)) continue;
      own.keys.add(key);
      if (
        !this.apply(
          schema['unevaluatedProperties'] as JsonSchema,
          (value as Readonly<Record<string, unknown>>)[key],
          { above: trail, key },
          issues,
        )
      )
        isValid = false;
    }
  }
  return isValid;
};
