import { isJsonObject } from '../../values/json-value.js';
import type { JsonSchema } from '../../values/json-schema.js';
import type { MaybeAsyncValidate } from '../validate/schema-validator.js';

/** Names that every object inherits, which data may use as well. */
const inheritedNames: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Guards a library's validator against inherited names, if the schema needs it. Schema libraries read `data.toString` even if it
 * is inherited, and lose the key `__proto__` when they copy a map. The guard removes prototypes from the data and rejects keys
 * that would be lost.
 */
export function guardInheritedNames(schema: JsonSchema, validate: MaybeAsyncValidate): MaybeAsyncValidate {
  const { declares, copiesMaps } = look(schema, { declares: false, copiesMaps: false });
  if (!declares && !copiesMaps) return validate;
  return (value) => {
    const lost = copiesMaps ? findProtoKey(value) : undefined;
    if (lost) return { ok: false, issues: [{ path: lost, message: 'is not an allowed name' }] };
    return validate(declares ? withoutPrototypes(value) : value);
  };
}

interface Findings {
  declares: boolean;
  copiesMaps: boolean;
}

function look(schema: unknown, found: Findings): Findings {
  if (typeof schema !== 'object' || schema === null) return found;
  if (Array.isArray(schema)) {
    for (const item of schema) look(item, found);
    return found;
  }
  for (const key of Object.keys(schema)) {
    const value = (schema as Record<string, unknown>)[key];
    if (key === 'patternProperties' || (key === 'additionalProperties' && value !== false))
      found.copiesMaps = true;
    if (typeof value !== 'object' || value === null) continue;
    if (key === 'properties' && Object.keys(value).some((name) => inheritedNames.has(name)))
      found.declares = true;
    look(value, found);
  }
  return found;
}

/** The path of a key `__proto__`, or `undefined`. Most values have none, so the path is built only when one is found. */
function findProtoKey(value: unknown): (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const found = findProtoKey(value[index]);
      if (found) return [index, ...found];
    }
    return undefined;
  }
  if (Object.hasOwn(value, '__proto__')) return ['__proto__'];
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key];
    const found = typeof entry === 'object' ? findProtoKey(entry) : undefined;
    if (found && Object.hasOwn(value, key)) return [key, ...found];
  }
  return undefined;
}

function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isJsonObject(value)) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, entry] of Object.entries(value)) copy[key] = withoutPrototypes(entry);
  return copy;
}
