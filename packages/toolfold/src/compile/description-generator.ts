import type { InternalAction } from '../define/read-definition.js';
import { getOrMake } from '../values/get-or-make.js';

/** The parts of an action that descriptions use. */
export type DescribedAction = Pick<
  InternalAction,
  'key' | 'actionName' | 'groupName' | 'groupDescription' | 'description' | 'destructive'
> & { readonly input: Pick<InternalAction['input'], 'required'> };

/** The parts of a grouped tool from which its description is generated. */
export interface DescriptionInput {
  /** Replaces a missing description. */
  readonly name: string;
  /** The author's description of the tool as a whole. */
  readonly description?: string | undefined;
  /** One entry for each action, in order of registration. */
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
  return [...actionsByGroup(actions)].map(
    ([name, members]) => `${name} (${members.map(({ actionName }) => actionName).join(',')})`,
  );
}

export function actionsByGroup(actions: readonly DescribedAction[]): Map<string, DescribedAction[]> {
  const groups = new Map<string, DescribedAction[]>();
  for (const action of actions) getOrMake(groups, action.groupName ?? '', () => []).push(action);
  return groups;
}

/** One line such as `- `users`: People of a workspace` for each group that has a description. */
export function describeGroups(actions: readonly DescribedAction[]): string[] {
  const described = new Map(
    actions.map(({ groupName, groupDescription }) => [
      groupName,
      groupDescription?.trim().replace(/\s*\n\s*/g, ' '),
    ]),
  );
  return [...described].flatMap(([name = '', text = '']) => (text === '' ? [] : [`- \`${name}\`: ${text}`]));
}

function hasDetails({ description, input, destructive }: DescribedAction): boolean {
  return Boolean(description?.trim()) || input.required.length > 0 || destructive === true;
}

function describeAction({ key, description, input, destructive }: DescribedAction): string {
  const needs = input.required.length > 0 ? `Requires: ${input.required.join(', ')}` : '';
  // Line breaks would end the list item.
  const text = description?.trim().replace(/\s*\n\s*/g, ' ') ?? '';
  const sentence = text !== '' && needs !== '' && !/[.!?]$/.test(text) ? `${text}.` : text;
  const parts = [sentence, needs, destructive ? '⚠️ DESTRUCTIVE' : ''];
  return `- \`${key}\`: ${parts.filter((part) => part !== '').join(' ')}`;
}
