import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ErrInvalidPolicy, ErrProtocol } from '../../src/errors.js';
import { ToolRegistry } from '../../src/index.js';
import { serveHttp } from '../../src/node.js';
import { createHandler } from '../../src/web.js';
import type { RunningServer, ServeHttpOptions } from '../../src/node.js';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const toModern = (method: string, params: object = {}, meta: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...META, ...meta } } });
const headersFor = (method: string, name?: string): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});
const encoded = (name: string): string => `=?base64?${Buffer.from(name).toString('base64')}?=`;

let finish: (() => void)[] = [];
const createRegistry = () =>
  new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
    { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' },
    {
      name: 'route',
      description: 'Routes',
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
      handler: ({ input }) => input.region,
    },
    {
      name: 'steps',
      description: 'Reports without waiting',
      inputSchema: {},
      handler: async ({ context }) => {
        for (let step = 0; step < 20; step++) {
          void context.progress(step);
          void context.log('error', { rows: 1n });
          await new Promise((resolve) => {
            setTimeout(resolve, 10);
          });
        }
        return 'done';
      },
    },
    {
      name: 'hold',
      description: 'Waits',
      inputSchema: {},
      handler: async ({ context }) => {
        await context.progress(1);
        await new Promise<void>((resolve) => {
          finish.push(resolve);
        });
        return 'held';
      },
    },
  );

let running: RunningServer | undefined;
const start = async (options: ServeHttpOptions = {}, registry = createRegistry()): Promise<RunningServer> => {
  running = await serveHttp(registry, { port: 0, ...options });
  return running;
};
const post = (url: string, body: string, headers: Record<string, string>): Promise<Response> =>
  fetch(url, { method: 'POST', headers, body });

afterEach(async () => {
  for (const each of finish) each();
  finish = [];
  await running?.close();
  running = undefined;
});

describe('an edge with hostile clients', () => {
  it('takes an origin that says "undefined" for one', async () => {
    const { url } = await start();
    const headers = headersFor('tools/call', 'ping');
    const body = toModern('tools/call', { name: 'ping' });
    for (let port = 1; port <= 100; port++)
      await fetch(url, { headers: { origin: `http://localhost:${port}` } });
    const forged = await new Promise((resolve) => {
      httpRequest(url, { method: 'POST', headers: { ...headers, origin: 'undefined' } }, ({ statusCode }) =>
        resolve(statusCode),
      ).end(body);
    });
    expect(forged).toBe(403);
    expect((await post(url, body, headers)).status).toBe(200);
  });

  it('checks the headers of arguments also where the name of the tool is encoded', async () => {
    const { url } = await start();
    const body = toModern('tools/call', { name: 'route', arguments: { region: 'eu' } });
    for (const name of ['route', encoded('route')]) {
      const headers = headersFor('tools/call', name);
      expect((await post(url, body, headers)).status).toBe(400);
      expect((await post(url, body, { ...headers, 'mcp-param-region': 'us' })).status).toBe(400);
      expect((await post(url, body, { ...headers, 'mcp-param-region': 'eu' })).status).toBe(200);
    }
  });

  it('survives handlers that talk on when the client has gone, and say what JSON cannot', async () => {
    const rejected = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', rejected);
    const { url } = await start();
    const meta = { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' };
    const body = toModern('tools/call', { name: 'steps' }, meta);
    for (const name of ['steps', encoded('steps')]) {
      const controller = new AbortController();
      const response = await fetch(url, {
        method: 'POST',
        headers: headersFor('tools/call', name),
        body,
        signal: controller.signal,
      });
      await response.body?.getReader().read();
      controller.abort();
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    process.off('unhandledRejection', rejected);
    expect(rejected).not.toHaveBeenCalled();
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  });

  it('answers an error whose data JSON cannot say', async () => {
    const registry = createRegistry().use(() => {
      throw new ErrProtocol('no', { rpcCode: -32_050, data: { limit: 10n } });
    });
    const { url } = await start({}, registry);
    const answer = await post(url, toModern('tools/list'), headersFor('tools/list'));
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32_050, message: 'no' } });
  });

  it('answers a call without a stream where there is no room for one', async () => {
    const { url } = await start({ maxStreams: 1 });
    const headers = headersFor('tools/call', 'hold');
    const body = toModern('tools/call', { name: 'hold' }, { progressToken: 1 });
    const first = await post(url, body, headers);
    expect(first.headers.get('content-type')).toBe('text/event-stream');
    const second = post(url, body, headers);
    await vi.waitFor(() => expect(finish).toHaveLength(2));
    for (const each of finish) each();
    const answer = await second;
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'held' }] } });
  });

  it('counts calls that run behind streams', async () => {
    const { url } = await start({ maxRequests: 2 });
    const headers = headersFor('tools/call', 'hold');
    const body = toModern('tools/call', { name: 'hold' }, { progressToken: 1 });
    await post(url, body, headers);
    await post(url, body, headers);
    const refused = await post(url, body, headers);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(finish).toHaveLength(2);
  });

  it('takes a target that is the whole URL', async () => {
    const { url } = await start();
    const { host, port } = new URL(url);
    const body = toModern('nope');
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        const headers = Object.entries(headersFor('nope')).map(([name, value]) => `${name}: ${value}`);
        socket.write(
          `POST ${url} HTTP/1.1\r\nhost: ${host}\r\n${headers.join('\r\n')}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        );
      });
      let text = '';
      socket.on('data', (chunk) => (text += String(chunk)));
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
    expect(answer).toContain('-32601');
  });
});

describe('a server', () => {
  it('that cannot say whether it is ready is not', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const { url } = await start({
      onError,
      isReady: () => {
        throw new Error('db down');
      },
    });
    const answer = await fetch(new URL('/readyz', url));
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'not ready' }]);
    expect(onError).toHaveBeenCalledOnce();
  });

  it('does not start with a policy that cannot be', async () => {
    await expect(start({ view: { tag: ['x'] } as never })).rejects.toThrow(ErrInvalidPolicy);
  });

  it('leaves nothing behind where its port is taken', async () => {
    const { url } = await start();
    const registry = createRegistry();
    const listened = vi.spyOn(registry, 'onChange');
    await expect(serveHttp(registry, { port: Number(new URL(url).port) })).rejects.toThrow('EADDRINUSE');
    expect(listened).toHaveBeenCalled();
    // They had been stopped already.
    const stops = listened.mock.results.map(({ value }) => value as () => boolean);
    expect(stops.map((stop) => stop())).toEqual(stops.map(() => false));
  });

  it('calls lists private for callers who are known, whoever found out', async () => {
    const handler = createHandler(createRegistry(), { listTtlMs: 5 });
    const ask = async (authInfo?: object) => {
      const request = new Request('http://localhost/mcp', {
        method: 'POST',
        headers: headersFor('tools/list'),
        body: toModern('tools/list'),
      });
      const response = await handler.fetch(request, { authInfo: authInfo as never });
      return ((await response.json()) as { result: object }).result;
    };
    expect(await ask()).toMatchObject({ ttlMs: 5, cacheScope: 'public' });
    expect(await ask({ token: 't', clientId: 'c', scopes: [] })).toMatchObject({ cacheScope: 'private' });
    await handler.close();
  });
});
