import type { StandardSchemaV1 } from '@standard-schema/spec';
import { object } from 'zod';
import type { ZodRawShape } from 'zod';
import type { ZodRawShape as Zod3RawShape } from 'zod/v3';
import { ErrInvalidSchema, ToolfoldError } from '../../errors.js';
import { adoptSchema, copySchema } from '../check/copy-schema.js';
import { DefaultValidator } from '../validate/default-validator.js';
import { probeLargeValues, boundStack } from '../probe/fail-fast.js';
import type { Probe } from '../probe/fail-fast.js';
import {
  guardInheritedNames,
  convertStandard,
  isStandardSchema,
  standardValidate,
} from './standard-schema.js';
import { otherCosts, probeJsonSchema, zod3Costs } from '../probe/json-schema-probe.js';
import { withDefaultLimits } from '../../values/json-schema.js';
import { anything, assertOptions, flag, oneOf, withMethods } from '../../values/options.js';
import type { Rules } from '../../values/options.js';
import type { JsonSchema, JsonSchemaObject, SchemaLimits } from '../../values/json-schema.js';
import { checkSchema } from '../check/normal-schema.js';
import { requiredFields, schemaFields } from './schema-fields.js';
import type { SchemaField } from './schema-fields.js';
import type { SchemaValidator, MaybeAsyncValidate } from '../validate/schema-validator.js';
import { assertNamesNoTypes, assertSchemaLike, mixedShape } from './mistaken-schema.js';
import { surveySchema } from '../check/survey-schema.js';
import type { SchemaSurvey } from '../check/survey-schema.js';
import { assertNoMarks, fieldName } from './unrepresentable.js';
import { convertZod3, isZod3, zod3Object, zod3Validate } from './zod3.js';
import { convertZod4, findFailingField, isZod4, zod4Validate } from './zod4.js';
import { probeZod4 } from '../probe/zod4-probe.js';

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

/** Zod types an object without fields as a record of `never`, on which every property would compile. */
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

/** A schema of any kind, converted and ready to validate. */
export interface ReadSchema {
  /** The library of the source, or `json-schema`. */
  readonly vendor: string;
  /** The checked and deeply frozen JSON Schema. */
  readonly jsonSchema: JsonSchemaObject;
  /** The fields in order of declaration; `undefined` if the values are not objects. */
  readonly fields: ReadonlyMap<string, SchemaField> | undefined;
  /** The names of the fields that must be given. */
  readonly required: readonly string[];
  /** Whether validation drops undeclared fields without passing them to code of the author. */
  readonly stripsUndeclared: boolean;
  /** The source's own validation. Returns a promise only if the library needs one. */
  readonly validate: MaybeAsyncValidate;
}

/** Reads a schema of any kind. Throws for types that JSON Schema cannot express and names the field. */
export function readSchema(source: SchemaSource, options: ReadSchemaOptions = {}): ReadSchema {
  assertOptions('readSchema', options, rules);
  const limits = withDefaultLimits(options.limits);
  const library = openLibrary(fromRawShape(source), options.isExact);
  let jsonSchema: JsonSchemaObject;
  let validate: MaybeAsyncValidate;
  let survey: SchemaSurvey | undefined;
  if (library) {
    const converted = convert(library, options.side ?? 'input');
    jsonSchema = toObject((library.isFresh ? adoptSchema : copySchema)(converted, limits));
    survey = checkSchema(jsonSchema, limits);
    validate = library.validate;
    if (options.side !== 'output') {
      const probe =
        library.probe?.(limits) ?? probeJsonSchema(validate, () => jsonSchema, { limits, costs: otherCosts });
      validate = probeLargeValues(validate, probe, { jsonSchema, limits });
    }
    validate = boundStack(guardInheritedNames(jsonSchema, validate));
  } else {
    jsonSchema = toObject(copySchema(source, limits));
    validate = (options.validator ?? new DefaultValidator({ limits })).compile(jsonSchema);
    survey = trySurvey(jsonSchema, limits, options.validator !== undefined);
  }
  const fields = survey && schemaFields(jsonSchema, survey);
  return Object.freeze({
    vendor: library?.vendor ?? 'json-schema',
    jsonSchema,
    fields,
    required: Object.freeze(requiredFields(fields)),
    stripsUndeclared:
      library?.isPure === true &&
      jsonSchema['type'] === 'object' &&
      jsonSchema['additionalProperties'] === undefined,
    validate,
  });
}

/** Surveys a schema. Returns `undefined` if only the author's own validator can read it. */
function trySurvey(
  schema: JsonSchema,
  limits: SchemaLimits,
  mayBeForeign: boolean,
): SchemaSurvey | undefined {
  try {
    return surveySchema(schema, limits);
  } catch (error) {
    if (mayBeForeign && error instanceof ToolfoldError) return undefined;
    throw error;
  }
}

/** Writes the schemas `true` and `false` as objects. */
function toObject(schema: JsonSchema): JsonSchemaObject {
  if (typeof schema === 'object') return schema;
  return Object.freeze(schema ? {} : { not: Object.freeze({}) });
}

/** A schema of a library, behind a common interface. */
interface Library {
  readonly vendor: string;
  readonly convert: (side: 'input' | 'output') => unknown;
  /** Whether a conversion returns new JSON that no other code holds. */
  readonly isFresh?: boolean;
  /** Finds the field whose conversion failed, if the library does not report it. */
  readonly locate?: (side: 'input' | 'output') => readonly string[];
  readonly validate: MaybeAsyncValidate;
  /** Finds an issue in a large value quickly. Default: a probe that uses the JSON Schema. */
  readonly probe?: (limits: SchemaLimits) => Probe;
  /** Whether no code of the author runs during validation. Known only after the conversion. */
  readonly isPure?: boolean;
}

/** Recognizes a library's schema; `undefined` for JSON Schema. */
function openLibrary(source: unknown, isExact = false): Library | undefined {
  if (isZod3(source)) {
    const validate3 = zod3Validate(source);
    return {
      vendor: 'zod3',
      convert: (side) => convertZod3(source, side),
      validate: validate3,
      probe: (limits) =>
        probeJsonSchema(validate3, () => convertZod3(source, 'input', true), { limits, costs: zod3Costs }),
    };
  }
  if (!isStandardSchema(source)) return undefined;
  const { vendor } = source['~standard'];
  if (!isZod4(source)) {
    const convertMarked = (side: 'input' | 'output'): unknown => {
      const converted = convertStandard(source, side);
      assertNoMarks(converted);
      return converted;
    };
    return { vendor, convert: convertMarked, validate: standardValidate(source) };
  }
  let runsCode = false;
  return {
    vendor,
    convert: (side) => convertZod4(source, side, { isExact, onCode: () => (runsCode = true) }),
    isFresh: true,
    locate: (side) => findFailingField(source, side),
    get validate() {
      return zod4Validate(source, runsCode);
    },
    probe: () => probeZod4(source, runsCode),
    get isPure() {
      return !runsCode;
    },
  };
}

function convert(library: Library, side: 'input' | 'output'): unknown {
  try {
    return library.convert(side);
  } catch (cause) {
    if (cause instanceof ToolfoldError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const field = fieldName(library.locate?.(side) ?? []);
    const subject = field === '' ? 'this schema' : `the field "${field}"`;
    throw new ErrInvalidSchema(`"${library.vendor}" cannot convert ${subject} to JSON Schema: ${reason}`, {
      hint: 'Use types and defaults that JSON can express.',
      cause,
      details: { field },
    });
  }
}

/** Turns a raw shape, which servers written for the SDK use, into an object schema. */
function fromRawShape(source: unknown): unknown {
  if (isStandardSchema(source) || isZod3(source)) return source;
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
