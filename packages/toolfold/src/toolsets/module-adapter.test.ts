import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ErrModuleFailed } from '@toolfold/schema/errors';
import { ToolRegistry } from '../registry/tool-registry.js';
import { createModuleAdapter, createModuleAdapters, readOnlyService } from './module-adapter.js';
import type { GroupedModule } from './module-adapter.js';
import { ToolCollector } from '../define/tool-collector.js';
import type { McpToolDefinition } from '../define/tool-collector.js';

function registerQuoteTools(server: McpServer, accessToken?: string): void {
  server.tool('quote', 'Gets a quote', { symbol: z.string() }, { title: 'Quote' }, async ({ symbol }) => ({
    content: [{ type: 'text', text: `${symbol} for ${accessToken ?? 'nobody'}` }],
  }));
  server.tool('markets', 'Lists markets', { destructiveHint: true }, async () => ({ content: [] }));
}

const tokenOf = async (context: Record<string, unknown> | undefined, credentialKey?: string) => {
  let given: unknown = 'never called';
  const loader = createModuleAdapter(
    'quotes',
    (server: ToolCollector, ...rest: unknown[]) => {
      expect(server).toBeInstanceOf(ToolCollector);
      given = rest[0];
    },
    credentialKey === undefined ? {} : { credentialKey },
  );
  await loader(context);
  return given;
};

describe('createModuleAdapter', () => {
  it('[S003-03] [S003-13] creates a loader that runs the function and returns its registered tools', async () => {
    const loader = createModuleAdapter('quotes', registerQuoteTools);
    const tools = await loader();
    expect(tools.map(({ name }) => name)).toEqual(['quote', 'markets']);
    const [quote] = tools as McpToolDefinition[];
    expect(await quote!.handler({ symbol: 'ACME' })).toEqual({
      content: [{ type: 'text', text: 'ACME for nobody' }],
    });
  });

  it('awaits an asynchronous function', async () => {
    const loader = createModuleAdapter('slow', async (server: ToolCollector) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      server.tool('late', () => '');
    });
    expect(await loader()).toHaveLength(1);
  });

  it('[S003-14] [S003-16] passes on the token of the server, if there is one', async () => {
    expect(await tokenOf(undefined)).toBeUndefined();
    expect(await tokenOf({})).toBeUndefined();
    expect(await tokenOf({ accessToken: '' })).toBeUndefined();
    expect(await tokenOf({ accessToken: 'server' })).toBe('server');
    expect(await tokenOf({ accessToken: 'server' }, 'ACME_KEY')).toBe('server');
  });

  it('[S003-15] prefers the credential of the session to that of the server', async () => {
    expect(await tokenOf({ ACME_KEY: 'own', accessToken: 'server' }, 'ACME_KEY')).toBe('own');
    expect(await tokenOf({ ACME_KEY: 'own' }, 'ACME_KEY')).toBe('own');
  });

  it('never passes on the token of the server if a session brings an invalid credential', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constant(''), fc.jsonValue()).filter((own) => typeof own !== 'string' || own === ''),
        async (own) => {
          const context = { ACME_KEY: own, accessToken: 'server' };
          await expect(tokenOf(context, 'ACME_KEY')).rejects.toMatchObject({
            code: 'ErrInvalidSessionContext',
          });
        },
      ),
    );
  });

  it('reads no credential from a prototype', async () => {
    expect(await tokenOf({ accessToken: 'server' }, 'constructor')).toBe('server');
    expect(await tokenOf(Object.create({ accessToken: 'inherited' }) as Record<string, unknown>)).toBe(
      undefined,
    );
  });

  it('[S003-08] [S003-50] gives all tools of the module the same annotations, and keeps the title of each', async () => {
    const loader = createModuleAdapter('quotes', registerQuoteTools, { annotations: readOnlyService });
    const tools = (await loader()) as McpToolDefinition[];
    expect(tools.map(({ annotations }) => annotations)).toEqual(
      tools.map(() => ({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      })),
    );
    expect(tools.map(({ title }) => title)).toEqual(['Quote', undefined]);
  });

  it('returns tools that can be registered', async () => {
    const registry = new ToolRegistry();
    registry.register(...(await createModuleAdapter('quotes', registerQuoteTools)({ accessToken: 'ada' })));
    registry.register({ name: 'new', description: 'Written anew', inputSchema: {}, handler: () => 'new' });
    expect(registry.listTools()).toMatchObject([
      { name: 'quote', title: 'Quote', description: 'Gets a quote', inputSchema: { required: ['symbol'] } },
      { name: 'markets', annotations: { destructiveHint: true } },
      { name: 'new' },
    ]);
    expect(await registry.executeTool({ name: 'quote', arguments: { symbol: 'ACME' } })).toEqual({
      content: [{ type: 'text', text: 'ACME for ada' }],
    });
    expect(await registry.executeTool({ name: 'quote', arguments: { symbl: 'ACME' } })).toMatchObject({
      content: [{ text: expect.stringContaining('Did you mean "symbol"?') }],
    });
  });

  it('folds the tools of a module into one tool with an action for each, on request', async () => {
    const options = { annotations: readOnlyService, grouped: { description: 'Prices' } };
    const loader = createModuleAdapter('quotes', registerQuoteTools, options);
    const registry = new ToolRegistry();
    registry.register(...((await loader({ accessToken: 'ada' })) as GroupedToolBuilder[]));
    const [tool, ...others] = registry.listTools();
    expect(others).toEqual([]);
    expect(tool).toMatchObject({
      name: 'quotes',
      description: expect.stringContaining('Prices'),
      inputSchema: { properties: { action: { enum: ['quote', 'markets'] } } },
      annotations: readOnlyService,
    });
    const call = (args: object) => registry.executeTool({ name: 'quotes', arguments: { ...args } });
    expect(await call({ action: 'quote', symbol: 'ACME' })).toMatchObject({
      content: [{ type: 'text', text: 'ACME for ada' }],
    });
    expect(await call({ action: 'markets' })).toEqual({ content: [] });
    expect(await call({ action: 'quote' })).toMatchObject({ isError: true });
  });

  it('names the module whose tools cannot be folded, and folds them with another discriminator', async () => {
    const register = (server: ToolCollector) => server.tool('act', { action: z.string() }, () => '');
    const loaderWith = (grouped: GroupedModule) => createModuleAdapter('acts', register, { grouped });
    const failure = Promise.resolve(loaderWith({ description: 'Acts' })());
    await expect(failure).rejects.toThrow(/Module "acts".*field "action"/);
    const [tool] = await loaderWith({ description: 'Acts', discriminator: 'operation' })();
    expect((tool as GroupedToolBuilder).getActionNames()).toEqual(['act']);
  });

  it('folds a module without tools into an empty list', async () => {
    const loader = createModuleAdapter('none', () => {}, { grouped: { description: 'Nothing' } });
    expect(await loader()).toEqual([]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no key');
      },
      'no key',
    ],
    [
      'rejects',
      async () => {
        throw new Error('no key');
      },
      'no key',
    ],
    [
      'throws text',
      () => {
        throw 'text';
      },
      'text',
    ], // oxlint-disable-line no-throw-literal
    [
      'registers a name twice',
      (server: ToolCollector) => {
        server.tool('a', () => '');
        server.tool('a', () => '');
      },
      '"a" is already registered',
    ],
    [
      'needs a real server',
      (server: McpServer) => {
        server.prompt('p', () => ({ messages: [] }));
      },
      'prompt',
    ],
  ] as const)('names the module of a function that %s', async (_, register, reason) => {
    const loader = createModuleAdapter('quotes', register as (server: never) => void);
    const failure = await Promise.resolve(loader()).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ErrModuleFailed);
    expect((failure as Error).message).toMatch(/Module "quotes"/);
    expect((failure as Error).message).toContain(reason);
  });

  it('starts with an empty collector each time', async () => {
    const loader = createModuleAdapter('quotes', registerQuoteTools);
    expect(await loader()).toHaveLength(2);
    expect(await loader()).toHaveLength(2);
  });
});

describe('createModuleAdapters', () => {
  it('[S003-17] [S003-18] [S003-19] [S003-20] has names, loaders and their number, and no inherited names', () => {
    const quotes = createModuleAdapter('quotes', registerQuoteTools);
    const news = createModuleAdapter('news', () => {});
    const adapters = createModuleAdapters({ quotes, news });
    expect(adapters.loaders).toEqual({ quotes, news });
    expect(adapters.getModuleNames()).toEqual(['quotes', 'news']);
    expect(adapters.getModuleCount()).toBe(2);
    expect(adapters.getModuleAdapter('news')).toBe(news);
    for (const name of ['none', 'constructor', '__proto__', 'toString'])
      expect(adapters.getModuleAdapter(name)).toBeUndefined();
  });
});

describe('code that expects more of a server than a collector of tools can do', () => {
  const noTool = async () => ({ content: [] });
  const registrations: Readonly<Record<string, readonly [(server: McpServer) => void, string]>> = {
    prompts: [
      (server) => server.registerPrompt('p', {}, () => ({ messages: [] })),
      'registry.registerPrompt(',
    ],
    resources: [
      (server) => server.registerResource('r', 'r://1', {}, () => ({ contents: [] })),
      'registry.registerResource(',
    ],
    handles: [(server) => server.registerTool('a', {}, noTool).disable(), 'with a view or with toolsets'],
    questions: [
      (server) =>
        server.registerTool('ask', {}, async () => {
          await server.server.elicitInput({
            message: 'Sure?',
            requestedSchema: { type: 'object', properties: {} },
          });
          return { content: [] };
        }),
      'ask with context.requestInput',
    ],
    'low-level handlers': [(server) => server.server.registerCapabilities({}), 'context.requestInput'],
    connections: [(server) => void server.connect(undefined as never), 'where the server is created'],
  };

  it.each(Object.entries(registrations))(
    'is rejected with what to write instead: %s',
    async (_, [register, hint]) => {
      for (const options of [{}, { sharesTools: true }]) {
        const failure: unknown = await createModuleAdapter('notes', register, options)().catch(
          (error: unknown) => error,
        );
        expect(failure).toBeInstanceOf(ErrModuleFailed);
        const { cause } = failure as ErrModuleFailed;
        expect(String((cause as Error).message)).toContain('but only its tools are collected.');
        expect((cause as Error).message).toContain(hint);
        // The stack names the line of the code.
        expect((cause as Error).stack).toContain('module-adapter.test.ts');
      }
    },
  );

  it('is accepted where it only keeps a handle, or asks through the second argument of a handler', async () => {
    const loader = createModuleAdapter('notes', async (server: McpServer) => {
      const handle = await Promise.resolve(server.registerTool('a', {}, noTool));
      expect(JSON.stringify({ handle })).toBe('{"handle":{}}');
      server.registerTool('b', {}, async ({ sendRequest }) => ({
        content: [{ type: 'text', text: typeof sendRequest }],
      }));
    });
    expect((await loader()).map((tool) => 'name' in tool && tool.name)).toEqual(['a', 'b']);
  });
});
