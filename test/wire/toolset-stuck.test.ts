import { describe, expect, it } from 'vitest';
import { ToolRegistry, createModuleAdapter } from '../../src/index.js';
import { Toolsets, serveHttp } from '../../src/serve/node.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { cleanUps } from './toolset-setup.js';

const tool = (name: string) => ({
  name,
  description: name,
  readOnly: true,
  inputSchema: {},
  handler: () => name,
});

describe('a session whose credential a module takes no longer', () => {
  it('can still disable the toolset', async () => {
    const server = await serveHttp(new ToolRegistry(), {
      port: 0,
      closeOnSignals: false,
      toolsets: {
        catalog: {
          mail: { name: 'Mail', description: 'Mail', modules: ['mail'] },
          basics: { name: 'Basics', description: 'Basics', tools: [tool('ping')] },
        },
        moduleLoaders: {
          mail: (context) => {
            if (context?.['accessToken'] !== 'fresh') throw new Error('the token has expired');
            return [tool('read_mail')];
          },
        },
        startup: { mode: 'DYNAMIC' },
        context: {},
        exposurePolicy: {},
        sessionContext: {
          header: { name: 'ctx', encoding: 'json', allowedKeys: ['accessToken'] },
          credentialKeys: ['accessToken'],
        },
      },
    });
    cleanUps.push(() => server.close());
    const headers: Record<string, string> = { ctx: JSON.stringify({ accessToken: 'fresh' }) };
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.url), {
        fetch: (url, init) => {
          const all = new Headers(init?.headers);
          for (const [name, value] of Object.entries(headers)) all.set(name, value);
          return fetch(url, { ...init, headers: all });
        },
      }),
    );
    cleanUps.push(() => client.close());
    await client.callTool({ name: 'enable_toolset', arguments: { toolset: 'mail' } });
    headers['ctx'] = JSON.stringify({ accessToken: 'stale' });
    const { isError, content } = await client.callTool({
      name: 'disable_toolset',
      arguments: { toolset: 'mail' },
    });
    expect({ isError: isError ?? false, content }).toMatchObject({ isError: false });
  });
});

describe('a module with shared tools', () => {
  it('is asked again for a credential for which it never answered', async () => {
    let hangs = true;
    const loader = createModuleAdapter(
      'quotes',
      async (server: { tool: (...args: unknown[]) => void }, accessToken?: string) => {
        if (accessToken !== undefined && hangs) await new Promise(() => {});
        server.tool('get_quote', 'The price', {}, async () => ({ content: [{ type: 'text', text: 'ok' }] }));
      },
      { sharesTools: true, timeoutMs: 100 },
    );
    const registry = new ToolRegistry();
    const toolsets = new Toolsets(registry, {
      catalog: { market: { name: 'Market', description: 'Market', modules: ['quotes'] } },
      moduleLoaders: { quotes: loader },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      context: { accessToken: 'server' },
      exposurePolicy: {},
    });
    const session = toolsets.contextOf();
    const view = await toolsets.view(['market'], session);
    const call = () =>
      Promise.race([
        registry
          .executeTool({ name: 'get_quote', arguments: {}, session }, view)
          .then(({ content }) => content),
        new Promise((resolve) => setTimeout(() => resolve('hangs'), 1_000)),
      ]);
    await call();
    hangs = false;
    expect(await call()).not.toBe('hangs');
  });
});
