import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import type { RunningServer } from 'toolfold/node';
import { jsonRequest, modernRequest } from './raw-request.js';

const createRegistry = () =>
  new ToolRegistry({ name: 'acme', version: '1.0.0', rateLimiter: false })
    .register(
      new GroupedToolBuilder('users')
        .action({ name: 'list', readOnly: true, handler: () => ['ada'] })
        .action({
          name: 'greet',
          inputSchema: z.object({ who: z.string() }),
          handler: ({ input }) => `hi ${input.who}`,
        }),
      {
        name: 'work',
        description: 'Reports progress',
        inputSchema: {},
        handler: async function* () {
          yield 1;
          yield 2;
          return 'done';
        },
      },
      {
        name: 'ask',
        description: 'Asks for a name',
        inputSchema: {},
        handler: async ({ context }) => {
          const { who } = await context.requestInput({
            who: { message: 'Who?', schema: { name: z.string() } },
          });
          return `hello ${String(who.content?.['name'])}`;
        },
      },
      {
        name: 'numbers',
        description: 'Numbers',
        inputSchema: {},
        outputSchema: z.array(z.number()),
        handler: () => [1],
      },
    )
    .registerPrompt({ name: 'greet', handler: () => 'Greet everybody.' })
    .registerResource({ name: 'memo', uri: 'memo://1', handler: () => 'text' });

/** Each server has its own signing key. */
const withoutState = (body: Record<string, unknown>): object => {
  const { requestState, ...result } = body['result'] as Record<string, unknown>;
  return { ...body, result, isStateful: typeof requestState };
};

describe('over HTTP', () => {
  let running: RunningServer;
  beforeAll(async () => {
    running = await serveHttp(createRegistry(), { port: 0 });
  });
  afterAll(() => running.close());

  const post = async (request: RequestInit) => {
    const response = await fetch(running.url, request);
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };

  it.each([
    [
      'the second SDK, negotiating',
      async () => {
        const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
        await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
        return client;
      },
    ],
    [
      'the second SDK',
      async () => {
        const client = new Client({ name: 'c', version: '1' });
        await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
        return client;
      },
    ],
    [
      'the first SDK',
      async () => {
        const client = new FirstClient({ name: 'c', version: '1' });
        await client.connect(new FirstHttpTransport(new URL(running.url)) as never);
        return client as unknown as Client;
      },
    ],
  ] as const)('serves tools, prompts and resources to a client of %s', async (_who, connect) => {
    const client = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'users',
      'work',
      'ask',
      'numbers',
    ]);
    const result = await client.callTool({ name: 'users', arguments: { action: 'greet', who: 'ada' } });
    expect(result.content).toEqual([{ type: 'text', text: 'hi ada' }]);
    expect((await client.callTool({ name: 'users', arguments: { action: 'greet' } })).isError).toBe(true);
    await expect(client.callTool({ name: 'nobody' })).rejects.toMatchObject({ code: -32_602 });
    expect((await client.getPrompt({ name: 'greet' })).messages).toHaveLength(1);
    expect((await client.readResource({ uri: 'memo://1' })).contents).toHaveLength(1);
    const steps: number[] = [];
    const worked = await client.callTool(
      { name: 'work' },
      ...((_who === 'the first SDK'
        ? [undefined, { onprogress: ({ progress }: { progress: number }) => steps.push(progress) }]
        : [{ onprogress: ({ progress }: { progress: number }) => steps.push(progress) }]) as never[]),
    );
    expect(worked.content).toEqual([{ type: 'text', text: 'done' }]);
    expect(steps).toEqual([1, 2]);
    await client.close();
  });

  it('answers 2026-07-28 lists and calls like the SDK', async () => {
    const registry = createRegistry();
    const handler = createMcpHandler(() => {
      const server = new Server({ name: 'acme', version: '1.0.0' }, { capabilities: {} });
      registry.attachToServer(server, { cacheHints: { ttlMs: 0, cacheScope: 'public' } });
      return server;
    });
    const cases: [string, object][] = [
      ['tools/list', {}],
      ['tools/call', { name: 'users', arguments: { action: 'list' } }],
      ['tools/call', { name: 'users', arguments: { action: 'greet', who: 'ada' } }],
      ['tools/call', { name: 'users', arguments: { action: 'nope' } }],
      ['tools/call', { name: 'users' }],
      ['tools/call', { name: 'numbers', arguments: {} }],
      ['tools/call', { name: 'unknown', arguments: {} }],
      ['tools/call', { name: 'ask', arguments: {} }],
      [
        'tools/call',
        {
          name: 'ask',
          arguments: {},
          inputResponses: { who: { action: 'accept', content: { name: 'ada' } } },
        },
      ],
    ];
    for (const capabilities of [{}, { elicitation: { form: {} } }]) {
      for (const [method, params] of cases) {
        const request = modernRequest(method, params, { id: 7, capabilities });
        const theirs = await handler.fetch(new Request('http://localhost/mcp', request));
        const ours = await post(request);
        const expected = (await theirs.json()) as Record<string, unknown>;
        expect(ours.status, `${method} ${JSON.stringify(params)}`).toBe(theirs.status);
        if ('error' in expected)
          expect(ours.body['error']).toMatchObject({ code: (expected['error'] as { code: number }).code });
        else expect(withoutState(ours.body)).toEqual(withoutState(expected));
      }
    }
    await handler.close();
  });

  it('rejects invalid requests with the appropriate status', async () => {
    const call = modernRequest('tools/call', { name: 'users', arguments: { action: 'list' } });
    const { headers } = call;
    const send = (changed: Record<string, string>) => post({ ...call, headers: { ...headers, ...changed } });
    const without = (name: string) =>
      Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
    expect((await send({ 'mcp-name': 'other' })).body['error']).toMatchObject({ code: -32_020 });
    const unnamed = await post({ ...call, headers: without('mcp-method') });
    expect(unnamed.body['error']).toMatchObject({ code: -32_020 });
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(modernRequest('nope', { name: 'users' }))).status).toBe(404);
    expect((await send({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post({ ...call, body: '{' })).status).toBe(400);
    expect((await fetch(running.url, { method: 'PUT' })).status).toBe(405);
    expect((await fetch(running.url, { headers: { accept: 'text/event-stream' } })).status).toBe(405);
    const gone = { 'mcp-session-id': 'gone' };
    const unknown = await fetch(
      running.url,
      jsonRequest({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, gone),
    );
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain('Session not found or expired');
    const status = await new Promise((resolve) => {
      httpRequest(
        running.url,
        { method: 'POST', headers: { ...headers, host: 'evil.example' } },
        ({ statusCode }) => resolve(statusCode),
      ).end('{}');
    });
    expect(status).toBe(403);
  });

  it('reads a body only up to its limit', async () => {
    const small = await serveHttp(createRegistry(), { port: 0, maxBodyBytes: 1_000 });
    const params = { name: 'users', arguments: { action: 'x'.repeat(5_000) } };
    const response = await fetch(small.url, modernRequest('tools/call', params));
    expect(response.status).toBe(413);
    await small.close();
  });

  it('separates the answers of many sessions that use the same ids', async () => {
    const clients = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const client = new Client({ name: 'c', version: '1' });
        await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
        return client;
      }),
    );
    const answers = await Promise.all(
      clients.flatMap((client, index) =>
        Array.from({ length: 8 }, async (_, call) => {
          const who = `${index}-${call}`;
          const { content } = await client.callTool({ name: 'users', arguments: { action: 'greet', who } });
          return JSON.stringify(content).includes(`hi ${who}"`);
        }),
      ),
    );
    expect(answers.filter((isOwn) => !isOwn)).toEqual([]);
    await Promise.all(clients.map((client) => client.close()));
  });

  it('reports its health, and finishes calls before it closes', async () => {
    let finish: (() => void) | undefined;
    const registry = new ToolRegistry().register({
      name: 'slow',
      description: 'Takes a while',
      inputSchema: {},
      handler: () =>
        new Promise((resolve) => {
          finish = () => resolve('finished');
        }),
    });
    const server = await serveHttp(registry, { port: 0 });
    expect((await fetch(new URL('/healthz', server.url))).status).toBe(200);
    const pending = fetch(server.url, modernRequest('tools/call', { name: 'slow', arguments: {} }));
    await vi.waitFor(() => expect(finish).toBeDefined());
    const closed = server.close();
    finish?.();
    expect(await (await pending).text()).toContain('finished');
    await closed;
  });
});

describe('starting', () => {
  it('adds the fields of health to /healthz, and stays alive if health throws', async () => {
    const errors: unknown[] = [];
    let isBroken = false;
    const health = () => {
      if (isBroken) throw new Error('no health');
      return { servers: { gïthub: 'up' } };
    };
    const onError = (error: unknown) => errors.push(error);
    const { url, close } = await serveHttp(createRegistry(), { port: 0, onError, health });
    const ask = async () => (await fetch(new URL('/healthz', url))).json();
    expect(await ask()).toEqual({ status: 'ok', servers: { gïthub: 'up' } });
    isBroken = true;
    expect(await ask()).toEqual({ status: 'ok' });
    expect(String(errors)).toContain('no health');
    await close();
  });

  it('answers /readyz with 503 and reports the error if isReady throws', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const isReady = () => {
      throw new Error('db down');
    };
    const { url, close } = await serveHttp(createRegistry(), { port: 0, onError, isReady });
    const answer = await fetch(new URL('/readyz', url));
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'not ready' }]);
    expect(onError).toHaveBeenCalledOnce();
    await close();
  });

  it('removes every listener from the registry if the port is taken', async () => {
    const { url, close } = await serveHttp(createRegistry(), { port: 0 });
    const registry = createRegistry();
    const listened = vi.spyOn(registry, 'onChange');
    await expect(serveHttp(registry, { port: Number(new URL(url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    expect(listened).toHaveBeenCalled();
    // A second stop returns false, because the server has already called stop.
    const stops = listened.mock.results.map(({ value }) => value as () => boolean);
    expect(stops.map((stop) => stop())).toEqual(stops.map(() => false));
    await close();
  });
});

describe('closing', () => {
  it('does not wait for a connection without requests', async () => {
    const running = await serveHttp(createRegistry(), { port: 0, graceMs: 60_000, closeOnSignals: false });
    const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
    await once(socket, 'connect');
    await vi.waitUntil(async () => (await connectionsOf(running)) === 1);
    const ended = once(socket, 'close');
    await running.close();
    await ended;
  });
});

async function connectionsOf({ server }: RunningServer): Promise<number> {
  return promisify(server.getConnections.bind(server))();
}

describe('as a fetch handler', () => {
  it('answers without a server', async () => {
    const handler = createHandler(createRegistry());
    const response = await handler.fetch(
      new Request('http://localhost/mcp', modernRequest('tools/list', {}, { id: 7 })),
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: 7, result: { resultType: 'complete' } });
    await handler.close();
  });

  it('marks lists as private for authenticated callers', async () => {
    const handler = createHandler(createRegistry(), { listTtlMs: 5, view: { profile: 'standard' } });
    const ask = async (authInfo?: object) => {
      const request = new Request('http://localhost/mcp', modernRequest('tools/list'));
      const response = await handler.fetch(request, { authInfo: authInfo as never });
      return ((await response.json()) as { result: object }).result;
    };
    expect(await ask()).toMatchObject({ ttlMs: 5, cacheScope: 'public' });
    expect(await ask({ token: 't', clientId: 'c', scopes: [] })).toMatchObject({ cacheScope: 'private' });
    await handler.close();
  });
});

describe('over stdio', () => {
  const program = fileURLToPath(new URL('programs/stdio-server.ts', import.meta.url));
  const command = {
    command: process.execPath,
    args: ['--import', 'tsx', program],
    stderr: 'ignore' as const,
  };

  it.each([
    [
      'second',
      async () => {
        const client = new Client({ name: 'c', version: '1' });
        await client.connect(new StdioClientTransport(command));
        return client;
      },
    ],
    [
      'second, negotiating',
      async () => {
        const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
        await client.connect(new StdioClientTransport(command));
        return client;
      },
    ],
    [
      'first',
      async () => {
        const client = new FirstClient({ name: 'c', version: '1' });
        await client.connect(new FirstStdioTransport(command) as never);
        return client as unknown as Client;
      },
    ],
  ] as const)('serves a client of the %s SDK', async (_which, connect) => {
    const client = await connect();
    expect((await client.callTool({ name: 'ping' })).content).toEqual([{ type: 'text', text: 'pong' }]);
    await client.close();
  });
});
