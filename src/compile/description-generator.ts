import { encode } from '@toon-format/toon';
import type { InternalAction } from '../define/read-definition.js';

/** What a description says about one action. */
export type DescribedAction = Pick<
  InternalAction,
  'key' | 'actionName' | 'groupName' | 'groupDescription' | 'description' | 'destructive'
> & { readonly input: Pick<InternalAction['input'], 'required'> };

/** What is known of a grouped tool when its description is made. */
export interface DescriptionInput {
  /** The name of the tool. */
  readonly name: string;
  /** What its author says about it as a whole. */
  readonly description?: string | undefined;
  /** What it can do, in order of registration. */
  readonly actions: readonly DescribedAction[];
  /** Whether keys are compound, `users.create`. */
  readonly hasGroup: boolean;
}

/** Replaces the text that a model reads about a tool. */
export type DescriptionGenerator = (tool: DescriptionInput) => string;

/** The default strategy for descriptions: a summary with all actions, then a line for each action that has something to say. */
export const generateDescription: DescriptionGenerator = (tool) => {
  const workflow = [
    ...describeGroups(tool.actions),
    ...tool.actions.filter(hasSomethingToSay).map(workflowLine),
  ];
  return [summarize(tool), ...(workflow.length > 0 ? ['', 'Workflow:', ...workflow] : [])].join('\n');
};

/** `Users and billing. Modules: users (list,create) | billing (refund)`, or `Actions: list, create`. */
export function summarize({ name, description, actions, hasGroup }: DescriptionInput): string {
  const listing = hasGroup
    ? `Modules: ${getGroupSummaries(actions).join(' | ')}`
    : `Actions: ${actions.map((action) => action.key).join(', ')}`;
  const subject = description?.trim() || name;
  return `${subject}${/[.!?]$/.test(subject) ? '' : '.'} ${listing}`;
}

/** `users (list,create,ban)` for each group, in order of first mention. */
export function getGroupSummaries(actions: readonly DescribedAction[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { groupName = '', actionName } of actions) {
    const names = groups.get(groupName);
    if (names) names.push(actionName);
    else groups.set(groupName, [actionName]);
  }
  return [...groups].map(([name, names]) => `${name} (${names.join(',')})`);
}

/** `- `users`: People of a workspace` for each group that has a description. */
export function describeGroups(actions: readonly DescribedAction[]): string[] {
  const described = new Map(
    actions.map(({ groupName, groupDescription }) => [
      groupName,
      groupDescription?.trim().replace(/\s*\n\s*/g, ' '),
    ]),
  );
  return [...described].filter(([, text]) => text).map(([name, text]) => `- \`${name}\`: ${text}`);
}

function hasSomethingToSay({ description, input, destructive }: DescribedAction): boolean {
  return Boolean(description?.trim()) || input.required.length > 0 || destructive === true;
}

function workflowLine({ key, description, input, destructive }: DescribedAction): string {
  const needs = input.required.length > 0 ? `Requires: ${input.required.join(', ')}` : '';
  // One line, whatever the author wrote.
  const text = description?.trim().replace(/\s*\n\s*/g, ' ') ?? '';
  const sentence = text !== '' && needs !== '' && !/[.!?]$/.test(text) ? `${text}.` : text;
  const parts = [sentence, needs, destructive ? '⚠️ DESTRUCTIVE' : ''];
  return `- \`${key}\`: ${parts.filter((part) => part !== '').join(' ')}`;
}

/** A row of the table. Every row has every column: a missing one would break the table form. */
export interface ActionRow {
  readonly action: string;
  readonly desc: string;
  readonly required: string;
  readonly destructive: boolean;
}

/**
 * The strategy behind `.toonDescription()`: the summary, the descriptions of the groups, and a pipe-delimited TOON table of the
 * actions, by group where there are groups.
 */
export const generateToonDescription: DescriptionGenerator = (tool) => {
  const rows = tool.hasGroup ? byGroup(tool.actions) : tool.actions.map(toRow);
  return [summarize(tool), ...describeGroups(tool.actions), encode(rows, { delimiter: '|' })].join('\n');
};

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
