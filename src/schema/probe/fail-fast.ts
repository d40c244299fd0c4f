import { countValues } from '../../values/json-limits.js';
import type { JsonSchema, SchemaLimits } from '../../values/json-schema.js';
import { normalizeSchema } from '../check/normal-schema.js';
import { createSizeRule } from '../check/size-rule.js';
import type { MaybeAsyncValidate, SchemaIssue } from '../validate/schema-validator.js';

/**
 * Looks for what is wrong with a large value and stops at the first place. `undefined` where it found nothing. It must
 * not find anything in a value that the library accepts.
 */
export type Probe = (value: unknown, maxSteps: number) => readonly SchemaIssue[] | undefined;

export const tooLong: readonly SchemaIssue[] = [{ path: [], message: 'takes too long to check' }];

/** With so few values, no schema makes a library slow. */
const FEW_VALUES = 50;
/** With so many steps or fewer, a library may collect every issue. */
const ORDINARY_STEPS = 20_000;
/** The steps that a library may take for a large value: this many, or three for each JSON value if that is more. */
const MAX_STEPS = 40_000;
const STEPS_PER_VALUE = 3;

/**
 * Libraries collect every issue of a value, which takes seconds for some values of legal size. A value that is large for
 * its schema is probed first, and the library sees only values in which the probe found nothing.
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
