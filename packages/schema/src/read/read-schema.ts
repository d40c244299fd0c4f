import type { StandardSchemaV1 } from '@standard-schema/spec';
import { object } from 'zod';
import type { ZodRawShape } from 'zod';
import type { ZodRawShape as Zod3RawShape } from 'zod/v3';
import { ToolfoldError } from '../errors.js';
import { adoptSchema, copySchema } from '../check/copy-schema.js';
import { DefaultValidator } from '../validate/default-validator.js';
import { isStandardSchema } from './standard-schema.js';
import { withDefaultLimits } from '../values/json-schema.js';
import { anything, assertOptions, flag, oneOf, withMethods } from '../values/options.js';
import type { Rules } from '../values/options.js';
import type { JsonSchema, JsonSchemaObject, SchemaLimits } from '../values/json-schema.js';
import { checkSchema } from '../check/normal-schema.js';
import { CheckedSchema } from './checked-schema.js';
import type { ReadSchema } from './checked-schema.js';
import type { SchemaValidator } from '../validate/schema-validator.js';
import { assertNamesNoTypes, assertSchemaLike, mixedShape } from './mistaken-schema.js';
import { surveyPlain, surveySchema } from '../check/survey-schema.js';
import type { SchemaSurvey } from '../check/survey-schema.js';
import { convertWith, libraryOf, validatePlain, validateWith } from './libraries.js';
import { isZod3, zod3Object } from './zod3.js';
import { isZod4 } from './zod4.js';

/**
 * A schema in any supported form: a Zod 4 schema, any Standard Schema that can be converted to JSON Schema, a Zod 3 schema, a raw
 * shape of Zod schemas (`{}` is the empty one), or JSON Schema itself.
 */
export type SchemaSource = StandardSchemaV1 | Readonly<Record<string, StandardSchemaV1>> | JsonSchemaObject;

/** An object without fields, on which every property is a type error. */
export type NoFields = Record<never, never>;

/** The input type of a handler: the output of a library's schema, or an open object. */
export type InferInput<S> = S extends StandardSchemaV1
  ? Fields<StandardSchemaV1.InferOutput<S>>
  : S extends Readonly<Record<string, StandardSchemaV1>>
    ? InferShape<S>
    : Record<string, unknown>;

/** The type of a value before its schema applies defaults and transforms: what a caller writes. */
export type InferSource<S> = S extends StandardSchemaV1
  ? Fields<StandardSchemaV1.InferInput<S>>
  : S extends Readonly<Record<string, StandardSchemaV1>>
    ? InferSourceShape<S>
    : Record<string, unknown>;

/** Zod types an object without fields as a record of `never`, on which access to any property would compile. */
type Fields<T> = string extends keyof T ? ([T[keyof T]] extends [never] ? NoFields : T) : T;

/** The input type of a raw shape. Fields that may be undefined are optional. */
type InferShape<S extends Readonly<Record<string, StandardSchemaV1>>> = {
  [
    K in keyof S as undefined extends StandardSchemaV1.InferOutput<S[K]> ? never : K
  ]: StandardSchemaV1.InferOutput<S[K]>;
} & {
  [
    K in keyof S as undefined extends StandardSchemaV1.InferOutput<S[K]> ? K : never
  ]?: StandardSchemaV1.InferOutput<S[K]>;
};

/** The type of a raw shape before its schemas apply. Fields that may be undefined are optional. */
type InferSourceShape<S extends Readonly<Record<string, StandardSchemaV1>>> = {
  [
    K in keyof S as undefined extends StandardSchemaV1.InferInput<S[K]> ? never : K
  ]: StandardSchemaV1.InferInput<S[K]>;
} & {
  [
    K in keyof S as undefined extends StandardSchemaV1.InferInput<S[K]> ? K : never
  ]?: StandardSchemaV1.InferInput<S[K]>;
};

/** Options of `readSchema`. */
export interface ReadSchemaOptions {
  /** Which side of transforms and defaults the JSON Schema describes. Default: `input`. */
  side?: 'input' | 'output';
  /** Validates if the source is JSON Schema. Default: a `DefaultValidator` with these limits. */
  validator?: SchemaValidator;
  /** Limits on the JSON Schema. */
  limits?: Partial<SchemaLimits>;
  /**
   * Whether the JSON Schema includes every check, also those that tell a model nothing.
   *
   * @internal
   */
  isExact?: boolean;
}

const rules: Rules<keyof ReadSchemaOptions> = {
  side: oneOf('input', 'output'),
  validator: withMethods('compile'),
  // Checked where the defaults are filled in.
  limits: anything,
  isExact: flag,
};

/** Reads a schema of any kind. Throws for types that JSON Schema cannot express and names the field. */
export function readSchema(source: SchemaSource, options: ReadSchemaOptions = {}): ReadSchema {
  assertOptions('readSchema', options, rules);
  const { side = 'input', validator, isExact = false } = options;
  const limits = withDefaultLimits(options.limits);
  const given = fromRawShape(source);
  const library = libraryOf(given);
  if (!library) return readJsonSchema(source, limits, validator);
  const conversion = convertWith(library, given, { side, isExact, limits });
  const { converted, isPlain, isFresh, isPure } = conversion;
  const jsonSchema = isPlain
    ? (converted as JsonSchemaObject)
    : toObject((isFresh ? adoptSchema : copySchema)(converted, limits));
  const survey = isPlain ? surveyPlain(jsonSchema) : checkSchema(jsonSchema, limits);
  const { hasReferences } = survey;
  return new CheckedSchema(source, jsonSchema, survey, {
    vendor: library.vendorOf(given),
    stripsUndeclared:
      isPure === true && jsonSchema['type'] === 'object' && jsonSchema['additionalProperties'] === undefined,
    createValidate:
      isPlain && given === source
        ? validatePlain
        : validateWith(library, given, { ...conversion.work, jsonSchema, limits, hasReferences }),
  });
}

function readJsonSchema(
  source: SchemaSource,
  limits: SchemaLimits,
  validator: SchemaValidator | undefined,
): ReadSchema {
  const jsonSchema = toObject(copySchema(source, limits));
  const facts = { vendor: 'json-schema', stripsUndeclared: false };
  if (validator) {
    const validate = validator.compile(jsonSchema);
    const survey = trySurvey(jsonSchema, limits);
    return new CheckedSchema(source, jsonSchema, survey, {
      ...facts,
      isCustom: true,
      createValidate: () => validate,
    });
  }
  return new CheckedSchema(source, jsonSchema, checkSchema(jsonSchema, limits), {
    ...facts,
    createValidate: () => new DefaultValidator({ limits }).compile(jsonSchema),
  });
}

/** Surveys a schema. Returns `undefined` if only the author's own validator can read it. */
function trySurvey(schema: JsonSchema, limits: SchemaLimits): SchemaSurvey | undefined {
  try {
    return surveySchema(schema, limits);
  } catch (error) {
    if (error instanceof ToolfoldError) return undefined;
    throw error;
  }
}

function toObject(schema: JsonSchema): JsonSchemaObject {
  if (typeof schema === 'object') return schema;
  return Object.freeze(schema ? {} : { not: Object.freeze({}) });
}

/** Converts a raw shape, which servers written for the SDK use, to an object schema. */
function fromRawShape(source: unknown): unknown {
  // Zod 4 creates the object `~standard` of a schema when it is first read, and nothing here needs it.
  if (isZod4(source) || isStandardSchema(source) || isZod3(source)) return source;
  assertSchemaLike(source);
  const entries = Object.entries(source);
  const zod3 = entries.filter(([, value]) => isZod3(value));
  const zod4 = entries.filter(([, value]) => isZod4(value));
  if (zod4.length === entries.length) return object(source as ZodRawShape);
  if (zod3.length === entries.length) return zod3Object(source as Zod3RawShape);
  if (zod3.length + zod4.length === 0) {
    assertNamesNoTypes(source);
    return source;
  }
  const [mismatch, value] = entries.find(([, entry]) => !isZod3(entry) && !isZod4(entry)) ?? zod3[0] ?? [''];
  throw mixedShape(mismatch, isZod3(value) ? 'a schema of Zod 3' : value);
}
