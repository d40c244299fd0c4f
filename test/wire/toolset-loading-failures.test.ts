import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { createModuleAdapter, MemorySessionStore, Toolsets } from 'toolfold/web';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { legacyClients } from './toolset-clients.js';
import { configOf } from './toolset-server.js';
import { cleanUps, postModern, setUp } from './toolset-setup.js';

const within = async <T>(promise: Promise<T>, ms: number): Promise<T | 'still waiting'> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'still waiting'>((resolve) => {
    timer = setTimeout(() => resolve('still waiting'), ms);
  });
  promise.catch(() => undefined);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

const tool = (name: string) => ({
  name,
  description: name,
  readOnly: true,
  inputSchema: {},
  handler: () => name,
});

describe('a loader that never ends', () => {
  const hanging = () => {
    const base = configOf();
    return {
      startup: { mode: 'DYNAMIC' },
      moduleLoaders: { ...base.moduleLoaders, broken: () => new Promise(() => {}) },
    } as Partial<ToolsetConfig>;
  };
  it('does not block clients that need no tool of it', async () => {
    const { server } = await setUp(hanging());
    expect(await within(postModern(server.url, 'tools/list'), 3_000)).toMatchObject({ status: 200 });
  }, 10_000);
});

describe('an incomplete list after a failed load', () => {
  it('must not be cached by clients', async () => {
    let isUp = false;
    const base = configOf();
    const { server } = await setUp(
      {
        startup: { mode: 'DYNAMIC', toolsets: ['billing'] },
        moduleLoaders: {
          ...base.moduleLoaders,
          billing: (context) => {
            if (!isUp) throw new Error('down');
            return base.moduleLoaders['billing']!(context);
          },
        },
      },
      { listTtlMs: 3_600_000 },
    );
    const { text } = await postModern(server.url, 'tools/list');
    isUp = true;
    const { result } = JSON.parse(text) as { result: { tools: { name: string }[]; ttlMs: number } };
    expect(result.tools.map(({ name }) => name)).not.toContain('list_invoices');
    expect(result.ttlMs).toBe(0);
  });
});

describe('an error of a loader', () => {
  it.each(legacyClients)('reveals no credential of the server to a tenant: %s', async (_, connect) => {
    const base = configOf();
    const { server } = await setUp({
      startup: { mode: 'DYNAMIC' },
      sessionContext: {
        header: { name: 'mcp-session-config', encoding: 'json', allowedKeys: ['accessToken'] },
        credentialKeys: ['accessToken'],
      },
      moduleLoaders: base.moduleLoaders,
    });
    const client = await connect(server.url, { 'mcp-session-config': '{"accessToken":"token-of-ada"}' });
    cleanUps.push(() => client.close());
    const { text, isError } = await client.call('enable_toolset', { toolset: 'broken' });
    expect(isError).toBe(true);
    expect(text).not.toContain('token-of-the-server');
  });

  it.each(legacyClients)('reveals no password in a URL: %s', async (_, connect) => {
    const base = configOf();
    const { server } = await setUp({
      startup: { mode: 'DYNAMIC' },
      moduleLoaders: {
        ...base.moduleLoaders,
        broken: () => {
          throw new Error('connect ECONNREFUSED postgres://svc:hunter2secret@db.internal/prod');
        },
      },
    });
    const client = await connect(server.url);
    cleanUps.push(() => client.close());
    const { text } = await client.call('enable_toolset', { toolset: 'broken' });
    expect(text).not.toContain('hunter2secret');
  });
});

describe('a session whose credential a module no longer accepts', () => {
  it('can still disable the toolset on a node that cannot load it', async () => {
    const store = new MemorySessionStore();
    const serve = async (isAccepted: boolean): Promise<string> => {
      const server = await serveHttp(new ToolRegistry(), {
        port: 0,
        closeOnSignals: false,
        sessions: { store },
        toolsets: {
          catalog: {
            mail: { name: 'Mail', description: 'Mail', modules: ['mail'] },
            basics: { name: 'Basics', description: 'Basics', tools: [tool('ping')] },
          },
          moduleLoaders: {
            mail: () => {
              if (!isAccepted) throw new Error('the token has expired');
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
      return server.url;
    };
    const [before, after] = [await serve(true), await serve(false)];
    const headers = { ctx: JSON.stringify({ accessToken: 'token' }) };
    let url = before;
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(before), {
        requestInit: { headers },
        fetch: (_, init) => fetch(url, init),
      }),
    );
    cleanUps.push(() => client.close());
    await client.callTool({ name: 'enable_toolset', arguments: { toolset: 'mail' } });
    url = after;
    const { isError, content } = await client.callTool({
      name: 'disable_toolset',
      arguments: { toolset: 'mail' },
    });
    expect({ isError: isError ?? false, content }).toMatchObject({ isError: false });
  });
});

describe('a module with shared tools', () => {
  it('is called again for a credential that timed out', async () => {
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
