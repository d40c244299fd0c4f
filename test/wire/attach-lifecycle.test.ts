import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer as FirstMcpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer, Server, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ErrInvalidPolicy, ErrInvalidServer } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';
import { modernMeta, modernRequest, taskCapabilities } from './raw-request.js';

async function connect(server: Server) {
  const client = new Client({ name: 'c', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}
const newServer = () => new Server({ name: 'a', version: '1' }, { capabilities: {} });
const registry = () =>
  new ToolRegistry().register({
    name: 'ping',
    description: 'Does something',
    inputSchema: {},
    handler: () => 'pong',
  });

describe('an attachment', () => {
  it('throws at once for an invalid policy, and never reports it to a client', () => {
    expect(() => registry().attachToServer(newServer(), { view: { actions: ['pong'] } })).toThrow(
      ErrInvalidPolicy,
    );
  });

  it('keeps its last valid view when a later registration does not fit it, and reports the error', async () => {
    const tools = new ToolRegistry().register({
      name: 'a_b',
      description: 'Does something',
      inputSchema: {},
      handler: () => 1,
    });
    const server = newServer();
    const onerror = vi.fn<(error: unknown) => void>();
    server.onerror = onerror;
    tools.attachToServer(server, { view: { actions: ['a_b'] } });
    const client = await connect(server);
    tools.clear();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_b']);
    expect(onerror).toHaveBeenCalled();
    await client.close();
  });

  it('detaches only its own handlers, once', async () => {
    const server = newServer();
    const first = registry().attachToServer(server);
    new ToolRegistry()
      .register({ name: 'second', description: 'Does something', inputSchema: {}, handler: () => 2 })
      .attachToServer(server);
    first();
    first();
    const client = await connect(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['second']);
    await client.close();
  });

  it('is released when its server closes, so that servers for single requests do not accumulate', async () => {
    const tools = registry();
    const subscribe = vi.spyOn(tools, 'onChange');
    let live = 0;
    subscribe.mockImplementation(() => {
      live++;
      return () => void live--;
    });
    const handler = createMcpHandler(() => {
      const server = newServer();
      tools.attachToServer(server);
      return server as never;
    });
    for (let index = 0; index < 10; index++) {
      const response = await handler.fetch(new Request('http://localhost/mcp', modernRequest('tools/list')));
      expect(response.status).toBe(200);
      await response.text();
    }
    await vi.waitFor(() => expect(live).toBe(0));
    expect(subscribe).toHaveBeenCalledTimes(10);
  });

  it('passes changes of middleware on to prompts and resources too', async () => {
    const tools = registry()
      .registerPrompt({ name: 'p', handler: ({ context }) => String(context.accessToken) })
      .registerResource({ name: 'r', uri: 'r:r', handler: ({ context }) => String(context.accessToken) })
      .use((request, next) => next({ ...request, accessToken: 'SET' }));
    const server = newServer();
    tools.attachToServer(server);
    const client = await connect(server);
    expect((await client.getPrompt({ name: 'p' })).messages[0]?.content).toMatchObject({ text: 'SET' });
    expect((await client.readResource({ uri: 'r:r' })).contents).toMatchObject([{ text: 'SET' }]);
    await client.close();
  });

  it('shows unknown tools to middleware, which may rename them', async () => {
    const seen: unknown[] = [];
    const tools = registry().use((request, next) => {
      seen.push(request.params['name']);
      return next(
        request.params['name'] === 'old'
          ? { ...request, params: { ...request.params, name: 'ping' } }
          : request,
      );
    });
    const server = newServer();
    tools.attachToServer(server);
    const client = await connect(server);
    expect(await client.callTool({ name: 'old' })).toMatchObject({ content: [{ text: 'pong' }] });
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
    expect(seen).toEqual(['old', 'nope']);
    await client.close();
  });

  it('does not reveal the error of a prompt or a resource to a client', async () => {
    const tools = registry().registerPrompt({
      name: 'p',
      handler: () => {
        throw Object.assign(new Error('db password is hunter2'), { code: -32_602, data: { stack: 'x' } });
      },
    });
    const server = newServer();
    const onerror = vi.fn<(error: unknown) => void>();
    server.onerror = onerror;
    tools.attachToServer(server);
    const client = await connect(server);
    const failure = await client.getPrompt({ name: 'p' }).catch((error: unknown) => error);
    expect(JSON.stringify(failure)).not.toContain('hunter2');
    expect(failure).toMatchObject({ code: -32_603, message: 'The server failed to answer.' });
    expect(onerror).toHaveBeenCalled();
    await client.close();
  });

  it('serves a tool whose output is a list to 2025 clients too', async () => {
    const tools = new ToolRegistry().register({
      name: 'rows',
      description: 'Does something',
      inputSchema: {},
      outputSchema: z.array(z.number()),
      handler: () => [1, 2],
    });
    const server = newServer();
    tools.attachToServer(server);
    const client = await connect(server);
    await client.listTools();
    expect(await client.callTool({ name: 'rows' })).toEqual({ content: [{ type: 'text', text: '[1,2]' }] });
    await client.close();
  });

  it('lets a prompt ask the person too', async () => {
    const tools = registry().registerPrompt({
      name: 'p',
      handler: async ({ context }) => {
        const { who } = await context.requestInput({
          who: { message: 'Who?', schema: z.object({ name: z.string() }) },
        });
        return `Hello ${String(who.content?.['name'])}`;
      },
    });
    const server = newServer();
    tools.attachToServer(server);
    const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', (async () => ({
      action: 'accept',
      content: { name: 'Ada' },
    })) as never);
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    expect((await client.getPrompt({ name: 'p' })).messages[0]?.content).toMatchObject({ text: 'Hello Ada' });
    await client.close();
  });

  it('serves prompts and resources that are registered later, before a client connects', async () => {
    const tools = registry();
    const server = newServer();
    tools.attachToServer(server);
    tools.registerPrompt({ name: 'greet', handler: () => 'hello' });
    tools.registerResource({ name: 'r', uri: 'memo://r', handler: () => 'text' });
    const client = await connect(server);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['greet']);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['memo://r']);
    await client.close();
  });

  it('reports an item that is registered too late to declare its capability', async () => {
    const tools = registry();
    const server = newServer();
    const onerror = vi.fn<(error: unknown) => void>();
    server.onerror = onerror;
    tools.attachToServer(server);
    const client = await connect(server);
    tools.registerPrompt({ name: 'greet', handler: () => 'hello' });
    expect(onerror).toHaveBeenCalledWith(expect.any(ErrInvalidServer));
    expect((await client.listTools()).tools).toHaveLength(1);
    await client.close();
  });

  it('rejects a connected server with advice', async () => {
    const server = newServer();
    const client = await connect(server);
    expect(() => registry().attachToServer(server)).toThrow(
      expect.objectContaining({
        code: 'ErrInvalidServer',
        hint: expect.stringContaining('before it connects'),
      }),
    );
    await client.close();
  });

  it('keeps no server alive that has no other references', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const tools = registry();
    const references = Array.from({ length: 20 }, () => {
      const server = newServer();
      tools.attachToServer(server);
      return new WeakRef(server);
    });
    // A WeakRef keeps its target until the current turn has ended.
    await new Promise((resolve) => setTimeout(resolve));
    collect();
    expect(references.filter((reference) => reference.deref()).length).toBeLessThan(2);
  });
});

describe('attaching', () => {
  it('rejects a server with its own tools instead of hiding them', () => {
    const server = new McpServer({ name: 'a', version: '1' });
    server.registerTool('own', {}, async () => ({ content: [] }));
    expect(() => registry().attachToServer(server)).toThrow(ErrInvalidServer);
    const first = new FirstMcpServer({ name: 'a', version: '1' });
    first.registerTool('own', {}, async () => ({ content: [] }));
    expect(() => registry().attachToServer(first)).toThrow(ErrInvalidServer);
  });

  it('announces changes after a reconnect too', async () => {
    const tools = registry();
    const server = newServer();
    tools.attachToServer(server);
    const first = await connect(server);
    await first.close();
    await server.close();
    const changed = vi.fn<() => void>();
    const client = new Client({ name: 'c', version: '1' });
    client.setNotificationHandler('notifications/tools/list_changed', async () => changed());
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    await client.listTools();
    tools.register({ name: 'more', description: 'More', inputSchema: {}, handler: () => 1 });
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    await client.close();
  });

  it('returns a result that a handler received from another call', async () => {
    const tools: ToolRegistry = new ToolRegistry().register({
      name: 'outer',
      description: 'Calls another',
      inputSchema: {},
      handler: () => tools.executeTool({ name: 'inner' }),
    });
    const server = newServer();
    tools.attachToServer(server);
    const client = await connect(server);
    const result = await client.callTool({ name: 'outer' });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('inner');
    await expect(client.callTool({ name: 'outter' })).rejects.toThrow(
      'Did you mean \\"outer\\"'.replaceAll('\\', ''),
    );
    await expect(client.listTools({ cursor: 'bogus' })).rejects.toThrow(/cursor/);
    await client.close();
  });

  it('recognises 2026-07-28 clients through the second SDK, with lists and results of any kind', async () => {
    const tools = new ToolRegistry().register({
      name: 'numbers',
      description: 'Numbers',
      inputSchema: {},
      outputSchema: z.array(z.number()),
      handler: () => [1, 2],
    });
    const handler = createMcpHandler(() => {
      const server = newServer();
      tools.attachToServer(server);
      return server as never;
    });
    const post = async (method: string, params: object) => {
      const response = await handler.fetch(
        new Request('http://localhost/mcp', modernRequest(method, params)),
      );
      return ((await response.json()) as { result: Record<string, unknown> }).result;
    };
    expect((await post('tools/call', { name: 'numbers', arguments: {} }))['structuredContent']).toEqual([
      1, 2,
    ]);
    expect(JSON.stringify(await post('tools/list', {}))).toContain('"outputSchema"');
    await handler.close();
  });

  it('serves tasks of an action that was registered after the client connected', async () => {
    const tools = registry();
    const [near, far] = InMemoryTransport.createLinkedPair();
    const handle = serveStdio(
      () => {
        const server = newServer();
        tools.attachToServer(server);
        return server;
      },
      { transport: far },
    );
    const answers = new Map<unknown, Record<string, unknown>>();
    near.onmessage = (message) => {
      if ('result' in message) answers.set(message.id, message.result);
    };
    await near.start();
    let id = 0;
    const ask = async (method: string, params: object): Promise<Record<string, unknown> | undefined> => {
      const own = ++id;
      const _meta = modernMeta(taskCapabilities);
      await near.send({ jsonrpc: '2.0', id: own, method, params: { ...params, _meta } });
      await vi.waitFor(() => expect(answers.has(own)).toBe(true));
      return answers.get(own);
    };
    await ask('tools/list', {});
    tools.register({
      name: 'late',
      description: 'Takes long',
      inputSchema: {},
      task: true,
      handler: () => 1,
    });
    const task = await ask('tools/call', { name: 'late', arguments: {} });
    expect(task).toMatchObject({ resultType: 'task' });
    expect(await ask('tasks/get', { taskId: task?.['taskId'] })).toMatchObject({ status: 'completed' });
    await handle.close();
  });
});
