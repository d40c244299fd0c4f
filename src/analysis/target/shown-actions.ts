import { readActions } from '../../client/read-actions.js';
import type { ListedTool } from './opened-target.js';

/** A tool of a file whose actions have the inputs that its list shows for a profile, instead of those of the author. */
export function withShownActions(listed: ListedTool): ListedTool {
  const inputs = new Map(readActions(listed.tool).actions.map(({ key, inputSchema }) => [key, inputSchema]));
  const actions = listed.actions.map((action) => ({
    ...action,
    inputSchema: inputs.get(action.key) ?? action.inputSchema,
  }));
  return { ...listed, actions };
}
