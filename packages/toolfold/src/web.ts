/** `toolfold/web`: serving on any runtime, and what a handler is configured with. Nothing here needs Node. */
export { SessionContext } from './callers/session-context.js';
export type {
  ContextRequest,
  ContextSource,
  ResolvedContext,
  SessionContextConfig,
  ContextValues,
} from './callers/session-context.js';
export { ToolCollector } from './define/tool-collector.js';
export type { McpToolDefinition, ToolConfig } from './define/tool-collector.js';
export { apiKeys } from './serve/auth/api-keys.js';
export type { ApiKey, ApiKeysOptions } from './serve/auth/api-keys.js';
export type { AuthInfo } from './serve/auth/auth-info.js';
export type {
  Authentication,
  Authenticator,
  ReadHeader,
  Rejection,
  ResourceMetadata,
} from './serve/auth/authenticator.js';
export { oauth } from './serve/auth/oauth.js';
export type { OAuthOptions } from './serve/auth/oauth.js';
export type { CorsOptions } from './serve/http/admission.js';
export { createHandler } from './serve/http/create-handler.js';
export type { McpHandler } from './serve/http/create-handler.js';
export type { HandlerOptions, SessionOptions } from './serve/http/handler-options.js';
export type { RequestLimit } from './serve/http/capacity.js';
export { MemorySessionStore } from './stores/memory/memory-session-store.js';
export type { DeriveSession, SessionRecord, SessionStore } from './stores/contracts.js';
export type { MemorySessionStoreOptions } from './stores/memory/memory-session-store.js';
export type { ExposurePolicy, OfferedView } from './toolsets/exposure-policy.js';
export { Exposure } from './toolsets/exposure.js';
export type {
  Form,
  FormCall,
  FormServer,
  FormTool,
  FormTools,
  FormView,
  ForwardingTool,
  ToolsetTexts,
} from './toolsets/forms/form.js';
export type { FormSettings, NamedFormSettings } from './toolsets/forms/load-form.js';
export type { ExposureOptions, ToolsetConfig } from './toolsets/toolset-config.js';
export { ModeConfigMapper, ServerModeEnforcer } from './toolsets/server-mode.js';
export { createModuleAdapter, createModuleAdapters, readOnlyService } from './toolsets/module-adapter.js';
export type {
  AdaptedTool,
  GroupedModule,
  ModuleAdapter,
  ModuleAdapterOptions,
  ModuleAdapters,
} from './toolsets/module-adapter.js';
export type { LoadedTool, ModuleLoader } from './toolsets/module-loader.js';
export type { ModeChoice, ServerMode, ServerModeOptions, SessionConfig } from './toolsets/server-mode.js';
export type { ToolSetCatalog, ToolSetDefinition } from './toolsets/tool-set-catalog.js';
export { Toolsets } from './toolsets/toolsets.js';
export type { ToolsetSummary } from './toolsets/toolsets.js';
