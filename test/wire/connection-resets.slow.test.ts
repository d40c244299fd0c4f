/** No resource of a request outlives its connection, at whichever point the connection is reset. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import fastify from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { toNodeListener } from 'toolfold/node';
import { apiKeys, createHandler, oauth } from 'toolfold/web';
import type { HandlerOptions, McpHandler } from 'toolfold/web';
import { startAuthorizationServer } from '../../packages/toolfold/test/auth/authorization-server.js';
import type { TestAuthorizationServer } from '../../packages/toolfold/test/auth/authorization-server.js';
import { modernRequest } from './raw-request.js';

const NOTHING = { requests: 0, calls: 0, streams: 0, bodyBytes: 0 };
const KEY = 'k'.repeat(32);

let issuer: TestAuthorizationServer;
beforeAll(async () => {
  issuer = await startAuthorizationServer();
});
afterAll(() => issuer.close());

interface Setting {
  readonly handler: McpHandler;
  readonly server: Server;
  readonly port: number;
  /** The running handlers, and how each ends. */
  readonly running: Set<() => void>;
}

const opened: Setting[] = [];
afterEach(async () => {
  for (const { handler, server, running } of opened.splice(0)) {
    for (const finish of running) finish();
    await handler.close();
    server.closeAllConnections();
    server.close();
  }
});

function createRegistry(running: Set<() => void>): ToolRegistry {
  const wait = (signal: AbortSignal | undefined): Promise<string> =>
    new Promise((resolve) => {
      const finish = (): void => {
        running.delete(finish);
        resolve('done');
      };
      running.add(finish);
      signal?.addEventListener('abort', finish);
    });
  const tool = { description: 'A tool', inputSchema: {} };
  return new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
    { ...tool, name: 'ping', handler: () => 'pong' },
    { ...tool, name: 'wait', handler: ({ context }) => wait(context.signal) },
    {
      ...tool,
      name: 'steps',
      handler: async ({ context }) => {
        await context.progress(1);
        return wait(context.signal);
      },
    },
    { ...tool, name: 'large', handler: () => 'x'.repeat(6 * 1024 * 1024) },
  );
}

async function open(options: HandlerOptions = {}): Promise<Setting> {
  const running = new Set<() => void>();
  const handler = createHandler(createRegistry(running), options);
  const server = createServer(toNodeListener(handler));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const setting = { handler, server, running, port: (server.address() as AddressInfo).port };
  opened.push(setting);
  return setting;
}

type Headers = Readonly<Record<string, string>>;

function head(method: string, headers: Headers): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${method} /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** A 2026 request on the wire, in two parts. */
function modern(
  method: string,
  name: string | undefined,
  headers: Headers,
  meta: object = {},
): [string, string] {
  const extra = method === 'subscriptions/listen' ? { notifications: { toolsListChanged: true } } : {};
  const request = modernRequest(method, { ...(name === undefined ? {} : { name }), ...extra }, { meta });
  const { body } = request;
  const sent = { ...request.headers, 'content-length': String(body.length), ...headers };
  return [head('POST', sent), body];
}

async function connectTo({ port }: Setting): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

async function openSession({ port }: Setting, headers: Headers): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const response = await fetch(`http://localhost:${port}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

async function ping(setting: Setting, headers: Headers): Promise<number> {
  const socket = await connectTo(setting);
  socket.write(modern('tools/call', 'ping', { ...headers, connection: 'close' }).join(''));
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(first.toString().split(' ')[1]);
}

const nextRequest = ({ server }: Setting): Promise<unknown> => once(server, 'request');

/** Advances a connection to a point of a request. */
type Point = (setting: Setting, socket: Socket, headers: Headers) => Promise<unknown>;

const points: Readonly<Record<string, Point>> = {
  'before the headers end': async (_setting, socket, headers) => {
    socket.write(modern('tools/call', 'ping', headers)[0].slice(0, -4));
  },
  'after the headers': async (setting, socket, headers) => {
    const arrived = nextRequest(setting);
    socket.write(modern('tools/call', 'ping', headers)[0]);
    await arrived;
  },
  'in the middle of the body': async (setting, socket, headers) => {
    const arrived = nextRequest(setting);
    const [start, body] = modern('tools/call', 'ping', headers);
    socket.write(`${start}${body.slice(0, 20)}`);
    await arrived;
  },
  'in the middle of a body that is being read': async (setting, socket, headers) => {
    const [start, body] = modern('tools/call', 'ping', headers);
    socket.write(`${start}${body.slice(0, 20)}`);
    await vi.waitFor(() => expect(setting.handler.edge.capacity.counts.bodyBytes).toBeGreaterThan(0));
  },
  'after the body': async (setting, socket, headers) => {
    const arrived = nextRequest(setting);
    socket.write(modern('tools/call', 'ping', headers).join(''));
    await arrived;
  },
  'while the handler runs': async (setting, socket, headers) => {
    const before = setting.running.size;
    socket.write(modern('tools/call', 'wait', headers).join(''));
    await vi.waitFor(() => expect(setting.running.size).toBeGreaterThan(before));
  },
  'during a streamed answer': async (_setting, socket, headers) => {
    socket.write(modern('tools/call', 'steps', headers, { progressToken: 1 }).join(''));
    await once(socket, 'data');
  },
  'while the SDK holds a stream open': async (_setting, socket, headers) => {
    socket.write(modern('subscriptions/listen', undefined, headers).join(''));
    await once(socket, 'data');
  },
  'while a standing GET stream is open': async (setting, socket, headers) => {
    const session = await openSession(setting, headers);
    socket.write(head('GET', { accept: 'text/event-stream', 'mcp-session-id': session, ...headers }));
    await vi.waitFor(() => expect(setting.handler.edge.capacity.counts.streams).toBeGreaterThan(0));
  },
  'in the middle of the answer': async (_setting, socket, headers) => {
    socket.write(modern('tools/call', 'large', headers).join(''));
    await once(socket, 'data');
    socket.pause();
  },
  'while an answer and a stream wait behind a pipelined request': async (setting, socket, headers) => {
    const slow = modern('tools/call', 'wait', headers);
    const quick = modern('tools/call', 'ping', headers);
    const stream = modern('tools/call', 'steps', headers, { progressToken: 1 });
    const before = setting.running.size;
    socket.write([...slow, ...quick, ...stream].join(''));
    await vi.waitFor(() => expect(setting.running.size).toBeGreaterThan(before + 1));
  },
};

const later = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const known = { token: 't', clientId: 'c', scopes: [], extra: { sub: 'ada' } };
const authenticators: Readonly<Record<string, () => Promise<[HandlerOptions, () => Promise<Headers>]>>> = {
  'no authenticator': async () => [{}, async () => ({})],
  'an authenticator that answers at once': async () => [
    { auth: { authenticate: () => ({ auth: known }) } },
    async () => ({}),
  ],
  'an authenticator that takes 30 ms': async () => [
    { auth: { authenticate: () => later(30).then(() => ({ auth: known })) } },
    async () => ({}),
  ],
  'API keys': async () => [
    { auth: apiKeys({ keys: [{ key: KEY, clientId: 'nightly' }] }) },
    async () => ({ 'x-api-key': KEY }),
  ],
  'OAuth with fresh tokens': async () => {
    const auth = oauth({ issuer: issuer.issuer, resource: 'https://mcp.example.com/mcp' });
    let count = 0;
    return [
      { auth },
      async () => ({ authorization: `Bearer ${await issuer.sign({ jti: String(count++) })}` }),
    ];
  },
};

describe.each(Object.keys(authenticators))('with %s', (name) => {
  it.each(Object.keys(points))('releases everything of connections that are reset %s', async (point) => {
    const [options, headers] = await (authenticators[name] as (typeof authenticators)[string])();
    const setting = await open({ ...options, maxRequests: 20, callerShare: 1 });
    for (let round = 0; round < 2; round++) {
      const sockets = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const socket = await connectTo(setting);
          await (points[point] as Point)(setting, socket, await headers());
          return socket;
        }),
      );
      for (const socket of sockets) socket.resetAndDestroy();
      await vi.waitFor(() => expect(setting.handler.edge.capacity.counts).toEqual(NOTHING), {
        timeout: 5_000,
      });
    }
    expect(setting.running.size).toBe(0);
    expect(setting.handler.edge.capacity.callers).toBe(0);
    expect(await ping(setting, await headers())).toBe(200);
  });
});

it('serves again after 1,000 clients sent half a body and reset the connection while they were authenticated', async () => {
  const auth = { authenticate: () => later(30).then(() => ({ auth: known })) };
  const setting = await open({ auth });
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const socket = await connectTo(setting);
        socket.write(`${modern('tools/call', 'ping', {})[0]}{"a":`, () => socket.resetAndDestroy());
        await once(socket, 'close');
      }),
    );
  }
  await vi.waitFor(() => expect(setting.handler.edge.capacity.counts).toEqual(NOTHING), { timeout: 5_000 });
  expect(await ping(setting, {})).toBe(200);
});

it('serves again after 40 clients with fresh tokens reset the connection, with 20 requests at once', async () => {
  const auth = oauth({ issuer: issuer.issuer, resource: 'https://mcp.example.com/mcp' });
  const setting = await open({ auth, maxRequests: 20 });
  const bearer = async (jti: number): Promise<Headers> => ({
    authorization: `Bearer ${await issuer.sign({ jti: String(jti) })}`,
  });
  for (let count = 0; count < 40; count++) {
    const socket = await connectTo(setting);
    const arrived = nextRequest(setting);
    socket.write(`${modern('tools/call', 'ping', await bearer(count))[0]}{"a":`);
    await arrived;
    socket.resetAndDestroy();
  }
  await vi.waitFor(() => expect(setting.handler.edge.capacity.counts).toEqual(NOTHING), { timeout: 5_000 });
  expect(await ping(setting, await bearer(40))).toBe(200);
});

it('adds no listener to a socket for each of its pipelined requests', async () => {
  const warned = vi.fn<(warning: Error) => void>();
  process.on('warning', warned);
  const setting = await open();
  const socket = await connectTo(setting);
  const slow = modern('tools/call', 'wait', {}).join('');
  const quick = modern('tools/call', 'ping', {}).join('');
  socket.write(slow + quick.repeat(30));
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  await vi.waitFor(() => expect(setting.running.size).toBe(1));
  for (const finish of setting.running) finish();
  await vi.waitFor(() => expect(text.match(/pong/g)).toHaveLength(30));
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
  expect(setting.handler.edge.capacity.counts).toEqual(NOTHING);
  socket.destroy();
});

it('disconnects a client whose answers wait behind its own open stream for 30 seconds', async () => {
  const setting = await open({ maxRequests: 20 });
  const session = await openSession(setting, {});
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const socket = await connectTo(setting);
    const closed = once(socket, 'close');
    socket.write(head('GET', { accept: 'text/event-stream', 'mcp-session-id': session }));
    await once(socket, 'data');
    socket.resume().write(modern('tools/call', 'ping', {}).join('').repeat(20));
    await vi.waitFor(() => expect(setting.handler.edge.capacity.counts.requests).toBe(20));
    await vi.advanceTimersByTimeAsync(30_000);
    await closed;
  } finally {
    vi.useRealTimers();
  }
  await vi.waitFor(() => expect(setting.handler.edge.capacity.counts).toEqual(NOTHING));
  expect(await ping(setting, {})).toBe(200);
});

describe('a request whose body was already read', () => {
  it('is answered with advice, behind the default parser of Fastify', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const handler = createHandler(createRegistry(new Set()), { onError });
    const listener = toNodeListener(handler);
    const app = fastify();
    app.post('/mcp', (request, reply) => {
      reply.hijack();
      listener(request.raw, reply.raw);
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('Mount the handler in front of body parsers');
    expect(onError).toHaveBeenCalledOnce();
    expect(handler.edge.capacity.counts).toEqual(NOTHING);
    await app.close();
    await handler.close();
  });

  it('is answered with advice, as a web request', async () => {
    const handler = createHandler(createRegistry(new Set()));
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    await request.text();
    const response = await handler.fetch(request);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('already read');
    await handler.close();
  });
});

describe('as a web handler', () => {
  const listen = (signal?: AbortSignal): Request =>
    new Request('http://localhost/mcp', {
      ...modernRequest('tools/call', { name: 'steps' }, { meta: { progressToken: 1 } }),
      ...(signal ? { signal } : {}),
    });

  it.each(['cancels the body of the answer', 'aborts the request'])(
    'releases a stream whose consumer %s',
    async (how) => {
      const running = new Set<() => void>();
      const handler = createHandler(createRegistry(running));
      const controller = new AbortController();
      const response = await handler.fetch(listen(controller.signal));
      expect(handler.edge.capacity.counts).toEqual({ ...NOTHING, streams: 1, calls: 1 });
      if (how.startsWith('aborts')) controller.abort();
      else await response.body?.cancel();
      await vi.waitFor(() => expect(handler.edge.capacity.counts).toEqual(NOTHING));
      expect(running.size).toBe(0);
      await handler.close();
    },
  );

  it('releases a body that never ends', async () => {
    const handler = createHandler(createRegistry(new Set()), { bodyTimeoutMs: 50 });
    const response = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
        }),
        duplex: 'half',
      } as RequestInit),
    );
    expect(response.status).toBe(408);
    expect(handler.edge.capacity.counts).toEqual(NOTHING);
    await handler.close();
  });
});
