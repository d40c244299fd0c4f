import { Server } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createClient } from '@toolfold/testing/client';
import { createQuickJsSandbox } from '@toolfold/code';
import { devtools } from '@toolfold/devtools';
import { ToolfoldError } from 'toolfold/errors';
import {
  Cache,
  createCaller,
  DefaultValidator,
  ErrorHandler,
  GroupedToolBuilder,
  MemoryStore,
  readSchema,
  ResponseFormatter,
  ToolRegistry,
} from 'toolfold';
import {
  formatToolID,
  Group,
  McpToolConverter,
  Prompt,
  PromptArgument,
  Resource,
  ResourceTemplate,
  Tool,
  ToolAnnotations,
} from 'toolfold/model';
import { defineServer, serveHttp, serveStdio } from 'toolfold/node';
import { fromMcpServer } from '@toolfold/gateway';
import { apiRequests, ejectOpenAPI, fromOpenAPI } from '@toolfold/openapi';
import { observeWithOpenTelemetry } from 'toolfold/otel';
import { lowerTool } from '@toolfold/profiles';
import { redis } from '@toolfold/redis';
import { createToolSearch } from '@toolfold/search';
import { createTestClient } from '@toolfold/testing';
import {
  apiKeys,
  createHandler,
  createModuleAdapter,
  createModuleAdapters,
  Exposure,
  MemorySessionStore,
  oauth,
  ServerModeEnforcer,
  SessionContext,
  ToolCollector,
  Toolsets,
} from 'toolfold/web';
import { notOptions, optionTypes, wordsOf } from './option-types.js';

type Fields = Record<string, unknown>;

/** Values that are no options: instances, schemas, identities, and data of a server's author. */
const opaque = new WeakSet<object>();
const whole = <T extends object>(value: T): T => {
  opaque.add(value);
  return value;
};

const handler = (): string => 'pong';
const inputSchema = whole({ type: 'object', properties: { a: { type: 'string' } } });
const ping = { name: 'ping', description: 'Answers', inputSchema, handler };
const registry = (): ToolRegistry => new ToolRegistry().register({ ...ping });
const auth = (): object => whole(apiKeys({ keys: [{ key: 'k'.repeat(40), clientId: 'a' }] }));
const store = (): object => whole(new MemoryStore());
const URL_OF_API = 'https://api.example.com';
const specification = whole({
  openapi: '3.1.0',
  info: { title: 'A', version: '1' },
  servers: [{ url: URL_OF_API }],
  paths: { '/a': { get: { operationId: 'a', responses: {} } } },
});
const secret = 's'.repeat(32);
const context = { enabled: true, header: { name: 'x-c', encoding: 'json', allowedKeys: ['a'] } };
const config = {
  catalog: { a: { name: 'A', description: 'A', modules: ['m'], tools: [{ ...ping, name: 'one' }] } },
  moduleLoaders: { m: () => [] },
  startup: { mode: 'STATIC', toolsets: 'ALL' },
  context: { accessToken: 'a' },
  sessionContext: context,
  exposurePolicy: { tags: ['a'] },
  clientBundles: { max: 5 },
};
const view = {
  tags: ['a'],
  clients: [{ name: 'cursor*', profile: 'cursor' }],
  form: 'code',
  search: { sidecar: { version: 1, tools: { ping: { keywords: ['a'] } } } },
  code: { allow: 'read', limits: { calls: 5 } },
};
const served = {
  auth: auth(),
  cors: { origins: ['https://a.example'] },
  view: { tags: ['a'] },
  toolsets: config,
  requestLimit: { requests: 5, windowMs: 1_000 },
  sessions: { max: 5 },
};
const caller = createCaller(
  new ToolRegistry().register({ name: 'ping', description: 'Answers', inputSchema: {}, handler }),
);
const upstream = fromMcpServer({ command: 'true' });
const guards = {
  search: { keywords: ['a'] },
  security: { operation: 'a' },
  task: { ttlMs: 5 },
  cached: { ttlMs: 5 },
  idempotency: { field: 'a' },
  retry: { attempts: 2 },
  outputBudget: { bytes: 500 },
};
const definition = {
  ...ping,
  readOnly: true,
  meta: { a: 1 },
  clientHints: { alwaysLoad: true },
  metadata: { annotations: { readOnlyHint: true }, allowNarrower: true },
  ...guards,
};

interface Taker {
  /** The option types that the options have, below their own fields too. */
  readonly types: string;
  /** Options with a value for every field that holds options in turn. */
  readonly valid: () => Fields;
  readonly take: (options: never) => unknown;
  /** The message of the error that valid options lead to, where they cannot be used in a test. */
  readonly fails?: RegExp;
}

/** Everything that takes options, with the types of these. Each must take plain objects only, at every depth. */
const takers: readonly Taker[] = [
  {
    types: 'ToolRegistryOptions ServiceOptions OutputBudget RateLimit ConcurrencyOptions StructuredReader',
    valid: () => ({
      concurrency: { max: 5 },
      rateLimiter: { calls: 5, windowMs: 5 },
      outputBudget: { bytes: 500 },
      structuredReaders: [{ name: 'a*' }],
      store: store(),
    }),
    take: (options) => new ToolRegistry(options),
  },
  {
    types: 'BuilderOptions',
    valid: () => ({ version: '1' }),
    take: (options) => new GroupedToolBuilder('a', options),
  },
  {
    types:
      'ToolDefinition Hints AnyToolDefinition OwnDefinition Cached ClientHints IdempotencyRule RetryRule SecurityLabels TaskRule ToolMetadata SearchWords',
    valid: () => definition,
    take: (options) => new ToolRegistry().register(options),
  },
  { types: '', valid: () => definition, take: (options) => new GroupedToolBuilder('a').action(options) },
  {
    types: 'ModelToolOptions',
    valid: () => ({ ...guards, idempotency: { field: 'a' } }),
    take: (options) =>
      new ToolRegistry().register(
        new Tool({
          ...ping,
          annotations: new ToolAnnotations({ readOnlyHint: true }),
        }),
        handler,
        options,
      ),
  },
  {
    types: 'GroupHandlers',
    valid: () => ({ tool: () => handler, prompt: () => handler, resource: () => handler }),
    take: (options) => new ToolRegistry().register(new Group({ name: 'a' }), options),
  },
  {
    types: 'PromptDefinition',
    valid: () => ({ name: 'a', inputSchema, handler, meta: { a: 1 }, complete: { a: () => [] } }),
    take: (options) => new ToolRegistry().registerPrompt(options),
  },
  {
    types: 'ResourceDefinition',
    valid: () => ({
      name: 'a',
      uriTemplate: 'a://{b}',
      handler,
      annotations: { priority: 1 },
      complete: { b: () => [] },
    }),
    take: (options) => new ToolRegistry().registerResource(options),
  },
  {
    types: '',
    valid: () => ({ readOnlyHint: true }),
    take: (options) => new GroupedToolBuilder('a').annotations(options),
  },
  {
    types: '',
    valid: () => ({ annotations: () => ({}) }),
    take: (options) => new GroupedToolBuilder('a').strategies(options),
  },
  {
    types: 'MountOptions MountedToolset',
    valid: () => ({ toolset: { name: 'B', description: 'B' } }),
    take: (options) => registry().mount('b', new ToolRegistry(), options),
  },
  {
    types: 'AttachOptions',
    valid: () => ({ view: { tags: ['a'] }, pageSize: 5 }),
    take: (options) =>
      registry().attachToServer(new Server({ name: 'a', version: '1' }, { capabilities: {} }), options),
  },
  {
    types: 'ViewPolicy CompiledForm',
    valid: () => ({ tags: ['a'] }),
    take: (options) => registry().view(options),
  },
  {
    types: 'CallerOptions CallOptions',
    valid: () => ({ idempotencyKey: 'a', caller: whole({}) }),
    take: (options) => void createCaller(registry(), options),
  },
  {
    types: '',
    valid: () => ({ idempotencyKey: 'a' }),
    take: (options) => caller.ping({}, options),
  },
  {
    types: '',
    valid: () => ({ selection: whole({ readOnly: true }) }),
    take: (options) => registry().routeCall('ping', {}, options),
  },
  {
    types: '',
    valid: () => ({ selection: whole({ readOnly: true }) }),
    take: (options) => new GroupedToolBuilder('a').action({ ...ping }).execute({ action: 'ping' }, options),
  },
  {
    types: 'ErrorHandlerOptions',
    valid: () => ({ exposeErrors: 'generic' }),
    take: (options) => new ErrorHandler(options),
  },
  {
    types: 'ResponseFormatterOptions',
    valid: () => ({ minify: false }),
    take: (options) => new ResponseFormatter(options),
  },
  { types: 'CacheSettings', valid: () => ({ store: store() }), take: (options) => new Cache(options) },
  {
    types: 'MemoryStoreOptions',
    valid: () => ({ maxBytes: 500 }),
    take: (options) => new MemoryStore(options),
  },
  {
    types: 'ReadSchemaOptions SchemaLimits',
    valid: () => ({ side: 'input', limits: { depth: 5 } }),
    take: (options) => readSchema({}, options),
  },
  {
    types: 'DefaultValidatorOptions',
    valid: () => ({ engine: 'interpreted', limits: { depth: 5 } }),
    take: (options) => new DefaultValidator(options),
  },
  {
    types: 'ServeHttpOptions HandlerOptions CorsOptions RequestLimit SessionOptions',
    valid: () => ({ ...served, port: 0 }),
    take: (options) => serveHttp(registry(), options),
  },
  { types: '', valid: () => served, take: (options) => createHandler(registry(), options) },
  {
    types: 'ServeStdioOptions',
    valid: () => ({ view: { actions: ['unknown'] }, auth: whole({}) }),
    take: (options) => serveStdio(registry(), options),
    fails: /unknown/,
  },
  {
    types:
      'ExposureOptions OfferedView KnownClient SearchSettings CodeSettings CodeLimits ToolsetConfig CompleteToolsetConfig',
    valid: () => ({ view, scopes: 'hide' }),
    take: (options) => new Exposure(registry(), options).ready(),
  },
  {
    types: 'ToolSetDefinition ExposurePolicy SessionContextConfig ClientBundlesOptions',
    valid: () => config,
    take: (options) => new Toolsets(new ToolRegistry(), options),
  },
  {
    types: 'Selection',
    valid: () => ({ readOnly: true }),
    take: async (selected) => {
      const toolsets = {
        ...config,
        catalog: { a: { ...config.catalog.a, tools: [{ ...ping }] } },
        select: () => selected,
      };
      const exposure = new Exposure(new ToolRegistry(), { toolsets: toolsets as never });
      await exposure.viewFor({ caller: { auth: { clientId: 'a' } } });
    },
  },
  { types: '', valid: () => context, take: (options) => new SessionContext(options) },
  {
    types: 'ServerModeOptions',
    valid: () => ({
      catalog: { a: whole(config.catalog.a) },
      moduleLoaders: config.moduleLoaders,
      env: whole({}),
    }),
    take: (options) => new ServerModeEnforcer(options),
  },
  {
    types: 'ModuleAdapterOptions GroupedModule',
    valid: () => ({ annotations: { readOnlyHint: true }, grouped: { description: 'A' } }),
    take: (options) => createModuleAdapter('a', () => {}, options),
  },
  { types: '', valid: () => config.moduleLoaders, take: (options) => createModuleAdapters(options) },
  {
    types: 'ToolCollectorOptions',
    valid: () => ({ schemaValidator: whole(new DefaultValidator()) }),
    take: (options) => new ToolCollector(options),
  },
  {
    types: '',
    valid: () => ({ readOnlyHint: true }),
    take: (options) => new ToolCollector().registerTool('a', { annotations: options }, () => {}),
  },
  {
    types: 'MemorySessionStoreOptions',
    valid: () => ({ max: 5 }),
    take: (options) => new MemorySessionStore(options),
  },
  {
    types: 'ApiKeysOptions ApiKey',
    valid: () => ({ keys: [{ key: 'k'.repeat(40), clientId: 'a', extra: { org: 'a' } }] }),
    take: apiKeys,
  },
  {
    types: 'OAuthOptions',
    valid: () => ({
      issuer: 'https://a.example',
      resource: 'https://b.example',
      impliedScopes: { admin: ['read'] },
    }),
    take: oauth,
  },
  {
    types: 'FromMcpServerOptions UpstreamHealthCheck ToolOverride',
    valid: () => ({
      healthCheck: { failures: 5 },
      overrides: {
        a: {
          defaults: { b: 1 },
          fixed: { c: 1 },
          readOnly: true,
          search: guards.search,
          cached: guards.cached,
          retry: guards.retry,
          outputBudget: guards.outputBudget,
        },
      },
    }),
    take: (options) => fromMcpServer({ command: 'true' }, options),
  },
  {
    types: 'UpstreamCommand',
    valid: () => ({ command: 'true', env: { A: 'a' } }),
    take: (target) => fromMcpServer(target),
  },
  {
    types: 'UpstreamAddress',
    valid: () => ({ url: 'https://a.example', headers: { authorization: 'a' } }),
    take: (target) => fromMcpServer(target),
  },
  {
    types: 'FollowOptions',
    valid: () => ({ tools: () => [], context: whole({}) }),
    take: (options) => upstream.follow(registry(), options),
    fails: /without items/,
  },
  {
    types: 'FromOpenAPIOptions SendOptions',
    valid: () => ({
      credentials: { bearer: { session: 'token' }, basic: { username: 'a', password: 'b' } },
      headers: { a: 'b' },
      outputBudget: { bytes: 500 },
    }),
    take: (options) => fromOpenAPI(specification, options),
  },
  {
    types: 'OperationChanges',
    valid: () => ({ name: 'b', readOnly: true }),
    take: (changes) => fromOpenAPI(specification, { transform: () => changes }),
  },
  {
    types: 'EjectOpenAPIOptions',
    valid: () => ({ environment: { bearer: 'TOKEN' }, outputBudget: { bytes: 500 } }),
    take: (options) => ejectOpenAPI(specification, options),
  },
  {
    types: '',
    valid: () => ({ headers: { a: 'b' }, credentials: { a: 'b' } }),
    take: (options) => apiRequests(URL_OF_API, options),
  },
  {
    types: 'ApiRequest ApiBody ApiParameter',
    valid: () => ({
      method: 'GET',
      path: '/a',
      parameters: [{ field: 'a', in: 'query' }],
      body: { mediaType: 'application/json' },
      security: [[{ id: 'a', type: 'http' }]],
    }),
    take: (request) => apiRequests(URL_OF_API)(request),
  },
  {
    types: 'QuickJsSandboxOptions',
    valid: () => ({ maxThreads: 1, threads: false }),
    take: (options) => createQuickJsSandbox(options),
  },
  {
    types: 'LowerOptions',
    valid: () => ({ serverName: 'a' }),
    take: (options) => lowerTool(whole({ name: 'a', inputSchema: { type: 'object' } }), 'portable', options),
  },
  {
    types: 'ServerDescription',
    valid: () => ({
      registry: whole(registry()),
      view: { tags: ['a'] },
      http: { port: 0 },
      stdio: { maxRequests: 5 },
    }),
    take: (options) => defineServer(options),
  },
  {
    types: 'OpenTelemetryOptions',
    valid: () => ({ tracer: undefined, meter: undefined }),
    take: (options) => observeWithOpenTelemetry(options),
  },
  {
    types: 'RedisOptions RedisConnectionOptions RedisSessionOptions',
    valid: () => ({ url: 'redis://127.0.0.1:1', secret, sessions: { ttlMs: 5 } }),
    take: redis,
  },
  {
    types: 'ClientOptions ClientCallOptions',
    valid: () => ({ headers: { a: 'b' }, fetch: async () => Response.error() }),
    take: (options) => createClient('http://localhost:1/mcp', options),
    fails: /cannot connect/,
  },
  {
    types: 'TestClientOptions TestAnswers',
    valid: () => ({
      auth: whole({ clientId: 'a' }),
      answers: { elicit: whole({ a: 1 }) },
      headers: { a: 'b' },
      server: { pageSize: 5 },
    }),
    take: (options) => createTestClient(registry(), options),
  },
  {
    types: 'TestCallOptions',
    valid: () => ({ task: false }),
    take: async (options) => {
      await using client = await createTestClient(registry());
      await client.call('ping', {}, options);
    },
  },
  {
    types: 'DevtoolsOptions',
    valid: () => ({
      enabled: false,
      view: { tags: ['a'] },
      toolsets: { ...config, sessionContext: undefined },
    }),
    take: (options) => devtools(registry(), options),
  },
  {
    types: 'McpToolConverterOptions',
    valid: () => ({ identity: true }),
    take: (options) => new McpToolConverter(options),
  },
];

/** Types whose fields are read by their names and never copied, so that accessors and inherited fields count. Maps have no such fields. */
const readByName: readonly {
  readonly types: string;
  readonly valid: Fields;
  readonly read: (given: never) => unknown;
}[] = [
  {
    types: 'ToolInit BaseModelInit',
    valid: { name: 'a', title: 'A', inputSchema: { type: 'object' }, tags: ['a'], version: '1' },
    read: (init) => new Tool(init),
  },
  {
    types: 'ToolAnnotationsInit',
    valid: { destructiveHint: true },
    read: (init) => new ToolAnnotations(init),
  },
  { types: 'PromptInit', valid: { name: 'a', description: 'A' }, read: (init) => new Prompt(init) },
  {
    types: 'PromptArgumentInit',
    valid: { name: 'a', required: true },
    read: (init) => new PromptArgument(init),
  },
  { types: 'ResourceInit', valid: { name: 'a', uri: 'a://b', size: 1 }, read: (init) => new Resource(init) },
  {
    types: 'ResourceTemplateInit',
    valid: { name: 'a', uriTemplate: 'a://{b}', mimeType: 'a/b' },
    read: (init) => new ResourceTemplate(init),
  },
  { types: 'ToolID', valid: { namespace: 'a', name: 'b' }, read: formatToolID },
  {
    types: 'ErrorOptions',
    valid: { hint: 'A', details: { a: 1 } },
    read: (options) => new ToolfoldError('ErrToolFailed', 'a', options).toJSON(),
  },
  {
    types: 'CacheOptions',
    valid: { ttlMs: 5_000, shared: true },
    read: async (options) => {
      const cache = new Cache({ store: new MemoryStore() });
      await cache.for('a').wrap('key', () => 1, options);
      return cache.for('b').wrap('key', () => 2, options);
    },
  },
  {
    types: 'ToolSearchQuery ExplainQuery',
    valid: { limit: 1 },
    read: (query) =>
      createToolSearch([
        { address: 'a', name: 'a' },
        { address: 'ab', name: 'a b' },
      ]).search('a', query),
  },
  {
    types: 'ToolConfig',
    valid: { title: 'A', inputSchema: {} },
    read: (config) => {
      const collector = new ToolCollector();
      collector.registerTool('a', config, handler);
      return collector.getToolDefinitions().map(({ title, inputSchema }) => ({ title, inputSchema }));
    },
  },
  {
    types: 'ApiProperty',
    valid: { field: 'a', name: 'b' },
    read: (property) =>
      typeof apiRequests(URL_OF_API)({
        method: 'POST',
        path: '/a',
        body: { mediaType: 'multipart/form-data', properties: [property] },
      }),
  },
];

const createClass = () =>
  class Options {
    declare readonly some?: unknown;
  };

/** Objects with the fields of a plain one that a copy would lose. */
const disguises: Readonly<Record<string, (fields: Fields) => object>> = {
  'the accessors of a class': (fields) => {
    const Options = createClass();
    for (const [name, value] of Object.entries(fields))
      Object.defineProperty(Options.prototype, name, { get: () => value, configurable: true });
    return new Options();
  },
  'the fields of a class': (fields) => Object.assign(new (createClass())(), fields),
  'an accessor': (fields) =>
    Object.defineProperty({ ...fields }, Object.keys(fields)[0] as string, {
      get: () => Object.values(fields)[0],
      enumerable: true,
    }),
  'a hidden field': (fields) =>
    Object.defineProperty({ ...fields }, Object.keys(fields)[0] as string, { enumerable: false }),
  'inherited fields': (fields) => Object.create(fields) as object,
  'fields inherited from an object without a prototype': (fields) =>
    Object.create(Object.assign(Object.create(null) as object, fields)) as object,
  'the entries of a map': (fields) => new Map(Object.entries(fields)),
};

const isOptions = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !opaque.has(value);

/** The options themselves, and options at any depth below them, each with a function that puts another value in their place. */
function* placesIn(
  value: unknown,
  path: string,
  put: (other: unknown) => unknown,
): Generator<[path: string, fields: Fields, put: (other: unknown) => unknown]> {
  if (isOptions(value)) yield [path, value, put];
  if (!isOptions(value) && !Array.isArray(value)) return;
  for (const [name, entry] of Object.entries(value))
    yield* placesIn(entry, `${path}.${name}`, (other) =>
      put(
        Array.isArray(value)
          ? value.map((each, at) => (String(at) === name ? other : each))
          : { ...value, [name]: other },
      ),
    );
}

async function outcomeOf(take: Taker['take'], options: unknown): Promise<unknown> {
  try {
    const taken = (await take(options as never)) as { close?: () => unknown } | undefined;
    await taken?.close?.();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('options', () => {
  it('have a row here for every type of them in the public API', () => {
    const listed = new Set(
      wordsOf([
        ...takers.map(({ types }) => types),
        ...readByName.map(({ types }) => types),
        ...Object.values(notOptions),
      ]),
    );
    const names = optionTypes.map(({ name }) => name);
    expect(names.filter((name) => !listed.has(name))).toEqual([]);
    expect([...listed].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('have a value in a row for every field that holds options', () => {
    const types = new Set(wordsOf(takers.map(({ types }) => types)));
    const rows = takers.flatMap(({ valid }) => [...placesIn(valid(), '', (other) => other)]);
    const given = new Set(rows.flatMap(([, fields]) => Object.keys(fields)));
    const holdsOptions = (type: string): boolean =>
      !type.includes('=>') && (/[{]|Record</.test(type) || type.split(/\W+/).some((word) => types.has(word)));
    const missing = optionTypes
      .filter(({ name }) => types.has(name))
      .flatMap(({ name, members }) =>
        members
          .filter((member) => holdsOptions(member.type) && !given.has(member.name))
          .map((member) => `${name}.${member.name}`),
      );
    expect(missing).toEqual([]);
  });

  it.each(takers.map((taker, at) => [`${at} ${taker.types.split(' ')[0]}`, taker] as const))(
    'are rejected unless they are plain at every depth, because copies would lose their fields: %s',
    async (_, { valid, take, fails }) => {
      const options = valid();
      for (const plain of [options, Object.assign(Object.create(null) as object, options)]) {
        const error = await outcomeOf(take, plain);
        if (fails === undefined) expect(error).toBeUndefined();
        else expect(String(error)).toMatch(fails);
      }
      const accepted: string[] = [];
      for (const [path, fields, put] of placesIn(options, 'options', (other) => other))
        for (const [name, disguise] of Object.entries(disguises)) {
          const error = await outcomeOf(take, put(disguise(fields)));
          const isRejected = error instanceof ToolfoldError && error.audience === 'author';
          if (!isRejected || fails?.test(error.message))
            accepted.push(`${path} with ${name}: ${String(error)}`);
        }
      expect(accepted).toEqual([]);
    },
  );

  it.each(readByName)(
    'that are read by their names keep accessors and inherited fields: $types',
    async ({ valid, read }) => {
      const expected = await read(valid as never);
      for (const name of ['the accessors of a class', 'an accessor', 'a hidden field', 'inherited fields'])
        expect(await read(disguises[name]?.(valid) as never), name).toEqual(expected);
    },
  );
});

describe('options behind a proxy that lists no fields', () => {
  const behind = (options: object): never =>
    new Proxy({}, { get: (_, name) => Reflect.get(options, name) as unknown }) as never;

  it.each([
    ['auth', (options: object) => createHandler(registry(), behind(options)), { auth: auth() }],
    ['tags', (options: object) => registry().view(behind(options)), { tags: ['hidden'] }],
    ['tags', (options: object) => createHandler(registry(), { view: behind(options) }), { tags: ['hidden'] }],
  ])(
    'are rejected, because a copy would lose %s, and everybody could call every tool',
    (name, take, options) => {
      expect(() => take(options)).toThrow(`Got an object that does not list its "${name}".`);
    },
  );
});

describe('the error for options that are not plain', () => {
  it('names the option and says what to pass', () => {
    class Options {
      get auth(): object {
        return auth();
      }
    }
    expect(() => createHandler(registry(), new Options() as never)).toThrow(
      'createHandler must be a plain object. Got an Options. Pass a plain object with its fields as values: { name: value }.',
    );
    expect(
      () => new Exposure(registry(), { view: { search: Object.create({ sidecar: {} }) as object } }),
    ).toThrow(
      '"search" of the view policy must be { ranker, sidecar }. Got an object that inherits fields. ' +
        'Pass a plain object with its fields as values: { name: value }.',
    );
    expect(() => createHandler(registry(), { cors: new Map() as never })).toThrow(
      'cors must be a plain object. Got a Map.',
    );
  });
});

describe('a request', () => {
  it('that is an instance is rejected, because middleware would get a copy without the fields of its class', async () => {
    const inherited = Object.create({ selection: { readOnly: true } }) as object;
    const request = Object.assign(inherited, { name: 'ping', arguments: {} });
    await expect(registry().executeTool(request)).rejects.toThrow(
      'executeTool takes one plain object, but got ',
    );
    await expect(registry().readResource({ uri: 'a://b', ...request })).rejects.toThrow('Unknown resource');
    await expect(
      registry().readResource(Object.assign(inherited, { uri: 'a://b' }) as never),
    ).rejects.toThrow('readResource takes one plain object');
  });
});
