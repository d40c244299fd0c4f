import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import type { RunningServer } from 'toolfold/node';

type Handle = (request: { params: Record<string, unknown> }) => unknown;

/** A client of either SDK, and functions that set its handlers. */
interface Connection {
  readonly client: Client;
  readonly answer: (method: keyof typeof requests, handle: Handle) => void;
  readonly hear: (method: keyof typeof notifications, handle: Handle) => void;
  readonly terminate: () => Promise<void>;
  /** Calls a tool with the options of a request. */
  readonly call: (name: string, args?: Record<string, unknown>, options?: object) => Promise<unknown>;
}

const requests = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
};
const notifications = {
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/tools/list_changed': ToolListChangedNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
};
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const reconnectionOptions = {
  initialReconnectionDelay: 5,
  maxReconnectionDelay: 20,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 2,
};

const connectors: readonly (readonly [string, (url: string) => Promise<Connection>])[] = [
  [
    'second SDK',
    async (url) => {
      const client = new Client({ name: 'c', version: '1' }, { capabilities });
      const transport = new StreamableHTTPClientTransport(new URL(url), { reconnectionOptions });
      await client.connect(transport);
      return {
        client,
        answer: (method, handle) => client.setRequestHandler(method, handle as never),
        hear: (method, handle) => client.setNotificationHandler(method, handle as never),
        terminate: () => transport.terminateSession(),
        call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
      };
    },
  ],
  [
    'first SDK',
    async (url) => {
      const client = new FirstClient({ name: 'c', version: '1' }, { capabilities });
      const transport = new FirstTransport(new URL(url), { reconnectionOptions });
      await client.connect(transport as never);
      return {
        client: client as unknown as Client,
        answer: (method, handle) => client.setRequestHandler(requests[method], handle as never),
        hear: (method, handle) => client.setNotificationHandler(notifications[method], handle as never),
        terminate: () => transport.terminateSession(),
        call: (name, args = {}, options = {}) =>
          client.callTool({ name, arguments: args }, undefined, options),
      };
    },
  ],
];

function createRegistry() {
  const running: { signal: AbortSignal; finish: (text: string) => void }[] = [];
  const registry = new ToolRegistry({ name: 'acme', version: '1', rateLimiter: false })
    .register(
      {
        name: 'ask',
        description: 'Asks everything',
        inputSchema: {},
        handler: async ({ context }) => {
          const { who, said, dirs } = await context.requestInput({
            who: { message: 'Who?', schema: z.object({ name: z.string() }) },
            said: {
              sampling: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 },
            },
            dirs: { roots: true },
          });
          return [who.content?.name ?? who.action, said.model, dirs.roots.length].join(' ');
        },
      },
      {
        name: 'log',
        description: 'Logs',
        inputSchema: {},
        handler: async ({ context }) => {
          for (const level of ['debug', 'warning', 'error'] as const) await context.log(level, level);
          return 'logged';
        },
      },
      {
        name: 'hang',
        description: 'Waits',
        inputSchema: z.object({ release: z.boolean().optional() }),
        handler: ({ input, context }) =>
          new Promise((finish) => {
            if (input.release === true) context.releaseConnection();
            running.push({ signal: context.signal, finish });
          }),
      },
    )
    .registerResource({ name: 'memo', uri: 'memo://1', handler: () => 'text' });
  return { registry, running };
}
const tool = (name: string) => ({ name, description: 'd', inputSchema: {}, handler: () => name });

describe.each(connectors)('a client of the %s, in a session', (_sdk, connect) => {
  let server: RunningServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  const setUp = async (options: object = {}) => {
    const { registry, running } = createRegistry();
    server = await serveHttp(registry, { port: 0, graceMs: 100, ...options });
    const connection = await connect(server.url);
    return { registry, running, server, ...connection };
  };
  const answerAll = ({ answer }: Pick<Connection, 'answer'>, action = 'accept'): void => {
    answer('elicitation/create', () => ({
      action,
      ...(action === 'accept' ? { content: { name: 'Ada' } } : {}),
    }));
    answer('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'hello' },
    }));
    answer('roots/list', () => ({ roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] }));
  };

  it('answers questions, and declines them', async () => {
    const setup = await setUp();
    answerAll(setup);
    expect(await setup.call('ask')).toMatchObject({ content: [{ text: 'Ada m 2' }] });
    answerAll(setup, 'decline');
    expect(await setup.call('ask')).toMatchObject({ content: [{ text: 'decline m 2' }] });
    setup.answer('sampling/createMessage', () => {
      throw new Error('no model');
    });
    expect(await setup.call('ask')).toMatchObject({ isError: true });
    await setup.client.close();
  });

  it('receives log messages of the requested level', async () => {
    const { client, call, hear } = await setUp();
    const heard: unknown[] = [];
    hear('notifications/message', ({ params }) => heard.push(params['data']));
    await call('log');
    await client.setLoggingLevel('error');
    await call('log');
    expect(heard).toEqual(['debug', 'warning', 'error', 'error']);
    await client.close();
  });

  it('cancels a call, which aborts its handler', async () => {
    const { client, call, running } = await setUp();
    const controller = new AbortController();
    const called = call('hang', {}, { signal: controller.signal });
    await vi.waitFor(() => expect(running).toHaveLength(1));
    controller.abort();
    await expect(called).rejects.toThrow();
    await vi.waitFor(() => expect(running[0]?.signal.aborted).toBe(true));
    await client.close();
  });

  it('receives each change once, and updates of subscribed resources', async () => {
    const { client, registry, hear } = await setUp();
    const [changes, updates]: [unknown[], unknown[]] = [[], []];
    hear('notifications/tools/list_changed', () => changes.push('tools'));
    hear('notifications/resources/updated', ({ params }) => updates.push(params['uri']));
    await client.subscribeResource({ uri: 'memo://1' });
    // The client opens the stream in parallel to the first requests.
    await vi.waitFor(() => {
      registry.notifyResourceUpdated('memo://1');
      expect(updates.length).toBeGreaterThan(0);
    });
    registry.register(tool('a'), tool('b'));
    registry.register(tool('c'));
    registry.notifyResourceUpdated('memo://2');
    await vi.waitFor(() => expect(changes).toHaveLength(2));
    await client.unsubscribeResource({ uri: 'memo://1' });
    const before = updates.length;
    registry.notifyResourceUpdated('memo://1');
    registry.register(tool('d'));
    await vi.waitFor(() => expect(changes).toHaveLength(3));
    expect(updates).toHaveLength(before);
    expect(new Set(updates)).toEqual(new Set(['memo://1']));
    await client.close();
  });

  it('gets the answer of a call whose connection the server released', async () => {
    const { client, call, running } = await setUp();
    const called = call('hang', { release: true });
    await vi.waitFor(() => expect(running).toHaveLength(1));
    // The client has reconnected, or is about to.
    await new Promise((resolve) => setTimeout(resolve, 20));
    running[0]?.finish('at last');
    expect(await called).toMatchObject({ content: [{ text: 'at last' }] });
    await client.close();
  });

  it('receives changes after it lost every connection, repeatedly', async () => {
    const { client, registry, server, hear } = await setUp();
    const heard: unknown[] = [];
    hear('notifications/tools/list_changed', () => heard.push('tools'));
    client.onerror = () => {};
    let count = 0;
    const change = (): void => void registry.register(tool(`tool-${count++}`));
    const listens = (): Promise<void> =>
      vi.waitFor(() => {
        const before = heard.length;
        if (before === 0) change();
        expect(heard.length).toBeGreaterThan(0);
      });
    await listens();
    for (let time = 0; time < 3; time++) {
      heard.length = 0;
      server.server.closeAllConnections();
      // A change happens while the client is disconnected.
      change();
      await vi.waitFor(() => expect(heard).toHaveLength(1), { timeout: 5_000 });
    }
    await client.close();
  });

  it('starts over with a new session when the old one has ended', async () => {
    const { client, call, server, terminate } = await setUp();
    await terminate();
    client.onerror = () => {};
    await expect(call('log')).rejects.toThrow();
    const again = await connect(server.url);
    expect(await again.call('log')).toMatchObject({ content: [{ text: 'logged' }] });
    await Promise.all([client.close(), again.client.close()]);
  });

  it('gets its own answers among many clients', async () => {
    const { server, client } = await setUp();
    const others = await Promise.all(Array.from({ length: 8 }, () => connect(server.url)));
    const results = await Promise.all(
      others.map(async (other, index) => {
        answerAll(other);
        other.answer('elicitation/create', () => ({
          action: 'accept',
          content: { name: `person-${index}` },
        }));
        return other.call('ask');
      }),
    );
    expect(results.map((result) => (result as { content: { text: string }[] }).content[0]?.text)).toEqual(
      others.map((_, index) => `person-${index} m 2`),
    );
    await Promise.all([client, ...others.map((other) => other.client)].map((each) => each.close()));
  });
});
