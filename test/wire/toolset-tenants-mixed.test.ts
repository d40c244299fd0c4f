import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server, createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { Exposure, createHandler } from 'toolfold/web';
import { legacyClients, modern } from './toolset-clients.js';
import type { Connect } from './toolset-clients.js';
import { configOf } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

async function serve(toolsets: ToolsetConfig) {
  const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets, trustedProxies: 1 });
  cleanUps.push(() => server.close());
  return async (connect: Connect, path = '', headers: Readonly<Record<string, string>> = {}) => {
    const client = await connect(`${server.url}${path}`, headers);
    cleanUps.push(() => client.close());
    return client;
  };
}

describe('two tools with the same name in different toolsets', () => {
  const twin = (answer: string, more: object) =>
    ({
      name: 'get_report',
      description: 'Gives the report',
      inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
      handler: () => answer,
      ...more,
    }) as never;
  const twins = (more: object): ToolsetConfig => ({
    catalog: {
      sales: { name: 'Sales', description: 'Sales', tools: [twin('of sales', more)] },
      payroll: { name: 'Payroll', description: 'Payroll', tools: [twin('of payroll', more)] },
    },
    moduleLoaders: {},
    startup: { mode: 'DYNAMIC' },
    context: {},
    exposurePolicy: {},
  });

  it('do not share cached values', async () => {
    const open = await serve(twins({ readOnly: true, cached: { ttlMs: 60_000, shared: true } }));
    expect((await (await open(modern, '/x/payroll')).call('get_report')).text).toBe('of payroll');
    expect((await (await open(modern, '/x/sales')).call('get_report')).text).toBe('of sales');
  });

  it('do not share idempotency keys', async () => {
    const open = await serve(twins({ idempotency: { field: 'key' } }));
    const args = { key: '12345678-1234-1234-1234-123456789012' };
    const ada = await open(modern, '/x/payroll');
    const again = await open(modern, '/x/sales');
    expect((await ada.call('get_report', args)).text).toBe('of payroll');
    expect((await again.call('get_report', args)).text).toBe('of sales');
  });
});

describe('anonymous callers at two addresses', () => {
  const config = (context: NonNullable<ToolsetConfig['context']>): ToolsetConfig => ({
    catalog: {
      a: {
        name: 'A',
        description: 'A',
        tools: [
          {
            name: 'order',
            description: 'Orders',
            inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
            idempotency: { field: 'key' },
            handler: ({ context: { caller } }: { context: { caller: { sessionId?: string } } }) =>
              `ordered in ${caller.sessionId}`,
          } as never,
        ],
      },
    },
    moduleLoaders: {},
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    context,
    exposurePolicy: {},
  });
  it.each([
    ['without a token of the server', {}],
    ['with a token of the server', { accessToken: 'token-of-the-server' }],
  ])('do not share idempotent results: %s', async (_, context) => {
    const open = await serve(config(context));
    const [, connect] = legacyClients[0]!;
    const from = (address: string) => open(connect, '', { 'x-forwarded-for': address });
    const [ada, bob] = [await from('203.0.113.1'), await from('203.0.113.2')];
    const args = { key: '12345678-1234-1234-1234-123456789012' };
    const first = await ada.call('order', args);
    const second = await bob.call('order', args);
    expect(second.text).not.toBe(first.text);
  });
});

describe('an exposure on a custom server over HTTP', () => {
  const config = (): ToolsetConfig => ({
    ...configOf({ startup: { mode: 'STATIC', toolsets: ['basics', 'users'] } }),
    sessionContext: {
      header: { name: 'mcp-session-config', encoding: 'json', allowedKeys: ['accessToken'] },
      credentialKeys: ['accessToken'],
    },
    exposurePolicy: {},
  });

  it('does not use the server credential for a request with its own', async () => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    const exposure = new Exposure(registry, { toolsets: config() });
    const handler = createMcpHandler(() => {
      const server = new Server({ name: 'acme', version: '1' }, { capabilities: {} });
      registry.attachToServer(server, { view: exposure, announces: false });
      return server;
    });
    cleanUps.push(() => handler.close());
    const send = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const headers = { 'mcp-session-config': '{"accessToken":"token-of-ada"}', 'x-mcp-readonly': 'true' };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
        requestInit: { headers },
        fetch: send,
      }),
    );
    cleanUps.push(() => client.close());
    const { content } = await client.callTool({ name: 'whoami', arguments: {} });
    expect(JSON.stringify(content)).not.toContain('token-of-the-server');
  });
});

describe('a closed handler with toolsets', () => {
  it('removes its change listeners', async () => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    let listeners = 0;
    const { onChange } = registry;
    registry.onChange = (listener) => {
      listeners++;
      const stop = onChange.call(registry, listener);
      return () => {
        listeners--;
        return stop();
      };
    };
    await createHandler(registry, { toolsets: configOf() }).close();
    expect(listeners).toBe(0);
  });
});

describe('pages of an allowed origin', () => {
  it('may send the headers that select tools and name the client', async () => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    const toolsets: ToolsetConfig = {
      ...configOf(),
      sessionContext: {
        header: { name: 'mcp-session-config', encoding: 'json', allowedKeys: ['accessToken'] },
      },
    };
    const handler = createHandler(registry, { toolsets, cors: { origins: ['https://app.example'] } });
    cleanUps.push(() => handler.close());
    const wanted =
      'mcp-client-id, mcp-session-config, x-mcp-exclude-tools, x-mcp-readonly, x-mcp-tools, x-mcp-toolsets';
    const response = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': wanted,
        },
      }),
    );
    const allowed = (response.headers.get('access-control-allow-headers') ?? '').split(', ');
    expect(allowed).toEqual(expect.arrayContaining(wanted.split(', ')));
  });
});
