import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonSchemaObject } from '../values/json-schema.js';
import type { ReadSchema } from '../schema/read/read-schema.js';
import type { MaybeAsyncValidate, ValidationResult } from '../schema/validate/validation-result.js';
import { generateFlatSchema } from './input-schema/flat-schema.js';

/** What came with a call. */
type Arguments = Readonly<Record<string, unknown>>;

/** The whole input of one action, common fields included: a Standard Schema that any validating code can use. */
export class ActionSchema implements StandardSchemaV1<unknown, Arguments> {
  readonly validate: MaybeAsyncValidate;
  /** The fields that the action takes, common ones first. */
  readonly fieldNames: readonly string[];
  readonly #input: ReadSchema;
  readonly #common: ReadSchema | undefined;

  constructor(input: ReadSchema, common: ReadSchema | undefined, validate: MaybeAsyncValidate) {
    this.validate = validate;
    this.#input = input;
    this.#common = common;
    this.fieldNames = [...new Set([...(common?.fields?.keys() ?? []), ...(input.fields?.keys() ?? [])])];
  }

  get jsonSchema(): JsonSchemaObject {
    return generateFlatSchema(this.#input, this.#common);
  }

  /** What libraries that take any schema read. */
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
