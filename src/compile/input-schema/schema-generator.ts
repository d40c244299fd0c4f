import { ErrFieldConflict, ErrInvalidTool } from '../../errors.js';
import { isJsonObject } from '../../values/json-value.js';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import type { ReadSchema } from '../../schema/read/read-schema.js';
import { Definitions } from './definitions.js';
import { isComposed, isForeign, shownFields } from '../../schema/read/foreign-schema.js';
import { isOpen } from '../../schema/validate/input-validator.js';
import { joinSentences } from '../sentences.js';
import { describeField } from './describe-field.js';
import { liftExplanation } from './explanations.js';
import { mergeShapes, uniteShapes } from './shapes.js';

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
  /** The sentences about actions for which the tool's description has no room. Default: none. */
  readonly details?: string | undefined;
  /** Whether action keys include a group, as in `users.create`. */
  readonly hasGroup?: boolean;
  /** The actions, in order of registration. */
  readonly actions: readonly SchemaAction[];
  /** The schema of the fields that every action has. */
  readonly common?: Part | undefined;
  /** How to treat fields of the same name with different shapes: keep all shapes, or throw. Default: `anyOf`. */
  readonly onConflict?: 'anyOf' | 'throw' | undefined;
  /** Whether calls with fields that no action declares are rejected. Default: false. */
  readonly rejectsUnknown?: boolean | undefined;
}

/** Generates the input schema of a grouped tool. */
export type SchemaGenerator = (tool: SchemaInput) => JsonSchemaObject;

/** The actions that use a field, and its shapes. */
interface FieldActions {
  readonly shapes: JsonSchema[];
  /** The action of each shape; `undefined` for that of the common schema. */
  readonly declaredBy: (string | undefined)[];
  /** Whether each action requires the field, by action key. */
  readonly users: Map<string, boolean>;
  /** For a field of the common schema: whether that schema requires it. */
  readonly common?: boolean | undefined;
}

/** The beginning of the description of the argument that names the action. Clients of this package recognize grouped tools by it. */
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
      {
        type: 'string',
        enum: tool.actions.map(({ key }) => key),
        description: tool.details ? `${DISCRIMINATOR_TEXT}.\n${tool.details}` : DISCRIMINATOR_TEXT,
      },
    ],
  ]);
  for (const [field, uses] of fieldActions) {
    if (tool.onConflict === 'throw' && uniteShapes(uses.shapes).length > 1) throw conflict(tool, field, uses);
    const shape = mergeShapes(uses.shapes);
    const text = describeField(uses.shapes, uses.declaredBy, shape);
    properties.set(field, { ...shape, description: appendMark(text, markOf(uses)) });
  }
  const alwaysRequired = [...fieldActions]
    .filter(([, { common }]) => common === true)
    .map(([field]) => field);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [tool.discriminator, ...alwaysRequired],
    ...describeOthers(tool, definitions),
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
      fieldActions.set(name, {
        shapes: [liftExplanation(move(schema))],
        declaredBy: [undefined],
        users,
        common: required,
      });
    }
  }
  for (const { key, input } of tool.actions) {
    const move = definitions.from(input.jsonSchema);
    for (const { name, schema, required } of shownFields(input)?.values() ?? []) {
      if (name === tool.discriminator) throw shadowsDiscriminator(tool, key);
      const uses: FieldActions = fieldActions.get(name) ?? { shapes: [], declaredBy: [], users: new Map() };
      uses.shapes.push(liftExplanation(move(schema)));
      uses.declaredBy.push(key);
      uses.users.set(key, required);
      fieldActions.set(name, uses);
    }
  }
  return fieldActions;
}

/** Whether a part accepts fields beyond those that are listed. */
function takesMore({ jsonSchema, fields }: Part): boolean {
  if (fields !== undefined || !isForeign(jsonSchema)) return isOpen({ jsonSchema, fields });
  return isComposed(jsonSchema) || isOpen({ jsonSchema, fields: shownFields({ jsonSchema, fields }) });
}

/**
 * The keyword for fields that no action declares: the rules of the open actions, with their names. The fields that other actions
 * declare keep their own shapes, although an open action accepts any value for them.
 */
function describeOthers(
  { actions, common, rejectsUnknown = false }: SchemaInput,
  definitions: Definitions,
): JsonSchemaObject {
  if (rejectsUnknown) return { additionalProperties: false };
  const isCommonOpen = common !== undefined && takesMore(common);
  const open = actions.filter(({ input }) => takesMore(input));
  const parts = [...(isCommonOpen ? [common] : []), ...open.map(({ input }) => input)];
  if (parts.length === 0) return {};
  const rules = mergeShapes(parts.map((part) => ruleForOthers(part, definitions)));
  const { description: _, ...rule } = rules;
  const text = 'Any other field';
  const isForAll = isCommonOpen || open.length === actions.length;
  const mark = `For: ${open.map(({ key }) => key).join(', ')}`;
  return { additionalProperties: { ...rule, description: isForAll ? text : appendMark(text, mark) } };
}

/** The schema that an open part applies to fields that it does not declare. */
function ruleForOthers(part: Part, definitions: Definitions): JsonSchema {
  const { additionalProperties, ...rest } = part.jsonSchema;
  const isOnlyRule = isJsonObject(additionalProperties) && !isOpen({ ...part, jsonSchema: rest });
  return isOnlyRule ? definitions.from(part.jsonSchema)(additionalProperties) : true;
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
  return joinSentences(text, mark);
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
