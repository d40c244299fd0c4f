import { Client as ClientV2, InMemoryTransport as InMemoryV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2, Server as ServerV2 } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ErrInvalidServer } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';

const info = { name: 'test', version: '1.0.0' };

/** The methods of both SDKs' clients that the tests use. */
type AnyClient = Pick<
  ClientV2,
  'listTools' | 'listPrompts' | 'listResources' | 'setLoggingLevel' | 'close'
> & {
  call(name: string): Promise<{ content: unknown }>;
  getPrompt(params: { name: string }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  ping(): Promise<unknown>;
  on(method: string, listener: (params: unknown) => void): void;
};

async function connectV1(server: ServerV1): Promise<AnyClient> {
  const client = new ClientV1(info);
  const [near, far] = InMemoryV1.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return Object.assign(client, {
    call: (name: string) => client.callTool({ name }),
    on: (method: string, listener: (params: unknown) => void) =>
      client.setNotificationHandler(
        z.object({ method: z.literal(method), params: z.unknown().optional() }) as never,
        (({ params }: { params: unknown }) => listener(params)) as never,
      ),
  }) as never;
}

async function connectV2(server: ServerV2): Promise<AnyClient> {
  const client = new ClientV2(info);
  const [near, far] = InMemoryV2.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return Object.assign(client, {
    call: (name: string) => client.callTool({ name }),
    on: (method: string, listener: (params: unknown) => void) =>
      client.setNotificationHandler(
        method as never,
        (({ params }: { params: unknown }) => listener(params)) as never,
      ),
  }) as never;
}

interface AnyServer {
  readonly server?: AnyServer;
  onclose?: () => void;
  close(): Promise<void>;
  sendLoggingMessage(params: object): Promise<void>;
}

const kinds = [
  ['a v1 Server', (capabilities: object) => new ServerV1(info, { capabilities }), connectV1],
  ['a v1 McpServer', (capabilities: object) => new McpServerV1(info, { capabilities }), connectV1],
  ['a v2 Server', (capabilities: object) => new ServerV2(info, { capabilities }), connectV2],
  ['a v2 McpServer', (capabilities: object) => new McpServerV2(info, { capabilities }), connectV2],
] as unknown as [string, (capabilities: object) => AnyServer, (server: AnyServer) => Promise<AnyClient>][];

const tool = (name: string) => ({
  name,
  description: 'Answers',
  inputSchema: {},
  handler: async ({ context }: { context: { log(level: 'info' | 'error', data: unknown): unknown } }) => {
    await context.log('info', `${name} info`);
    await context.log('error', `${name} error`);
    return name;
  },
});
const newRegistry = (name = 'ping') => new ToolRegistry().register(tool(name));
const namesOf = async (client: AnyClient): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);
const listChanged = { tools: { listChanged: true } };

describe.each(kinds)('%s', (_what, create, connect) => {
  describe.each([
    ['no capabilities', {}],
    ['logging', { logging: {} }],
    ['tools', { tools: {} }],
    ['tools and logging', { ...listChanged, logging: {} }],
  ])('that declared %s', (_declared, capabilities) => {
    it('can be attached to before it connects [S000-109] [S001-27]', async () => {
      const server = create(capabilities);
      newRegistry().attachToServer(server);
      const client = await connect(server);
      expect(await namesOf(client)).toEqual(['ping']);
      expect((await client.call('ping')).content).toEqual([{ type: 'text', text: 'ping' }]);
      await client.close();
    });

    it('lists nothing and rejects calls after detaching [S000-116]', async () => {
      const server = create(capabilities);
      const detach = newRegistry().attachToServer(server);
      const client = await connect(server);
      detach();
      expect(await namesOf(client)).toEqual([]);
      await expect(client.call('ping')).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining('No registry is attached'),
      });
      await client.close();
    });

    it('can be attached to again after detaching, connected or not [S000-117]', async () => {
      const server = create(capabilities);
      newRegistry().attachToServer(server)();
      const detach = newRegistry('second').attachToServer(server);
      const client = await connect(server);
      expect(await namesOf(client)).toEqual(['second']);
      detach();
      newRegistry('third').attachToServer(server);
      expect(await namesOf(client)).toEqual(['third']);
      expect((await client.call('third')).content).toEqual([{ type: 'text', text: 'third' }]);
      await client.close();
    });

    it('applies the log level that its client sets, and resets it with the connection', async () => {
      const server = create(capabilities);
      newRegistry().attachToServer(server);
      // The author may set this handler at any time.
      (server.server ?? server).onclose = () => {};
      const heard = async (level?: 'error'): Promise<unknown[]> => {
        const client = await connect(server);
        const messages: unknown[] = [];
        client.on('notifications/message', (params) => messages.push((params as { data: unknown }).data));
        if (level) await client.setLoggingLevel(level);
        await client.call('ping');
        await (server.server ?? server).sendLoggingMessage({ level: 'info', data: 'of the author' });
        await client.ping();
        await client.close();
        await server.close();
        return messages;
      };
      expect(await heard()).toEqual(['ping info', 'ping error', 'of the author']);
      expect(await heard('error')).toEqual(['ping error']);
      expect(await heard()).toEqual(['ping info', 'ping error', 'of the author']);
    });
  });

  it('can be attached to while it is connected, if it declared tools', async () => {
    const server = create(listChanged);
    const client = await connect(server);
    const changed = vi.fn<() => void>();
    client.on('notifications/tools/list_changed', changed);
    const detach = newRegistry().attachToServer(server);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    expect(await namesOf(client)).toEqual(['ping']);
    expect((await client.call('ping')).content).toEqual([{ type: 'text', text: 'ping' }]);
    detach();
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2));
    expect(await namesOf(client)).toEqual([]);
    await client.close();
  });

  it('keeps a log level that its client set before the registry was attached', async () => {
    const server = create({ ...listChanged, logging: {} });
    const client = await connect(server);
    const messages: unknown[] = [];
    client.on('notifications/message', (params) => messages.push((params as { data: unknown }).data));
    await client.setLoggingLevel('error');
    const detach = newRegistry().attachToServer(server);
    await client.call('ping');
    detach();
    newRegistry('second').attachToServer(server);
    await client.call('second');
    await client.ping();
    expect(messages).toEqual(['ping error', 'second error']);
    await client.close();
  });

  it.each([
    [{}, newRegistry(), '{ tools: { listChanged: true } }'],
    [{ logging: {} }, newRegistry(), '{ tools: { listChanged: true } }'],
    [
      listChanged,
      newRegistry()
        .registerPrompt({ name: 'p', handler: () => 'p' })
        .registerResource({ name: 'r', uri: 'r:r', handler: () => 'r' }),
      '{ prompts: { listChanged: true }, resources: { listChanged: true, subscribe: true } }',
    ],
  ])(
    'that is connected and has declared only %j is rejected, with the missing capabilities',
    async (capabilities, registry, literal) => {
      const server = create(capabilities);
      const client = await connect(server);
      const failure = (() => {
        try {
          return registry.attachToServer(server);
        } catch (error) {
          return error;
        }
      })();
      expect(failure).toBeInstanceOf(ErrInvalidServer);
      expect(failure).toMatchObject({
        message: expect.stringContaining(
          `has not declared the capabilities ${literal}. Create the server with`,
        ),
      });
      await client.close();
      await server.close();
      // The failed attempt left nothing behind, so attaching works before the next connection.
      registry.attachToServer(server);
      const again = await connect(server);
      expect(await namesOf(again)).toEqual(['ping']);
      await again.close();
    },
  );

  it('serves prompts and resources until detached, and none afterwards', async () => {
    const server = create({
      ...listChanged,
      prompts: { listChanged: true },
      resources: { listChanged: true },
    });
    const client = await connect(server);
    const registry = newRegistry();
    const detach = registry.attachToServer(server);
    registry
      .registerPrompt({ name: 'p', handler: () => 'p' })
      .registerResource({ name: 'r', uri: 'r:r', handler: () => 'r' });
    expect((await client.listPrompts()).prompts).toHaveLength(1);
    expect((await client.listResources()).resources).toHaveLength(1);
    expect(await client.getPrompt({ name: 'p' })).toMatchObject({ messages: [{}] });
    detach();
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.getPrompt({ name: 'p' })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.readResource({ uri: 'r:r' })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });

  it('stays detached when its registry changes or it connects again', async () => {
    const server = create({});
    const registry = newRegistry();
    registry.attachToServer(server)();
    const first = await connect(server);
    registry.register(tool('more'));
    expect(await namesOf(first)).toEqual([]);
    await first.close();
    await server.close();
    const second = await connect(server);
    registry.register(tool('most'));
    expect(await namesOf(second)).toEqual([]);
    await second.close();
  });
});

describe.each([kinds[0]!, kinds[2]!])('%s', (_what, create, connect) => {
  it('announces only changes that it declared', async () => {
    const server = create({ tools: {} });
    const client = await connect(server);
    const changed = vi.fn<() => void>();
    client.on('notifications/tools/list_changed', changed);
    const registry = newRegistry();
    const detach = registry.attachToServer(server);
    registry.register(tool('more'));
    expect(await namesOf(client)).toEqual(['ping', 'more']);
    detach();
    await client.ping();
    expect(changed).not.toHaveBeenCalled();
    await client.close();
  });
});

describe.each([kinds[1]!, kinds[3]!])('%s with tools of its own', (_what, create, connect) => {
  it('is rejected, and tools that are added later are reported', async () => {
    const server = create(listChanged) as AnyServer & Pick<McpServerV2, 'registerTool'>;
    newRegistry().attachToServer(server);
    const errors: unknown[] = [];
    (server.server as unknown as ServerV2).onerror = (error) => errors.push(error);
    const client = await connect(server);
    server.registerTool('own', {}, async () => ({ content: [] }));
    expect(await namesOf(client)).toEqual(['ping']);
    expect(errors).toMatchObject([{ code: 'ErrInvalidServer', message: expect.stringContaining('own') }]);
    await client.close();
    const other = create(listChanged) as typeof server;
    other.registerTool('own', {}, async () => ({ content: [] }));
    expect(() => newRegistry().attachToServer(other)).toThrow('answers tools/list already');
  });
});

it('gives a 2026 client an empty list and a rejection after detaching, and the tools of the next registry', async () => {
  const server = new ServerV2(info, { capabilities: {} });
  const detach = newRegistry().attachToServer(server);
  const [near, far] = InMemoryV2.createLinkedPair();
  const handle = serveStdio(() => server, { transport: far });
  const client = new ClientV2(info, { versionNegotiation: { mode: 'auto' } });
  await client.connect(near);
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  expect((await client.listTools()).tools).toHaveLength(1);
  detach();
  expect((await client.listTools()).tools).toEqual([]);
  await expect(client.callTool({ name: 'ping' })).rejects.toMatchObject({ code: -32_602 });
  newRegistry('second').attachToServer(server);
  expect((await client.callTool({ name: 'second' })).content).toEqual([{ type: 'text', text: 'second' }]);
  await client.close();
  await handle.close();
});

describe('a plain object with only setRequestHandler()', () => {
  type Handler = (request: object, context: object) => Promise<unknown>;
  const byMethod = () => {
    const handlers = new Map<string, Handler>();
    return {
      handlers,
      server: {
        setRequestHandler: (...[method, handler]: [string, Handler]) => void handlers.set(method, handler),
      },
    };
  };
  const bySchema = () => {
    const handlers = new Map<string, Handler>();
    const setRequestHandler = (schema: { shape: { method: { value: string } } }, handler: Handler): void =>
      void handlers.set(schema.shape.method.value, handler);
    return { handlers, server: { setRequestHandler } };
  };

  it.each([
    ['by method, as SDK v2 does', byMethod],
    ['by schema, as SDK v1 does', bySchema],
  ])(
    'that registers %s can be attached to, detached from and attached to again [S000-113] [S001-27]',
    async (_how, create) => {
      const { handlers, server } = create();
      const detach = newRegistry().attachToServer(server);
      expect([...handlers.keys()]).toEqual(['tools/list', 'tools/call']);
      const list = (): Promise<unknown> => handlers.get('tools/list')!({}, {});
      const call = (name: string): Promise<unknown> => handlers.get('tools/call')!({ params: { name } }, {});
      expect(await list()).toMatchObject({ tools: [{ name: 'ping' }] });
      expect(await call('ping')).toMatchObject({ content: [{ text: 'ping' }] });
      detach();
      expect(await list()).toEqual({ tools: [] });
      await expect(call('ping')).rejects.toMatchObject({ code: -32_602 });
      newRegistry('second').attachToServer(server);
      expect(await call('second')).toMatchObject({ content: [{ text: 'second' }] });
    },
  );

  it('that is frozen can be attached to [S000-113]', async () => {
    const { handlers, server } = byMethod();
    newRegistry().attachToServer(Object.freeze(server));
    expect(await handlers.get('tools/list')!({}, {})).toMatchObject({ tools: [{ name: 'ping' }] });
  });
});
