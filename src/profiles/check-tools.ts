import type { McpTool } from '../protocol/mcp-types.js';
import type { ProfileName, Violation } from './profile.js';

/** Finds every rule of a profile that the tools break. */
export function checkTools(_tools: readonly McpTool[], _profile: ProfileName): Violation[] {
  return [];
}
