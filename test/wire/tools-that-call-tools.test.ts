import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { modern } from './toolset-clients.js';
import { configOf } from './toolset-server.js';
import { cleanUps, openSession, setUp } from './toolset-setup.js';
import { modernRequest } from './raw-request.js';

describe('call_read_tool and call_write_tool', () => {
  it('reach neither each other nor actions of the other kind', async () => {
    const { open } = await setUp({ startup: { mode: 'DYNAMIC' } });
    const client = await open(modern);
    for (const address of ['search_tools', 'call_read_tool', 'call_write_tool', '__proto__', 'constructor'])
      for (const name of ['call_read_tool', 'call_write_tool'])
        expect(await client.call(name, { address, arguments: {} })).toMatchObject({ isError: true });
    expect(await client.call('call_read_tool', { address: 'add_user' })).toMatchObject({ isError: true });
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

  it('are challenged with 403 for a call through call_read_tool, 2025', async () => {
    const { server } = await setUp({ ...config, startup: { mode: 'STATIC', toolsets: 'ALL' } }, options);
    const session = await openSession(server.url, '2025-11-25');
    const response = await session.call('call_read_tool', { address: 'secret' });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('secret:read'),
    ]);
  });

  it('are challenged with 403 for a call through call_read_tool, 2026', async () => {
    const { server } = await setUp({ ...config, startup: { mode: 'STATIC', toolsets: 'ALL' } }, options);
    const params = { name: 'call_read_tool', arguments: { address: 'secret' } };
    const response = await fetch(server.url, modernRequest('tools/call', params));
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('secret:read'),
    ]);
  });
});

describe('middleware that rejects calls of a tool', () => {
  it('is not bypassed by call_read_tool and call_write_tool', async () => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    const seen: unknown[] = [];
    registry.use((request, next) => {
      seen.push(request.params['name']);
      if (request.method === 'tools/call' && request.params['name'] === 'pay_invoice')
        throw new Error('not today');
      return next();
    });
    const server = await serveHttp(registry, {
      port: 0,
      closeOnSignals: false,
      toolsets: configOf({ startup: { mode: 'DYNAMIC' } }),
    });
    cleanUps.push(() => server.close());
    const client = await modern(server.url);
    cleanUps.push(() => client.close());
    expect(await client.call('call_write_tool', { address: 'pay_invoice' })).toMatchObject({ isError: true });
  });
});
