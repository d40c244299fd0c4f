import { encode } from '@toon-format/toon';
import { actionsByGroup, describeGroups, summarize } from './description-generator.js';
import type { DescribedAction, DescriptionGenerator } from './description-generator.js';

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

function byGroup(actions: readonly DescribedAction[]): Record<string, ActionRow[]> {
  const groups = [...actionsByGroup(actions)].map(([name, members]) => [
    name,
    members.map((action) => ({ ...toRow(action), action: action.actionName })),
  ]);
  return Object.fromEntries(groups) as Record<string, ActionRow[]>;
}

function toRow({ key, description = '', input, destructive = false }: DescribedAction): ActionRow {
  return { action: key, desc: description, required: input.required.join(','), destructive };
}
