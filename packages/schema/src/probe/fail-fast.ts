import { countValues } from '../values/json-limits.js';
import type { JsonSchema, SchemaLimits } from '../values/json-schema.js';
import { normalizeSchema, createSizeRule } from '../check/normal-schema.js';
import type { MaybeAsyncValidate, ValidationResult } from '../validate/schema-validator.js';

/** Validates a value that is large for its schema. Rejects the value as `tooLong` if that may take more than `maxSteps`. */
export type CheckLarge = (value: unknown, maxSteps: number) => ReturnType<MaybeAsyncValidate>;

export const tooLong = {
  ok: false,
  issues: [{ path: [], message: 'takes too long to check' }],
} as const satisfies ValidationResult;

/** Up to this many JSON values, no schema without references makes a library slow. */
const FEW_VALUES = 50;
/** A library may collect every issue if that takes at most this many steps. */
const ORDINARY_STEPS = 20_000;
/** Maximum steps of a library for a large value. If three steps for each JSON value are more, these are the limit. */
const MAX_STEPS = 40_000;
const STEPS_PER_VALUE = 3;
/** Counting stops here, because results of handlers have no size limit. */
const MAX_COUNTED = 1_000_000;

/**
 * Bounds the work of a library, which takes seconds for some values of legal size. `checkLarge` validates the values that are
 * large for their schema. If the JSON Schema does not show all of the work, it validates every value.
 */
export function boundWork(
  validate: MaybeAsyncValidate,
  checkLarge: CheckLarge,
  shown: { jsonSchema: JsonSchema; limits: SchemaLimits; hasReferences: boolean } | undefined,
): MaybeAsyncValidate {
  let isOrdinary: ((value: unknown) => boolean) | undefined;
  return (value) => {
    if (shown) {
      const { jsonSchema, limits, hasReferences } = shown;
      if (!hasReferences && countValues(value, FEW_VALUES) <= FEW_VALUES) return validate(value);
      isOrdinary ??= createSizeRule(normalizeSchema(jsonSchema, { limits }), ORDINARY_STEPS);
      if (isOrdinary(value)) return validate(value);
    }
    return checkLarge(value, Math.max(MAX_STEPS, STEPS_PER_VALUE * countValues(value, MAX_COUNTED)));
  };
}

/** Reports data that is nested too deeply for the stack as an issue, instead of throwing. */
export function boundStack<V extends MaybeAsyncValidate>(validate: V): V {
  return ((value) => {
    try {
      const result = validate(value);
      return 'ok' in result ? result : result.then((settled) => settled, tooDeep);
    } catch (error) {
      return tooDeep(error);
    }
  }) as V;
}

function tooDeep(error: unknown): ValidationResult {
  // Other RangeErrors, such as those of invalid dates, are bugs in code of the author.
  if (!(error instanceof RangeError && error.message.includes('call stack'))) throw error;
  return { ok: false, issues: [{ path: [], message: 'is nested too deeply' }] };
}
