import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { ToolRegistry } from 'toolfold';
import { faces } from '../../../test/wire/faces.js';
import { connect, follow, serve } from '../../../test/wire/followed-servers.js';
import type { Era } from '../../../test/wire/followed-servers.js';
import { createModernClient } from '../../../test/wire/modern-requests.js';
import { codeOf, textOf } from './upstream-servers.js';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const TASKS = { extensions: { [EXTENSION]: {} }, elicitation: { form: {} } };

/** What happened on the upstream server. */
interface Seen {
  readonly started: string[];
  readonly cancelled: string[];
}

/** A 2026 server whose calls become tasks. */
async function serveModern(seen: Seen): Promise<string> {
  const origin = new ToolRegistry({ name: 'origin', rateLimiter: false });
  const task = { pollIntervalMs: 50 };
  origin.register(
    {
      name: 'work',
      description: 'Works in steps',
      inputSchema: {},
      task,
      handler: async ({ context }) => {
        seen.started.push('work');
        for (const step of ['digging', 'building']) {
          await context.progress(1, 2, step);
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
        return 'built';
      },
    },
    {
      name: 'ask',
      description: 'Asks',
      inputSchema: {},
      task,
      handler: async ({ context }) => {
        seen.started.push('ask');
        const { color } = await context.requestInput({
          color: { message: 'Which color?', schema: z.object({ answer: z.string() }) },
        });
        return color.action === 'accept' ? color.content.answer : color.action;
      },
    },
    {
      name: 'hang',
      description: 'Never ends',
      inputSchema: {},
      task,
      handler: ({ context }) =>
        new Promise((_, reject) => {
          seen.started.push('hang');
          context.signal.addEventListener('abort', () => {
            seen.cancelled.push('hang');
            reject(new Error('cancelled'));
          });
        }),
    },
    {
      name: 'fail',
      description: 'Fails',
      inputSchema: {},
      task,
      handler: () => {
        throw new Error('the mine is closed');
      },
    },
  );
  return serve(origin);
}

/** A 2025 server of SDK v1 whose tools run only as tasks. */
async function serveLegacy(seen: Seen): Promise<string> {
  const create = (): McpServer => {
    const taskStore = new InMemoryTaskStore();
    const server = new McpServer(
      { name: 'origin', version: '1' },
      {
        capabilities: { tasks: { requests: { tools: { call: {} } }, cancel: {}, list: {} } },
        taskStore,
        taskMessageQueue: new InMemoryTaskMessageQueue(),
      },
    );
    const add = (
      name: string,
      run: (taskId: string, extra: { sendRequest: (...args: never[]) => Promise<unknown> }) => Promise<void>,
    ): void => {
      server.experimental.tasks.registerToolTask(
        name,
        { description: name, inputSchema: {}, execution: { taskSupport: 'required' } },
        {
          createTask: async (_args: unknown, extra: never) => {
            const { taskStore: store } = extra as {
              taskStore: { createTask(options: object): Promise<{ taskId: string }> };
            };
            const task = await store.createTask({ ttl: 60_000, pollInterval: 50 });
            seen.started.push(name);
            void run(task.taskId, extra).catch(() => undefined);
            return { task } as never;
          },
          getTask: async (_args: unknown, extra: never) => {
            const { taskId } = extra as { taskId: string };
            const task = await taskStore.getTask(taskId);
            return task as never;
          },
          getTaskResult: async (_args: unknown, extra: never) =>
            (await taskStore.getTaskResult((extra as { taskId: string }).taskId)) as never,
        } as never,
      );
    };
    const finish = (taskId: string, text: string, isError = false): Promise<void> =>
      taskStore.storeTaskResult(taskId, isError ? 'failed' : 'completed', {
        content: [{ type: 'text', text }],
        ...(isError ? { isError } : {}),
      });
    add('work', async (taskId) => {
      for (const step of ['digging', 'building']) {
        await taskStore.updateTaskStatus(taskId, 'working', step);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      await finish(taskId, 'built');
    });
    add('ask', async (taskId, { sendRequest }) => {
      await taskStore.updateTaskStatus(taskId, 'input_required', 'asking');
      const requestedSchema = {
        type: 'object',
        properties: { answer: { type: 'string' } },
        required: ['answer'],
      };
      const params = { message: 'Which color?', requestedSchema };
      const { action, content } = (await sendRequest(
        { method: 'elicitation/create', params } as never,
        ElicitResultSchema as never,
        { relatedTask: { taskId } } as never,
      )) as { action: string; content?: { answer: string } };
      await taskStore.updateTaskStatus(taskId, 'working');
      await finish(taskId, content?.answer ?? action);
    });
    add('hang', async (taskId) => {
      while ((await taskStore.getTask(taskId))?.status !== 'cancelled')
        await new Promise((resolve) => setTimeout(resolve, 20));
      seen.cancelled.push('hang');
    });
    add('fail', (taskId) => finish(taskId, 'the mine is closed', true));
    return server;
  };
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? sessions.get(id) : undefined;
    if (!transport) {
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, opened),
      });
      transport = opened;
      await create().connect(transport as never);
    }
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

const servers: Readonly<Record<Era, (seen: Seen) => Promise<string>>> = {
  '2025': serveLegacy,
  '2026': serveModern,
};

describe.each(['2025', '2026'] as const)('a tool that runs as a task on a %s server', (protocol) => {
  const setUp = async () => {
    const seen: Seen = { started: [], cancelled: [] };
    const held = await follow({ url: await servers[protocol](seen) }, { protocol });
    return { ...held, seen };
  };

  it.each(['2025', '2026'] as const)(
    'is called by a %s client, which gets its status as progress',
    async (era) => {
      const { gateway, seen } = await setUp();
      const client = await connect(await serve(gateway), era);
      const messages: (string | undefined)[] = [];
      const result = await client.callTool(
        { name: 'far_work', arguments: {} },
        { onprogress: ({ message }) => void messages.push(message) },
      );
      expect(result.content).toEqual([{ type: 'text', text: 'built' }]);
      expect(messages).toContain('building');
      expect(seen.started).toEqual(['work']);
      const failed = await client.callTool({ name: 'far_fail', arguments: {} });
      expect(failed).toMatchObject({ isError: true });
      expect(JSON.stringify(failed.content)).toContain('the mine is closed');
    },
  );

  it.each(['2025', '2026'] as const)('asks a %s client', async (era) => {
    const { gateway } = await setUp();
    const client = await connect(await serve(gateway), era);
    const { content } = await client.callTool({ name: 'far_ask', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'blue' }]);
  });

  it('is a task of this server for a client with task support', async () => {
    const { gateway, seen } = await setUp();
    const face = await faces[0]![1](gateway);
    onTestFinished(() => face.close());
    const client = createModernClient(face, { capabilities: TASKS });
    const poll = (taskId: unknown, status: string) =>
      vi.waitFor(
        async () => {
          const { result } = await client.request('tasks/get', { taskId });
          expect(result['status']).toBe(status);
          return result;
        },
        { timeout: 20_000 },
      );
    const start = async (name: string) => {
      const { result } = await client.request('tools/call', { name, arguments: {} });
      expect(result).toMatchObject({ resultType: 'task' });
      return result['taskId'];
    };
    const done = await poll(await start('far_work'), 'completed');
    expect(done).toMatchObject({ result: { content: [{ type: 'text', text: 'built' }] } });
    const asking = await start('far_ask');
    const { inputRequests } = await poll(asking, 'input_required');
    const [key] = Object.keys(inputRequests as object);
    const inputResponses = { [String(key)]: { action: 'accept', content: { answer: 'green' } } };
    await client.request('tasks/update', { taskId: asking, inputResponses });
    expect(await poll(asking, 'completed')).toMatchObject({ result: { content: [{ text: 'green' }] } });
    const hanging = await start('far_hang');
    await expect.poll(() => seen.started).toContain('hang');
    await client.request('tasks/cancel', { taskId: hanging });
    await expect.poll(() => seen.cancelled).toEqual(['hang']);
  });

  it('is cancelled on the server with the call, and when the call times out', async () => {
    const { gateway, seen } = await setUp();
    const controller = new AbortController();
    const reported: unknown[] = [];
    const call = gateway.executeTool({
      name: 'far_hang',
      arguments: {},
      signal: controller.signal,
      progress: async (...report) => void reported.push(report),
    });
    await expect.poll(() => seen.started).toEqual(['hang']);
    // The answer of a 2025 server names the task even if it arrives after the cancellation.
    if (protocol === '2026') await expect.poll(() => reported.length).toBeGreaterThan(0);
    controller.abort();
    expect((await call).isError).toBe(true);
    await expect.poll(() => seen.cancelled).toEqual(['hang']);
    const short = await follow({ url: await servers[protocol](seen) }, { protocol, timeoutMs: 1_000 });
    const late = await short.gateway.executeTool({ name: 'far_hang', arguments: {} });
    expect(codeOf(late)).toBe('ErrTimeout');
    expect(textOf(late)).toContain('did not answer for 1000 ms');
    await expect.poll(() => seen.cancelled).toEqual(['hang', 'hang']);
    expect(seen.started).toEqual(['hang', 'hang']);
  });
});
