import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../../src/index.js';
import type { ToolsetConfig } from '../../src/index.js';
import { serveHttp } from '../../src/serve/node.js';
import type { ServeHttpOptions } from '../../src/serve/node.js';
import { configOf } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

async function serve(config: Partial<ToolsetConfig>, options: ServeHttpOptions = {}) {
  const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
  const server = await serveHttp(registry, {
    port: 0,
    closeOnSignals: false,
    toolsets: configOf(config),
    ...options,
  });
  cleanUps.push(() => server.close());
  return { registry, url: server.url };
}

const base = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const send = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, { method: 'POST', headers: { ...base, ...headers }, body: JSON.stringify(body) });

async function openSession(url: string, version: string, more: Readonly<Record<string, string>> = {}) {
  const response = await send(
    url,
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    },
    more,
  );
  await response.text();
  const headers = { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', ...more };
  let id = 0;
  const call = (name: string, args: object, own: Readonly<Record<string, string>> = {}) =>
    send(
      url,
      { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } },
      { ...headers, ...own },
    );
  return { headers, call, lastId: () => id };
}

const count = (text: string): number => text.split('notifications/tools/list_changed').length - 1;
const DYNAMIC = { startup: { mode: 'DYNAMIC' } } as const;

describe('a client without a stream of its own', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'is told once of a change, on the answer: %s',
    async (version) => {
      const { url } = await serve(DYNAMIC);
      const session = await openSession(url, version);
      const enabled = await (await session.call('enable_toolset', { toolset: 'users' })).text();
      expect(count(enabled)).toBe(1);
      const again = await (await session.call('enable_toolset', { toolset: 'users' })).text();
      expect(count(again)).toBe(0);
      const off = await (await session.call('disable_toolset', { toolset: 'users' })).text();
      expect(count(off)).toBe(1);
    },
  );

  it('is told once of each change in a batch', async () => {
    const { url } = await serve(DYNAMIC);
    const session = await openSession(url, '2025-03-26');
    const body = ['users', 'billing', 'users', 'broken'].map((toolset, id) => ({
      jsonrpc: '2.0',
      id: id + 10,
      method: 'tools/call',
      params: { name: 'enable_toolset', arguments: { toolset } },
    }));
    const text = await (await send(url, body, session.headers)).text();
    expect(count(text)).toBe(2);
  });
});

describe('enabling that its client has given up', () => {
  it('does not happen behind its back', async () => {
    let load: (tools: never[]) => void = () => {};
    const config = configOf();
    const { url } = await serve({
      ...DYNAMIC,
      moduleLoaders: {
        ...config.moduleLoaders,
        users: () =>
          new Promise((resolve) => {
            load = resolve as never;
          }),
      },
    });
    const session = await openSession(url, '2025-11-25');
    const enabling = session.call('enable_toolset', { toolset: 'users' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await send(
      url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: session.lastId() } },
      session.headers,
    );
    const told = count(await (await enabling).text());
    load([]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const listed = await (await session.call('list_toolsets', {})).text();
    const isActive = /"key\\*":\\*"users\\*"[^}]*"isActive\\*":true/.test(listed);
    // Either it is enabled and the client was told, or neither.
    expect({ told: told === 1, isActive }).toEqual({ told: isActive, isActive });
  });
});

describe('scopes', () => {
  const auth = {
    authenticate: () => ({
      auth: {
        token: 'x',
        clientId: 'c',
        scopes: [],
        extra: { sub: 'ada' },
        resourceMetadataUrl: 'https://acme.example/.well-known/oauth-protected-resource',
      },
    }),
  };
  const scoped = {
    name: 'secret',
    description: 'Secret',
    readOnly: true,
    scopes: ['secret:read'],
    inputSchema: { type: 'object', properties: {} },
    handler: () => 'secret',
  } as never;
  const config = { catalog: { s: { name: 'S', description: 'S', tools: [scoped] } }, moduleLoaders: {} };
  const options = { auth, view: { form: 'search' as const } };

  it('are asked for with 403 where a tool that calls tools runs it, 2025', async () => {
    const { url } = await serve({ ...config, startup: { mode: 'STATIC', toolsets: 'ALL' } }, options);
    const session = await openSession(url, '2025-11-25');
    const response = await session.call('call_read_tool', { address: 'secret' });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('secret:read'),
    ]);
  });

  it('are asked for with 403 where a tool that calls tools runs it, 2026', async () => {
    const { url } = await serve({ ...config, startup: { mode: 'STATIC', toolsets: 'ALL' } }, options);
    const prefix = 'io.modelcontextprotocol/';
    const params = {
      name: 'call_read_tool',
      arguments: { address: 'secret' },
      _meta: {
        [`${prefix}protocolVersion`]: '2026-07-28',
        [`${prefix}clientCapabilities`]: {},
        [`${prefix}clientInfo`]: { name: 'c', version: '1' },
      },
    };
    const response = await send(
      url,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'call_read_tool' },
    );
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('secret:read'),
    ]);
  });
});

describe('a resolver of contexts that answers later', () => {
  it('is refused, and does not leave all callers with an empty context', async () => {
    const errors: unknown[] = [];
    const { url } = await serve(
      {
        startup: { mode: 'STATIC', toolsets: ['basics'] },
        sessionContext: {
          contextResolver: (async (_: unknown, context: object) => ({ ...context, tenant: 'ada' })) as never,
        },
      },
      { onError: (error) => errors.push(error) },
    );
    const session = await openSession(url, '2025-11-25');
    const text = await (await session.call('whoami', {})).text();
    expect(text).not.toContain('"session\\":{}');
    expect(String(errors[0])).toContain('contextResolver');
  });
});

describe('a selection', () => {
  it('holds in a session for the request that brings it, whatever came before', async () => {
    const { url } = await serve({ startup: { mode: 'STATIC', toolsets: ['users', 'billing'] } });
    const session = await openSession(`${url}`, '2025-11-25', { 'x-mcp-toolsets': 'users' });
    const refused = await (await session.call('list_invoices', {})).text();
    expect(refused).toContain('Unknown tool');
    const batchless = await send(
      `${url}/x/users/readonly`,
      { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'add_user', arguments: {} } },
      session.headers,
    );
    expect(await batchless.text()).toContain('Unknown tool');
  });

  it('is refused on every method where it names what is not there', async () => {
    const { url } = await serve({ startup: { mode: 'STATIC', toolsets: ['users'] } });
    const session = await openSession(url, '2025-11-25');
    for (const method of ['GET', 'DELETE'])
      expect(
        (await fetch(`${url}/x/nope`, { method, headers: { ...base, ...session.headers } })).status,
      ).toBe(400);
  });
});
