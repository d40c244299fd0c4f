/** `@toolfold/gateway`: other MCP servers as modules. */
export type { ToolOverride, ToolOverrides } from './upstream/overrides/tool-override.js';
export { fromMcpServer } from './upstream/from-mcp-server.js';
export type { UpstreamLoader } from './upstream/from-mcp-server.js';
export type {
  FromMcpServerOptions,
  UpstreamAddress,
  UpstreamCommand,
  UpstreamHeaders,
  UpstreamHealthCheck,
  UpstreamTarget,
} from './upstream/options.js';
export type {
  FollowOptions,
  UpstreamHealth,
  UpstreamServer,
  UpstreamToolDefinition,
} from './upstream/upstream-types.js';
