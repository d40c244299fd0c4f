import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { ErrUnsupportedSchema } from '../errors.js';
import { isJsonObject } from '../values/json-value.js';
import { MARK, unrepresentable } from './unrepresentable.js';
import { isThenable, MAX_ISSUES } from '../validate/schema-validator.js';
import type { MaybeAsyncValidate, ValidationResult } from '../validate/schema-validator.js';
import type { JsonSchema } from '../values/json-schema.js';

/** Whether a value is a Standard Schema. ArkType's are functions, most others objects. */
export function isStandardSchema(source: unknown): source is StandardSchemaV1 {
  if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return false;
  const standard = (source as Record<string, unknown>)['~standard'];
  return isJsonObject(standard) && typeof standard['validate'] === 'function';
}

/** Converts with the library's own converter, configured to mark types that it would otherwise drop. */
export function convertStandard(source: StandardSchemaV1, io: 'input' | 'output'): unknown {
  const { vendor, jsonSchema } = source['~standard'] as StandardSchemaV1.Props &
    Partial<StandardJSONSchemaV1.Props>;
  if (!jsonSchema) {
    throw new ErrUnsupportedSchema(`This "${vendor}" schema cannot be converted to JSON Schema.`, {
      hint:
        howToConvert[vendor] ?? 'Use an adapter that implements Standard JSON Schema, or write JSON Schema.',
      details: { vendor },
    });
  }
  if (vendor === 'arktype' && JSON.stringify((source as { json?: unknown }).json)?.includes('"__proto__"')) {
    throw unrepresentable('__proto__', []);
  }
  const libraryOptions = markers[vendor] ?? {};
  try {
    return jsonSchema[io]({ target: 'draft-2020-12', libraryOptions });
  } catch (cause) {
    try {
      return jsonSchema[io]({ target: 'draft-07', libraryOptions });
    } catch {
      throw cause;
    }
  }
}

const howToConvert: Readonly<Record<string, string>> = {
  valibot: 'Wrap it: toStandardJsonSchema(schema) from @valibot/to-json-schema.',
};

/** Valibot transformations whose result has the type of their input. */
const sameType = new Set(
  [
    ['trim', 'trim_start', 'trim_end', 'to_lower_case', 'to_upper_case', 'normalize', 'readonly'],
    ['filter_items', 'sort_items', 'to_min_value', 'to_max_value', 'brand', 'flavor'],
  ].flat(),
);

interface ValibotSchemaContext {
  readonly valibotSchema: { readonly type: string; readonly entries?: object };
  readonly jsonSchema: object;
  readonly errors?: readonly string[];
}

interface ValibotActionContext {
  readonly valibotAction: { readonly type: string; readonly kind: string };
  readonly jsonSchema: object;
  readonly errors?: readonly string[];
}

interface ArkTypeFallback {
  readonly code: string;
  readonly base: object;
  readonly domain?: string;
}

/** Options that make each library mark the types that it cannot express. Refinements are not marked, because they only narrow a type. */
const markers: Readonly<Record<string, Record<string, unknown>>> = {
  valibot: {
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema, errors }: ValibotSchemaContext) => {
      if (Object.hasOwn(valibotSchema.entries ?? {}, '__proto__'))
        return { ...jsonSchema, [MARK]: '__proto__' };
      return errors ? { ...jsonSchema, [MARK]: valibotSchema.type } : undefined;
    },
    overrideAction: ({ valibotAction, jsonSchema, errors }: ValibotActionContext) =>
      errors && valibotAction.kind !== 'validation' && !sameType.has(valibotAction.type)
        ? { ...jsonSchema, [MARK]: valibotAction.type }
        : undefined,
  },
  arktype: {
    fallback: ({ code, base, domain }: ArkTypeFallback) =>
      code === 'predicate' || code === 'defaultValue' ? base : { ...base, [MARK]: domain ?? code },
  },
};

export function standardValidate(source: StandardSchemaV1): MaybeAsyncValidate {
  const standard = source['~standard'];
  return (value) => {
    const result = standard.validate(value);
    return isThenable(result) ? Promise.resolve(result).then(toResult) : toResult(result);
  };
}

function toResult(result: StandardSchemaV1.Result<unknown>): ValidationResult {
  if (!result.issues) {
    if (!('value' in result)) throw new TypeError('A Standard Schema must return a value or issues.');
    return { ok: true, value: result.value };
  }
  return {
    ok: false,
    issues: result.issues.slice(0, MAX_ISSUES).map((issue) => ({
      path: Array.from(issue.path ?? [], (part) => {
        const key = typeof part === 'object' ? part.key : part;
        return typeof key === 'symbol' ? String(key) : key;
      }),
      message: messageOf(issue),
    })),
  };
}

/** ArkType's messages begin with the path, which every issue already has. */
function messageOf(issue: StandardSchemaV1.Issue): string {
  const { problem } = issue as { readonly problem?: unknown };
  return typeof problem === 'string' ? problem : issue.message;
}

/** Names that every object inherits. Data may contain fields with these names. */
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

/**
 * Returns the path of a key `__proto__`; `undefined` if there is none. The path is built only when a key is found, because most
 * values have none.
 */
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
