import { describe, expect, it } from 'vitest';
import * as toolfold from '../../packages/toolfold/src/index.js';
import * as web from '../../packages/toolfold/src/web.js';
import { entriesOf, exportsOf, manifestOf, packages, readText } from './package-sources.js';

const entries = packages
  .flatMap((folder) => entriesOf(manifestOf(folder)))
  .filter(({ subpath }) => subpath !== './internal');

// The public surface. By default, do not add new names.
describe('the public surface', () => {
  it('has these entry points with these values and types', () => {
    const listed = entries.map(({ name, source }) => {
      const names = exportsOf(source).flatMap(({ entries: exported }) => exported);
      const those = (wantsTypes: boolean): string =>
        names
          .filter(({ isType }) => isType === wantsTypes)
          .map((each) => each.name)
          .toSorted()
          .join(' ');
      return [name, { values: those(false), types: those(true) }];
    });
    expect(Object.fromEntries(listed)).toMatchInlineSnapshot(`
      {
        "@toolfold/analysis": {
          "types": "Change ChangeSeverity Comparison Finding Severity",
          "values": "compare countTokens lint",
        },
        "@toolfold/analysis/text": {
          "types": "HiddenCharacter",
          "values": "findHidden removeHidden",
        },
        "@toolfold/cli/main": {
          "types": "",
          "values": "",
        },
        "@toolfold/code": {
          "types": "CodeLimits CodeSettings GuestCall GuestError QuickJsSandboxOptions RunFailure RunOutcome Sandbox SandboxRun SandboxStart SandboxStep SettledCall",
          "values": "codeForm createQuickJsSandbox defaultCodeLimits",
        },
        "@toolfold/devtools": {
          "types": "Devtools DevtoolsOptions",
          "values": "devtools",
        },
        "@toolfold/gateway": {
          "types": "FollowOptions FromMcpServerOptions ToolOverride ToolOverrides UpstreamAddress UpstreamCommand UpstreamHeaders UpstreamHealth UpstreamHealthCheck UpstreamLoader UpstreamServer UpstreamTarget UpstreamToolDefinition",
          "values": "fromMcpServer",
        },
        "@toolfold/openapi": {
          "types": "ApiBody ApiCredential ApiCredentials ApiHandler ApiHeaders ApiParameter ApiProperty ApiRequest ApiScheme EjectOpenAPIOptions FromOpenAPIOptions OpenAPIOperation OperationChanges SecurityScheme SendOptions SessionCredential",
          "values": "apiRequests ejectOpenAPI fromOpenAPI",
        },
        "@toolfold/profiles": {
          "types": "Arguments Change Icon LowerOptions LoweredTool McpItem McpTool McpToolAnnotations Meta Profile ProfileName ProfileRule ToolExecution Violation",
          "values": "checkTools lowerTool lowerTools profileNames profiles",
        },
        "@toolfold/redis": {
          "types": "RedisConnectionOptions RedisOptions RedisSessionOptions",
          "values": "redis",
        },
        "@toolfold/schema": {
          "types": "DefaultValidatorOptions ErrorCode Inclusion InferInput JsonSchema JsonSchemaObject MaybeAsyncValidate ReadSchema ReadSchemaOptions SchemaField SchemaIssue SchemaLimits SchemaRelation SchemaSource SchemaValidator UnknownFields Validate ValidationResult",
          "values": "DefaultValidator ToolfoldError compareSchemas readSchema",
        },
        "@toolfold/schema/errors": {
          "types": "Audience ErrorCode ErrorOptions ErrorRow",
          "values": "ErrActionRequired ErrCallNotAllowed ErrCancelled ErrCodeFailed ErrDuplicateName ErrExternalRef ErrFieldConflict ErrFrozen ErrGroupCycle ErrIdempotencyConflict ErrInputUnavailable ErrInsufficientScope ErrInvalidBuilder ErrInvalidCatalog ErrInvalidCursor ErrInvalidModel ErrInvalidOptions ErrInvalidPolicy ErrInvalidRequestState ErrInvalidResult ErrInvalidSchema ErrInvalidSelection ErrInvalidServer ErrInvalidSessionContext ErrInvalidTool ErrInvalidToolID ErrMissingCapability ErrModuleFailed ErrNextCalledTwice ErrOutcomeUnknown ErrOutputTooLarge ErrOverloaded ErrProtocol ErrRateLimited ErrTimeout ErrTooManyToolsets ErrToolFailed ErrUnknownAction ErrUnknownPrompt ErrUnknownResource ErrUnknownTask ErrUnknownTool ErrUnknownToolset ErrUnsupportedSchema ErrUpstreamLost ErrValidationFailed ToolfoldError errorTable",
        },
        "@toolfold/search": {
          "types": "Confidence CreateRanker DocumentField ExplainQuery ExplainedMatch ExplainedTool ExplainedWord FusedQuery FusedSearch MissReason Ranker RankerOptions ScorePart SearchExplanation SearchSettings SearchSidecar ToolSearch ToolSearchAnswer ToolSearchDocument ToolSearchQuery ToolSearchResult",
          "values": "createToolSearch fuseRanker searchForm",
        },
        "@toolfold/testing": {
          "types": "AskedQuestion ElicitAnswer SampleAnswer StartedCall StartedTask SurfaceSource TaskState TestAnswers TestCallArguments TestCallName TestCallOptions TestClient TestClientOptions TestClock TestLog TestProgress TestResult",
          "values": "createClock createTestClient describeSurface",
        },
        "@toolfold/testing/client": {
          "types": "ClientCallOptions ClientOptions RemoteCaller",
          "values": "createClient",
        },
        "@toolfold/testing/vitest": {
          "types": "ToolfoldMatchers",
          "values": "",
        },
        "toolfold": {
          "types": "ActionGroup ActionMetadata ActionSchema Allowance AnyRegistry AskClient BuilderOptions Bus CacheHelpers CacheKey CacheOptions CacheSettings Cached CallOptions CallRecord CallToolResult CallWatcher Callable Caller CallerAuth CallerOptions ChainFn ChainedAction ClientHints CompilableTool CompiledForm Completer Completion CompletionRequest ConcurrencyOptions ContentBlock ContextFactory DefaultArgumentResolver DefaultValidatorOptions DescriptionGenerator DescriptionInput DetachFn ErrorCode ErrorHandlerOptions ErrorHandling ErrorReport ExecuteRequest FailedCall FormQuestion GetPromptResult Handler Hints IdempotencyRule InferInput InputAnswer InputQuestion JsonSchema JsonSchemaObject KnownClient Listable LogToClient Logger LoggingLevel MaybeAsyncValidate McpMiddleware McpRequest McpServerLike MemoryStoreOptions Middleware MountOptions MountedToolset Next Observe OutputBudget Page PageAnswer PageQuestion PageRequest Passed PromptDefinition PromptMessage RateLimit RateLimiter ReadResourceResult ReadSchema ReadSchemaOptions RegisteredDefinition RegistryChange ReportProgress RequestContext RequestInput RequestOptions ResourceAddress ResourceContents ResourceDefinition ResponseFormatterOptions ResponseFormatting RetryRule RootsAnswer RootsQuestion RowKey SamplingAnswer SamplingMessage SamplingQuestion SchemaField SchemaGenerator SchemaInput SchemaIssue SchemaLimits SchemaSource SchemaValidator SearchWords SecuredCall SecurityLabels SecurityWrapper Selection Sequence ServiceOptions Shared SharedEvent Store Strategies StructuredReader StructuredText TaskRule ToolCall ToolContext ToolDefinition ToolMetadata ToolRegistryOptions Toolfold ToolsOf TypedAction TypedCall TypedCaller TypedTool UnknownFields Validate ValidationResult View ViewPolicy ViewSource WireQuestion WithSecurityWrapper",
          "values": "Cache DefaultValidator ErrorHandler GroupedToolBuilder MemoryStore ResponseFormatter ToolRegistry ToolfoldError aggregateAnnotations compileMiddlewareChains createCaller defaultClients defaultStructuredReaders error generateDescription generateInputSchema generateToonDescription initToolfold paginate readSchema success toonSuccess",
        },
        "toolfold/errors": {
          "types": "",
          "values": "*",
        },
        "toolfold/model": {
          "types": "Annotations BaseModelInit GroupChild GroupTree Icon McpItem McpPrompt McpPromptArgument McpResource McpResourceTemplate McpTool McpToolAnnotations McpToolConverterOptions Meta Nullish ParentGroup PromptArgumentInit PromptInit ProtocolVersion ResourceInit ResourceTemplateInit Role SameAs TagStrategy ToolAnnotationsInit ToolExecution ToolID ToolInit TreeTool",
          "values": "BaseModel ConverterBase Group GroupConverterBase GroupItem GroupTreeConverter McpPromptConverter McpResourceConverter McpResourceTemplateConverter McpToolAnnotationsConverter McpToolConverter Prompt PromptArgument PromptConverterBase Resource ResourceConverterBase ResourceTemplate Tool ToolAnnotations ToolAnnotationsConverterBase ToolConverterBase formatToolID fromMCPJSON normalizeTags parseToolID toMCPJSON",
        },
        "toolfold/node": {
          "types": "DefinedServer NodeRequest RunningServer RunningStdio ServeHttpOptions ServeStdioOptions ServerDescription",
          "values": "defineServer keyFile serveHttp serveStdio toNodeListener",
        },
        "toolfold/otel": {
          "types": "OpenTelemetryOptions",
          "values": "observeSharedWithOpenTelemetry observeWithOpenTelemetry",
        },
        "toolfold/web": {
          "types": "AdaptedTool ApiKey ApiKeysOptions AuthInfo Authentication Authenticator ContextRequest ContextSource ContextValues CorsOptions DeriveSession ExposureOptions ExposurePolicy Form FormCall FormServer FormSettings FormTool FormTools FormView ForwardingTool GroupedModule HandlerOptions LoadedTool McpHandler McpToolDefinition MemorySessionStoreOptions ModeChoice ModuleAdapter ModuleAdapterOptions ModuleAdapters ModuleLoader NamedFormSettings OAuthOptions OfferedView ReadHeader Rejection RequestLimit ResolvedContext ResourceMetadata ServerMode ServerModeOptions SessionConfig SessionContextConfig SessionOptions SessionRecord SessionStore ToolConfig ToolSetCatalog ToolSetDefinition ToolsetConfig ToolsetSummary ToolsetTexts",
          "values": "Exposure MemorySessionStore ModeConfigMapper ServerModeEnforcer SessionContext ToolCollector Toolsets apiKeys createHandler createModuleAdapter createModuleAdapters oauth readOnlyService",
        },
      }
    `);
  });

  it('exports at most 30 values from toolfold', () => {
    expect(Object.keys(toolfold).length).toBeLessThanOrEqual(30);
  });

  it('exports each value from one entry point, except those of schemas that every server needs', () => {
    const names = entries.flatMap(({ source }) =>
      exportsOf(source).flatMap(({ entries: exported }) => exported.filter(({ isType }) => !isType)),
    );
    const twice = names.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index);
    expect(twice).toEqual(['ToolfoldError', 'ToolfoldError', 'readSchema', 'DefaultValidator']);
  });

  it('is only re-exported by the entry points, except errors, matchers and the command', () => {
    const others = entries.filter(
      ({ source }) =>
        !/^(?:\s*export (?:type )?\{[^}]*\} from '[^']+';)+\s*$/.test(
          readText(source).replaceAll(/\/\*\*[\s\S]*?\*\//g, ''),
        ),
    );
    expect(others.map(({ name }) => name)).toEqual([
      '@toolfold/schema/errors',
      'toolfold/errors',
      '@toolfold/testing/vitest',
      '@toolfold/cli/main',
    ]);
  });

  it('[S003-02] exports the adapters for existing code from one entry point', () => {
    const { ToolCollector, createModuleAdapter, createModuleAdapters, ModeConfigMapper } = web;
    for (const value of [
      ToolCollector,
      createModuleAdapter,
      createModuleAdapters,
      ModeConfigMapper.toToolsetConfig,
    ])
      expect(value).toBeTypeOf('function');
  });
});
