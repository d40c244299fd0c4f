import type { Client } from '@modelcontextprotocol/client';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { CallToolResult } from '../../index.js';
import type { McpTool } from '../../model.js';
import { isJsonObject } from '../../values/json-value.js';
import { exceededLimit } from '../../values/json-limits.js';
import { ListError, readPages } from '../../upstream/pages.js';
import { UsageError } from '../terminal/exit-codes.js';
import { connectServer } from './connect-server.js';
import type { Connection } from './connect-server.js';
import { withoutQuery } from './strip-query.js';
import { listWireTool } from './listed-tool.js';
import type { CallHooks, OpenOptions, OpenTarget, ToolRequest } from './open-target.js';
import { say, withNotice } from '../terminal/output.js';
import type { ServerTarget } from './read-target.js';
import { assertChoice, selectTools } from './select-tools.js';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
/** Whoever calls ends calls; the client's own limit would end those that report progress, or ask. */
const NO_TIMEOUT = 2 ** 31 - 1;
const LIST_LIMITS = { maxItems: 1_000_000, maxSize: 64 * 1024 * 1024 };
/** Maximum nesting of a tool definition. Deeper ones cannot be shown. */
const MAX_DEPTH = 200;

/** Opens a server that runs, or starts one. */
export async function openServer(target: ServerTarget, options: OpenOptions): Promise<OpenTarget> {
  if (options.form !== undefined)
    throw new UsageError('--form is for files: a server that runs is in the form that it is in.');
  const isCommand = 'command' in target;
  const { timeoutMs, signal } = options;
  const connection = await withNotice(
    isCommand ? `starting ${target.command}` : `connecting to ${withoutQuery(target.url)}`,
    connectServer(target, options),
  );
  const { client } = connection;
  const lists = new Lists(connection, { timeoutMs, signal });
  try {
    const all = await withNotice('listing tools', lists.all<Listed>('tools/list', 'tools'));
    const listed = all.flatMap(toTool);
    const left = all.length - listed.length;
    if (left > 0) say(`left out ${left === 1 ? 'a tool that has' : `${left} tools that have`} no name`);
    assertChoice(listed, options);
    const { name, version } = client.getServerVersion() ?? {};
    return {
      kind: isCommand ? 'stdio' : 'http',
      server: {
        name,
        version,
        protocol: client.getNegotiatedProtocolVersion(),
        instructions: client.getInstructions(),
      },
      tools: selectTools(listed, options).map(listWireTool),
      toolsets: [],
      listOthers: async () => ({
        prompts: await lists.all('prompts/list', 'prompts'),
        resources: await lists.all('resources/list', 'resources'),
        templates: await lists.all('resources/templates/list', 'resourceTemplates', 'resources'),
      }),
      costs: async () => [],
      call: (request, hooks) => callTool(connection, request, hooks, { timeoutMs, listed }),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
}

type Listed = Readonly<Record<string, unknown>>;

/** A tool as it came, without what is not as MCP has it. One without a name cannot be called. */
function toTool(listed: Listed): McpTool[] {
  const { name, title, description, inputSchema, outputSchema, annotations, ...rest } = listed;
  if (typeof name !== 'string') return [];
  return [
    {
      ...rest,
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      inputSchema: { ...(isJsonObject(inputSchema) ? inputSchema : {}), type: 'object' },
      ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
      ...(isJsonObject(annotations) ? { annotations } : {}),
    },
  ];
}

interface ListOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Reads lists page by page, as they come. */
class Lists {
  readonly #connection: Connection;
  readonly #options: ListOptions;

  constructor(connection: Connection, options: ListOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async all<T>(method: string, key: string, capability = key): Promise<readonly T[]> {
    const { client, explain } = this.#connection;
    const { timeoutMs, signal } = this.#options;
    if (!(client.getServerCapabilities() as Record<string, unknown> | undefined)?.[capability]) return [];
    const deadline = Date.now() + timeoutMs;
    const fetchPage = async (cursor: string | undefined): Promise<Record<string, unknown>> => {
      const timeout = deadline - Date.now();
      if (timeout <= 0) throw new ListError(`its list of ${key} does not end`);
      const params = cursor === undefined ? {} : { cursor };
      return client.request({ method, params }, anyObject, { timeout, signal });
    };
    try {
      const items = await readPages(key, fetchPage, LIST_LIMITS);
      // Nothing says that they are what they should be.
      const objects = items.filter(isJsonObject);
      const shown = objects.filter(
        (item) => !exceededLimit(item, { maxDepth: MAX_DEPTH, maxValues: Infinity }),
      );
      const left = objects.length - shown.length;
      if (left > 0) say(`left out ${left} of the ${key}, nested more than ${MAX_DEPTH} levels deep`);
      return shown as T[];
    } catch (error) {
      // A server may declare capabilities that it does not implement.
      if (key !== 'tools' && (error as { code?: unknown }).code === -32_601) return [];
      throw signal.aborted ? signal.reason : explain(error);
    }
  }
}

async function callTool(
  connection: Connection,
  { name, arguments: args }: ToolRequest,
  hooks: CallHooks,
  { timeoutMs, listed }: { readonly timeoutMs: number; readonly listed: readonly McpTool[] },
): Promise<CallToolResult> {
  const { client, explain } = connection;
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const answer = await hooks.ask(params as Readonly<Record<string, unknown>>);
    return answer as { action: 'accept'; content?: Record<string, string> };
  });
  client.setNotificationHandler('notifications/message', ({ params }) => hooks.onLog(params));
  // The client's own token would be forgotten before the last report is handled.
  const progressToken = crypto.randomUUID();
  client.setNotificationHandler('notifications/progress', ({ params }) => {
    if (params.progressToken === progressToken) hooks.onProgress(params);
  });
  await askForLogs(client, timeoutMs);
  const isModern = client.getProtocolEra() === 'modern';
  const definition = listed.find((tool) => tool.name === name);
  // What the tool says of its output is shown, not checked.
  const { outputSchema: _, ...toolDefinition } = definition ?? {
    name,
    inputSchema: { type: 'object' as const },
  };
  try {
    return (await client.callTool(
      {
        name,
        arguments: { ...args },
        _meta: { progressToken, ...(isModern ? { [LOG_LEVEL]: 'info' } : {}) },
      },
      {
        signal: hooks.signal,
        timeout: NO_TIMEOUT,
        toolDefinition: toolDefinition as never,
      },
    )) as CallToolResult;
  } catch (error) {
    throw hooks.signal.aborted ? hooks.signal.reason : explain(error);
  }
}

/** Servers of 2025 send nothing, or too much, until they are told what is wanted. */
async function askForLogs(client: Client, timeout: number): Promise<void> {
  if (client.getProtocolEra() === 'modern' || !client.getServerCapabilities()?.logging) return;
  // A server that cannot is none the worse for a call.
  await client.setLoggingLevel('info', { timeout }).catch(() => undefined);
}

/** What a server lists is looked at as it comes. */
const anyObject: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'toolfold',
    validate: (value) =>
      isJsonObject(value) ? { value } : { issues: [{ message: 'the answer is not an object' }] },
  },
};
