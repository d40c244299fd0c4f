import type { JsonSchema } from '../../values/json-schema.js';
import { presentKeys, typeName } from '../../values/json-value.js';
import { below, isFull } from '../check/schema-check.js';
import type { PrepareCheck } from '../check/schema-check.js';

/** Comes last: applies to the parts of a value that no keyword beside it has spoken about. */
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
