import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ZodType } from 'zod';
import type { ZodTypeAny } from 'zod/v3';
import { ErrInvalidSchema, ToolfoldError } from '../errors.js';
import { boundStack, boundWork, tooLong } from '../probe/fail-fast.js';
import type { CheckLarge } from '../probe/fail-fast.js';
import { otherCosts, probeJsonSchema, zod3Costs } from '../probe/json-schema-probe.js';
import type { ProbeCosts } from '../probe/json-schema-probe.js';
import { countZod4Steps } from '../probe/zod4-steps.js';
import { defaultSchemaLimits } from '../values/json-schema.js';
import type { JsonSchema, SchemaLimits } from '../values/json-schema.js';
import type { MaybeAsyncValidate } from '../validate/schema-validator.js';
import { convertPlain } from './plain-zod4.js';
import type { Side } from './plain-zod4.js';
import {
  convertStandard,
  guardInheritedNames,
  isStandardSchema,
  standardValidate,
} from './standard-schema.js';
import { assertNoMarks, fieldName } from './unrepresentable.js';
import { convertZod3, isZod3, zod3Validate } from './zod3.js';
import { convertZod4, findFailingField, isZod4, zod4Validate } from './zod4.js';

/** Converts and validates the schemas of one library. */
interface Library<Schema> {
  readonly vendorOf: (schema: Schema) => string;
  readonly convert: (schema: Schema, options: ConvertOptions) => Conversion;
  /** Finds the field whose conversion failed, if the library does not report it. */
  readonly locate?: (schema: Schema, side: Side) => readonly string[];
  readonly validate: (schema: Schema, runsCode: boolean) => MaybeAsyncValidate;
  /** Validates large values in bounded time. Default: a probe that uses the JSON Schema comes first. */
  readonly checkLarge?: (schema: Schema, limits: SchemaLimits, runsCode: boolean) => CheckLarge;
}

interface ConvertOptions {
  readonly side: Side;
  /** Whether to keep keywords that tell a model nothing. */
  readonly isExact: boolean;
  readonly limits: SchemaLimits;
}

interface Conversion {
  readonly converted: unknown;
  /** Whether this is frozen JSON that needs no checks. */
  readonly isPlain?: boolean;
  /** Whether no other code holds this JSON. */
  readonly isFresh?: boolean;
  /** Whether no code of the author runs during validation. */
  readonly isPure?: boolean;
  readonly work?: HiddenWork;
}

/** Properties of a validation that its JSON Schema does not show. */
interface HiddenWork {
  readonly runsCode?: boolean;
  readonly hidesWork?: boolean;
}

const zod3: Library<ZodTypeAny> = {
  vendorOf: () => 'zod3',
  convert: (schema, { side }) => ({ converted: convertZod3(schema, side) }),
  validate: zod3Validate,
  checkLarge: (schema, limits) =>
    checkFirst(zod3Validate(schema), () => convertZod3(schema, 'input', true), limits, zod3Costs),
};

const zod4: Library<ZodType> = {
  vendorOf: () => 'zod',
  convert: (schema, { side, isExact, limits }) => {
    const plain = isExact || limits !== defaultSchemaLimits ? undefined : convertPlain(schema, side);
    if (plain) return { converted: plain, isPlain: true, isPure: true };
    let runsCode = false;
    let hidesWork = false;
    const onHidden = (isCode: boolean): void => {
      hidesWork = true;
      runsCode ||= isCode;
    };
    const converted = convertZod4(schema, side, { isExact, onHidden });
    return { converted, isFresh: true, isPure: !runsCode, work: { runsCode, hidesWork } };
  },
  locate: findFailingField,
  validate: zod4Validate,
  checkLarge: (schema, _limits, runsCode) => (value, maxSteps) => {
    const steps = countZod4Steps(schema, value, ZOD4_SPEED * maxSteps);
    if (steps > ZOD4_SPEED * maxSteps) return tooLong;
    return zod4Validate(schema, runsCode, steps > MANY_STEPS)(value);
  },
};

/** Zod 4 takes more steps than Zod 3 in the same time. */
const ZOD4_SPEED = 3;
/** Above this many steps, Zod 4 stops at the first issue. */
const MANY_STEPS = 5_000;

const standard: Library<StandardSchemaV1> = {
  vendorOf: (schema) => schema['~standard'].vendor,
  convert: (schema, { side }) => {
    const converted = convertStandard(schema, side);
    assertNoMarks(converted);
    return { converted };
  },
  validate: standardValidate,
};

/** Recognizes a library's schema; `undefined` for JSON Schema. */
export function libraryOf(schema: unknown): Library<unknown> | undefined {
  // Zod 4 creates `~standard` when it is first read, and nothing here needs it.
  if (isZod4(schema)) return zod4 as Library<unknown>;
  if (isZod3(schema)) return zod3 as Library<unknown>;
  return isStandardSchema(schema) ? (standard as Library<unknown>) : undefined;
}

/** Converts with the library. Its error names the field. */
export function convertWith(library: Library<unknown>, schema: unknown, options: ConvertOptions): Conversion {
  try {
    return library.convert(schema, options);
  } catch (cause) {
    if (cause instanceof ToolfoldError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const field = fieldName(library.locate?.(schema, options.side) ?? []);
    const subject = field === '' ? 'this schema' : `the field "${field}"`;
    throw new ErrInvalidSchema(
      `"${library.vendorOf(schema)}" cannot convert ${subject} to JSON Schema: ${reason}`,
      { hint: 'Use types and defaults that JSON can express.', cause, details: { field } },
    );
  }
}

interface ValidationWork extends HiddenWork, Pick<ConvertOptions, 'limits'> {
  readonly jsonSchema: JsonSchema;
  readonly hasReferences: boolean;
}

/** Creates the validation of the library on first use. */
export const validateWith =
  (library: Library<unknown>, schema: unknown, work: ValidationWork) => (): MaybeAsyncValidate =>
    createValidate(library, schema, work);

/** The same for `convertPlain`. One function for all schemas, because a large server keeps thousands of them. */
export const validatePlain = (schema: unknown, jsonSchema: JsonSchema): MaybeAsyncValidate =>
  createValidate(zod4 as Library<unknown>, schema, {
    jsonSchema,
    limits: defaultSchemaLimits,
    hasReferences: false,
  });

/** The validation of the library, with bounded work. */
function createValidate(
  library: Library<unknown>,
  schema: unknown,
  { jsonSchema, limits, hasReferences, runsCode = false, hidesWork = false }: ValidationWork,
): MaybeAsyncValidate {
  const validate = library.validate(schema, runsCode);
  const checkLarge =
    library.checkLarge?.(schema, limits, runsCode) ??
    checkFirst(validate, () => jsonSchema, limits, otherCosts);
  const shown = hidesWork ? undefined : { jsonSchema, limits, hasReferences };
  return boundStack(guardInheritedNames(jsonSchema, boundWork(validate, checkLarge, shown)));
}

/** Validates with the library unless the probe finds an issue. */
function checkFirst(
  validate: MaybeAsyncValidate,
  toJsonSchema: () => JsonSchema,
  limits: SchemaLimits,
  costs: ProbeCosts,
): CheckLarge {
  const probe = probeJsonSchema(validate, toJsonSchema, { limits, costs });
  return (value, maxSteps) => {
    const issues = probe(value, maxSteps);
    return issues ? { ok: false, issues } : validate(value);
  };
}
