import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { apiKeys, Toolsets } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { fromMcpServer } from '@toolfold/gateway';
import type { UpstreamAddress } from '@toolfold/gateway';
import { codeOf, textOf } from './upstream-servers.js';

/** A server that returns its caller, and counts its open sessions. */
async function serve() {
  const inner = new ToolRegistry({ name: 'inner' });
  inner.register({
    name: 'whoami',
    description: 'Says who calls',
    inputSchema: {},
    handler: ({ context }) => context.caller.auth?.clientId ?? 'nobody',
  });
  const keys = Array.from({ length: 8 }, (_, index) => ({
    key: `secret-key-${index}-${'x'.repeat(20)}`,
    clientId: `tenant-${index}`,
  }));
  const server = await serveHttp(inner, { port: 0, closeOnSignals: false, auth: apiKeys({ keys }) });
  onTestFinished(() => server.close());
  const connected: string[] = [];
  const headers: UpstreamAddress['headers'] = ({ tenant }) => {
    connected.push(String(tenant));
    return { authorization: `Bearer ${keys[Number(tenant)]?.key}` };
  };
  return { url: server.url, headers, connected };
}

const run = async (definitions: readonly { readonly name: string }[]) => {
  const registry = new ToolRegistry();
  registry.register(...(definitions as never[]));
  return registry.executeTool({ name: 'whoami', arguments: {} });
};

describe('headers that depend on the context', () => {
  it.each(['2025', '2026'] as const)(
    'give every context its own connection, protocol %s',
    async (protocol) => {
      const { url, headers, connected } = await serve();
      const upstream = fromMcpServer({ url, headers }, { protocol });
      onTestFinished(() => upstream.close());
      const loaded = await Promise.all([0, 1, 2, 3].map((tenant) => upstream({ tenant })));
      const calls = Array.from({ length: 40 }, (_, index) => run(loaded[index % 4]!));
      expect((await Promise.all(calls)).map(textOf)).toEqual(
        Array.from({ length: 40 }, (_, index) => `tenant-${index % 4}`),
      );
      expect(connected.toSorted()).toEqual(['0', '1', '2', '3']);
    },
  );

  it('share a limited number of connections, and reconnect an evicted context', async () => {
    const { url, headers, connected } = await serve();
    const upstream = fromMcpServer({ url, headers }, { protocol: '2025', maxConnections: 2 });
    onTestFinished(() => upstream.close());
    const loaded = [];
    for (const tenant of [0, 1, 2]) loaded.push(await upstream({ tenant }));
    expect(textOf(await run(loaded[0]!))).toBe('tenant-0');
    expect(textOf(await run(loaded[2]!))).toBe('tenant-2');
    expect(connected).toEqual(['0', '1', '2', '0']);
  });

  it('open no connection if the function throws or returns invalid headers', async () => {
    const { url } = await serve();
    const broken = fromMcpServer({ url, headers: () => Promise.reject(new Error('no token for you')) });
    await expect(broken({ tenant: 1 })).rejects.toThrow('no token for you');
    const wrong = fromMcpServer({ url, headers: () => ({ authorization: 5 }) as never });
    await expect(wrong({})).rejects.toThrow('an object of text');
    const rejected = fromMcpServer({ url, headers: { authorization: 'Bearer wrong' } });
    await expect(rejected()).rejects.toThrow(/needs valid credentials/);
  });

  it('reach the connection through toolsets, and never that of another tenant', async () => {
    const { url, headers } = await serve();
    const upstream = fromMcpServer({ url, headers }, { protocol: '2026' });
    onTestFinished(() => upstream.close());
    const registry = new ToolRegistry();
    const toolsets = new Toolsets(registry, {
      catalog: { inner: { name: 'Inner', description: 'The server behind', modules: ['inner'] } },
      moduleLoaders: { inner: upstream },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      context: {},
      exposurePolicy: {},
    });
    for (const tenant of [0, 1, 0, 2]) {
      const view = await toolsets.view(['inner'], { context: { tenant }, hash: String(tenant) });
      const result = await registry.executeTool({ name: 'whoami', arguments: {} }, view);
      expect(codeOf(result)).toBeUndefined();
      expect(textOf(result)).toBe(`tenant-${tenant}`);
    }
  });
});
