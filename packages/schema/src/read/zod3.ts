import { ignoreOverride, zodToJsonSchema } from 'zod-to-json-schema';
import type { JsonSchema7AnyType } from 'zod-to-json-schema';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { SafeParseReturnType, ZodRawShape, ZodTypeAny } from 'zod/v3';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { isSchema } from '../values/json-schema.js';
import { isJsonObject, typeName as jsonTypeOf } from '../values/json-value.js';
import { mapSubschemas } from '../check/keywords.js';
import { isStandardSchema, standardValidate } from './standard-schema.js';
import { unrepresentable } from './unrepresentable.js';
import type { MaybeAsyncValidate } from '../validate/schema-validator.js';

/** Zod 3 types without JSON values, with the names that errors use. */
const notJson: Readonly<Record<string, string>> = {
  ZodBigInt: 'bigint',
  ZodDate: 'date',
  ZodFunction: 'function',
  ZodMap: 'map',
  ZodNaN: 'nan',
  ZodPromise: 'promise',
  ZodSet: 'set',
  ZodSymbol: 'symbol',
  ZodUndefined: 'undefined',
  ZodVoid: 'void',
};

const anything: JsonSchema7AnyType = {};

interface Zod3Def {
  readonly typeName?: string;
  readonly effect?: { readonly type: string };
  /** The schema that an effect wraps. */
  readonly schema?: { readonly _def: Zod3Def };
  readonly value?: unknown;
  readonly checks?: readonly { readonly regex?: RegExp }[];
  readonly shape?: () => Record<string, { readonly _def: Zod3Def }>;
}

export function isZod3(source: unknown): source is ZodTypeAny {
  return (
    isJsonObject(source) &&
    !('_zod' in source) &&
    isJsonObject(source['_def']) &&
    typeof source['_def']['typeName'] === 'string' &&
    typeof source['safeParse'] === 'function'
  );
}

/**
 * An object schema of fields of Zod 3. It validates and converts like `z.object(shape)` of Zod 3, which this file does not import,
 * because every server would load ten more files for it.
 */
export function zod3Object(shape: ZodRawShape): unknown {
  const fields = Object.entries(shape);
  return {
    _def: {
      typeName: 'ZodObject',
      shape: () => shape,
      unknownKeys: 'strip',
      catchall: { _def: { typeName: 'ZodNever' } },
    },
    safeParse: (value: unknown) => {
      if (!isJsonObject(value)) return notAnObject(value);
      return joinFields(
        value,
        fields.map(([name, field]) => [name, field.safeParse(value[name], { path: [name] })]),
      );
    },
    safeParseAsync: async (value: unknown) => {
      if (!isJsonObject(value)) return notAnObject(value);
      const results = fields.map(async ([name, field]): Promise<FieldResult> => {
        return [name, await field.safeParseAsync(value[name], { path: [name] })];
      });
      return joinFields(value, await Promise.all(results));
    },
  };
}

type FieldResult = readonly [name: string, SafeParseReturnType<unknown, unknown>];

function notAnObject(value: unknown): unknown {
  const message = value === undefined ? 'Required' : `Expected object, received ${jsonTypeOf(value)}`;
  return { success: false, error: { issues: [{ code: 'invalid_type', path: [], message }] } };
}

/** Joins the results of the fields. A field that is neither given nor has a default stays absent. */
function joinFields(value: Readonly<Record<string, unknown>>, results: readonly FieldResult[]): unknown {
  const issues = results.flatMap(([, result]) => (result.success ? [] : result.error.issues));
  if (issues.length > 0) return { success: false, error: { issues } };
  const present = results.filter(([name, { data }]) => data !== undefined || name in value);
  return { success: true, data: Object.fromEntries(present.map(([name, { data }]) => [name, data])) };
}

/**
 * Converts with `zod-to-json-schema`, rejects types that it would guess, and upgrades the result to 2020-12. With `isCautious`,
 * values that preprocessing code of the author sees first may be anything.
 */
export function convertZod3(source: ZodTypeAny, io: 'input' | 'output', isCautious = false): JsonSchema {
  const draft07 = zodToJsonSchema(source, {
    allowedAdditionalProperties: undefined,
    pipeStrategy: io,
    removeAdditionalStrategy: 'strict',
    override: (def, { currentPath }) => {
      const kind = kindToReject(def as Zod3Def, io);
      if (kind) throw unrepresentable(kind, currentPath.slice(1));
      if (isCautious && (def as Zod3Def).effect?.type === 'preprocess') return anything;
      // The converter writes { type: 'object' } for the literal null.
      return (def as Zod3Def).typeName === 'ZodLiteral' && (def as Zod3Def).value === null
        ? { type: 'null' }
        : ignoreOverride;
    },
    postProcess: (schema, def) =>
      (schema && hasFlaggedPattern(def as Zod3Def)
        ? withoutPattern(schema as JsonSchemaObject)
        : io === 'output' && schema
          ? requireDefaults(schema as JsonSchemaObject, def as Zod3Def)
          : schema) as typeof schema,
  });
  return modernize(draft07 as JsonSchemaObject);
}

function kindToReject(def: Zod3Def, io: 'input' | 'output'): string | undefined {
  const { typeName = '' } = def;
  if (typeName === 'ZodEffects' && def.effect?.type === 'transform' && io === 'output') return 'transform';
  // z.custom() and z.instanceof() are refinements of a value of any type.
  if (typeName === 'ZodEffects' && def.effect?.type === 'refinement' && isAnything(def.schema?._def))
    return 'custom';
  if (typeName === 'ZodLiteral' && !isJsonScalar(def.value)) return typeof def.value;
  if (typeName === 'ZodObject' && Object.hasOwn(def.shape?.() ?? {}, '__proto__')) return '__proto__';
  return Object.hasOwn(notJson, typeName) ? notJson[typeName] : undefined;
}

function isAnything(def: Zod3Def | undefined): boolean {
  if (def?.typeName === 'ZodEffects') return isAnything(def.schema?._def);
  return def?.typeName === 'ZodAny' || def?.typeName === 'ZodUnknown';
}

function isJsonScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Whether a pattern has flags. JSON Schema has none, and without them the pattern could reject values that Zod accepts. */
function hasFlaggedPattern({ typeName, checks = [] }: Zod3Def): boolean {
  return typeName === 'ZodString' && checks.some(({ regex }) => regex && /[ims]/.test(regex.flags));
}

function withoutPattern(schema: JsonSchemaObject): JsonSchemaObject {
  const kept = Object.entries(schema).filter(([keyword]) => keyword !== 'pattern' && keyword !== 'allOf');
  return Object.fromEntries(kept);
}

/** Marks fields with a default as required, because the output always contains them. */
function requireDefaults(schema: JsonSchemaObject, def: Zod3Def): JsonSchemaObject {
  if (def.typeName !== 'ZodObject') return schema;
  const defaulted = Object.entries(def.shape?.() ?? {}).filter(
    ([, field]) => field._def.typeName === 'ZodDefault',
  );
  const required = new Set([...((schema['required'] ?? []) as string[]), ...defaulted.map(([name]) => name)]);
  return required.size > 0 ? { ...schema, required: [...required] } : schema;
}

/** Validates with Zod 3. Versions before 3.24 do not implement Standard Schema. */
export function zod3Validate(source: ZodTypeAny): MaybeAsyncValidate {
  const schema: unknown = source;
  if (isStandardSchema(schema)) return standardValidate(schema);
  const validate = (
    value: unknown,
  ): StandardSchemaV1.Result<unknown> | Promise<StandardSchemaV1.Result<unknown>> => {
    try {
      return toStandard(source.safeParse(value));
    } catch {
      // A refinement returned a promise. Any other error is thrown again by safeParseAsync.
      return source.safeParseAsync(value).then(toStandard);
    }
  };
  return standardValidate({ '~standard': { version: 1, vendor: 'zod', validate } });
}

function toStandard(result: SafeParseReturnType<unknown, unknown>): StandardSchemaV1.Result<unknown> {
  return result.success ? { value: result.data } : { issues: result.error.issues };
}

/** Converts the draft-07 output of the converter to 2020-12, with every reference target under `$defs`. */
function modernize(root: JsonSchemaObject): JsonSchema {
  const names = new Map<string, string>();

  function nameOf(reference: string): string {
    if (reference === '#') return reference;
    let name = names.get(reference);
    if (name === undefined) names.set(reference, (name = `schema${names.size}`));
    return `#/$defs/${name}`;
  }

  function upgrade(schema: JsonSchema): JsonSchema {
    if (typeof schema === 'boolean') return schema;
    if (typeof schema['$ref'] === 'string') return { $ref: nameOf(schema['$ref']) };
    const { $schema: _, items, additionalItems, ...rest } = schema;
    const upgraded: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(rest)) {
      upgraded[keyword] = mapSubschemas(keyword, value, 'draft-07', upgrade);
    }
    if (Array.isArray(items)) {
      upgraded['prefixItems'] = items.filter(isSchema).map(upgrade);
      if (isSchema(additionalItems)) upgraded['items'] = upgrade(additionalItems);
    } else if (isSchema(items)) upgraded['items'] = upgrade(items);
    return upgraded;
  }

  const upgraded = upgrade(root) as JsonSchemaObject;
  const $defs: Record<string, JsonSchema> = {};
  // The loop adds entries to the map until no target refers to a new one.
  for (const [reference, name] of names) $defs[name] = upgrade(follow(root, reference));
  return names.size > 0 ? { ...upgraded, $defs } : upgraded;
}

/** Follows a pointer of the converter, which does not escape names. */
function follow(root: JsonSchemaObject, reference: string): JsonSchema {
  let value: unknown = root;
  for (const key of reference.split('/').slice(1))
    value = (value as Record<string, unknown> | undefined)?.[key];
  return isSchema(value) ? value : { $ref: reference };
}
