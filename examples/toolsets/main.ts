/**
 * Turns functions that register tools on an MCP server into toolsets: selected by command line or environment, enabled
 * and disabled, and called with the credential of each caller. Exits with an error if an assertion fails.
 */
// #region imports
import assert from 'node:assert/strict';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ToolRegistry } from 'toolfold';
import {
  ModeConfigMapper,
  ServerModeEnforcer,
  createModuleAdapter,
  createModuleAdapters,
  readOnlyService,
  Toolsets,
} from 'toolfold/web';
import type { View } from 'toolfold';
import type { ToolSetCatalog } from 'toolfold/web';
import * as z from 'zod';
// #endregion imports

// #region register
function registerQuoteTools(server: McpServer, accessToken?: string): void {
  server.tool('get_quote', 'The price of a share', { symbol: z.string() }, async ({ symbol }) => ({
    content: [{ type: 'text', text: `${symbol} costs 42, asked with ${accessToken ?? 'no token'}` }],
  }));
}

function registerCompanyTools(server: McpServer): void {
  server.registerTool(
    'get_profile',
    { title: 'Company', description: 'What a company does', inputSchema: { symbol: z.string() } },
    async ({ symbol }) => ({ content: [{ type: 'text', text: `${symbol} makes anvils` }] }),
  );
}
// #endregion register

// #region adapters
const options = { annotations: readOnlyService, credentialKey: 'ACME_ACCESS_TOKEN' };
const adapters = createModuleAdapters({
  quotes: createModuleAdapter('quotes', registerQuoteTools, options),
  companies: createModuleAdapter('companies', registerCompanyTools, options),
});
// #endregion adapters

// #region catalog
const catalog: ToolSetCatalog = {
  market: {
    name: 'Market',
    description: 'Prices of shares',
    decisionCriteria: 'Use it for anything about prices',
    modules: ['quotes'],
  },
  research: {
    name: 'Research',
    description: 'Companies, and what their shares cost',
    modules: ['companies', 'quotes'],
  },
};
// #endregion catalog

// #region modes
function start(argv: readonly string[], env: Record<string, string> = {}) {
  const enforcer = new ServerModeEnforcer({
    catalog,
    moduleLoaders: adapters.loaders,
    credentialKey: 'ACME_ACCESS_TOKEN',
    argv,
    env,
  });
  const { mode } = enforcer.resolve();
  const config = ModeConfigMapper.toToolsetConfig(mode, {}, enforcer, 'token-of-the-server');
  const registry = new ToolRegistry({ name: 'acme' });
  return { mode, registry, toolsets: new Toolsets(registry, config) };
}

for (const [argv, env] of [
  [['--tool-sets=market'], {}],
  [['--all-tools'], { STATIC_TOOL_SETS: 'market' }],
  [[], { STATIC_TOOL_SETS: ' market , research ' }],
  [[], {}],
] as const) {
  const { mode, toolsets } = start(argv, env);
  console.log(mode, toolsets.startup);
}
// #endregion modes

// #region views
const namesOf = (view: View): string[] => view.listTools().map(({ name }) => name);
const { registry, toolsets } = start(['--dynamic-tool-discovery']);
/** Reads the session context of a request with this `mcp-session-config` header and no query parameters. */
const contextOf = (header?: string) =>
  toolsets.contextOf({
    query: () => [],
    header: (name) => (name === 'mcp-session-config' ? header : undefined),
  });

const context = contextOf();
const market = await toolsets.enable('market', [], context);
const both = await toolsets.enable('research', market, context);
console.log(namesOf(await toolsets.view(both, context)));
console.log(namesOf(await toolsets.view(toolsets.disable('research', both), context)));
console.log(namesOf(await toolsets.view(both, context, { tools: ['get_profile'] })));
// #endregion views
assert.deepEqual(namesOf(await toolsets.view(both, context)), ['get_quote', 'get_profile']);
assert.equal(await toolsets.view(both.toReversed(), contextOf()), await toolsets.view(both, context));

// #region session
const own = contextOf(btoa(JSON.stringify({ ACME_ACCESS_TOKEN: 'token-of-ada' })));
for (const caller of [context, own]) {
  const view = await toolsets.view(market, caller);
  const call = { name: 'get_quote', arguments: { symbol: 'ACME' }, session: caller };
  const { content } = await registry.executeTool(call, view);
  console.log(content[0]?.type === 'text' ? content[0].text : content);
}
// #endregion session
assert.notEqual(await toolsets.view(market, own), await toolsets.view(market, context));

// #region rejected
for (const attempt of [
  () => start(['--tool-sets=markt']),
  () => toolsets.enable('constructor', market, context),
  () => contextOf('not base64'),
  () => contextOf(btoa('{"ACME_ACCESS_TOKEN":""}')),
  () => contextOf(btoa('{"role":"admin"}')),
]) {
  try {
    await attempt();
    assert.fail('it should have been rejected');
  } catch (error) {
    assert(error instanceof Error && error.name.startsWith('Err'), String(error));
    console.log(`${error.name}: ${error.message}`);
  }
}
// #endregion rejected
