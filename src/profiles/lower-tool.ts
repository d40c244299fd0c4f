import type { McpTool } from '../protocol/mcp-types.js';
import type { LoweredTool, ProfileName } from './profile.js';

/** Rewrites a listed tool until a profile accepts it. */
export function lowerTool(tool: McpTool, _profile: ProfileName): LoweredTool {
  return { tool, changes: [] };
}
