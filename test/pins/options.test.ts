import { describe, expect, it } from 'vitest';
import { Server } from '@modelcontextprotocol/server';
import { createClient } from '@toolfold/testing/client';
import { codeForm, createQuickJsSandbox } from '@toolfold/code';
import { ErrInvalidCatalog, ErrInvalidOptions, ErrInvalidPolicy, ErrInvalidTool } from 'toolfold/errors';
import { createCaller, DefaultValidator, GroupedToolBuilder, readSchema, ToolRegistry } from 'toolfold';
import {
  createHandler,
  createModuleAdapter,
  Exposure,
  MemorySessionStore,
  ServerModeEnforcer,
  Toolsets,
} from 'toolfold/web';
import { apiRequests, fromOpenAPI } from '@toolfold/openapi';
import { searchForm } from '@toolfold/search';
import { checkTools, lowerTool, lowerTools } from '@toolfold/profiles';
import type { KnownClient } from 'toolfold';
import type { ServerModeOptions } from 'toolfold/web';

const ping = { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' };
const listed = { name: 'ping', inputSchema: { type: 'object' as const } };
const specification = { openapi: '3.1.0', servers: [{ url: 'https://api.example.com' }] };
const registry = (): ToolRegistry => new ToolRegistry().register(ping);
const newServer = (): Server => new Server({ name: 'a', version: '1' }, { capabilities: {} });
const config = {
  catalog: { a: { name: 'A', description: 'A', tools: [{ ...ping, name: 'one' }] } },
  startup: { mode: 'STATIC', toolsets: 'ALL' },
};
const toolsets = (given: object): unknown => new Toolsets(new ToolRegistry(), given as never);
/** Adds fields. A list is returned unchanged, because it must be rejected. */
const mergeInto = (whole: object, more: object): object =>
  Array.isArray(more) ? more : { ...whole, ...more };
const clientRow = (more: object) => mergeInto({ name: 'cursor*', profile: 'cursor' }, more) as KnownClient;
const withCatalog = (more: object) => mergeInto({ catalog: config.catalog }, more) as ServerModeOptions;

/** Takers of options, each with an option that exists and has a value of the wrong type or out of range. */
const takers: readonly (readonly [name: string, take: (options: object) => unknown, wrong: object])[] = [
  ['createQuickJsSandbox', (options) => createQuickJsSandbox(options), { maxThreads: 0 }],
  ['ToolRegistry', (options) => new ToolRegistry(options), { wireNames: 'all' }],
  [
    'ToolRegistry: structuredReaders',
    (row) => new ToolRegistry({ structuredReaders: [mergeInto({ name: 'codex*' }, row) as never] }),
    { reads: 'no' },
  ],
  ['mount', (options) => registry().mount('b', new ToolRegistry(), options), { toolset: 'B' }],
  ['createCaller', (options) => createCaller(registry(), options), { minify: 'yes' }],
  ['registry.view', (policy) => registry().view(policy), { readOnly: 'true' }],
  ['attachToServer', (options) => registry().attachToServer(newServer(), options), { pageSize: 0 }],
  ['createHandler', (options) => createHandler(registry(), options), { pageSize: 0 }],
  ['createHandler: view', (view) => createHandler(registry(), { view }), { form: 'x' }],
  ['Exposure', (options) => new Exposure(registry(), options), { onError: 5 }],
  ['Exposure: view', (view) => new Exposure(registry(), { view }), { pinned: 5 }],
  [
    'Exposure: clients',
    (row) => new Exposure(registry(), { view: { clients: [clientRow(row)] } }),
    { maxTools: 0 },
  ],
  ['Toolsets', (more) => toolsets(mergeInto(config, more)), { moduleLoaders: 5 }],
  [
    'Toolsets: startup',
    (more) => toolsets({ ...config, startup: mergeInto(config.startup, more) }),
    { mode: 'SOMETIMES' },
  ],
  [
    'Toolsets: exposurePolicy',
    (exposurePolicy) => toolsets({ ...config, exposurePolicy }),
    { maxActiveToolsets: 0 },
  ],
  ['Toolsets: clientBundles', (clientBundles) => toolsets({ ...config, clientBundles }), { max: 0 }],
  ['ServerModeEnforcer', (more) => new ServerModeEnforcer(withCatalog(more)), { argv: '--all-tools' }],
  ['createModuleAdapter', (options) => createModuleAdapter('a', () => {}, options), { sharesTools: 1 }],
  ['lowerTool', (options) => lowerTool(listed, 'portable', options), { serverName: 5 }],
  ['lowerTools', (options) => lowerTools([listed], 'portable', options), { serverName: 5 }],
  ['checkTools', (options) => checkTools([listed], 'portable', options), { serverName: 5 }],
  ['fromOpenAPI', (options) => fromOpenAPI(specification, options), { maxSchema: 0 }],
  ['apiRequests', (options) => apiRequests('https://api.example.com', options), { timeoutMs: 0 }],
  ['codeForm', (code) => codeForm(code), { allow: 'all' }],
  ['codeForm: limits', (limits) => codeForm({ limits }), { calls: 10_001 }],
  ['searchForm', (search) => searchForm(search), { ranker: {} }],
  ['MemorySessionStore', (options) => new MemorySessionStore(options), { max: 0 }],
  ['readSchema', (options) => readSchema({}, options), { side: 'x' }],
  ['readSchema: limits', (limits) => readSchema({}, { limits }), { depth: -1 }],
  ['DefaultValidator', (options) => new DefaultValidator(options), { engine: 'fast' }],
  ['GroupedToolBuilder', (options) => new GroupedToolBuilder('a', options), { version: 5 }],
];

describe('invalid options throw ErrInvalidOptions:', () => {
  it.each(takers)('%s', (_, take, wrong) => {
    expect(() => take({})).not.toThrow();
    expect(() => take({ noSuchOption: 1 })).toThrow(ErrInvalidOptions);
    expect(() => take({ noSuchOption: 1 })).toThrow('has no option "noSuchOption"');
    expect(() => take(wrong)).toThrow(ErrInvalidOptions);
    expect(() => take([])).toThrow(ErrInvalidOptions);
  });
});

it('invalid options of createClient reject with ErrInvalidOptions', async () => {
  for (const options of [{ noSuchOption: 1 }, { timeoutMs: 0 }, { headers: 5 }, []])
    await expect(createClient('http://localhost/mcp', options as never)).rejects.toThrow(ErrInvalidOptions);
  await expect(createClient(registry() as never)).rejects.toThrow(ErrInvalidOptions);
});

describe('well-formed input that cannot be used throws the error of its kind:', () => {
  it.each<[string, () => unknown, new (message: string) => Error]>([
    ['a view of an unknown tool', () => registry().view({ actions: ['pong'] }), ErrInvalidPolicy],
    [
      'an unknown pin',
      () => new Exposure(registry(), { view: { form: 'search', pinned: ['pong'] } }),
      ErrInvalidPolicy,
    ],
    [
      'a toolset that is active and not allowed',
      () =>
        toolsets({
          ...config,
          startup: { mode: 'STATIC', toolsets: ['a'] },
          exposurePolicy: { denylist: ['a'] },
        }),
      ErrInvalidPolicy,
    ],
    [
      'an unknown module',
      () => toolsets({ ...config, catalog: { a: { name: 'A', description: 'A', modules: ['b'] } } }),
      ErrInvalidCatalog,
    ],
    ['a toolset without a name', () => toolsets({ ...config, catalog: { a: {} } }), ErrInvalidCatalog],
    [
      'the definition of a tool',
      () => registry().register({ ...ping, name: 'b', timeoutMs: -1 }),
      ErrInvalidTool,
    ],
  ])('%s', (_, open, Expected) => {
    expect(open).toThrow(Expected);
  });
});
