/** The request limit of each caller, for all methods. */
import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRateLimiter } from 'toolfold/internal';
import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { apiKeys, createHandler } from 'toolfold/web';
import type { RunningServer, ServeHttpOptions } from 'toolfold/node';
import { modernRequest } from './raw-request.js';

const [ADA, BOB] = ['a'.repeat(32), 'b'.repeat(32)];
const auth = apiKeys({
  keys: [
    { key: ADA, clientId: 'ada' },
    { key: BOB, clientId: 'bob' },
  ],
});
const limit = (requests: number): ServeHttpOptions => ({ requestLimit: { requests, windowMs: 60_000 } });
const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

type Headers = Readonly<Record<string, string>>;
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

let running: RunningServer | undefined;
afterEach(async () => {
  running?.server.closeAllConnections();
  await running?.close();
  running = undefined;
});

function createRegistry(): ToolRegistry {
  const tool = { description: 'A tool', inputSchema: {}, readOnly: true };
  return new ToolRegistry({ name: 'acme', rateLimiter: false })
    .register(...['ping', 'one', 'two', 'three'].map((name) => ({ ...tool, name, handler: () => name })))
    .registerPrompt({ name: 'greet', handler: () => 'Greet everybody.' })
    .registerResource({ name: 'memo', uri: 'memo://1', handler: () => 'text' });
}

async function start(options: ServeHttpOptions): Promise<RunningServer> {
  running = await serveHttp(createRegistry(), { port: 0, closeOnSignals: false, ...options });
  return running;
}

function send(
  { url }: RunningServer,
  { method = 'POST', headers = {}, body = '' }: { method?: string; headers?: Headers; body?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      const { statusCode: status = 0, headers: got } = response;
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status, headers: got, text }));
    });
    sent.on('error', reject).end(body);
  });
}

function modern(server: RunningServer, method: string, params: object = {}, headers: Headers = {}) {
  return send(server, modernRequest(method, params, { headers }));
}

function initialize(server: RunningServer, version = '2025-11-25'): Promise<Answer> {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  return send(server, {
    headers: types,
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
}

const requests: Readonly<Record<string, (server: RunningServer) => Promise<Answer>>> = {
  'tools/list': (server) => modern(server, 'tools/list'),
  'tools/call': (server) => modern(server, 'tools/call', { name: 'ping' }),
  'resources/read': (server) => modern(server, 'resources/read', { uri: 'memo://1' }),
  'prompts/get': (server) => modern(server, 'prompts/get', { name: 'greet' }),
  'completion/complete': (server) =>
    modern(server, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'a', value: '' },
    }),
  'server/discover': (server) => modern(server, 'server/discover'),
  'an unknown method': (server) => modern(server, 'nope'),
  initialize: (server) => initialize(server),
  'a body that is no JSON': (server) => send(server, { headers: types, body: '{' }),
  'a body of another type': (server) =>
    send(server, { headers: { 'content-type': 'text/plain' }, body: 'x' }),
  'a body that is too large': (server) => send(server, { headers: types, body: ' '.repeat(1_100_000) }),
  'a GET without a session': (server) => send(server, { method: 'GET' }),
  'a method of HTTP that is not served': (server) => send(server, { method: 'PUT' }),
  'a wrong host': (server) => send(server, { headers: { ...types, host: 'evil.example' }, body: '{}' }),
  'a wrong origin': (server) => send(server, { headers: { ...types, origin: 'https://evil.example' } }),
  'a preflight': (server) => send(server, { method: 'OPTIONS' }),
};

describe('a caller', () => {
  it.each(Object.keys(requests))('gets 429 when it sends too many requests: %s', async (name) => {
    const server = await start(limit(3));
    const ask = requests[name] as (typeof requests)[string];
    for (let count = 0; count < 3; count++) expect((await ask(server)).status).not.toBe(429);
    const rejected = await ask(server);
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(50);
    expect(JSON.parse(rejected.text)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32_000,
        message: expect.stringMatching(/^You have sent too many requests\. Try again in \d+ s\.$/),
      },
    });
  });

  it('has a separate limit beside that of its address', async () => {
    const server = await start({ auth, ...limit(3) });
    const list = (headers: Headers) => modern(server, 'tools/list', {}, headers);
    for (let count = 0; count < 4; count++) expect((await list({})).status).toBe(count < 3 ? 401 : 429);
    for (let count = 0; count < 4; count++)
      expect((await list({ 'x-api-key': ADA })).status).toBe(count < 3 ? 200 : 429);
    expect((await list({ 'x-api-key': BOB })).status).toBe(200);
    expect((await list({ 'x-api-key': 'x'.repeat(32) })).status).toBe(429);
  });

  it('is identified by its address behind trusted proxies', async () => {
    const server = await start({ trustedProxies: 1, ...limit(2) });
    const list = (address: string) => modern(server, 'tools/list', {}, { 'x-forwarded-for': address });
    for (const status of [200, 200, 429]) expect((await list('203.0.113.1')).status).toBe(status);
    expect((await list('203.0.113.2')).status).toBe(200);
  });

  it('is named in one warning when it is rejected for the first time', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const server = await start({ trustedProxies: 1, onError, ...limit(1) });
    const list = (address: string) => modern(server, 'tools/list', {}, { 'x-forwarded-for': address });
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.1', '203.0.113.2']) await list(address);
    const messages = onError.mock.calls.map(([error]) => (error as Error).message);
    expect(messages).toEqual([
      'The caller "address 203.0.113.1" has sent more requests than requestLimit allows, and gets 429. ' +
        'Callers behind a proxy count as one caller unless trustedProxies is set.',
    ]);
  });

  it('pays for every message of a batch', async () => {
    const server = await start(limit(20));
    const opened = await initialize(server, '2025-03-26');
    const headers = { ...types, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const batch = Array.from({ length: 10 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const statuses: number[] = [];
    for (let count = 0; count < 2; count++)
      statuses.push((await send(server, { headers, body: JSON.stringify(batch) })).status);
    expect(statuses).toEqual([200, 429]);
  });

  it('pays for new views of its selections, and only once for each', async () => {
    const server = await start(limit(120));
    const list = (tools: string) => modern(server, 'tools/list', {}, { 'x-mcp-tools': tools });
    for (let count = 0; count < 10; count++) expect((await list('one')).status).toBe(200);
    // 60 points are left, and a second view uses most of them.
    expect((await list('two')).status).toBe(200);
    for (let count = 0; count < 9; count++) expect((await list('two')).status).toBe(200);
    expect((await list('two')).status).toBe(429);
  });

  it('pays little for an unknown selection', async () => {
    const server = await start(limit(20));
    for (let count = 0; count < 20; count++)
      expect((await modern(server, 'tools/list', {}, { 'x-mcp-tools': `no${count}` })).status).toBe(400);
  });

  it('pays for new views of toolsets, in sessions too', async () => {
    const toolsets: ToolsetConfig = {
      catalog: Object.fromEntries(
        ['a', 'b', 'c'].map((key) => [
          key,
          {
            name: key,
            description: key,
            tools: [{ name: `${key}_tool`, description: 'd', inputSchema: {}, handler: () => key }],
          },
        ]),
      ),
      moduleLoaders: {},
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      context: {},
      exposurePolicy: {},
    };
    const server = await start({ toolsets, ...limit(104) });
    const opened = await initialize(server);
    const session = { ...types, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const list = (toolset: string) =>
      send(server, {
        headers: { ...session, 'x-mcp-toolsets': toolset },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      });
    expect((await list('a')).status).toBe(200);
    expect((await list('b')).status).toBe(200);
    expect((await list('b')).status).toBe(200);
    expect((await list('b')).status).toBe(429);
  });
});

describe('the limit', () => {
  it('can be counted by a custom limiter', async () => {
    const counted: string[] = [];
    const inner = createRateLimiter({ calls: 2, windowMs: 60_000 });
    const requestLimit = {
      consume: (key: string, points?: number) => {
        counted.push(key);
        return inner.consume(key, points);
      },
    };
    const server = await start({ auth, requestLimit });
    const list = () => modern(server, 'tools/list', {}, { 'x-api-key': ADA });
    expect([await list(), await list(), await list()].map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(new Set(counted).size).toBe(1);
  });

  it('rejects requests while they cannot be counted', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const requestLimit = { consume: () => Promise.reject(new Error('store down')) };
    const server = await start({ requestLimit, onError });
    expect((await modern(server, 'tools/list')).status).toBe(503);
    expect(onError).toHaveBeenCalledOnce();
  });

  it('can be turned off', async () => {
    const handler = createHandler(createRegistry(), { requestLimit: false });
    const list = (): Promise<Response> =>
      handler.fetch(new Request('http://localhost/mcp', { method: 'PUT' }), { address: '203.0.113.1' });
    for (let count = 0; count < 13_000; count++) if ((await list()).status === 429) expect.fail('limited');
    await handler.close();
  });

  it('is 12,000 requests per minute by default', async () => {
    const handler = createHandler(createRegistry());
    const put = (address: string): Promise<Response> =>
      handler.fetch(new Request('http://localhost/mcp', { method: 'PUT' }), { address });
    for (let count = 0; count < 12_000; count++)
      if ((await put('203.0.113.1')).status === 429) expect.fail(`limited after ${count}`);
    expect((await put('203.0.113.1')).status).toBe(429);
    expect((await put('203.0.113.2')).status).toBe(405);
    await handler.close();
  });
});
