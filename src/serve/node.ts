export { apiKeys } from './api-keys.js';
export type { ApiKey, ApiKeysOptions } from './api-keys.js';
export type {
  Authentication,
  Authenticator,
  ReadHeader,
  Refusal,
  ResourceMetadata,
} from './authenticator.js';
export type { CorsOptions } from './cors.js';
export { createHandler } from './create-handler.js';
export type { McpHandler } from './create-handler.js';
export { fromMcpServer } from './from-mcp-server.js';
export type { UpstreamLoader } from './from-mcp-server.js';
export type { HandlerOptions, SessionOptions } from './handler-options.js';
export { Exposure } from '../toolsets/exposure.js';
export { Toolsets } from '../toolsets/toolsets.js';
export { MemorySessionStore } from '../session/session-store.js';
export type {
  DeriveSession,
  MemorySessionStoreOptions,
  SessionRecord,
  SessionStore,
} from '../session/session-store.js';
export { toNodeListener } from './node-listener.js';
export type { NodeRequest } from './node-listener.js';
export { oauth } from './oauth.js';
export type { OAuthOptions } from './oauth.js';
export type { RequestLimit } from './request-limit.js';
export { serveHttp } from './serve-http.js';
export type { RunningServer, ServeHttpOptions } from './serve-http.js';
export { serveStdio } from './serve-stdio.js';
export type { RunningStdio, ServeStdioOptions } from './serve-stdio.js';
export type { UpstreamServer } from './upstream-connection.js';
export type {
  FromMcpServerOptions,
  UpstreamAddress,
  UpstreamCommand,
  UpstreamHeaders,
  UpstreamTarget,
} from './upstream-options.js';
export type { UpstreamToolDefinition } from './upstream-tools.js';
