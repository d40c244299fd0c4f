import type { InternalAction } from '../define/internal-action.js';

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
