import { countValues } from '../../values/json-limits.js';
import type { JsonSchema, SchemaLimits } from '../../values/json-schema.js';
import { normalizeSchema, createSizeRule } from '../check/normal-schema.js';
import type { MaybeAsyncValidate, SchemaIssue, ValidationResult } from '../validate/schema-validator.js';

/**
 * Searches a large value for an issue and stops at the first one; `undefined` if it finds none. It must not report an issue in a
 * value that the library accepts.
 */
export type Probe = (value: unknown, maxSteps: number) => readonly SchemaIssue[] | undefined;

export const tooLong: readonly SchemaIssue[] = [{ path: [], message: 'takes too long to check' }];

/** Up to this many JSON values, no schema makes a library slow. */
const FEW_VALUES = 50;
/** Up to this many steps, a library may collect every issue. */
const ORDINARY_STEPS = 20_000;
/** Maximum steps that a library may take for a large value: this many, or three for each JSON value if that is more. */
const MAX_STEPS = 40_000;
const STEPS_PER_VALUE = 3;

/**
 * Probes values that are large for their schema before the library validates them, because libraries collect every issue of a
 * value, which takes seconds for some values of legal size. The library only sees values without a finding.
 */
export function probeLargeValues(
  validate: MaybeAsyncValidate,
  probe: Probe,
  { jsonSchema, limits }: { jsonSchema: JsonSchema; limits: SchemaLimits },
): MaybeAsyncValidate {
  let isOrdinary: ((value: unknown) => boolean) | undefined;
  return (value) => {
    if (countValues(value, FEW_VALUES) <= FEW_VALUES) return validate(value);
    isOrdinary ??= createSizeRule(normalizeSchema(jsonSchema, { limits }), ORDINARY_STEPS);
    if (isOrdinary(value)) return validate(value);
    const issues = probe(value, Math.max(MAX_STEPS, STEPS_PER_VALUE * countValues(value)));
    return issues ? { ok: false, issues } : validate(value);
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
