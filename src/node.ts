/** `toolfold/node`: serving on Node, over HTTP and stdio, and other MCP servers as modules. */
export { toNodeListener } from './serve/node/node-listener.js';
export type { NodeRequest } from './serve/node/node-listener.js';
export { serveHttp } from './serve/node/serve-http.js';
export type { RunningServer, ServeHttpOptions } from './serve/node/serve-http.js';
export { serveStdio } from './serve/stdio/serve-stdio.js';
export type { RunningStdio, ServeStdioOptions } from './serve/stdio/serve-stdio.js';
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
