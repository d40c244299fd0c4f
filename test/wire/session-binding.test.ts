import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import type { Shared } from 'toolfold';
import { describeWithRedis } from '../stores/with-redis.js';
import { configOf } from './toolset-server.js';
import { cleanUps, openSession, send } from './toolset-setup.js';

type Headers = Readonly<Record<string, string>>;

const sessionContext: NonNullable<ToolsetConfig['sessionContext']> = {
  queryParam: { name: 'config', encoding: 'json', allowedKeys: ['accessToken', 'region'] },
  header: { name: 'mcp-session-config', encoding: 'json', allowedKeys: ['accessToken', 'region'] },
  credentialKeys: ['accessToken'],
  allowCredentials: true,
};

/** The address of a server whose own credential is `token-of-the-server`. */
async function serve(shared?: Shared): Promise<string> {
  const registry = new ToolRegistry({ name: 'acme', version: '1.0.0', ...(shared ? { shared } : {}) });
  const toolsets = configOf({ startup: { mode: 'STATIC', toolsets: ['basics'] }, sessionContext });
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets });
  cleanUps.push(() => server.close());
  return server.url;
}

const query = (context: object): string => `?config=${encodeURIComponent(JSON.stringify(context))}`;
const header = (context: object): Headers => ({ 'mcp-session-config': JSON.stringify(context) });
const NOT_FOUND = 'Session not found or expired';

/** The answer to a request in a session: the text of `whoami`, or the status and message of the rejection. */
async function whoami(url: string, headers: Headers): Promise<string> {
  const params = { name: 'whoami', arguments: {} };
  const response = await send(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
  const body = (await response.json()) as {
    error?: { message: string };
    result?: { content: [{ text: string }] };
  };
  return body.result?.content[0].text ?? `${response.status} ${body.error?.message}`;
}

const statusOf = async (url: string, method: string, headers: Headers): Promise<number> => {
  const response = await fetch(url, { method, headers: { accept: 'text/event-stream', ...headers } });
  await response.body?.cancel();
  return response.status;
};

describe('a 2025 session is not found', () => {
  const ada = { accessToken: 'token-of-ada', region: 'eu' };

  it.each<[string, string, Headers]>([
    ['in the query', query(ada), {}],
    ['in a header', '', header(ada)],
  ])('[S003-43] without the context that it was opened with %s, or with another', async (_, path, sent) => {
    const url = await serve();
    const { headers } = await openSession(`${url}${path}`, '2025-11-25', sent);
    const id = { 'mcp-session-id': headers['mcp-session-id'] };
    expect(await whoami(`${url}${path}`, headers)).toContain('token-of-ada');
    const others: [string, Headers][] = [
      [url, id],
      [`${url}${query({})}`, id],
      [`${url}${query({ ...ada, region: 'us' })}`, id],
      [`${url}${query({ accessToken: 'token-of-ada' })}`, id],
      [url, { ...id, ...header({ ...ada, accessToken: 'token-of-bob' }) }],
    ];
    for (const [address, other] of others) {
      expect(await whoami(address, other)).toBe(`404 ${NOT_FOUND}`);
      for (const method of ['GET', 'DELETE']) expect(await statusOf(address, method, other)).toBe(404);
    }
    // The same context in another order or another place is equal.
    const again = { region: 'eu', accessToken: 'token-of-ada' };
    expect(await whoami(`${url}${query(again)}`, id)).toContain('token-of-ada');
    expect(await whoami(url, { ...id, ...header(again) })).toContain('token-of-ada');
  });

  it('with a context, if it was opened without one', async () => {
    const url = await serve();
    const { headers } = await openSession(url, '2025-11-25');
    expect(await whoami(url, headers)).toContain('token-of-the-server');
    expect(await whoami(`${url}${query(ada)}`, headers)).toBe(`404 ${NOT_FOUND}`);
    expect(await whoami(url, headers)).toContain('token-of-the-server');
  });

  it('[S003-43] with another client id than it was opened with, or without it', async () => {
    const url = await serve();
    const named = { 'mcp-client-id': 'desk 1' };
    const { headers } = await openSession(url, '2025-11-25', named);
    const id = { 'mcp-session-id': headers['mcp-session-id'] };
    const long = 'x'.repeat(300);
    for (const other of [
      {},
      { 'mcp-client-id': 'desk 2' },
      { 'mcp-client-id': '' },
      { 'mcp-client-id': long },
    ]) {
      expect(await whoami(url, { ...id, ...other })).toBe(`404 ${NOT_FOUND}`);
      for (const method of ['GET', 'DELETE'])
        expect(await statusOf(url, method, { ...id, ...other })).toBe(404);
    }
    expect(await whoami(url, headers)).toContain('token-of-the-server');
    expect(await statusOf(url, 'GET', headers)).toBe(200);
    expect(await statusOf(url, 'DELETE', headers)).toBe(200);
  });

  it('with a client id, if it was opened without one', async () => {
    const url = await serve();
    const { headers } = await openSession(url, '2025-11-25');
    expect(await whoami(url, { ...headers, 'mcp-client-id': 'desk' })).toBe(`404 ${NOT_FOUND}`);
    // Derived ids change with the user agent and the kind of request, and are not compared.
    expect(await whoami(url, { ...headers, 'user-agent': 'another' })).toContain('token-of-the-server');
  });
});

describe('the first SDK’s client', () => {
  it.each<[string, string, Headers]>([
    ['nothing', '', {}],
    ['a client id', '', { 'mcp-client-id': 'desk' }],
    ['a context in the query', query({ region: 'eu' }), {}],
    ['a context in a header and a client id', '', { ...header({ region: 'eu' }), 'mcp-client-id': 'desk' }],
  ])('keeps its session, its stream and its end when it sends %s', async (_, path, headers) => {
    const url = await serve();
    const seen: string[] = [];
    const transport = new StreamableHTTPClientTransport(new URL(`${url}${path}`), {
      requestInit: { headers },
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        seen.push(`${init?.method} ${response.status}`);
        return response;
      },
    });
    const client = new Client({ name: 'client', version: '1' });
    await client.connect(transport as never);
    for (let count = 0; count < 3; count++)
      expect(JSON.stringify(await client.callTool({ name: 'whoami' }))).toContain('token-of-the-server');
    await vi.waitFor(() => expect(seen).toContain('GET 200'));
    await transport.terminateSession();
    expect(seen).toContain('DELETE 200');
    expect(seen.filter((line) => !/ 20[02]$/.test(line))).toEqual([]);
    await client.close();
  });
});

await describeWithRedis('nodes that share sessions', ({ createNode, createPrefix }) => {
  it('find a session of another node only with its context and client id', async () => {
    const prefix = createPrefix();
    const [one, two] = [await serve(createNode({ prefix })), await serve(createNode({ prefix }))];
    const sent = { ...header({ accessToken: 'token-of-ada' }), 'mcp-client-id': 'desk' };
    const { headers } = await openSession(one, '2025-11-25', sent);
    expect(await whoami(two, headers)).toContain('token-of-ada');
    for (const name of ['mcp-session-config', 'mcp-client-id']) {
      const { [name]: _, ...without } = headers as Record<string, string>;
      expect(await whoami(two, without)).toBe(`404 ${NOT_FOUND}`);
    }
  });
});

describe('a session in use', () => {
  it('is not evicted by 10,050 anonymous clients that initialize and ping', async () => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    registry.register({ name: 'hello', description: 'Answers', inputSchema: {}, handler: () => 'hello' });
    // With the default request limit, most of the flood would be rejected before it opens a session.
    const handler = createHandler(registry, { requestLimit: false });
    cleanUps.push(() => handler.close());
    const post = async (address: string, body: object, session = ''): Promise<Response> => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session,
      };
      const request = new Request('http://localhost/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return handler.fetch(request, { address });
    };
    const open = async (address: string): Promise<string> => {
      const clientInfo = { name: 'client', version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const opened = await post(address, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
      return opened.headers.get('mcp-session-id') ?? '';
    };
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const isAlive = async (address: string, session: string): Promise<boolean> =>
      (await post(address, ping, session)).status === 200;

    const mine = await open('203.0.113.1');
    expect(await isAlive('203.0.113.1', mine)).toBe(true);
    for (let count = 0; count < 10_050; count++) await post('203.0.113.2', ping, await open('203.0.113.2'));
    expect(await isAlive('203.0.113.1', mine)).toBe(true);
    // The client may have changed networks, and keeps its session.
    expect(await isAlive('2001:db8::1', mine)).toBe(true);
  }, 60_000);
});
