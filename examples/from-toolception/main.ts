/**
 * A Toolception server in Toolfold: its catalog and tools are used unchanged and served to 2025 and 2026 clients. Exits
 * with an error if an assertion fails.
 */
import assert from 'node:assert/strict';

// #region tools
/** Tools as a Toolception module defines them: JSON Schema, and a handler that receives only the arguments. */
const quoteTools = [
  {
    name: 'price',
    description: 'The price of a share',
    inputSchema: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
    handler: async ({ symbol }: { symbol: string }) => ({
      content: [{ type: 'text', text: `${symbol} costs 42` }],
    }),
  },
];
const newsTools = [
  {
    name: 'headlines',
    description: 'What is written about a share',
    inputSchema: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
    handler: async ({ symbol }: { symbol: string }) => ({
      content: [{ type: 'text', text: `${symbol} makes anvils` }],
    }),
  },
];
// #endregion tools

// #region adapters
import { ToolRegistry } from 'toolfold';
import { createModuleAdapter, readOnlyService, apiKeys, createHandler } from 'toolfold/web';
import type { ToolCollector, ToolsetConfig } from 'toolfold/web';

type ToolceptionTool = (typeof quoteTools)[number];

/** Registers the tools of a Toolception module. */
const adapt = (module: string, load: () => Promise<readonly ToolceptionTool[]>) =>
  createModuleAdapter(
    module,
    async (server: ToolCollector) => {
      for (const { name, handler, ...config } of await load()) server.registerTool(name, config, handler);
    },
    { annotations: readOnlyService },
  );

const moduleLoaders = {
  quotes: adapt('quotes', async () => quoteTools),
  news: adapt('news', async () => newsTools),
};
// #endregion adapters

// #region config
const config: ToolsetConfig = {
  catalog: {
    quotes: { name: 'Quotes', description: 'Prices of shares', modules: ['quotes'] },
    news: { name: 'News', description: 'What is written', modules: ['news'] },
  },
  moduleLoaders,
  startup: { mode: 'DYNAMIC' },
  context: {},
  exposurePolicy: { maxActiveToolsets: 2, namespaceToolsWithSetKey: true },
};
// #endregion config

// #region client
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

type Serve = ReturnType<typeof createHandler>;

async function connect(handler: Serve, mode: 'auto' | 'legacy', headers: Record<string, string> = {}) {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const url = new URL('http://localhost/mcp');
  await client.connect(new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers } }));
  return client;
}

const namesOf = async (client: Client): Promise<string> =>
  (await client.listTools()).tools.map(({ name }) => name).join(', ');

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text: string }[])[0]?.text ?? '';
}

// #endregion client

// #region dynamic
const dynamic = createHandler(new ToolRegistry({ name: 'market' }), { toolsets: config, path: '/mcp' });
const legacy = await connect(dynamic, 'legacy');
console.log(await namesOf(legacy));
console.log(await call(legacy, 'enable_toolset', { toolset: 'quotes' }));
console.log(await call(legacy, 'quotes_price', { symbol: 'ACME' }));
await call(legacy, 'disable_toolset', { toolset: 'quotes' });
const disabled = await legacy.callTool({ name: 'quotes_price', arguments: { symbol: 'ACME' } }).catch(String);
console.log(disabled);

const modern = await connect(dynamic, 'auto');
console.log(await namesOf(modern));
console.log(await call(modern, 'call_read_tool', { address: 'quotes_price', arguments: { symbol: 'ACME' } }));
// #endregion dynamic
assert.match(String(disabled), /Unknown tool/);
await Promise.all([legacy.close(), modern.close()]);
await dynamic.close();

// #region permissions
const [keyOfAda, keyOfBob] = ['a', 'b'].map((letter) => letter.repeat(32)) as [string, string];
const guarded = createHandler(new ToolRegistry({ name: 'market' }), {
  path: '/mcp',
  auth: apiKeys({
    keys: [
      { key: keyOfAda, clientId: 'ada', scopes: ['quotes', 'news'] },
      { key: keyOfBob, clientId: 'bob', scopes: ['quotes'] },
    ],
  }),
  toolsets: {
    ...config,
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    select: (auth) => ({ toolsets: auth?.scopes ?? [] }),
  },
});
for (const key of [keyOfAda, keyOfBob]) {
  const client = await connect(guarded, 'auto', { 'x-api-key': key });
  console.log(await namesOf(client));
  await client.close();
}
// #endregion permissions
await guarded.close();
