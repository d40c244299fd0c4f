/** Hosts, origins and body encodings of requests, over sockets, where clients can send anything. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { serveHttp, toNodeListener } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import type { RunningServer } from 'toolfold/node';
import type { HandlerOptions, McpHandler } from 'toolfold/web';
import { modernRequest } from './raw-request.js';

const headersOf = (method: string, name?: string): Record<string, string> =>
  modernRequest(method, { name }).headers;
const bodyOf = (method: string, params: object = {}, meta: object = {}): string =>
  modernRequest(method, params, { meta }).body;

let finish: (() => void) | undefined;
function createRegistry(): ToolRegistry {
  const tool = { description: 'A tool', inputSchema: {} };
  return new ToolRegistry({ name: 'acme' }).register(
    { ...tool, name: 'ping', handler: () => 'pong' },
    { ...tool, name: 'large', handler: () => 'x'.repeat(500_000) },
    {
      ...tool,
      name: 'steps',
      handler: async ({ context }) => {
        await context.progress(1);
        await new Promise<void>((resolve) => {
          finish = resolve;
          context.signal?.addEventListener('abort', () => resolve());
        });
        return 'done';
      },
    },
  );
}

describe('over HTTP/1.1', () => {
  let running: RunningServer;
  beforeAll(async () => {
    running = await serveHttp(createRegistry(), { port: 0, closeOnSignals: false });
  });
  afterAll(() => running.close());

  async function send(
    target: string,
    headers: Record<string, string>,
    body: string | Buffer,
  ): Promise<string> {
    const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
    const all = {
      ...headersOf('tools/list'),
      connection: 'close',
      'content-length': String(body.length),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    socket.write(`POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    socket.write(body);
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    await once(socket, 'close');
    return text;
  }
  const statusOf = async (target: string, headers: Record<string, string>): Promise<number> =>
    Number((await send(target, headers, bodyOf('tools/list'))).split(' ')[1]);

  it.each(['localhost', 'localhost:3000', 'LOCALHOST', '127.0.0.1:80', '[::1]:3000'])(
    'serves the host %s',
    async (host) => {
      expect(await statusOf('/mcp', { host })).toBe(200);
    },
  );

  it.each([
    'localhost/evil',
    'evil@localhost',
    'evil:x@localhost',
    'loc%61lhost',
    'localhost?evil',
    'localhost#evil',
    'localhost:99999',
    'localhost:',
    'evil.example',
    '',
  ])('rejects the host %j', async (host) => {
    expect(await statusOf('/mcp', { host })).toBe(403);
  });

  it.each(['http://localhost', 'https://localhost:8443', 'http://127.0.0.1:5173'])(
    'serves pages of %s',
    async (origin) => {
      expect(await statusOf('/mcp', { host: 'localhost', origin })).toBe(200);
    },
  );

  it.each([
    'evil://localhost',
    'ftp://localhost',
    'http://evil@localhost',
    'http://loc%61lhost',
    'http://localhost/path',
    'null',
    'localhost',
  ])('rejects pages of %s', async (origin) => {
    expect(await statusOf('/mcp', { host: 'localhost', origin })).toBe(403);
  });

  it('serves a request line with the whole URL, and rejects one with a foreign host', async () => {
    expect(await statusOf('http://localhost/mcp', { host: 'localhost' })).toBe(200);
    expect(await statusOf('http://evil.example/mcp', { host: 'localhost' })).toBe(403);
    expect(await statusOf('http://evil@localhost/mcp', { host: 'localhost' })).toBe(403);
    expect(await statusOf('http://localhost/mcp', { host: 'evil.example' })).toBe(403);
    expect(await statusOf('ftp://localhost/mcp', { host: 'localhost' })).toBe(400);
  });

  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x'])(
    'rejects a body in %s with 415',
    async (coding) => {
      const text = await send(
        '/mcp',
        { host: 'localhost', 'content-encoding': coding },
        gzipSync(bodyOf('tools/list')),
      );
      expect(text).toMatch(/^HTTP\/1.1 415 /);
      expect(text).toMatch(/accept-encoding: identity/i);
      expect(text).toContain('without Content-Encoding');
    },
  );

  it('accepts a body with identity encoding', async () => {
    expect(await statusOf('/mcp', { host: 'localhost', 'content-encoding': 'Identity' })).toBe(200);
  });

  it('answers an unknown method in a request line with the whole URL', async () => {
    const { host } = new URL(running.url);
    const answer = await send(running.url, { host, 'mcp-method': 'nope' }, bodyOf('nope'));
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
    expect(answer).toContain('-32601');
  });
});

it('rejects the origin "undefined" and serves requests without an origin, after 100 other origins', async () => {
  const { url, close } = await serveHttp(createRegistry(), { port: 0, closeOnSignals: false });
  const { headers, body, method } = modernRequest('tools/call', { name: 'ping' });
  for (let port = 1; port <= 100; port++)
    await fetch(url, { headers: { origin: `http://localhost:${port}` } });
  const forged = await new Promise((resolve) => {
    httpRequest(url, { method, headers: { ...headers, origin: 'undefined' } }, ({ statusCode }) =>
      resolve(statusCode),
    ).end(body);
  });
  expect(forged).toBe(403);
  expect((await fetch(url, { method, headers, body })).status).toBe(200);
  await close();
});

it('rejects an encoded body as a web handler', async () => {
  const handler = createHandler(createRegistry());
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { ...headersOf('tools/list'), 'content-encoding': 'gzip' },
      body: gzipSync(bodyOf('tools/list')),
    }),
  );
  expect(response.status).toBe(415);
  await handler.close();
});

describe('over HTTP/2', () => {
  interface Setting {
    readonly handler: McpHandler;
    readonly client: ClientHttp2Session;
    readonly close: () => Promise<void>;
  }
  let setting: Setting | undefined;
  afterEach(() => setting?.close());

  async function open(options: HandlerOptions = {}): Promise<Setting> {
    const handler = createHandler(createRegistry(), options);
    const server = createHttp2Server(toNodeListener(handler)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connectHttp2(`http://localhost:${(server.address() as AddressInfo).port}`);
    const close = async (): Promise<void> => {
      client.destroy();
      await handler.close();
      server.close();
    };
    setting = { handler, client, close };
    return setting;
  }

  async function ask(
    { client }: Setting,
    headers: Record<string, string>,
    body: string,
    isWhole = true,
  ): Promise<{ status: number; text: string }> {
    const stream = client.request({ ':method': 'POST', ':path': '/mcp', ...headers });
    if (isWhole) stream.end(body);
    else stream.write(body);
    let text = '';
    stream.on('data', (chunk) => (text += String(chunk)));
    const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    await once(stream, 'close');
    return { status: Number(answer[':status']), text };
  }

  it('serves calls, lists and large answers, several at once', async () => {
    const server = await open();
    const answers = await Promise.all([
      ask(server, headersOf('tools/call', 'ping'), bodyOf('tools/call', { name: 'ping' })),
      ask(server, headersOf('tools/list'), bodyOf('tools/list')),
      ask(server, headersOf('tools/call', 'large'), bodyOf('tools/call', { name: 'large' })),
      // An unknown method, which the SDK also answers with 404.
      ask(server, headersOf('tools/nope'), bodyOf('tools/nope')),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
    expect(answers[0]?.text).toContain('pong');
    expect(answers[2]?.text.length).toBeGreaterThan(500_000);
    await vi.waitFor(() => expect(server.handler.edge.capacity.counts.requests).toBe(0));
  });

  it('serves streams, and releases those that are cancelled', async () => {
    const server = await open();
    const call = bodyOf('tools/call', { name: 'steps' }, { progressToken: 1 });
    const headers = { ':method': 'POST', ':path': '/mcp', ...headersOf('tools/call', 'steps') };
    const whole = server.client.request(headers);
    whole.end(call);
    let text = '';
    whole.on('data', (chunk) => (text += String(chunk)));
    await vi.waitFor(() => expect(text).toContain('notifications/progress'));
    finish?.();
    await once(whole, 'close');
    expect(text).toContain('done');
    const cancelled = server.client.request(headers);
    cancelled.on('error', () => {});
    cancelled.end(call);
    await once(cancelled, 'response');
    expect(server.handler.edge.capacity.counts.streams).toBe(1);
    cancelled.close(8);
    await vi.waitFor(() =>
      expect(server.handler.edge.capacity.counts).toEqual({
        requests: 0,
        calls: 0,
        streams: 0,
        bodyBytes: 0,
      }),
    );
  });

  it('releases a body whose connection is lost, and rejects one that does not arrive', async () => {
    const server = await open({ bodyTimeoutMs: 200 });
    expect(await ask(server, headersOf('tools/list'), '{', false)).toMatchObject({ status: 408 });
    server.client.on('error', () => {});
    const stream = server.client.request({ ':method': 'POST', ':path': '/mcp', ...headersOf('tools/list') });
    stream.on('error', () => {});
    stream.write('{');
    await vi.waitFor(() => expect(server.handler.edge.capacity.counts.bodyBytes).toBeGreaterThan(0));
    server.client.destroy();
    await vi.waitFor(() => expect(server.handler.edge.capacity.counts.bodyBytes).toBe(0));
  });

  it('rejects hosts that are not allowed, in every header', async () => {
    const server = await open();
    const list = (headers: Record<string, string>) =>
      ask(server, { ...headersOf('tools/list'), ...headers }, bodyOf('tools/list'));
    expect((await list({ ':authority': 'evil.example' })).status).toBe(403);
    expect((await list({ ':authority': 'localhost', host: 'evil.example' })).status).toBe(403);
    expect((await list({ ':authority': 'localhost' })).status).toBe(200);
    expect((await list({ origin: 'evil://localhost' })).status).toBe(403);
  });
});
