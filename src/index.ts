export {
  ErrActionRequired,
  ErrCancelled,
  ErrDuplicateName,
  ErrExternalRef,
  ErrFieldConflict,
  ErrFrozen,
  ErrGroupCycle,
  ErrIdempotencyConflict,
  ErrInputUnavailable,
  ErrInsufficientScope,
  ErrInvalidBuilder,
  ErrInvalidCatalog,
  ErrInvalidCursor,
  ErrInvalidModel,
  ErrInvalidOptions,
  ErrInvalidPolicy,
  ErrInvalidRequestState,
  ErrInvalidResult,
  ErrInvalidSchema,
  ErrInvalidSelection,
  ErrInvalidServer,
  ErrInvalidSessionContext,
  ErrInvalidTool,
  ErrInvalidToolID,
  ErrMissingCapability,
  ErrModuleFailed,
  ErrNextCalledTwice,
  ErrOutcomeUnknown,
  ErrOutputTooLarge,
  ErrOverloaded,
  ErrProtocol,
  ErrRateLimited,
  ErrTimeout,
  ErrTooManyToolsets,
  ErrToolFailed,
  ErrUnknownAction,
  ErrUnknownPrompt,
  ErrUnknownResource,
  ErrUnknownTask,
  ErrUnknownTool,
  ErrUnknownToolset,
  ErrUnsupportedSchema,
  ErrUpstreamLost,
  ErrValidationFailed,
  ToolfoldError,
  errorTable,
} from './errors.js';
export type { Audience, ErrorCode, ErrorOptions } from './errors.js';

export { BaseModel } from './model/base-model.js';
export type { BaseModelInit, Meta } from './model/base-model.js';
export { GroupItem } from './model/group-item.js';
export { Group } from './model/group.js';
export type { Icon } from './model/icon.js';
export type { GroupChild } from './model/links.js';
export { Prompt, PromptArgument } from './model/prompt.js';
export type { PromptArgumentInit, PromptInit } from './model/prompt.js';
export { Resource, ResourceTemplate } from './model/resource.js';
export type { Annotations, ResourceInit, ResourceTemplateInit, Role } from './model/resource.js';
export { normalizeTags } from './model/tags.js';
export type { TagStrategy } from './model/tags.js';
export { ToolAnnotations } from './model/tool-annotations.js';
export type { ToolAnnotationsInit } from './model/tool-annotations.js';
export { formatToolID, parseToolID } from './model/tool-id.js';
export type { ToolID } from './model/tool-id.js';
export { Tool } from './model/tool.js';
export type { ToolExecution, ToolInit } from './model/tool.js';

export {
  GroupConverterBase,
  PromptConverterBase,
  ResourceConverterBase,
  ToolAnnotationsConverterBase,
  ToolConverterBase,
} from './model/converters/bases.js';
export { ConverterBase } from './model/converters/converter-base.js';
export type { Nullish } from './model/converters/converter-base.js';
export { GroupTreeConverter } from './model/converters/group-tree.js';
export type { GroupTree, SameAs, TreeTool } from './model/converters/group-tree.js';
export { McpPromptConverter } from './model/converters/mcp-prompt.js';
export { McpResourceConverter, McpResourceTemplateConverter } from './model/converters/mcp-resource.js';
export {
  McpToolAnnotationsConverter,
  McpToolConverter,
  fromMCPJSON,
  toMCPJSON,
} from './model/converters/mcp-tool.js';
export type { McpToolConverterOptions } from './model/converters/mcp-tool.js';
export type {
  McpItem,
  McpPrompt,
  McpPromptArgument,
  McpResource,
  McpResourceTemplate,
  McpTool,
  McpToolAnnotations,
  ProtocolVersion,
} from './model/converters/mcp-types.js';

export { DefaultValidator } from './schema/default-validator.js';
export type { DefaultValidatorOptions } from './schema/default-validator.js';
export type { JsonSchema, JsonSchemaObject, SchemaLimits } from './schema/json-schema.js';
export { readSchema } from './schema/read-schema.js';
export type { ReadSchema, ReadSchemaOptions, SchemaSource } from './schema/read-schema.js';
export type { SchemaField } from './schema/schema-utils.js';
export type { SchemaValidator } from './schema/schema-validator.js';
export type {
  MaybeAsyncValidate,
  SchemaIssue,
  Validate,
  ValidationResult,
} from './schema/validation-result.js';

export { Cache } from './stores/cache.js';
export type { CacheHelpers, CacheKey, CacheOptions, CacheSettings } from './stores/cache.js';
export { MemoryStore } from './stores/memory-store.js';
export type { MemoryStoreOptions } from './stores/memory-store.js';
export type { Bus } from './stores/bus.js';
export type { Sequence } from './stores/sequence.js';
export type { Shared, SharedEvent } from './stores/shared.js';
export type { Store } from './stores/store.js';

export type { ActionSchema } from './compile/action-schema.js';
export { aggregateAnnotations } from './compile/annotation-aggregator.js';
export { generateDescription } from './compile/description-generator.js';
export type { DescriptionGenerator, DescriptionInput } from './compile/description-generator.js';
export type { InferInput } from './compile/infer-input.js';
export type {
  FormQuestion,
  InputAnswer,
  InputQuestion,
  PageAnswer,
  PageQuestion,
  RequestInput,
  RootsAnswer,
  RootsQuestion,
  SamplingAnswer,
  SamplingMessage,
  SamplingQuestion,
} from './compile/input-question.js';
export type { UnknownFields } from './compile/input-validator.js';
export { compileMiddlewareChains } from './compile/middleware-compiler.js';
export type { ChainFn, ChainedAction } from './compile/middleware-compiler.js';
export { generateInputSchema } from './compile/schema-generator.js';
export type { SchemaGenerator, SchemaInput } from './compile/schema-generator.js';
export { generateToonDescription } from './compile/toon-description-generator.js';
export type {
  Cached,
  Caller,
  CallerAuth,
  DefaultArgumentResolver,
  Handler,
  Hints,
  IdempotencyRule,
  LogToClient,
  LoggingLevel,
  Middleware,
  ReportProgress,
  RequestContext,
  RetryRule,
  SecurityLabels,
  TaskRule,
  ToolCall,
  ToolContext,
  ToolDefinition,
  ToolMetadata,
} from './compile/tool-definition.js';
export type { CompiledForm, Strategies } from './compile/tool-definition-compiler.js';
export type { Logger } from './guard/logger.js';
export type { Allowance, RateLimit, RateLimiter } from './guard/rate-limiter.js';
export type {
  CallWatcher,
  SecuredCall,
  SecurityWrapper,
  WithSecurityWrapper,
} from './guard/security-wrapper.js';
export { ErrorHandler } from './format/error-handler.js';
export type { ErrorHandlerOptions, ErrorHandling, ErrorReport, FailedCall } from './format/error-handler.js';
export type { OutputBudget } from './format/output-budget.js';
export { ResponseFormatter } from './format/response-formatter.js';
export type { ResponseFormatterOptions, ResponseFormatting } from './format/response-formatter.js';
export { error, success, toonSuccess } from './format/tool-result.js';
export type { CallToolResult, ContentBlock } from './format/tool-result.js';
export { GroupedToolBuilder } from './build/grouped-tool-builder.js';
export type { ActionGroup } from './build/action-group.js';
export type { ActionMetadata } from './build/action-metadata.js';
export type { BuilderOptions } from './build/grouped-tool-builder.js';
export type { AnyRegistry } from './registry/any-registry.js';
export type { DetachFn } from './registry/attach.js';
export type { CollaboratorOptions } from './registry/collaborators.js';
export type { ConcurrencyOptions } from './registry/concurrency.js';
export type { McpMiddleware, McpRequest } from './registry/mcp-middleware.js';
export type { CallRecord, Observe } from './registry/observe.js';
export type { ExecuteRequest } from './registry/pipeline.js';
export type { Completer, GetPromptResult, PromptDefinition, PromptMessage } from './registry/prompts.js';
export type { ContextFactory, RequestOptions } from './registry/request-context.js';
export type { WireQuestion } from './compile/input-required.js';
export type { AskClient } from './registry/request-input.js';
export type { ReadResourceResult, ResourceContents, ResourceDefinition } from './registry/resources.js';
export type { McpServerLike } from './registry/server-resolver.js';
export type { CompilableTool } from './registry/compile-item.js';
export type { Completion, CompletionRequest } from './registry/complete.js';
export type { RegistryChange } from './registry/registry-changes.js';
export type { ToolRegistryOptions } from './registry/registry-options.js';
export { ToolRegistry } from './registry/tool-registry.js';
export type { View, ViewPolicy } from './registry/view.js';
export type { Selection, ViewSource } from './registry/view-source.js';

export { SessionContext } from './session/session-context.js';
export type {
  ContextRequest,
  ContextSource,
  ContextValues,
  ResolvedContext,
  SessionContextConfig,
} from './session/session-context.js';
export type { ExposurePolicy } from './toolsets/exposure-policy.js';
export { ModeConfigMapper } from './toolsets/mode-config-mapper.js';
export type { ToolsetConfig } from './toolsets/mode-config-mapper.js';
export { createModuleAdapter, createModuleAdapters, readOnlyService } from './toolsets/module-adapter.js';
export type {
  AdaptedTool,
  GroupedModule,
  ModuleAdapter,
  ModuleAdapterOptions,
  ModuleAdapters,
} from './toolsets/module-adapter.js';
export type { LoadedTool, ModuleLoader } from './toolsets/module-loader.js';
export type { CreateRanker } from './toolsets/search-form.js';
export type { Ranker, RankerOptions } from './toolsets/search-fusion.js';
export type { ToolSearchDocument } from './toolsets/search-index.js';
export { ServerModeEnforcer } from './toolsets/server-mode.js';
export type { ModeChoice, ServerMode, ServerModeOptions, SessionConfig } from './toolsets/server-mode.js';
export { ToolCollector } from './toolsets/tool-collector.js';
export type { McpToolDefinition, ToolConfig } from './toolsets/tool-collector.js';
export type { ToolSetCatalog, ToolSetDefinition } from './toolsets/tool-set-catalog.js';
export type { ExposureOptions } from './toolsets/exposure.js';
export type { OfferedView } from './toolsets/offered-view.js';
export type { ToolsetSummary } from './toolsets/toolsets.js';
