/** `toolfold`: what a server author types every day. */
export type { ActionGroup, ActionMetadata } from './build/action-group.js';
export { GroupedToolBuilder } from './build/grouped-tool-builder.js';
export type { BuilderOptions } from './build/build-tool.js';
export type { ActionSchema } from './compile/input-schema/action-schema.js';
export type { SchemaGenerator, SchemaInput } from './compile/input-schema/schema-generator.js';
export { aggregateAnnotations } from './compile/annotation-aggregator.js';
export { generateDescription } from './compile/description-generator.js';
export type { DescriptionGenerator, DescriptionInput } from './compile/description-generator.js';
export { generateToonDescription } from './compile/toon-description-generator.js';
export type { CompilableTool } from './compile/compile-item.js';
export { generateInputSchema } from './compile/input-schema/schema-generator.js';
export { compileMiddlewareChains } from './compile/middleware-compiler.js';
export type { ChainFn, ChainedAction } from './compile/middleware-compiler.js';
export type { RegisteredDefinition } from './compile/registered-definition.js';
export type { CompiledForm, Strategies } from './compile/compiled-tool.js';
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
} from './define/input-question.js';
export { paginate } from './define/paginate.js';
export type { Page, PageRequest, RowKey } from './define/paginate.js';
export type { Completer, GetPromptResult, PromptDefinition, PromptMessage } from './define/prompts.js';
export type {
  ReadResourceResult,
  ResourceAddress,
  ResourceContents,
  ResourceDefinition,
} from './define/resources.js';
export type {
  Cached,
  DefaultArgumentResolver,
  Handler,
  ClientHints,
  Hints,
  IdempotencyRule,
  LogToClient,
  Middleware,
  Next,
  Passed,
  ReportProgress,
  RequestContext,
  RetryRule,
  SecurityLabels,
  TaskRule,
  ToolCall,
  ToolContext,
  ToolDefinition,
  ToolMetadata,
} from './define/tool-definition.js';
export type { SearchWords } from './define/search-words.js';
export type { ToolsOf, TypedAction, TypedCall, TypedCaller, TypedTool } from './define/typed-tool.js';
export type { Caller, CallerAuth, Selection } from './callers/caller.js';
export { defaultStructuredReaders } from './callers/structured-readers.js';
export type { StructuredReader } from './callers/structured-readers.js';
export type { LoggingLevel } from './protocol/mcp-types.js';
export type { ConcurrencyOptions } from './engine/call-limits.js';
export { ErrorHandler } from './engine/error-handler.js';
export type { ErrorHandlerOptions, ErrorHandling, ErrorReport, FailedCall } from './engine/error-handler.js';
export type { CallRecord, Observe, ServiceOptions } from './engine/services.js';
export type { ExecuteRequest, RequestOptions, McpRequest } from './engine/request.js';
export type { ContextFactory } from './engine/request-context.js';
export { ResponseFormatter } from './engine/shape-output.js';
export type { ResponseFormatterOptions, ResponseFormatting } from './engine/shape-output.js';
export type {
  CallWatcher,
  SecuredCall,
  SecurityWrapper,
  WithSecurityWrapper,
} from './engine/security-wrapper.js';
export { ToolfoldError } from '@toolfold/schema/errors';
export type { ErrorCode } from '@toolfold/schema/errors';
export type { OutputBudget } from './guards/budget/output-budget.js';
export type { StructuredText } from './guards/budget/structured-text.js';
export { Cache } from './guards/cache/cache.js';
export type { CacheHelpers, CacheKey, CacheOptions, CacheSettings } from './guards/cache/cache.js';
export type {
  Allowance,
  RateLimit,
  RateLimiter,
  Sequence,
  Store,
  RegistryChange,
  Shared,
  SharedEvent,
  Bus,
} from './stores/contracts.js';
export type { WireQuestion } from './protocol/input-required.js';
export { error, success, toonSuccess } from './protocol/tool-result.js';
export type { CallToolResult, ContentBlock } from './protocol/tool-result.js';
export type { AskClient } from './questions/request-input.js';
export type { AnyRegistry, Callable, Listable } from './registry/any-registry.js';
export type { DetachFn } from './registry/attach/attach.js';
export type { McpServerLike } from './registry/attach/server-resolver.js';
export type { Completion, CompletionRequest } from './registry/complete.js';
export type { McpMiddleware } from './registry/mcp-middleware.js';
export type { MountOptions } from './registry/mount/mounts.js';
export type { MountedToolset } from './registry/registered-tools.js';
export type { ToolRegistryOptions } from './registry/registry-options.js';
export { initToolfold } from './registry/init-toolfold.js';
export type { Toolfold } from './registry/init-toolfold.js';
export { createCaller } from './registry/create-caller.js';
export type { CallOptions } from './registry/run-typed-call.js';
export type { CallerOptions } from './registry/create-caller.js';
export { ToolRegistry } from './registry/tool-registry.js';
export type { InferInput, ReadSchema, ReadSchemaOptions, SchemaSource } from '@toolfold/schema';
export { readSchema } from '@toolfold/schema';
export type { SchemaField } from '@toolfold/schema';
export { DefaultValidator } from '@toolfold/schema';
export type { DefaultValidatorOptions } from '@toolfold/schema';
export type { UnknownFields } from '@toolfold/schema';
export type {
  SchemaValidator,
  MaybeAsyncValidate,
  SchemaIssue,
  Validate,
  ValidationResult,
} from '@toolfold/schema';
export { MemoryStore } from './stores/memory/memory-store.js';
export type { MemoryStoreOptions } from './stores/memory/memory-store.js';
export type { JsonSchema, JsonSchemaObject, SchemaLimits } from '@toolfold/schema';
export type { Logger } from './values/logger.js';
export type { ViewSource, View } from './views/view.js';
export { defaultClients } from './views/client-table.js';
export type { KnownClient } from './views/client-table.js';
export type { ViewPolicy } from './views/policy.js';
