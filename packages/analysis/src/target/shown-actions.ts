import { readActions } from '@toolfold/testing/internal';
import type { ListedTool } from './opened-target.js';

/** Replaces the inputs of the actions with those that the tool lists for a profile. */
export function withShownActions(listed: ListedTool): ListedTool {
  const inputs = new Map(readActions(listed.tool).actions.map(({ key, inputSchema }) => [key, inputSchema]));
  const actions = listed.actions.map((action) => ({
    ...action,
    inputSchema: inputs.get(action.key) ?? action.inputSchema,
  }));
  return { ...listed, actions };
}
