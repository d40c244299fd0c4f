import { encode } from '@toon-format/toon';
import type { InternalAction } from '../define/read-definition.js';
import { ToolAnnotations } from '../model/tool.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import type { Hints } from '../define/tool-definition.js';

/** The parts of an action that its description uses. */
export type DescribedAction = Pick<
  InternalAction,
  'key' | 'actionName' | 'groupName' | 'groupDescription' | 'description' | 'destructive'
> & { readonly input: Pick<InternalAction['input'], 'required'> };

/** The input of a `DescriptionGenerator`. */
export interface DescriptionInput {
  /** The name of the tool. */
  readonly name: string;
  /** The author's description of the whole tool. */
  readonly description?: string | undefined;
  /** The actions, in order of registration. */
  readonly actions: readonly DescribedAction[];
  /** Whether action keys include a group, as in `users.create`. */
  readonly hasGroup: boolean;
}

/** Generates the description of a grouped tool, which models read. */
export type DescriptionGenerator = (tool: DescriptionInput) => string;

/** The default strategy for descriptions: a summary that lists all actions, then one line for each action with details. */
export const generateDescription: DescriptionGenerator = (tool) => {
  const details = [...describeGroups(tool.actions), ...tool.actions.filter(hasDetails).map(describeAction)];
  return [summarize(tool), ...(details.length > 0 ? ['', 'Details:', ...details] : [])].join('\n');
};

/**
 * The first line, such as `Users and billing. Modules: users (list,create) | billing (refund)` or `Users. Actions: list, create`.
 */
export function summarize({ name, description, actions, hasGroup }: DescriptionInput): string {
  const listing = hasGroup
    ? `Modules: ${getGroupSummaries(actions).join(' | ')}`
    : `Actions: ${actions.map((action) => action.key).join(', ')}`;
  const subject = description?.trim() || name;
  return `${subject}${/[.!?]$/.test(subject) ? '' : '.'} ${listing}`;
}

/** One text such as `users (list,create,ban)` for each group, in order of first mention. */
export function getGroupSummaries(actions: readonly DescribedAction[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { groupName = '', actionName } of actions) {
    const names = groups.get(groupName);
    if (names) names.push(actionName);
    else groups.set(groupName, [actionName]);
  }
  return [...groups].map(([name, names]) => `${name} (${names.join(',')})`);
}

/** One line such as `- `users`: People of a workspace` for each group that has a description. */
function describeGroups(actions: readonly DescribedAction[]): string[] {
  return collectGroupTexts(actions).map(([name, text]) => `- \`${name}\`: ${text}`);
}

/** The names and descriptions of the groups that have a description. */
export function collectGroupTexts(actions: readonly DescribedAction[]): [name: string, text: string][] {
  const described = new Map(
    actions.map(({ groupName, groupDescription }) => [
      groupName,
      groupDescription?.trim().replace(/\s*\n\s*/g, ' '),
    ]),
  );
  return [...described].flatMap(([name = '', text = '']) => (text === '' ? [] : [[name, text]]));
}

function hasDetails({ description, input, destructive }: DescribedAction): boolean {
  return Boolean(description?.trim()) || input.required.length > 0 || destructive === true;
}

/** The line of an action that shows a part of its description. */
function describeShown({ action, text, isComplete }: ShownAction): string {
  const input = isComplete ? action.input : { required: [] };
  return describeAction({ ...action, description: text, input });
}

function describeAction({ key, description, input, destructive }: DescribedAction): string {
  const needs = input.required.length > 0 ? `Requires: ${input.required.join(', ')}` : '';
  // Line breaks would end the list item.
  const text = description?.trim().replace(/\s*\n\s*/g, ' ') ?? '';
  const sentence = text !== '' && needs !== '' && !/[.!?]$/.test(text) ? `${text}.` : text;
  const parts = [sentence, needs, destructive ? '⚠️ DESTRUCTIVE' : ''];
  return `- \`${key}\`: ${parts.filter((part) => part !== '').join(' ')}`;
}

/** A row of the TOON table. Every row needs all columns, because TOON writes a table only for rows of equal shape. */
interface ActionRow {
  readonly action: string;
  readonly desc: string;
  readonly required: string;
  readonly destructive: boolean;
}

/**
 * The strategy behind `.toonDescription()`: the summary, the descriptions of the groups, and a pipe-delimited TOON table of the
 * actions, by group if there are groups.
 */
export const generateToonDescription: DescriptionGenerator = (tool) => {
  const rows = tool.hasGroup ? byGroup(tool.actions) : tool.actions.map(toRow);
  return [summarize(tool), ...describeGroups(tool.actions), encode(rows, { delimiter: '|' })].join('\n');
};

/** The text of an action that a description has room for. */
export interface ShownAction {
  readonly action: DescribedAction;
  readonly text: string;
  /** Whether the required fields are shown. */
  readonly isComplete: boolean;
}

/** How a built-in strategy writes the lines of a description that has to be shortened. */
export interface DescriptionLayout {
  readonly write: DescriptionGenerator;
  /** The text between the summary and the lines; empty if there is none. */
  readonly title: string;
  readonly writeLines: (shown: readonly ShownAction[], hasGroup: boolean) => string;
}

/** The layouts of the built-in strategies. Other strategies decide about the length of their texts. */
export const layouts: ReadonlyMap<DescriptionGenerator, DescriptionLayout> = new Map([
  [
    generateDescription,
    {
      write: generateDescription,
      title: '\nDetails:',
      writeLines: (shown: readonly ShownAction[]) => shown.map(describeShown).join('\n'),
    },
  ],
  [
    generateToonDescription,
    {
      write: generateToonDescription,
      title: '',
      writeLines: (shown: readonly ShownAction[], hasGroup: boolean) => {
        const actions = shown.map(({ action, text }) => ({ ...action, description: text }));
        return encode(hasGroup ? byGroup(actions) : actions.map(toRow), { delimiter: '|' });
      },
    },
  ],
]);

function byGroup(actions: readonly DescribedAction[]): Record<string, ActionRow[]> {
  const groups = new Map<string, ActionRow[]>();
  for (const action of actions) {
    const { groupName = '', actionName } = action;
    groups.set(groupName, [...(groups.get(groupName) ?? []), { ...toRow(action), action: actionName }]);
  }
  return Object.fromEntries(groups);
}

function toRow({ key, description = '', input, destructive = false }: DescribedAction): ActionRow {
  return { action: key, desc: description, required: input.required.join(','), destructive };
}

/**
 * The default strategy for annotations: derives the hints of a tool from those of its actions. Explicit annotations of the tool
 * take precedence. A hint that depends on actions which do not declare it is omitted, so MCP's default applies.
 */
export function aggregateAnnotations(
  actions: readonly Hints[],
  explicit: ToolAnnotationsInit = {},
): ToolAnnotations {
  const readOnly = actions.map((action) => action.readOnly ?? (action.destructive ? false : undefined));
  const destructive = actions.map((action) => action.destructive ?? (action.readOnly ? false : undefined));
  const aggregated: ToolAnnotationsInit = {
    readOnlyHint: every(readOnly),
    destructiveHint: some(destructive),
    idempotentHint: every(actions.map((action) => action.idempotent)),
    openWorldHint: some(actions.map((action) => action.openWorld)),
  };
  for (const [name, value] of Object.entries(explicit) as [keyof ToolAnnotationsInit, never][]) {
    if (value !== undefined) aggregated[name] = value;
  }
  return new ToolAnnotations(aggregated);
}

/** True if all values are true, false if one is false, otherwise undefined. */
function every(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(false)) return false;
  return values.length === 0 || values.includes(undefined) ? undefined : true;
}

/** True if one value is true, false if all are false, otherwise undefined. */
function some(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(true)) return true;
  return values.length === 0 || values.includes(undefined) ? undefined : false;
}
