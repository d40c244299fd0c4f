import type { SchemaSurvey } from '../check/survey-schema.js';
import { surveyWithoutReferences } from '../check/survey-schema.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import type { MaybeAsyncValidate } from '../validate/schema-validator.js';
import { hasOnlyProperties, requiredFields, schemaFields } from './schema-fields.js';
import type { SchemaField } from './schema-fields.js';

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
  /**
   * The schema as its author wrote it. Not enumerable, because schemas of libraries may contain themselves.
   *
   * @internal
   */
  readonly source?: unknown;
  /** Whether the author's own `SchemaValidator` validates. */
  readonly isCustom?: boolean;
  /**
   * Whether the fields are the properties, so that lists need not collect them.
   *
   * @internal
   */
  readonly hasOnlyProperties?: boolean;
  /** The source's own validation. Returns a promise only if the library needs one. */
  readonly validate: MaybeAsyncValidate;
}

interface SchemaFacts extends Pick<ReadSchema, 'vendor' | 'stripsUndeclared' | 'isCustom'> {
  readonly createValidate: (source: unknown, jsonSchema: JsonSchemaObject) => MaybeAsyncValidate;
}

/**
 * A schema that was found free of mistakes. Its fields and its validator are made on first use, because most tools of a large server
 * are never called.
 */
export class CheckedSchema implements ReadSchema {
  readonly vendor: string;
  readonly jsonSchema: JsonSchemaObject;
  readonly stripsUndeclared: boolean;
  readonly isCustom: boolean;
  readonly #source: unknown;
  readonly #createValidate: SchemaFacts['createValidate'];
  #fields: { readonly known: ReadSchema['fields'] } | undefined;
  #required: readonly string[] | undefined;
  #validate: MaybeAsyncValidate | undefined;

  /** A schema without a survey is one that only the author's own validator can read. It has no fields. */
  constructor(
    source: unknown,
    jsonSchema: JsonSchemaObject,
    survey: SchemaSurvey | undefined,
    { vendor, stripsUndeclared, isCustom = false, createValidate }: SchemaFacts,
  ) {
    this.vendor = vendor;
    this.jsonSchema = jsonSchema;
    this.stripsUndeclared = stripsUndeclared;
    this.isCustom = isCustom;
    this.#source = source;
    this.#createValidate = createValidate;
    // Without references, the fields can be found without the survey, which is larger than the schema.
    if (!survey) this.#fields = { known: undefined };
    else if (survey.hasReferences) this.#fields = { known: schemaFields(jsonSchema, survey) };
    Object.freeze(this);
  }

  get source(): unknown {
    return this.#source;
  }

  get hasOnlyProperties(): boolean {
    return this.#fields === undefined && hasOnlyProperties(this.jsonSchema);
  }

  get fields(): ReadSchema['fields'] {
    this.#fields ??= { known: schemaFields(this.jsonSchema, surveyWithoutReferences) };
    return this.#fields.known;
  }

  get required(): readonly string[] {
    return (this.#required ??= Object.freeze(requiredFields(this.fields)));
  }

  get validate(): MaybeAsyncValidate {
    return (this.#validate ??= this.#createValidate(this.#source, this.jsonSchema));
  }
}
