import { ErrFieldConflict, ErrInvalidTool } from '../../errors.js';
import { isJsonObject } from '../../values/json-value.js';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import type { ReadSchema } from '../../schema/read/read-schema.js';
import { Definitions } from './definitions.js';
import { isComposed, isForeign, shownFields } from '../../schema/read/foreign-schema.js';
import { planRepairs } from '../../guards/repair/json-repair.js';
import type { RepairPlan } from '../../guards/repair/json-repair.js';
import { isOpen } from '../../schema/validate/input-validator.js';
import { mergeShapes, uniteShapes } from './shapes.js';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { MaybeAsyncValidate, ValidationResult } from '../../schema/validate/schema-validator.js';

/** The parts of a schema that are merged. */
type Part = Pick<ReadSchema, 'jsonSchema' | 'fields'>;

/** The parts of an action that the generator uses. */
export interface SchemaAction {
  /** The value of the discriminator for this action. */
  readonly key: string;
  /** The action's own input schema, without the common fields. */
  readonly input: Part;
}

/** The input of a `SchemaGenerator`. */
export interface SchemaInput {
  /** The name of the tool. */
  readonly name: string;
  /** The argument that names the action. */
  readonly discriminator: string;
  /** Whether action keys include a group, as in `users.create`. */
  readonly hasGroup?: boolean;
  /** The actions, in order of registration. */
  readonly actions: readonly SchemaAction[];
  /** The schema of the fields that every action has. */
  readonly common?: Part | undefined;
  /** How to treat fields of the same name with different shapes: keep all shapes, or throw. Default: `anyOf`. */
  readonly onConflict?: 'anyOf' | 'throw' | undefined;
}

/** Generates the input schema of a grouped tool. */
export type SchemaGenerator = (tool: SchemaInput) => JsonSchemaObject;

/** The actions that use a field, and its shapes. */
interface FieldActions {
  readonly shapes: JsonSchema[];
  /** Shapes from open schemas that do not declare this field but accept fields of any name. */
  readonly undeclared: Set<JsonSchema>;
  /** Whether each action requires the field, by action key. */
  readonly users: Map<string, boolean>;
  /** For a field of the common schema: whether that schema requires it. */
  readonly common?: boolean | undefined;
}

/** The description of the argument that names the action. Clients of this package recognize grouped tools by it. */
export const DISCRIMINATOR_TEXT = 'Which action to run';

/**
 * The default strategy for input schemas: one object with the discriminator and every field, whose description names the actions
 * that use it.
 */
export const generateInputSchema: SchemaGenerator = (tool) => {
  const definitions = new Definitions();
  const fieldActions = collectFields(tool, definitions);
  const properties = new Map<string, JsonSchema>([
    [
      tool.discriminator,
      { type: 'string', enum: tool.actions.map(({ key }) => key), description: DISCRIMINATOR_TEXT },
    ],
  ]);
  for (const [field, uses] of fieldActions) {
    if (tool.onConflict === 'throw' && uniteShapes(uses.shapes).length > 1) throw conflict(tool, field, uses);
    const shape = mergeShapes([...uses.shapes, ...uses.undeclared]);
    properties.set(field, { ...shape, description: appendMark(shape['description'], markOf(uses)) });
  }
  const alwaysRequired = [...fieldActions]
    .filter(([, { common }]) => common === true)
    .map(([field]) => field);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [tool.discriminator, ...alwaysRequired],
    ...definitions.toKeyword(),
  };
};

function collectFields(tool: SchemaInput, definitions: Definitions): Map<string, FieldActions> {
  const fieldActions = new Map<string, FieldActions>();
  if (tool.common) {
    const move = definitions.from(tool.common.jsonSchema);
    for (const { name, schema, required } of shownFields(tool.common)?.values() ?? []) {
      if (name === tool.discriminator) throw shadowsDiscriminator(tool);
      const users = new Map(tool.actions.map(({ key }) => [key, required]));
      fieldActions.set(name, { shapes: [move(schema)], undeclared: new Set(), users, common: required });
    }
  }
  for (const { key, input } of tool.actions) {
    const move = definitions.from(input.jsonSchema);
    for (const { name, schema, required } of shownFields(input)?.values() ?? []) {
      if (name === tool.discriminator) throw shadowsDiscriminator(tool, key);
      const uses: FieldActions = fieldActions.get(name) ?? {
        shapes: [],
        undeclared: new Set(),
        users: new Map(),
      };
      uses.shapes.push(move(schema));
      uses.users.set(key, required);
      fieldActions.set(name, uses);
    }
  }
  for (const part of [tool.common, ...tool.actions.map(({ input }) => input)]) {
    if (part && takesMore(part))
      collectUndeclared(tool, part, fieldActions, definitions.from(part.jsonSchema));
  }
  return fieldActions;
}

/** Whether a part accepts fields beyond those that are listed. */
function takesMore({ jsonSchema, fields }: Part): boolean {
  if (fields !== undefined || !isForeign(jsonSchema)) return isOpen({ jsonSchema, fields });
  return isComposed(jsonSchema) || isOpen({ jsonSchema, fields: shownFields({ jsonSchema, fields }) });
}

/** Records that an open schema also accepts the fields of other actions, under its own rules. */
function collectUndeclared(
  { actions, common }: SchemaInput,
  part: Part,
  fieldActions: ReadonlyMap<string, FieldActions>,
  move: (schema: JsonSchema) => JsonSchema,
): void {
  const { additionalProperties, ...rest } = part.jsonSchema;
  // Use one representation for "accepts anything", so that many open schemas add it only once.
  const isRule = isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
  const isOnlyRule = isRule && !isOpen({ ...part, jsonSchema: rest });
  const [own, shared] = [part, common].map((each) => each && shownFields(each));
  for (const [name, { undeclared, users }] of fieldActions) {
    const isDeclared = own?.has(name) || shared?.has(name);
    if (isDeclared || (part === common && users.size === actions.length)) continue;
    undeclared.add(isOnlyRule ? move(additionalProperties) : true);
  }
}

/** The text that names the actions of a field, in four tiers. */
function markOf({ users, common }: FieldActions): string {
  if (common === true) return '(always required)';
  const [requiring, others]: [string[], string[]] = [[], []];
  for (const [key, required] of users) (required ? requiring : others).push(key);
  if (requiring.length === 0) return `For: ${others.join(', ')}`;
  const mark = `Required for: ${requiring.join(', ')}`;
  return others.length === 0 ? mark : `${mark}. For: ${others.join(', ')}`;
}

function appendMark(description: unknown, mark: string): string {
  if (typeof description !== 'string' || description.trim() === '') return mark;
  const text = description.trim();
  if (mark.startsWith('(')) return `${text} ${mark}`;
  return `${text}${/[.!?]$/.test(text) ? '' : '.'} ${mark}`;
}

function conflict(tool: SchemaInput, field: string, { shapes, users }: FieldActions): ErrFieldConflict {
  const keys = [...users.keys()];
  const shown = [...new Set(shapes.map((shape) => JSON.stringify(shape)))];
  return new ErrFieldConflict(
    `The field "${field}" of tool "${tool.name}" has different shapes in ${keys.join(', ')}: ${shown.join(' and ')}.`,
    {
      hint: 'Rename one of them, give them one shape, or leave onConflict out.',
      details: { field, actions: keys, shapes },
    },
  );
}

function shadowsDiscriminator(tool: SchemaInput, key?: string): ErrInvalidTool {
  const owner = key === undefined ? 'The common schema' : `Action "${key}"`;
  return new ErrInvalidTool(
    `${owner} of tool "${tool.name}" has a field "${tool.discriminator}", the name of the discriminator.`,
    {
      hint: 'Rename the field, or choose another name with .discriminator().',
      details: { tool: tool.name, ...(key === undefined ? {} : { action: key }) },
    },
  );
}

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
  readonly #createValidator: () => MaybeAsyncValidate;
  readonly #input: ReadSchema;
  readonly #common: ReadSchema | undefined;
  #fieldNames: readonly string[] | undefined;
  #repairs: { readonly plan: RepairPlan | undefined } | undefined;

  constructor(input: ReadSchema, common: ReadSchema | undefined, createValidator: () => MaybeAsyncValidate) {
    this.#createValidator = createValidator;
    this.#input = input;
    this.#common = common;
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
