import { ErrFieldConflict, ErrInvalidTool } from '@toolfold/schema/errors';
import {
  isComposed,
  isForeign,
  isJsonObject,
  isOpen,
  joinSentences,
  shownFields,
} from '@toolfold/schema/internal';
import type { JsonSchema, JsonSchemaObject, ReadSchema } from '@toolfold/schema';
import { Definitions } from './definitions.js';
import { describeField } from './describe-field.js';
import { liftExplanation } from './explanations.js';
import { mergeShapes, uniteShapes } from './shapes.js';

/** The parts of a schema that the generator uses. */
type Part = Pick<ReadSchema, 'jsonSchema' | 'fields'>;

/** The parts of an action that the generator uses. */
export interface SchemaAction {
  /** The value of the discriminator that selects this action. */
  readonly key: string;
  /** The action's own input schema, without the common fields. */
  readonly input: Part;
}

/** The parts of a grouped tool from which a `SchemaGenerator` creates the input schema. */
export interface SchemaInput {
  /** Names the tool in error messages. */
  readonly name: string;
  /** The argument that names the action. */
  readonly discriminator: string;
  /** Whether action keys include a group, as in `users.create`. */
  readonly hasGroup?: boolean;
  /** One entry for each action, in order of registration. */
  readonly actions: readonly SchemaAction[];
  /** The schema of the fields that all actions share. */
  readonly common?: Part | undefined;
  /** How to treat fields of the same name with different shapes: keep all shapes, or throw. Default: `anyOf`. */
  readonly onConflict?: 'anyOf' | 'throw' | undefined;
  /** Whether calls with fields that no action declares are rejected. Default: false. */
  readonly rejectsUnknown?: boolean | undefined;
}

/** Merges the schemas of all actions into one object schema. */
export type SchemaGenerator = (tool: SchemaInput) => JsonSchemaObject;

/** Collects how the actions declare one field. */
interface FieldActions {
  readonly shapes: JsonSchema[];
  /** The action of each shape; `undefined` for that of the common schema. */
  readonly declaredBy: (string | undefined)[];
  /** Whether each action requires the field, by action key. */
  readonly users: Map<string, boolean>;
  /** For a field of the common schema: whether that schema requires it. */
  readonly common?: boolean | undefined;
}

/** The description of the discriminator begins with this text. `@toolfold/testing/client` recognizes grouped tools by it. */
export const DISCRIMINATOR_TEXT = 'Which action to run';

/** These marks in the description of a field name its actions. `testing/read-actions.ts` parses them. */
export const ALWAYS_REQUIRED = '(always required)';
export const REQUIRED_FOR = 'Required for: ';
export const FOR = 'For: ';

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
        description: DISCRIMINATOR_TEXT,
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

/** Whether a schema accepts fields that its list does not name. */
function takesMore({ jsonSchema, fields }: Part): boolean {
  if (fields !== undefined || !isForeign(jsonSchema)) return isOpen({ jsonSchema, fields });
  return isComposed(jsonSchema) || isOpen({ jsonSchema, fields: shownFields({ jsonSchema, fields }) });
}

/**
 * Writes `additionalProperties`: the schemas that open actions and an open common schema give undeclared fields, with
 * the names of these actions. A field that an action declares keeps its own shape, although an open action accepts any
 * value for it.
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
  const mark = `${FOR}${open.map(({ key }) => key).join(', ')}`;
  return { additionalProperties: { ...rule, description: isForAll ? text : appendMark(text, mark) } };
}

function ruleForOthers(part: Part, definitions: Definitions): JsonSchema {
  const { additionalProperties, ...rest } = part.jsonSchema;
  const isOnlyRule = isJsonObject(additionalProperties) && !isOpen({ fields: part.fields, jsonSchema: rest });
  return isOnlyRule ? definitions.from(part.jsonSchema)(additionalProperties) : true;
}

/** Names the actions of a field: all require it, some require it, or all may leave it out. */
function markOf({ users, common }: FieldActions): string {
  if (common === true) return ALWAYS_REQUIRED;
  const [requiring, others]: [string[], string[]] = [[], []];
  for (const [key, required] of users) (required ? requiring : others).push(key);
  if (requiring.length === 0) return `${FOR}${others.join(', ')}`;
  const mark = `${REQUIRED_FOR}${requiring.join(', ')}`;
  return others.length === 0 ? mark : `${mark}. ${FOR}${others.join(', ')}`;
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
