import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { fromMcpServer } from '@toolfold/gateway';
import { faulty, textOf } from './upstream-servers.js';

/** A 2025 server that records its maximum number of sessions, and delays each request. */
async function serve() {
  const sessions = new Set<string>();
  const state = { most: 0, begun: 0 };
  const tools = [{ name: 'who', description: 'Who calls', inputSchema: { type: 'object' } }];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const session = String(request.headers['mcp-session-id']);
    if (request.method === 'DELETE') {
      sessions.delete(session);
      return void response.writeHead(200).end();
    }
    if (request.method === 'GET') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(text) as {
      id?: number;
      method: string;
      params: { protocolVersion: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    let result: object = { tools };
    if (method === 'initialize') {
      headers['mcp-session-id'] = `session-${++state.begun}`;
      sessions.add(headers['mcp-session-id']);
      state.most = Math.max(state.most, sessions.size);
      const { protocolVersion } = params;
      result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
    } else if (!sessions.has(session)) return void response.writeHead(404).end();
    else if (method === 'tools/call')
      result = { content: [{ type: 'text', text: String(request.headers.authorization) }] };
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, state };
}

describe('more contexts than maxConnections', () => {
  it('connect concurrently and get their own answers within the limit', async () => {
    const { url, state } = await serve();
    const headers = ({ tenant }: Readonly<Record<string, unknown>>) => ({
      authorization: `tenant ${String(tenant)}`,
    });
    const upstream = fromMcpServer({ url, headers }, { protocol: '2025', maxConnections: 10 });
    onTestFinished(() => upstream.close());
    const tenants = Array.from({ length: 40 }, (_, tenant) => tenant);
    const answers = await Promise.all(
      tenants.map(async (tenant) => {
        const registry = new ToolRegistry();
        registry.register(...(await upstream({ tenant })));
        return textOf(await registry.executeTool({ name: 'who', arguments: {} }));
      }),
    );
    expect(answers).toEqual(tenants.map((tenant) => `tenant ${tenant}`));
    expect(state.begun).toBeGreaterThanOrEqual(40);
    expect(state.most).toBeLessThanOrEqual(10);
  });
});

it('gives a command the full connectTimeoutMs to start, even after a protocol probe', async () => {
  const upstream = fromMcpServer(faulty('slow start'), { connectTimeoutMs: 7_000 });
  onTestFinished(() => upstream.close());
  // The server reads nothing for 4 seconds after each of its two starts.
  expect((await upstream()).map(({ name }) => name)).toContain('echo');
  expect(upstream.timeoutMs).toBeGreaterThan(3 * 7_000);
});
