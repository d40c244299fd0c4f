import type { JsonSchema } from './json-schema.js';
import { presentKeys, typeName } from './json-value.js';
import { toRegExp } from './patterns.js';
import { fail } from './schema-check.js';
import type { Check } from './schema-check.js';

export const applyToObject: Check = function (schema, value, trail, issues, own) {
  if (typeName(value) !== 'object') return true;
  const data = value as Readonly<Record<string, unknown>>;
  const keys = presentKeys(data);
  const present = (key: string): boolean => Object.hasOwn(data, key) && data[key] !== undefined;
  let isValid = true;
  const no = (message: string, key?: string): void => {
    isValid = fail(issues, key === undefined ? trail : { above: trail, key }, message);
  };
  const inside = (part: JsonSchema, key: string): void => {
    own?.keys.add(key);
    if (!this.apply(part, data[key], { above: trail, key }, issues)) isValid = false;
  };
  const { minProperties, maxProperties } = schema as Record<string, number | undefined>;
  if (minProperties !== undefined && keys.length < minProperties)
    no(`must have at least ${minProperties} fields`);
  if (maxProperties !== undefined && keys.length > maxProperties)
    no(`must have at most ${maxProperties} fields`);
  for (const key of (schema['required'] ?? []) as string[]) if (!present(key)) no('is required', key);

  const properties = entries(schema['properties']);
  const patterns = entries(schema['patternProperties']).map(
    ([pattern, part]) => [toRegExp(pattern), part] as const,
  );
  for (const [key, part] of properties) if (present(key)) inside(part, key);
  const declared = new Set(properties.map(([key]) => key));
  for (const key of keys) {
    if (!isValid && !issues) return false;
    let isKnown = declared.has(key);
    for (const [pattern, part] of patterns) {
      if (!pattern.test(key)) continue;
      isKnown = true;
      inside(part, key);
    }
    if (!isKnown && schema['additionalProperties'] !== undefined)
      inside(schema['additionalProperties'] as JsonSchema, key);
    if (
      schema['propertyNames'] !== undefined &&
      !this.apply(schema['propertyNames'] as JsonSchema, key, undefined, undefined)
    )
      no('is not a name that can be used here', key);
  }
  for (const [key, needed] of Object.entries(
    (schema['dependentRequired'] ?? {}) as Record<string, string[]>,
  )) {
    if (present(key))
      for (const other of needed) if (!present(other)) no(`is required beside "${key}"`, other);
  }
  for (const [key, part] of [...entries(schema['dependentSchemas']), ...entries(schema['dependencies'])]) {
    if (!present(key)) continue;
    if (Array.isArray(part)) {
      for (const other of part as string[]) if (!present(other)) no(`is required beside "${key}"`, other);
    } else if (!this.apply(part, value, trail, issues, own)) isValid = false;
  }
  return isValid;
};

function entries(value: unknown): [string, JsonSchema][] {
  return value === undefined ? [] : (Object.entries(value as object) as [string, JsonSchema][]);
}
