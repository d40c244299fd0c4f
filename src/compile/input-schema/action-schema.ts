import type { StandardSchemaV1 } from '@standard-schema/spec';
import { planRepairs } from '../../guards/repair/json-repair.js';
import type { RepairPlan } from '../../guards/repair/json-repair.js';
import type { ReadSchema } from '../../schema/read/read-schema.js';
import { createInputValidator, undeclaredFields } from '../../schema/validate/input-validator.js';
import type { UnknownFields } from '../../schema/validate/input-validator.js';
import type { MaybeAsyncValidate, ValidationResult } from '../../schema/validate/schema-validator.js';
import type { JsonSchemaObject } from '../../values/json-schema.js';
import { generateFlatSchema } from './flat-schema.js';

/** The arguments of a call. */
type Arguments = Readonly<Record<string, unknown>>;

/**
 * The schema of one action's whole input, including the common fields. It implements Standard Schema, so any validating code can
 * use it.
 */
export class ActionSchema implements StandardSchemaV1<unknown, Arguments> {
  readonly #createValidator: () => MaybeAsyncValidate;
  readonly #input: ReadSchema;
  readonly #common: ReadSchema | undefined;
  readonly #unknownFields: UnknownFields;
  #fieldNames: readonly string[] | undefined;
  #repairs: { readonly plan: RepairPlan | undefined } | undefined;

  /** `ignored` is a key that belongs to neither schema; see `createInputValidator`. */
  constructor(
    input: ReadSchema,
    common: ReadSchema | undefined,
    unknownFields: UnknownFields,
    ignored?: string,
  ) {
    this.#createValidator = () => createInputValidator(input, common, unknownFields, ignored);
    this.#input = input;
    this.#common = common;
    this.#unknownFields = unknownFields;
  }

  /** Validates a value. The validator is created on first use, and then takes the place of this getter. */
  get validate(): MaybeAsyncValidate {
    const value = this.#createValidator();
    Object.defineProperty(this, 'validate', { value });
    return value;
  }

  /** The names of all fields, the common ones first. */
  get fieldNames(): readonly string[] {
    const common = this.#common?.fields?.keys() ?? [];
    return (this.#fieldNames ??= [...new Set([...common, ...(this.#input.fields?.keys() ?? [])])]);
  }

  /**
   * The places at which arguments may contain JSON text instead of an object or array.
   *
   * @internal
   */
  get repairs(): RepairPlan | undefined {
    const parts = this.#common ? [this.#common, this.#input] : [this.#input];
    return (this.#repairs ??= { plan: planRepairs(parts) }).plan;
  }

  get jsonSchema(): JsonSchemaObject {
    return generateFlatSchema(this.#input, {
      common: this.#common,
      undeclared: undeclaredFields(this.#input, this.#common, this.#unknownFields),
    });
  }

  /** The interface that Standard Schema prescribes. */
  get '~standard'(): StandardSchemaV1.Props<unknown, Arguments> {
    return {
      version: 1,
      vendor: 'toolfold',
      validate: (value) => {
        const result = this.validate(value);
        return result instanceof Promise ? result.then(toStandard) : toStandard(result);
      },
    };
  }
}

function toStandard(result: ValidationResult): StandardSchemaV1.Result<Arguments> {
  return result.ok ? { value: result.value as Arguments } : { issues: result.issues };
}
