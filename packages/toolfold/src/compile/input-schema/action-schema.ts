import type { StandardSchemaV1 } from '@standard-schema/spec';
import { planRepairs } from '../../guards/repair/json-repair.js';
import type { RepairPlan } from '../../guards/repair/json-repair.js';
import type {
  JsonSchemaObject,
  MaybeAsyncValidate,
  ReadSchema,
  UnknownFields,
  ValidationResult,
} from '@toolfold/schema';
import { createInputValidator, undeclaredFields } from '@toolfold/schema/internal';
import { generateFlatSchema } from './flat-schema.js';

/** Arguments by name, not validated. */
type Arguments = Readonly<Record<string, unknown>>;

/**
 * The schema of one action's whole input, including the common fields. It implements Standard Schema, so any validating code can
 * use it.
 */
export class ActionSchema implements StandardSchemaV1<unknown, Arguments> {
  readonly #input: ReadSchema;
  readonly #common: ReadSchema | undefined;
  readonly #unknownFields: UnknownFields;
  readonly #ignored: string | undefined;
  #fieldNames: readonly string[] | undefined;
  #repairs: { readonly plan: RepairPlan | undefined } | undefined;

  /** `ignored` is a key that belongs to neither schema; see `createInputValidator`. */
  constructor(
    input: ReadSchema,
    common: ReadSchema | undefined,
    unknownFields: UnknownFields,
    ignored?: string,
  ) {
    this.#input = input;
    this.#common = common;
    this.#unknownFields = unknownFields;
    this.#ignored = ignored;
  }

  /** The first call replaces it by the validator, because most tools of a large server are never called. */
  validate: MaybeAsyncValidate = (value) => {
    this.validate = createInputValidator(this.#input, this.#common, this.#unknownFields, this.#ignored);
    return this.validate(value);
  };

  /** Lists the fields of the common schema first. */
  get fieldNames(): readonly string[] {
    const common = this.#common?.fields?.keys() ?? [];
    return (this.#fieldNames ??= [...new Set([...common, ...(this.#input.fields?.keys() ?? [])])]);
  }

  /** @internal Whether the author's own `SchemaValidator` validates a part of the arguments. */
  get isCustom(): boolean {
    return this.#input.isCustom === true || this.#common?.isCustom === true;
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

  /** Lets any code that accepts Standard Schema validate arguments. */
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
