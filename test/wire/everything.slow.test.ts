import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { everythingCommand, startEverything } from '../conformance/everything-server.js';
import type { EverythingServer } from '../conformance/everything-server.js';
import { modernMeta, taskCapabilities } from './raw-request.js';

type Answer = Record<string, unknown>;
type Asked = { params?: Record<string, unknown> };

/** The answers of the user and the model of the client, and the notifications of the server. */
const person = vi.fn<(asked: Asked) => Answer>();
const model = vi.fn<(asked: Asked) => Answer>();
const heard = vi.fn<(method: string, params: unknown) => void>();
const roots = () => ({ roots: [{ uri: 'file:///work', name: 'Work' }] });

const INFO = { name: 'test', version: '1.0.0' };
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const notifications = {
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/tools/list_changed': ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': PromptListChangedNotificationSchema,
  'notifications/resources/list_changed': ResourceListChangedNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
} as const;

/** A client of either SDK with the same interface. */
interface Peer {
  readonly client: Client;
  call(
    params: { name: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> },
    options?: { onprogress: (report: { progress: number; total?: number }) => void },
  ): ReturnType<Client['callTool']>;
}

function createSecond(versionNegotiation: NonNullable<ClientOptions['versionNegotiation']>): Peer {
  const client = new Client(INFO, {
    versionNegotiation,
    capabilities: { sampling: {}, elicitation: { form: {} }, roots: {} },
  });
  client.setRequestHandler('elicitation/create', async (asked) => person(asked as Asked) as never);
  client.setRequestHandler('sampling/createMessage', async (asked) => model(asked as Asked) as never);
  client.setRequestHandler('roots/list', async () => roots());
  for (const method of Object.keys(notifications) as (keyof typeof notifications)[])
    client.setNotificationHandler(method, ({ params }) => heard(method, params));
  return { client, call: (params, options) => client.callTool(params, options as never) };
}

function createFirst(): Peer {
  const client = new FirstClient(INFO, { capabilities: { sampling: {}, elicitation: {}, roots: {} } });
  client.setRequestHandler(ElicitRequestSchema, async (asked) => person(asked) as never);
  client.setRequestHandler(CreateMessageRequestSchema, async (asked) => model(asked) as never);
  client.setRequestHandler(ListRootsRequestSchema, async () => roots());
  for (const schema of Object.values(notifications))
    client.setNotificationHandler(schema as typeof ResourceUpdatedNotificationSchema, ({ method, params }) =>
      heard(method, params),
    );
  return {
    client: client as unknown as Client,
    call: (params, options) => client.callTool(params, undefined, options as never) as never,
  };
}

type Said = { id?: number; result?: Record<string, unknown>; error?: Record<string, unknown> };

/** A 2026-07-28 client over stdio with task support, which the SDK clients lack. */
function startRaw() {
  const { command, args, cwd } = stdio;
  const child = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, (said: Said) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as Said;
    waiting.get(said.id ?? 0)?.(said);
  });
  const _meta = modernMeta({ elicitation: {}, ...taskCapabilities });
  let id = 0;
  return {
    ask: (method: string, params: object = {}) =>
      new Promise<Said>((resolve) => {
        waiting.set(++id, resolve);
        child.stdin.write(
          `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`,
        );
      }),
    end: async () => {
      child.stdin.end();
      const [code] = (await once(child, 'close')) as [number | null];
      return code;
    },
  };
}

const stdio = { ...everythingCommand, args: [...everythingCommand.args, '--stdio'] };

describe('the everything server', () => {
  let server: EverythingServer;
  beforeAll(async () => {
    server = await startEverything();
  });
  afterAll(() => server.stop());

  const url = () => new URL(server.url);
  const modern = { mode: { pin: '2026-07-28' } };
  const legacy = { mode: 'legacy' } as const;

  describe.each([
    [
      'HTTP',
      '2026-07-28',
      'second',
      () => createSecond(modern),
      () => new StreamableHTTPClientTransport(url()),
    ],
    [
      'HTTP',
      '2025-11-25',
      'second',
      () => createSecond(legacy),
      () => new StreamableHTTPClientTransport(url()),
    ],
    ['HTTP', '2025-11-25', 'first', createFirst, () => new FirstHttpTransport(url())],
    ['stdio', '2026-07-28', 'second', () => createSecond(modern), () => new StdioClientTransport(stdio)],
    ['stdio', '2025-11-25', 'second', () => createSecond(legacy), () => new StdioClientTransport(stdio)],
    ['stdio', '2025-11-25', 'first', createFirst, () => new FirstStdioTransport(stdio)],
  ])('over %s, in %s, to a client of the %s SDK', (_transport, version, sdk, createPeer, createTransport) => {
    let client: Client;
    let call: Peer['call'];
    const isModern = version === '2026-07-28';

    beforeAll(async () => {
      ({ client, call } = createPeer());
      await client.connect(createTransport() as never);
    });
    afterAll(() => client.close());
    beforeEach(() => {
      person.mockReset().mockReturnValue({ action: 'accept', content: { name: 'Ada' } });
      model
        .mockReset()
        .mockReturnValue({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } });
      heard.mockReset();
    });

    const textOf = ({ content }: { content: readonly unknown[] }) => (content[0] as { text: string }).text;

    it('states its identity and its capabilities', () => {
      expect(client.getServerVersion()).toMatchObject({ name: 'everything', version: '1.0.0' });
      expect(client.getInstructions()).toBe('Shows every feature of MCP once.');
      expect(client.getServerCapabilities()).toMatchObject({
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      });
      if (sdk === 'second') expect(client.getNegotiatedProtocolVersion()).toBe(version);
    });

    it('lists tools, prompts, resources and templates', async () => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['test_simple_text', 'json_schema_2020_12_tool', 'slow_compute']),
      );
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['test_simple_prompt', 'test_prompt_with_arguments']),
      );
      expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(
        expect.arrayContaining(['test://static-text', 'test://static-binary', 'test://watched-resource']),
      );
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['test://template/{id}/data']);
    });

    it('answers calls with every kind of content', async () => {
      expect(textOf(await call({ name: 'test_simple_text' }))).toBe(
        'This is a simple text response for testing.',
      );
      const types = async (name: string) => (await call({ name })).content.map(({ type }) => type);
      expect(await types('test_image_content')).toEqual(['image']);
      expect(await types('test_audio_content')).toEqual(['audio']);
      expect(await types('test_multiple_content_types')).toEqual(['text', 'image', 'resource']);
      expect(await call({ name: 'test_structured_content', arguments: { city: 'Rome' } })).toMatchObject({
        structuredContent: { city: 'Rome', celsius: 21.5 },
      });
      expect(textOf(await call({ name: 'test_header_parameter', arguments: { region: 'Süd' } }))).toBe(
        'region: Süd',
      );
    });

    it('distinguishes a failed call from an invalid one', async () => {
      const failed = await call({ name: 'test_error_handling' });
      expect(failed.isError).toBe(true);
      expect(textOf(failed)).toContain('This tool intentionally returns an error for testing');
      expect((await call({ name: 'greet', arguments: { nam: 'Ada' } })).isError).toBe(true);
      await expect(call({ name: 'nobody' })).rejects.toMatchObject({ code: -32_602 });
    });

    it('reports progress', async () => {
      const reports: unknown[] = [];
      const result = await call(
        { name: 'test_tool_with_progress' },
        { onprogress: ({ progress, total }) => reports.push([progress, total]) },
      );
      expect(textOf(result)).toBe('Reported three times.');
      expect(reports).toEqual([
        [0, 100],
        [50, 100],
        [100, 100],
      ]);
    });

    it('sends log messages of the requested level and above', async () => {
      const logAt = async (level: 'info' | 'error') => {
        heard.mockReset();
        if (!isModern) await client.setLoggingLevel(level);
        const _meta = isModern ? { _meta: { [LOG_LEVEL]: level } } : {};
        await call({ name: 'test_logging_tool', ..._meta });
        return heard.mock.calls.map(([, params]) => (params as { level: string }).level);
      };
      expect(await logAt('info')).toEqual(['info', 'warning', 'error']);
      expect(await logAt('error')).toEqual(['error']);
      expect(heard).toHaveBeenCalledWith('notifications/message', {
        level: 'error',
        logger: 'everything',
        data: { said: 'error' },
      });
    });

    it('asks the person, and accepts a decline', async () => {
      person.mockReturnValue({ action: 'accept', content: { username: 'ada', email: 'ada@example.org' } });
      const ask = () => call({ name: 'test_elicitation', arguments: { message: 'Who?' } });
      expect(textOf(await ask())).toBe(
        'User response: action=accept, content={"username":"ada","email":"ada@example.org"}',
      );
      expect(person.mock.calls[0]?.[0]?.params).toMatchObject({
        message: 'Who?',
        requestedSchema: { type: 'object', required: ['username', 'email'] },
      });
      person.mockReturnValue({ action: 'decline' });
      expect(textOf(await ask())).toBe('User response: action=decline, content={}');
    });

    it('asks the model and the client', async () => {
      expect(textOf(await call({ name: 'test_sampling', arguments: { prompt: 'Capital?' } }))).toBe(
        'LLM response: Paris',
      );
      expect(model.mock.calls[0]?.[0]?.params).toMatchObject({ maxTokens: 100 });
      expect(textOf(await call({ name: 'test_input_required_result_list_roots' }))).toBe('["file:///work"]');
      expect(textOf(await call({ name: 'test_input_required_result_multiple_inputs' }))).toBe(
        'Paris Ada, in 1 roots',
      );
    });

    it('asks one question after the other', async () => {
      person.mockImplementation(({ params }) => ({
        action: 'accept',
        content: String(params?.['message']).startsWith('Step 1') ? { name: 'Ada' } : { color: 'red' },
      }));
      expect(textOf(await call({ name: 'test_input_required_result_multi_round' }))).toBe('Ada likes red');
      expect(person).toHaveBeenCalledTimes(2);
    });

    it('runs a long call to its end for a client without task support', async () => {
      const result = await call({ name: 'slow_compute', arguments: { seconds: 0.1, label: 'work' } });
      expect(textOf(result)).toBe('work took 0.1 s.');
    });

    it('fills prompts', async () => {
      const { messages } = await client.getPrompt({
        name: 'test_prompt_with_arguments',
        arguments: { arg1: 'hello', arg2: 'world' },
      });
      expect(messages).toEqual([
        {
          role: 'user',
          content: { type: 'text', text: "Prompt with arguments: arg1='hello', arg2='world'" },
        },
      ]);
      expect((await client.getPrompt({ name: 'test_prompt_with_image' })).messages).toHaveLength(2);
      await expect(client.getPrompt({ name: 'test_prompt_with_arguments' })).rejects.toMatchObject({
        code: -32_602,
      });
      await expect(client.getPrompt({ name: 'nothing' })).rejects.toMatchObject({ code: -32_602 });
    });

    it('asks the person for the arguments of a prompt', async () => {
      person.mockReturnValue({ action: 'accept', content: { context: 'tests' } });
      const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' });
      expect(messages[0]?.content).toEqual({ type: 'text', text: 'Use this context: tests' });
    });

    it('reads resources', async () => {
      const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
      expect(await read('test://static-text')).toMatchObject({
        text: 'This is the content of the static text resource.',
      });
      expect(await read('test://static-binary')).toMatchObject({ mimeType: 'image/png', blob: /^iVBOR/ });
      expect(await read('test://template/123/data')).toMatchObject({
        text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
      });
      await expect(read('test://nothing')).rejects.toMatchObject({
        code: -32_602,
        data: { uri: 'test://nothing' },
      });
    });

    it('completes arguments and variables', async () => {
      const complete = async (ref: never, name: string, value: string) =>
        (await client.complete({ ref, argument: { name, value } })).completion.values;
      const prompt = { type: 'ref/prompt', name: 'test_prompt_with_arguments' } as never;
      expect(await complete(prompt, 'arg1', 'par')).toEqual(['paris', 'park', 'party']);
      expect(await complete(prompt, 'arg2', 'par')).toEqual([]);
      const template = { type: 'ref/resource', uri: 'test://template/{id}/data' } as never;
      expect(await complete(template, 'id', '12')).toEqual(['123', '124']);
    });

    it('announces new tools, prompts and resources, and changes of a subscribed resource', async () => {
      const uri = 'test://watched-resource';
      const subscription = isModern
        ? await client.listen({
            toolsListChanged: true,
            promptsListChanged: true,
            resourcesListChanged: true,
            resourceSubscriptions: [uri],
          })
        : undefined;
      if (!isModern) await client.subscribeResource({ uri });
      for (const kind of ['tools', 'prompts', 'resources'] as const) {
        await call({ name: `test_trigger_${kind.slice(0, -1)}_change` });
        await vi.waitFor(() =>
          expect(heard.mock.calls.map(([method]) => method)).toContain(`notifications/${kind}/list_changed`),
        );
      }
      const added = (await client.listTools()).tools.filter(({ name }) =>
        name.startsWith('test_added_tool_'),
      );
      expect(added.length).toBeGreaterThan(0);
      await call({ name: 'test_trigger_resource_update' });
      await vi.waitFor(() =>
        expect(heard).toHaveBeenCalledWith(
          'notifications/resources/updated',
          expect.objectContaining({ uri }),
        ),
      );
      await (subscription ? subscription.close() : client.unsubscribeResource({ uri }));
      heard.mockReset();
      await call({ name: 'test_trigger_resource_update' });
      // Notifications that were sent before the answer to a later call have arrived by then.
      await call({ name: 'test_simple_text' });
      expect(heard.mock.calls.map(([method]) => method)).not.toContain('notifications/resources/updated');
    });
  });

  it('offers tasks over stdio too, to a 2026-07-28 client that supports them', async () => {
    const peer = startRaw();
    const { result: discovered } = await peer.ask('server/discover');
    expect(discovered).toMatchObject({ capabilities: taskCapabilities });
    const { result: task } = await peer.ask('tools/call', {
      name: 'confirm_delete',
      arguments: { filename: 'a' },
    });
    expect(task).toMatchObject({ resultType: 'task', taskId: expect.any(String) });
    const taskId = task?.['taskId'];
    await vi.waitFor(async () =>
      expect((await peer.ask('tasks/get', { taskId })).result).toMatchObject({
        status: 'input_required',
        inputRequests: { sure: { method: 'elicitation/create' } },
      }),
    );
    const inputResponses = { sure: { action: 'accept', content: { confirm: true } } };
    expect((await peer.ask('tasks/update', { taskId, inputResponses })).result).toMatchObject({
      resultType: 'complete',
    });
    await vi.waitFor(async () =>
      expect((await peer.ask('tasks/get', { taskId })).result).toMatchObject({
        status: 'completed',
        result: { content: [{ type: 'text', text: 'Deleted a.' }] },
      }),
    );
    expect((await peer.ask('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
    expect((await peer.ask('tasks/get', { taskId: 'none' })).error).toMatchObject({ code: -32_602 });
    expect(await peer.end()).toBe(0);
  });

  it.each([
    ['HTTP', () => new StreamableHTTPClientTransport(url())],
    ['stdio', () => new StdioClientTransport(stdio)],
  ])(
    'creates no task over %s for a 2025 client, which could not ask about it',
    async (_, createTransport) => {
      const client = new Client(INFO, { versionNegotiation: legacy, capabilities: taskCapabilities });
      await client.connect(createTransport());
      const arguments_ = { seconds: 0, label: 'work' };
      expect(await client.callTool({ name: 'slow_compute', arguments: arguments_ })).toMatchObject({
        content: [{ type: 'text', text: 'work took 0 s.' }],
      });
      await expect(client.callTool({ name: 'failing_job' })).rejects.toMatchObject({ code: -32_021 });
      await client.close();
    },
  );

  it('exits with 0 on a signal, though 2025 and 2026 clients hold streams open', async () => {
    const another = await startEverything();
    const clients = [createSecond(modern).client, createSecond(legacy).client];
    for (const client of clients)
      await client.connect(new StreamableHTTPClientTransport(new URL(another.url)));
    await clients[0]?.listen({ toolsListChanged: true });
    expect(await another.stop()).toBe(0);
    await Promise.all(clients.map((client) => client.close()));
  });
});
