import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as toolfold from '../../src/index.js';
import * as client from '../../src/client.js';
import * as code from '../../src/code.js';
import * as devtools from '../../src/devtools.js';
import * as errors from '../../src/errors.js';
import * as lexicon from '../../src/lexicon.js';
import * as model from '../../src/model.js';
import * as node from '../../src/node.js';
import * as openapi from '../../src/openapi.js';
import * as otel from '../../src/otel.js';
import * as profiles from '../../src/profiles.js';
import * as redis from '../../src/redis.js';
import * as search from '../../src/search.js';
import * as testing from '../../src/testing.js';
import * as web from '../../src/web.js';

const values = (entry: object): string => Object.keys(entry).toSorted().join(' ');
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The types that an entry point exports, read from its source. */
const types = (entry: string): string =>
  [...read(`src/${entry}.ts`).matchAll(/^export type \{([^}]*)\}/gm)]
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => name !== '')
    .toSorted()
    .join(' ');

// The public surface. By default, do not add new names.
describe('the public surface', () => {
  it('has these entry points', () => {
    const manifest = JSON.parse(read('package.json')) as { exports: object };
    expect(Object.keys(manifest.exports)).toEqual([
      '.',
      './client',
      './code',
      './devtools',
      './errors',
      './lexicon',
      './model',
      './node',
      './openapi',
      './otel',
      './profiles',
      './redis',
      './search',
      './testing',
      './testing/vitest',
      './web',
      './package.json',
    ]);
  });

  it('exports at most 30 values from toolfold', () => {
    expect(Object.keys(toolfold).length).toBeLessThanOrEqual(30);
    expect(values(toolfold)).toMatchInlineSnapshot(
      `"Cache DefaultValidator ErrorHandler GroupedToolBuilder MemoryStore ResponseFormatter ToolRegistry ToolfoldError aggregateAnnotations compileMiddlewareChains createCaller defaultClients defaultStructuredReaders error generateDescription generateInputSchema generateToonDescription readSchema success toonSuccess"`,
    );
    expect(types('index')).toMatchInlineSnapshot(
      `"ActionGroup ActionMetadata ActionSchema Allowance AnyRegistry AskClient BuilderOptions Bus CacheHelpers CacheKey CacheOptions CacheSettings Cached CallOptions CallRecord CallToolResult CallWatcher Caller CallerAuth CallerOptions ChainFn ChainedAction ClientHints CompilableTool CompiledForm Completer Completion CompletionRequest ConcurrencyOptions ContentBlock ContextFactory DefaultArgumentResolver DefaultValidatorOptions DescriptionGenerator DescriptionInput DetachFn ErrorCode ErrorHandlerOptions ErrorHandling ErrorReport ExecuteRequest FailedCall FormQuestion GetPromptResult Handler Hints IdempotencyRule InferInput InputAnswer InputQuestion JsonSchema JsonSchemaObject KnownClient LogToClient Logger LoggingLevel MaybeAsyncValidate McpMiddleware McpRequest McpServerLike MemoryStoreOptions Middleware MountOptions MountedToolset Observe OutputBudget PageAnswer PageQuestion PromptDefinition PromptMessage RateLimit RateLimiter ReadResourceResult ReadSchema ReadSchemaOptions RegistryChange ReportProgress RequestContext RequestInput RequestOptions ResourceContents ResourceDefinition ResponseFormatterOptions ResponseFormatting RetryRule RootsAnswer RootsQuestion SamplingAnswer SamplingMessage SamplingQuestion SchemaField SchemaGenerator SchemaInput SchemaIssue SchemaLimits SchemaSource SchemaValidator SearchWords SecuredCall SecurityLabels SecurityWrapper Selection Sequence ServiceOptions Shared SharedEvent Store Strategies StructuredReader StructuredText TaskRule ToolCall ToolContext ToolDefinition ToolMetadata ToolRegistryOptions ToolsOf TypedAction TypedCall TypedCaller TypedTool UnknownFields Validate ValidationResult View ViewPolicy ViewSource WireQuestion WithSecurityWrapper"`,
    );
  });

  it('exports the sandbox and its interface from toolfold/code', () => {
    expect(values(code)).toMatchInlineSnapshot(`"createQuickJsSandbox defaultCodeLimits"`);
    expect(types('code')).toMatchInlineSnapshot(
      `"CodeLimits CodeSettings GuestCall GuestError QuickJsSandboxOptions RunFailure RunOutcome Sandbox SandboxRun SandboxStart SandboxStep SettledCall"`,
    );
  });

  it('exports one function from toolfold/client', () => {
    expect(values(client)).toMatchInlineSnapshot(`"createClient"`);
    expect(types('client')).toMatchInlineSnapshot(`"ClientCallOptions ClientOptions RemoteCaller"`);
  });

  it('exports the page from toolfold/devtools, and a function for the command line that has no types', () => {
    expect(values(devtools)).toMatchInlineSnapshot(`"createPage devtools"`);
    expect(types('devtools')).toMatchInlineSnapshot(`"Devtools DevtoolsOptions"`);
    expect(read('dist/devtools.d.ts')).not.toContain('createPage');
  });

  it('exports the error classes from toolfold/errors', () => {
    expect(values(errors)).toMatchInlineSnapshot(
      `"ErrActionRequired ErrCallNotAllowed ErrCancelled ErrCodeFailed ErrDuplicateName ErrExternalRef ErrFieldConflict ErrFrozen ErrGroupCycle ErrIdempotencyConflict ErrInputUnavailable ErrInsufficientScope ErrInvalidBuilder ErrInvalidCatalog ErrInvalidCursor ErrInvalidModel ErrInvalidOptions ErrInvalidPolicy ErrInvalidRequestState ErrInvalidResult ErrInvalidSchema ErrInvalidSelection ErrInvalidServer ErrInvalidSessionContext ErrInvalidTool ErrInvalidToolID ErrMissingCapability ErrModuleFailed ErrNextCalledTwice ErrOutcomeUnknown ErrOutputTooLarge ErrOverloaded ErrProtocol ErrRateLimited ErrTimeout ErrTooManyToolsets ErrToolFailed ErrUnknownAction ErrUnknownPrompt ErrUnknownResource ErrUnknownTask ErrUnknownTool ErrUnknownToolset ErrUnsupportedSchema ErrUpstreamLost ErrValidationFailed ToolfoldError errorTable"`,
    );
  });

  it('exports the words of English from toolfold/lexicon', () => {
    expect(values(lexicon)).toMatchInlineSnapshot(`"english"`);
    expect(types('lexicon')).toMatchInlineSnapshot(`"Lexicon"`);
  });

  it('exports the domain model and its converters from toolfold/model', () => {
    expect(values(model)).toMatchInlineSnapshot(
      `"BaseModel ConverterBase Group GroupConverterBase GroupItem GroupTreeConverter McpPromptConverter McpResourceConverter McpResourceTemplateConverter McpToolAnnotationsConverter McpToolConverter Prompt PromptArgument PromptConverterBase Resource ResourceConverterBase ResourceTemplate Tool ToolAnnotations ToolAnnotationsConverterBase ToolConverterBase formatToolID fromMCPJSON normalizeTags parseToolID toMCPJSON"`,
    );
    expect(types('model')).toMatchInlineSnapshot(
      `"Annotations BaseModelInit GroupChild GroupTree Icon McpItem McpPrompt McpPromptArgument McpResource McpResourceTemplate McpTool McpToolAnnotations McpToolConverterOptions Meta Nullish ParentGroup PromptArgumentInit PromptInit ProtocolVersion ResourceInit ResourceTemplateInit Role SameAs TagStrategy ToolAnnotationsInit ToolExecution ToolID ToolInit TreeTool"`,
    );
  });

  it('exports the portable API from toolfold/web', () => {
    expect(values(web)).toMatchInlineSnapshot(
      `"Exposure MemorySearchLearning MemorySessionStore ModeConfigMapper ServerModeEnforcer SessionContext ToolCollector Toolsets apiKeys createHandler createModuleAdapter createModuleAdapters oauth readOnlyService"`,
    );
    expect(types('web')).toMatchInlineSnapshot(
      `"AdaptedTool AnsweredSearch ApiKey ApiKeysOptions AuthInfo Authentication Authenticator ContextRequest ContextSource ContextValues CorsOptions DeriveSession ExposureOptions ExposurePolicy GroupedModule HandlerOptions LearnedSelection LearnedSummary LearnedTenant LearnedTool Learner LoadedTool McpHandler McpToolDefinition MemorySearchLearningOptions MemorySessionStoreOptions ModeChoice ModuleAdapter ModuleAdapterOptions ModuleAdapters ModuleLoader OAuthOptions OfferedView ReadHeader Rejection RequestLimit ResolvedContext ResourceMetadata SearchLearning SearchLearningOptions ServerMode ServerModeOptions SessionConfig SessionContextConfig SessionOptions SessionRecord SessionStore ToolConfig ToolSetCatalog ToolSetDefinition ToolsetConfig ToolsetSummary"`,
    );
  });

  it('exports the Node servers and upstream servers from toolfold/node', () => {
    expect(values(node)).toMatchInlineSnapshot(`"fromMcpServer serveHttp serveStdio toNodeListener"`);
    expect(types('node')).toMatchInlineSnapshot(
      `"FollowOptions FromMcpServerOptions NodeRequest RunningServer RunningStdio ServeHttpOptions ServeStdioOptions ToolOverride ToolOverrides UpstreamAddress UpstreamCommand UpstreamHeaders UpstreamHealth UpstreamHealthCheck UpstreamLoader UpstreamServer UpstreamTarget UpstreamToolDefinition"`,
    );
  });

  it('exports the import of specifications, and what ejected definitions need, from toolfold/openapi', () => {
    expect(values(openapi)).toMatchInlineSnapshot(`"apiRequests ejectOpenAPI fromOpenAPI"`);
    expect(types('openapi')).toMatchInlineSnapshot(
      `"ApiBody ApiCredential ApiCredentials ApiHandler ApiHeaders ApiParameter ApiProperty ApiRequest ApiScheme EjectOpenAPIOptions FromOpenAPIOptions OpenAPIOperation OperationChanges SecurityScheme SendOptions SessionCredential"`,
    );
  });

  it('exports one or two functions each from toolfold/redis, toolfold/otel and toolfold/search', () => {
    expect([values(redis), values(otel), values(search)]).toMatchInlineSnapshot(`
      [
        "redis",
        "observeSharedWithOpenTelemetry observeWithOpenTelemetry",
        "createToolSearch fuseRanker",
      ]
    `);
    expect([types('redis'), types('otel'), types('search')]).toMatchInlineSnapshot(`
      [
        "RedisConnectionOptions RedisOptions RedisSessionOptions",
        "OpenTelemetryOptions",
        "Confidence CreateRanker DocumentField ExplainQuery ExplainedMatch ExplainedTool ExplainedWord FusedQuery FusedSearch MissReason Ranker RankerOptions ScorePart SearchExplanation SearchSidecar ToolSearch ToolSearchAnswer ToolSearchDocument ToolSearchOptions ToolSearchQuery ToolSearchResult",
      ]
    `);
  });

  it('exports the profiles of clients and their lowering from toolfold/profiles', () => {
    expect(values(profiles)).toMatchInlineSnapshot(`"checkTools lowerTool lowerTools profileNames profiles"`);
    expect(types('profiles')).toMatchInlineSnapshot(
      `"Arguments Change LowerOptions LoweredTool Profile ProfileName ProfileRule Violation"`,
    );
  });

  it('exports the test client and the clock from toolfold/testing', () => {
    expect(values(testing)).toMatchInlineSnapshot(`"createClock createTestClient describeSurface"`);
    expect(types('testing')).toMatchInlineSnapshot(
      `"AskedQuestion ElicitAnswer SampleAnswer StartedCall StartedTask SurfaceSource TaskState TestAnswers TestCallArguments TestCallName TestCallOptions TestClient TestClientOptions TestClock TestLog TestProgress TestResult"`,
    );
  });

  it('exports each name from one entry point, except the error base class', () => {
    const entries = [
      toolfold,
      client,
      devtools,
      errors,
      lexicon,
      model,
      web,
      node,
      openapi,
      redis,
      otel,
      search,
      testing,
      profiles,
    ].flatMap((entry) => Object.keys(entry));
    const twice = entries.filter((name, index) => entries.indexOf(name) !== index);
    expect(twice).toEqual(['ToolfoldError']);
  });

  it('exports nothing but names', () => {
    for (const entry of [
      'index',
      'client',
      'devtools',
      'lexicon',
      'model',
      'web',
      'node',
      'openapi',
      'redis',
      'otel',
      'profiles',
      'search',
      'testing',
    ])
      expect(read(`src/${entry}.ts`).replaceAll(/\/\*\*[\s\S]*?\*\//g, '')).toMatch(
        /^(?:\s*export (?:type )?\{[^}]*\} from '[^']+';)+\s*$/,
      );
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
