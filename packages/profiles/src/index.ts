/** `@toolfold/profiles`: what each client accepts, and lowering of listed tools for a client. */
export { checkTools } from './check-tools.js';
export { lowerTool, lowerTools } from './lower-tool.js';
export { profileNames } from './profile.js';
export { profiles } from './rules/profiles.js';
export type { Arguments, Change, LoweredTool, LowerOptions, ProfileName, Violation } from './profile.js';
export type { Profile, ProfileRule } from './rules/profiles.js';
export type { Icon, McpItem, McpTool, McpToolAnnotations, Meta, ToolExecution } from './mcp-tool.js';
