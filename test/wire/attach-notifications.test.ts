import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as FirstTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as FirstServer } from '@modelcontextprotocol/sdk/server/index.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';

const pairs = [
  [
    'first SDK',
    () => new FirstServer({ name: 'a', version: '1' }, { capabilities: {} }),
    async (server: FirstServer) => {
      const client = new FirstClient({ name: 'c', version: '1' });
      const [near, far] = FirstTransport.createLinkedPair();
      await Promise.all([server.connect(far), client.connect(near)]);
      const call = (name: string) =>
        client.callTool({ name, arguments: {} }, undefined, { onprogress: () => {} });
      return { call, client, close: () => client.close() };
    },
  ],
  [
    'second SDK',
    () => new Server({ name: 'a', version: '1' }, { capabilities: {} }),
    async (server: Server) => {
      const client = new Client({ name: 'c', version: '1' });
      const [near, far] = InMemoryTransport.createLinkedPair();
      await Promise.all([server.connect(far), client.connect(near)]);
      const call = (name: string) => client.callTool({ name, arguments: {} }, { onprogress: () => {} });
      return { call, client, close: () => client.close() };
    },
  ],
] as const;

describe.each(pairs)('on a server of the %s, a resource', (_sdk, createServer, connect) => {
  it('hears of the subscriptions of the client until it unsubscribes or disconnects', async () => {
    const watched: string[] = [];
    const registry = new ToolRegistry().registerResource({
      name: 'live',
      uriTemplate: 'live://{id}',
      subscribe: ({ uri }) => {
        watched.push(`+${uri}`);
        return () => void watched.push(`-${uri}`);
      },
      handler: () => 'text',
    });
    const server = createServer();
    registry.attachToServer(server);
    const { client, close } = await connect(server as never);
    await client.subscribeResource({ uri: 'live://1' });
    await client.subscribeResource({ uri: 'live://2' });
    expect(watched).toEqual(['+live://1', '+live://2']);
    await client.unsubscribeResource({ uri: 'live://1' });
    expect(watched.at(-1)).toBe('-live://1');
    await close();
    await vi.waitFor(() => expect(watched.at(-1)).toBe('-live://2'));
  });
});

describe.each(pairs)('on a server of the %s, a handler', (_sdk, createServer, connect) => {
  it('may notify a disconnected client without awaiting, and without an unhandled rejection', async () => {
    const unseen = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unseen);
    let go: (() => void) | undefined;
    const told = vi.fn<() => void>();
    const registry = new ToolRegistry().register({
      name: 'work',
      description: 'd',
      inputSchema: {},
      handler: async ({ context }) => {
        await new Promise<void>((resolve) => {
          go = resolve;
        });
        void context.progress(1);
        void context.log('error', 'late');
        told();
        return 'done';
      },
    });
    const server = createServer();
    registry.attachToServer(server);
    const { call, close } = await connect(server as never);
    const called = Promise.resolve(call('work')).catch(() => undefined);
    await vi.waitFor(() => expect(go).toBeDefined());
    await close();
    await called;
    go?.();
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', unseen);
    expect(unseen).not.toHaveBeenCalled();
  });
});

describe('levels of log messages on a server of the first SDK', () => {
  const setUp = () => {
    const registry = new ToolRegistry().register({
      name: 'log',
      description: 'd',
      inputSchema: {},
      handler: async ({ context }) => {
        for (const level of ['debug', 'error'] as const) await context.log(level, level);
        return 'logged';
      },
    });
    const server = new FirstServer({ name: 'a', version: '1' }, { capabilities: {} });
    registry.attachToServer(server);
    const connect = async () => {
      const heard: unknown[] = [];
      const client = new FirstClient({ name: 'c', version: '1' });
      client.setNotificationHandler(
        LoggingMessageNotificationSchema,
        ({ params }) => void heard.push(params.data),
      );
      const [near, far] = FirstTransport.createLinkedPair();
      await Promise.all([server.connect(far), client.connect(near)]);
      return { client, heard };
    };
    return { connect };
  };

  it('are validated', async () => {
    const { client, heard } = await setUp().connect();
    await expect(client.setLoggingLevel('loud' as never)).rejects.toMatchObject({ code: -32_602 });
    await client.setLoggingLevel('error');
    await client.callTool({ name: 'log' });
    expect(heard).toEqual(['error']);
    await client.close();
  });

  it('are reset for the next client', async () => {
    const { connect } = setUp();
    const first = await connect();
    await first.client.setLoggingLevel('emergency');
    await first.client.close();
    const second = await connect();
    await second.client.callTool({ name: 'log' });
    expect(second.heard).toEqual(['debug', 'error']);
    await second.client.close();
  });
});
