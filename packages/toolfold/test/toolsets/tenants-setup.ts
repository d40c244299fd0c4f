import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ToolRegistry } from 'toolfold';
import type { ContextRequest, ServerMode, ToolsetConfig } from 'toolfold/web';
import { createModuleAdapter, ModeConfigMapper, ServerModeEnforcer, Toolsets } from 'toolfold/web';

function registerWhoamiTools(server: McpServer, accessToken?: string): void {
  server.tool('whoami', 'Says whose token it has', async () => ({
    content: [{ type: 'text', text: accessToken ?? 'nobody' }],
  }));
}

export const KEY = 'ACME_ACCESS_TOKEN';
export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** The context of a request, in the header or the query. */
export const request = (what: { header?: string; query?: string }): ContextRequest => ({
  header: (name) => (name === 'mcp-session-config' ? what.header : undefined),
  query: (name) => (name === 'config' && what.query !== undefined ? [what.query] : []),
});

const flags: Record<ServerMode, string> = {
  DYNAMIC_TOOL_DISCOVERY: '--dynamic-tool-discovery',
  STATIC_TOOL_SETS: '--tool-sets=me',
  ALL_TOOLS: '--all-tools',
};

export function setUp(mode: ServerMode, more: (config: ToolsetConfig) => ToolsetConfig = (config) => config) {
  const loads: unknown[] = [];
  const adapter = createModuleAdapter('me', registerWhoamiTools, { credentialKey: KEY });
  const enforcer = new ServerModeEnforcer({
    catalog: {
      me: { name: 'Me', description: 'Who is it', modules: ['me', 'own'] },
    },
    moduleLoaders: {
      me: async (context) => {
        loads.push(context);
        // Lets loads of several tenants overlap.
        await new Promise((resolve) => setImmediate(resolve));
        return adapter(context);
      },
      // A loader that ignores the key.
      own: (context) => [
        { name: 'own', description: 'Own', inputSchema: {}, handler: () => String(context?.['accessToken']) },
      ],
    },
    credentialKey: KEY,
    argv: [flags[mode]],
  });
  const config = ModeConfigMapper.toToolsetConfig(mode, {}, enforcer, 'token-of-the-operator');
  const registry = new ToolRegistry({ name: 'test' });
  const toolsets = new Toolsets(registry, more(config));
  const call = async (what: { header?: string; query?: string }, name = 'whoami'): Promise<string> => {
    const context = toolsets.contextOf(request(what));
    const active = toolsets.isDynamic ? await toolsets.enable('me', [], context) : toolsets.startup;
    const { content } = await registry.executeTool(
      { name, arguments: {} },
      await toolsets.view(active, context),
    );
    return (content[0] as { text: string }).text;
  };
  return { toolsets, call, loads };
}
