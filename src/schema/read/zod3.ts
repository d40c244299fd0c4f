import { ignoreOverride, zodToJsonSchema } from 'zod-to-json-schema';
import type { JsonSchema7AnyType } from 'zod-to-json-schema';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { SafeParseReturnType, ZodTypeAny } from 'zod/v3';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { isSchema } from '../../values/json-schema.js';
import { isJsonObject } from '../../values/json-value.js';
import { mapSubschemas } from '../check/keywords.js';
import { isStandardSchema, standardValidate } from './standard-schema.js';
import { unrepresentable } from './unrepresentable.js';
import type { MaybeAsyncValidate } from '../validate/schema-validator.js';

/** The types of Zod 3 that no JSON value is, by the name under which the error speaks of them. */
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
  /** What an effect wraps. */
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
 * The customary converter for Zod 3, kept from guessing, with its result brought up to 2020-12. With `isCautious`, it
 * allows anything where code of the author sees a value before Zod does.
 */
export function convertZod3(source: ZodTypeAny, io: 'input' | 'output', isCautious = false): JsonSchema {
  const draft07 = zodToJsonSchema(source, {
    allowedAdditionalProperties: undefined,
    pipeStrategy: io,
    removeAdditionalStrategy: 'strict',
    override: (def, { currentPath }) => {
      const kind = kindToRefuse(def as Zod3Def, io);
      if (kind) throw unrepresentable(kind, currentPath.slice(1));
      if (isCautious && (def as Zod3Def).effect?.type === 'preprocess') return anything;
      // The converter writes { type: 'object' } for it.
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

function kindToRefuse(def: Zod3Def, io: 'input' | 'output'): string | undefined {
  const { typeName = '' } = def;
  if (typeName === 'ZodEffects' && def.effect?.type === 'transform' && io === 'output') return 'transform';
  // z.custom() and z.instanceof() are checks on a value of any type.
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

/** JSON Schema has no flags: without its flag a pattern would forbid what the validator accepts. */
function hasFlaggedPattern({ typeName, checks = [] }: Zod3Def): boolean {
  return typeName === 'ZodString' && checks.some(({ regex }) => regex && /[ims]/.test(regex.flags));
}

function withoutPattern(schema: JsonSchemaObject): JsonSchemaObject {
  const kept = Object.entries(schema).filter(([keyword]) => keyword !== 'pattern' && keyword !== 'allOf');
  return Object.fromEntries(kept);
}

/** What comes out of an object has every field that has a default. */
function requireDefaults(schema: JsonSchemaObject, def: Zod3Def): JsonSchemaObject {
  if (def.typeName !== 'ZodObject') return schema;
  const defaulted = Object.entries(def.shape?.() ?? {}).filter(
    ([, field]) => field._def.typeName === 'ZodDefault',
  );
  const required = new Set([...((schema['required'] ?? []) as string[]), ...defaulted.map(([name]) => name)]);
  return required.size > 0 ? { ...schema, required: [...required] } : schema;
}

/** Versions before 3.24 are no Standard Schemas, but parse in the same way. */
export function zod3Validate(source: ZodTypeAny): MaybeAsyncValidate {
  const schema: unknown = source;
  if (isStandardSchema(schema)) return standardValidate(schema);
  const validate = (
    value: unknown,
  ): StandardSchemaV1.Result<unknown> | Promise<StandardSchemaV1.Result<unknown>> => {
    try {
      return toStandard(source.safeParse(value));
    } catch {
      // A refinement that returns a promise; whatever else is wrong is thrown again there.
      return source.safeParseAsync(value).then(toStandard);
    }
  };
  return standardValidate({ '~standard': { version: 1, vendor: 'zod', validate } });
}

function toStandard(result: SafeParseReturnType<unknown, unknown>): StandardSchemaV1.Result<unknown> {
  return result.success ? { value: result.data } : { issues: result.error.issues };
}

/** Draft-07 as the converter writes it → 2020-12, with every target of a reference under `$defs`. */
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
  // Grows while it is walked, until no target refers to anything new.
  for (const [reference, name] of names) $defs[name] = upgrade(follow(root, reference));
  return names.size > 0 ? { ...upgraded, $defs } : upgraded;
}

/** The converter writes pointers without escaping names. */
function follow(root: JsonSchemaObject, reference: string): JsonSchema {
  let value: unknown = root;
  for (const key of reference.split('/').slice(1))
    value = (value as Record<string, unknown> | undefined)?.[key];
  return isSchema(value) ? value : { $ref: reference };
}
