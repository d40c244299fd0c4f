import { Client as ClientV2, InMemoryTransport as InMemoryV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2, Server as ServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ErrInvalidServer } from 'toolfold/errors';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';

/** The methods that the clients of both SDKs share. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>;
  call(
    name: string,
    args?: object,
    options?: object,
  ): Promise<{ isError?: boolean; content: { text?: string }[] }>;
  close(): Promise<void>;
  onListChanged(listener: () => void): void;
}

const info = { name: 'test', version: '1.0.0' };

async function connectV1(server: { connect(transport: InMemoryV1): Promise<void> }): Promise<AnyClient> {
  const client = new ClientV1(info);
  const [near, far] = InMemoryV1.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    listTools: () => client.listTools(),
    call: (name, args = {}, options = {}) =>
      client.callTool({ name, arguments: args as Record<string, unknown> }, undefined, options) as ReturnType<
        AnyClient['call']
      >,
    close: () => client.close(),
    onListChanged: (listener) =>
      client.setNotificationHandler(
        z.object({ method: z.literal('notifications/tools/list_changed') }) as never,
        listener as never,
      ),
  };
}

async function connectV2(server: { connect(transport: InMemoryV2): Promise<void> }): Promise<AnyClient> {
  const client = new ClientV2(info);
  const [near, far] = InMemoryV2.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    listTools: () => client.listTools(),
    call: (name, args = {}, options = {}) =>
      client.callTool({ name, arguments: args as Record<string, unknown> }, options) as ReturnType<
        AnyClient['call']
      >,
    close: () => client.close(),
    onListChanged: (listener) =>
      client.setNotificationHandler('notifications/tools/list_changed', listener as never),
  };
}

const servers = [
  ['Server of the first SDK', () => new ServerV1(info, { capabilities: {} }), connectV1],
  ['McpServer of the first SDK', () => new McpServerV1(info), connectV1],
  ['Server of the second SDK', () => new ServerV2(info, { capabilities: {} }), connectV2],
  ['McpServer of the second SDK', () => new McpServerV2(info), connectV2],
] as unknown as [string, () => object, (server: object) => Promise<AnyClient>][];

const registry = () =>
  new ToolRegistry({ name: 'acme' }).register(
    new GroupedToolBuilder('platform')
      .action({
        name: 'add',
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        handler: ({ input }) => input.a + input.b,
      })
      .action({
        name: 'slow',
        handler: async function* () {
          yield { progress: 1, total: 2, message: 'half' };
          yield 2;
          return 'done';
        },
      })
      .action({
        name: 'hang',
        handler: ({ context }) =>
          new Promise((resolve) => context.signal.addEventListener('abort', () => resolve('stopped'))),
      }),
    {
      name: 'rows',
      description: 'Does something',
      inputSchema: {},
      outputSchema: z.array(z.number()),
      handler: () => '[1]' as never,
    },
    { name: 'ping', description: 'Does something', inputSchema: {}, handler: () => 'pong' },
  );

describe.each(servers)('attached to a %s', (_what, createServer, connect) => {
  it('serves real clients [S000-38] [S000-109] [S000-115] [S001-27]', async () => {
    const server = createServer();
    registry().attachToServer(server);
    const client = await connect(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['platform', 'rows', 'ping']);
    expect((await client.call('platform', { action: 'add', a: 2, b: 3 })).content[0]?.text).toBe('5');
    expect((await client.call('ping')).content[0]?.text).toBe('pong');
    await client.close();
  });

  it('answers invalid arguments with a result that the model can act on', async () => {
    const server = createServer();
    registry().attachToServer(server);
    const client = await connect(server);
    const result = await client.call('platform', { action: 'add', a: 'x', c: 1 });
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toMatch(/^Validation failed: c: is not a known field.*; a: .*; b: /);
    await client.close();
  });

  it('answers an unknown tool with -32602', async () => {
    const server = createServer();
    registry().attachToServer(server);
    const client = await connect(server);
    await expect(client.call('nope')).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });

  it('supports progress and cancellation', async () => {
    const server = createServer();
    registry().attachToServer(server);
    const client = await connect(server);
    const onprogress = vi.fn<(progress: unknown) => void>();
    expect((await client.call('platform', { action: 'slow' }, { onprogress })).content[0]?.text).toBe('done');
    expect(onprogress.mock.calls).toEqual([[{ progress: 1, total: 2, message: 'half' }], [{ progress: 2 }]]);
    const controller = new AbortController();
    const pending = client.call('platform', { action: 'hang' }, { signal: controller.signal });
    controller.abort();
    await expect(pending).rejects.toThrow();
    await client.close();
  });

  it('serves a narrower view on request', async () => {
    const server = createServer();
    registry().attachToServer(server, { view: { actions: ['ping', 'platform/add'], form: 'flat' } });
    const client = await connect(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['platform_add', 'ping']);
    await expect(client.call('rows')).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });

  it('notifies clients once when tools are added', async () => {
    const server = createServer();
    const tools = registry();
    tools.attachToServer(server);
    const client = await connect(server);
    const changed = vi.fn<() => void>();
    client.onListChanged(changed);
    tools.register(
      { name: 'a', description: 'Does something', inputSchema: {}, handler: () => 1 },
      { name: 'b', description: 'Does something', inputSchema: {}, handler: () => 1 },
    );
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'platform',
      'rows',
      'ping',
      'a',
      'b',
    ]);
    expect(changed).toHaveBeenCalledTimes(1);
    await client.close();
  });

  it('lists nothing after detaching, and another registry can be attached [S000-116] [S000-117]', async () => {
    const server = createServer();
    const detach = registry().attachToServer(server);
    const client = await connect(server);
    detach();
    expect((await client.listTools()).tools).toEqual([]);
    await expect(client.call('ping')).rejects.toMatchObject({ code: -32_602 });
    await client.close();

    const other = createServer();
    registry().attachToServer(other)();
    new ToolRegistry()
      .register({ name: 'second', description: 'Does something', inputSchema: {}, handler: () => 'two' })
      .attachToServer(other);
    const again = await connect(other);
    expect((await again.listTools()).tools.map(({ name }) => name)).toEqual(['second']);
    await again.close();
  });
});

describe('finding the server', () => {
  const handlers = new Map<unknown, (...parts: unknown[]) => Promise<unknown>>();
  // Three parameters: registered by method, as in the second SDK.
  const bare = {
    setRequestHandler: (method: unknown, handler: never, _options?: unknown) =>
      void handlers.set(method, handler),
  };
  Object.defineProperty(bare.setRequestHandler, 'length', { value: 3 });

  it('requires only setRequestHandler() [S000-113] [S001-26]', async () => {
    const detach = registry().attachToServer(bare);
    expect([...handlers.keys()]).toEqual(['tools/list', 'tools/call']);
    const list = (await handlers.get('tools/list')!({}, {})) as { tools: unknown[] };
    expect(list.tools).toHaveLength(3);
    detach();
    expect(await handlers.get('tools/list')!({}, {})).toEqual({ tools: [] });
    await expect(handlers.get('tools/call')!({}, {})).rejects.toMatchObject({ code: -32_602 });
  });

  it('uses .server first, and otherwise the object itself [S000-110] [S000-111]', () => {
    handlers.clear();
    const outer = { server: bare, setRequestHandler: vi.fn<() => void>() };
    registry().attachToServer(outer);
    expect(outer.setRequestHandler).not.toHaveBeenCalled();
    expect(handlers.size).toBe(2);
  });

  it.each([undefined, null, 'server', {}, { server: {} }, () => 1])(
    'rejects %s and states the requirements [S000-112]',
    (server) => {
      expect(() => registry().attachToServer(server)).toThrow(ErrInvalidServer);
      expect(() => registry().attachToServer(server)).toThrow('setRequestHandler()');
    },
  );
});
