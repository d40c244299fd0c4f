import type { CallToolResult } from 'toolfold';
import type { McpPrompt, McpResource, McpResourceTemplate, McpTool } from 'toolfold/model';
import { isTooLarge, proxyCapabilities, UpstreamConnection } from '@toolfold/gateway/internal';
import { METHOD_NOT_FOUND, packageVersion } from 'toolfold/internal';
import type { CallContext, ConnectionSettings, ListName } from '@toolfold/gateway/internal';
import { exceededLimit, isJsonObject } from '@toolfold/schema/internal';
import { CommandError, listWireTool, UsageError } from '@toolfold/analysis/internal';
import { explainFailure } from './explain-failure.js';
import type { AskPerson, CallHooks, OpenTarget, ToolRequest } from '@toolfold/analysis/internal';
import type { OpenOptions } from './open-options.js';
import { describeTarget } from './read-target.js';
import type { ServerTarget } from './read-target.js';
import { assertChoice, selectTools } from './find-tool.js';
import { toMcpTool } from './saved-list.js';

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const LIST_LIMITS = { maxItems: 1_000_000, maxSize: 64 * 1024 * 1024 };
/** Maximum depth of a tool, prompt or resource. Deeper ones cannot be shown. */
const MAX_DEPTH = 200;
/** Characters of a process's standard error that an error message includes. */
const MAX_STDERR = 4_000;
/** Disables the client's timeout, because the command has its own deadline, which log messages extend. */
const NO_TIMEOUT = 2 ** 31 - 1;
const capabilities = { elicitation: { form: {}, url: {} } };

type Listed = Readonly<Record<string, unknown>>;

export async function openServer(target: ServerTarget, options: OpenOptions): Promise<OpenTarget> {
  if (options.form !== undefined)
    throw new UsageError('--form works only with a file. A running server decides its own form.');
  const isCommand = 'command' in target;
  const { terminal, signal } = options;
  const { connection, explain } = await terminal.withNotice(
    isCommand ? `starting ${target.command}` : `connecting to ${describeTarget(target)}`,
    connect(target, options),
  );
  const list = async (name: ListName): Promise<Listed[]> => {
    try {
      const items = (await connection.list(name, LIST_LIMITS, signal)).filter(isJsonObject);
      const shown = items.filter(
        (item) => !exceededLimit(item, { maxDepth: MAX_DEPTH, maxValues: Infinity }),
      );
      const skipped = items.length - shown.length;
      if (skipped > 0)
        terminal.notify(`left out ${skipped} of the ${name}, nested more than ${MAX_DEPTH} levels deep`);
      return shown;
    } catch (error) {
      // A server may declare capabilities that it does not implement.
      if (name !== 'tools' && (error as { code?: unknown }).code === METHOD_NOT_FOUND) return [];
      throw explain(error);
    }
  };
  try {
    const all = await terminal.withNotice('listing tools', list('tools'));
    const tools = all.flatMap(toTool);
    const unnamed = all.length - tools.length;
    if (unnamed > 0)
      terminal.notify(`left out ${unnamed === 1 ? 'a tool that has' : `${unnamed} tools that have`} no name`);
    assertChoice(tools, options);
    return {
      kind: isCommand ? 'stdio' : 'http',
      server: { ...connection.server, protocol: connection.protocolVersion },
      tools: selectTools(tools, options).map(listWireTool),
      toolsets: [],
      listOthers: async () => ({
        prompts: (await list('prompts')) as unknown as McpPrompt[],
        resources: (await list('resources')) as unknown as McpResource[],
        templates: (await list('resourceTemplates')) as unknown as McpResourceTemplate[],
      }),
      costs: async () => [],
      call: async ({ name, arguments: args }: ToolRequest, hooks) => {
        const tool = tools.find((each) => each.name === name) ?? { name, inputSchema: { type: 'object' } };
        await connection.requestLogs();
        try {
          return (await connection.callTool(tool as CalledTool, args, toContext(hooks))) as CallToolResult;
        } catch (error) {
          throw hooks.signal.aborted ? hooks.signal.reason : explain(error);
        }
      },
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
}

type CalledTool = Parameters<UpstreamConnection['callTool']>[0];

interface Connected {
  readonly connection: UpstreamConnection;
  /** Explains a failed request. Returns the reason of the signal if the command was cancelled. */
  readonly explain: (error: unknown) => unknown;
}

/** Removes secrets from a target before messages truncate it. */
function redactTarget(target: ServerTarget, redact: (text: string) => string): ServerTarget {
  return 'url' in target
    ? { ...target, url: redact(target.url) }
    : { ...target, command: redact(target.command), args: target.args.map(redact) };
}

async function connect(target: ServerTarget, options: OpenOptions): Promise<Connected> {
  const { protocol, timeoutMs, signal, redact = (text: string) => text } = options;
  let stderr = '';
  let isClosed = false;
  let isFlooded = false;
  const settings: ConnectionSettings = {
    target,
    name: 'command' in target ? target.command : describeTarget(target),
    clientInfo: { name: options.isProxy === true ? 'toolfold' : 'toolfold-cli', version: packageVersion },
    capabilities: options.isProxy === true ? proxyCapabilities : capabilities,
    protocol,
    connectTimeoutMs: timeoutMs,
    connectLimitMs: timeoutMs,
    timeoutMs: NO_TIMEOUT,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    onStderr: (text) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
      options.onStderr?.(text);
    },
    onError: (error) => {
      if (isTooLarge(error)) isFlooded = true;
    },
  };
  const explain = (error: unknown): unknown =>
    signal.aborted
      ? signal.reason
      : explainFailure(error, {
          target: redactTarget(target, redact),
          timeoutMs,
          maxMessageBytes: MAX_MESSAGE_BYTES,
          isClosed,
          isFlooded,
          stderr: redact(stderr.trim()),
        });
  const headers = 'url' in target ? (target.headers ?? {}) : {};
  const onLost = (): void => void (isClosed = true);
  try {
    const attempt = { headers, prior: undefined, signal };
    return { connection: await UpstreamConnection.open(settings, { onLost }, attempt), explain };
  } catch (error) {
    throw explain(error);
  }
}

/** Throws if optional peers are missing. Names all of them, before anything is started. */
export function assertInstalled(what: string, ...names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  // npx installs toolfold in a separate folder, where it does not find packages of the current folder.
  const withNpx = ['toolfold', '@toolfold/cli', ...names].map((name) => `-p ${name}`).join(' ');
  throw new CommandError(
    `${what} ${missing.join(' and ')}. Install ${missing.length === 1 ? 'it' : 'them'} beside toolfold: npm install ${missing.join(' ')}\n` +
      `If toolfold is not installed: npx ${withNpx} toolfold …`,
  );
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Drops a tool without a name, because it cannot be called. */
function toTool(listed: Listed): McpTool[] {
  const { name } = listed;
  return typeof name === 'string' ? [toMcpTool(name, listed)] : [];
}

function toContext({ signal, onProgress, onLog, ask }: CallHooks): CallContext {
  return {
    signal,
    caller: { capabilities },
    progress: async (progress, total, message) => onProgress({ progress, total, message }),
    log: async (level, data, logger) => onLog({ level, data, logger }),
    requestInput: ((questions: Readonly<Record<string, object>>) =>
      askAll(questions, ask)) as CallContext['requestInput'],
  };
}

async function askAll(
  questions: Readonly<Record<string, object>>,
  ask: AskPerson,
): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  for (const [key, question] of Object.entries(questions)) {
    const { schema, ...rest } = question as { readonly schema?: unknown };
    answers[key] = await ask('url' in rest ? { ...rest, mode: 'url' } : { ...rest, requestedSchema: schema });
  }
  return answers;
}
