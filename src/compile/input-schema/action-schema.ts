import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ReadSchema } from '../../schema/read/read-schema.js';
import type { MaybeAsyncValidate, ValidationResult } from '../../schema/validate/schema-validator.js';
import { Definitions } from './definitions.js';
import { isComposed, isForeign, shownFields } from '../../schema/read/foreign-schema.js';

type Part = Pick<ReadSchema, 'jsonSchema' | 'fields'>;

/**
 * The listed input schema of one action: an object with the common fields, then the action's own, and no composition at the root.
 * Without common fields and composition, the action's schema is returned unchanged.
 */
export function generateFlatSchema(action: Part, common?: Part): JsonSchemaObject {
  const { $schema, ...own } = action.jsonSchema;
  const definitions = new Definitions();
  if (!common && !isComposed(own)) {
    const isObject = own['type'] === 'object';
    if (isObject && ($schema === undefined || /2020-12/.test(String($schema)))) return own;
    // Only the author's validator can read this dialect, so the schema is listed unchanged.
    if (action.fields === undefined && isForeign(action.jsonSchema))
      return { ...action.jsonSchema, type: 'object' };
    const { $schema: _, ...moved } = definitions.from(action.jsonSchema)(
      action.jsonSchema,
    ) as JsonSchemaObject;
    return { properties: {}, ...moved, type: 'object', ...definitions.toKeyword() };
  }
  const properties = new Map<string, JsonSchema>();
  const required = new Set<string>();
  for (const part of common ? [common, action] : [action]) {
    const move = definitions.from(part.jsonSchema);
    for (const field of shownFields(part)?.values() ?? []) {
      properties.set(field.name, move(field.schema));
      if (field.required) required.add(field.name);
    }
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size > 0 ? { required: [...required] } : {}),
    ...definitions.toKeyword(),
  };
}

/** The arguments of a call. */
type Arguments = Readonly<Record<string, unknown>>;

/**
 * The schema of one action's whole input, including the common fields. It implements Standard Schema, so any validating code can
 * use it.
 */
export class ActionSchema implements StandardSchemaV1<unknown, Arguments> {
  readonly validate: MaybeAsyncValidate;
  /** The names of all fields, the common ones first. */
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
