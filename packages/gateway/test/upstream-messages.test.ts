import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { fromMcpServer } from '@toolfold/gateway';
import { codeOf, faulty, proxy, textOf } from './upstream-servers.js';

/** A 2025 server whose status and content of results are those of `state`. */
async function serveStatus() {
  const state: { status: number; content: object[] } = { status: 200, content: [] };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    if (state.status !== 200 || request.method !== 'POST')
      return void response.writeHead(state.status === 200 ? 405 : state.status).end();
    const { id, method, params } = JSON.parse(text) as { id?: number; method: string; params: object };
    const results: Record<string, object> = {
      initialize: { ...params, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
      'tools/list': { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] },
      'tools/call': { content: state.content },
    };
    if (id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

describe('a server that rejects the credentials', () => {
  it.each([401, 403])('with %i is not said to be out of reach, at the start and in calls', async (status) => {
    const { state, url } = await serveStatus();
    state.status = status;
    const needs = `The server "crm" needs valid credentials (HTTP status ${status})`;
    for (const protocol of ['auto', '2025'] as const) {
      const upstream = fromMcpServer({ url }, { name: 'crm', protocol });
      onTestFinished(() => upstream.close());
      await expect(upstream()).rejects.toThrow(needs);
    }
    state.status = 200;
    const { call } = await proxy({ url }, { name: 'crm', protocol: '2025' });
    state.status = status;
    const results = [await call('pay'), await call('pay'), await call('pay')];
    expect(results.map(codeOf)).toEqual(Array(3).fill('ErrUpstreamLost'));
    for (const result of results) expect(textOf(result)).toContain(needs);
  });
});

it('an invalid result reaches the caller as a sentence, and not as a list of validation issues', async () => {
  const { call } = await proxy(faulty());
  const text = textOf(await call('garbage'));
  expect(text).toContain('gave no valid answer: Invalid result for tools/call: content.0: Invalid input');
  expect(text).not.toMatch(/[[{]|invalid_union/);
});

it('an invalid result with many issues reaches the caller as a sentence too', async () => {
  const { state, url } = await serveStatus();
  state.content = Array.from({ length: 150 }, () => ({ type: 'text' }));
  const { call } = await proxy({ url }, { protocol: '2025' });
  expect(textOf(await call('pay'))).toMatch(
    /Invalid result for tools\/call: too many problems to name them$/,
  );
});

it('an argument named __proto__ is left out of forwarded calls in every form', async () => {
  const seen: string[][] = [];
  const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: true };
  const inner = new ToolRegistry({ name: 'inner' }).register({
    name: 't',
    description: 'Shows names',
    inputSchema,
    handler: ({ input }: { input: object }) => {
      seen.push(Object.getOwnPropertyNames(input));
      return 'done';
    },
  } as never);
  const running = await serveHttp(inner, { port: 0 });
  onTestFinished(() => running.close());
  const upstream = fromMcpServer({ url: running.url });
  onTestFinished(() => upstream.close());
  const tools = await upstream();
  const args = JSON.parse('{"a":1,"__proto__":{"b":2}}') as Record<string, unknown>;
  const forms = [
    ['flat', 't', args],
    ['grouped', 'g', { ...args, action: 't' }],
    ['search', 'call_write_tool', { address: 't', arguments: args }],
  ] as const;
  for (const [form, name, given] of forms) {
    const registry = new ToolRegistry({ name: form });
    if (form === 'grouped')
      registry.register(new GroupedToolBuilder('g').description('G').action(tools[0] as never));
    else registry.register(...tools);
    const served = await serveHttp(registry, { port: 0, view: { form } });
    onTestFinished(() => served.close());
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
    onTestFinished(() => client.close());
    expect((await client.callTool({ name, arguments: given })).isError).toBeUndefined();
  }
  expect(seen).toEqual([['a'], ['a'], ['a']]);
});
