import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as FirstTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as FirstServer } from '@modelcontextprotocol/sdk/server/index.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ErrProtocol } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { openSession } from './session-requests.js';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const TASKS = { extensions: { [EXTENSION]: {} }, elicitation: { form: {} } };

const createRegistry = () =>
  new ToolRegistry({ name: 'acme', version: '1.0.0', rateLimiter: false }).register(
    {
      name: 'work',
      description: 'Takes long',
      inputSchema: z.object({ value: z.string().optional() }),
      task: { ttlMs: 5_000, pollIntervalMs: 10 },
      handler: ({ input }) => `done ${input.value ?? ''}`.trim(),
    },
    {
      name: 'must',
      description: 'Only as a task',
      inputSchema: {},
      task: { required: true },
      handler: () => 'done',
    },
    {
      name: 'ask',
      description: 'Asks',
      inputSchema: {},
      task: true,
      handler: async ({ context }) => {
        const { who } = await context.requestInput({
          who: { message: 'Who?', schema: { name: z.string() } },
        });
        return `hello ${String(who.content?.['name'])}`;
      },
    },
    {
      name: 'fail',
      description: 'Fails',
      inputSchema: {},
      task: true,
      handler: () => {
        throw new ErrProtocol('No', { rpcCode: -32_099 });
      },
    },
    {
      name: 'hang',
      description: 'Never ends',
      inputSchema: {},
      task: true,
      handler: () => new Promise(() => {}),
    },
  );

describe.each(faces)('over %s, a 2026-07-28 client with task support', (_face, open) => {
  let face: Face | undefined;
  afterEach(async () => {
    await face?.close();
    face = undefined;
  });
  const connect = async (options: { user?: string; capabilities?: Record<string, unknown> } = {}) => {
    face ??= await open(createRegistry());
    return createModernClient(face, { capabilities: TASKS, ...options });
  };
  const call = async (client: Awaited<ReturnType<typeof connect>>, name: string, args = {}) =>
    (await client.request('tools/call', { name, arguments: args })).result;
  const until = async (client: Awaited<ReturnType<typeof connect>>, taskId: unknown, status: string) =>
    vi.waitFor(async () => {
      const { result } = await client.request('tasks/get', { taskId });
      expect(result['status']).toBe(status);
      return result;
    });

  it('calls, polls the task and gets the result', async () => {
    const client = await connect();
    const task = await call(client, 'work', { value: 'x' });
    expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 5_000, pollIntervalMs: 10 });
    expect(task).not.toHaveProperty('content');
    const got = await until(client, task['taskId'], 'completed');
    expect(got).toMatchObject({
      resultType: 'complete',
      result: { content: [{ type: 'text', text: 'done x' }] },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'acme', version: '1.0.0' } },
    });
  });

  it('answers questions of a task, and sees its failure', async () => {
    const client = await connect();
    const { taskId } = await call(client, 'ask');
    const waiting = await until(client, taskId, 'input_required');
    expect(waiting['inputRequests']).toMatchObject({ who: { method: 'elicitation/create' } });
    const inputResponses = { who: { action: 'accept', content: { name: 'Ada' } } };
    const updated = await client.request('tasks/update', { taskId, inputResponses });
    expect(updated.result).toMatchObject({ resultType: 'complete' });
    expect(await until(client, taskId, 'completed')).toMatchObject({
      result: { content: [{ text: 'hello Ada' }] },
    });
    const failed = await call(client, 'fail');
    expect(await until(client, failed['taskId'], 'failed')).toMatchObject({
      error: { code: -32_099, message: 'No' },
    });
  });

  it('cancels a task, and gets an error for unknown and foreign tasks', async () => {
    const client = await connect({ user: 'ada' });
    const { taskId } = await call(client, 'hang');
    const other = await connect({ user: 'bob' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const theirs = await other.request(method, { taskId });
      expect(theirs).toMatchObject({ status: 200, error: { code: -32_602 } });
      expect(theirs.error).toEqual((await other.request(method, { taskId: 'nothing' })).error);
    }
    expect((await client.request('tasks/cancel', { taskId })).result).toMatchObject({
      resultType: 'complete',
    });
    expect((await client.request('tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
  });

  it('may disconnect as soon as it has called', async () => {
    const client = await connect();
    const controller = new AbortController();
    const response = await client.send('tools/call', { name: 'work', arguments: {} }, controller.signal);
    const { result } = (await response.json()) as { result: { taskId: string } };
    controller.abort();
    expect(await until(client, result.taskId, 'completed')).toHaveProperty('result');
  });

  it('gets an error for invalid arguments at once', async () => {
    const client = await connect();
    const result = await call(client, 'work', { value: 5 });
    expect(result).toMatchObject({ resultType: 'complete', isError: true });
    expect(result).not.toHaveProperty('taskId');
  });

  it('is required by an action for tasks only, and gets plain answers from others', async () => {
    const client = await connect({ capabilities: {} });
    expect(await client.request('tools/call', { name: 'must', arguments: {} })).toMatchObject({
      status: 400,
      error: { code: -32_021, data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } } },
    });
    expect(await call(client, 'work')).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
    expect(await client.request('tasks/get', { taskId: 'x' })).toMatchObject({
      status: 400,
      error: { code: -32_021 },
    });
  });
});

describe('without a way to poll a task', () => {
  it('a 2025 session gets the answer on completion', async () => {
    const face = await faces[0]![1](createRegistry());
    const session = await openSession(face, { capabilities: TASKS });
    expect(await session.call('work')).toMatchObject({ result: { content: [{ text: 'done' }] } });
    expect(await session.call('must')).toMatchObject({ error: { code: -32_021 } });
    expect(await session.request('tasks/get', { taskId: 'x' })).toMatchObject({ error: { code: -32_601 } });
    await face.close();
  });

  it('an attached server answers on completion', async () => {
    const registry = createRegistry();
    const second = new Server({ name: 'a', version: '1' }, { capabilities: {} });
    const first = new FirstServer({ name: 'a', version: '1' }, { capabilities: {} });
    for (const server of [second, first]) registry.attachToServer(server);
    const client = new Client({ name: 'c', version: '1' }, { capabilities: TASKS });
    const firstClient = new FirstClient({ name: 'c', version: '1' }, { capabilities: TASKS as never });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const [firstNear, firstFar] = FirstTransport.createLinkedPair();
    await Promise.all([second.connect(far), client.connect(near)]);
    await Promise.all([first.connect(firstFar), firstClient.connect(firstNear)]);
    for (const each of [client, firstClient])
      expect(await each.callTool({ name: 'work', arguments: {} })).toMatchObject({
        content: [{ text: 'done' }],
      });
    await Promise.all([client.close(), firstClient.close()]);
  });

  it('an attached server gives a task to 2026-07-28 clients, which can poll it', async () => {
    const registry = createRegistry();
    const handler = createMcpHandler(() => {
      const server = new Server({ name: 'a', version: '1' }, { capabilities: {} });
      registry.attachToServer(server);
      return server;
    });
    const face = { send: (init: RequestInit) => handler.fetch(new Request('http://localhost/mcp', init)) };
    const client = createModernClient(face as never, { capabilities: TASKS });
    const { result } = await client.request('tools/call', { name: 'work', arguments: {} });
    expect(result).toMatchObject({ resultType: 'task' });
    const { taskId } = result as { taskId: string };
    await expect
      .poll(async () => (await client.request('tasks/get', { taskId })).result)
      .toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
    await handler.close();
  });
});
