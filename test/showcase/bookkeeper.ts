import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { decode } from '@toon-format/toon';
import { showcaseCommand } from './program.js';

type Json = Record<string, unknown>;

export interface Answer {
  readonly isError: boolean;
  /** The whole text, including notes of the framework. */
  readonly text: string;
  /** The result of the action, parsed from JSON or TOON, otherwise the text. */
  readonly value: unknown;
  readonly meta: Json;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

/** A real 2025 or 2026 client that keeps books with the showcase. */
export interface Bookkeeper {
  readonly era: string;
  /** Calls an action, which may fail. */
  ask(tool: string, action: string, args?: Json, options?: CallOptions): Promise<Answer>;
  /** Calls an action that must succeed. */
  call<T = Json>(tool: string, action: string, args?: Json, options?: CallOptions): Promise<T>;
  toolNames(): Promise<string[]>;
  prompt(name: string, args: Record<string, string>): Promise<string>;
  resource(uri: string): Promise<string>;
  close(): Promise<void>;
}

export interface BookkeeperOptions {
  /** An API key. */
  readonly key?: string;
}

const INFO = { name: 'bookkeeper', version: '1.0.0' };
const capabilities = { elicitation: { form: {} } };
/** The user allows every call that asks. */
const allow = async () => ({ action: 'accept' as const, content: { allow: true } });

/** SDK v1, in a 2025 session. */
export async function openSessionClient(url: string, { key }: BookkeeperOptions = {}): Promise<Bookkeeper> {
  const client = new FirstClient(INFO, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, allow);
  const transport = new FirstTransport(new URL(url), { requestInit: { headers: headersFor(key) } });
  // The SDK's own types do not agree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<FirstClient['connect']>[0]);
  const asker = {
    callTool: (params: { name: string; arguments: Json }, options: CallOptions) =>
      client.callTool(params, undefined, options as never),
    listTools: () => client.listTools(),
    getPrompt: (params: { name: string; arguments: Record<string, string> }) => client.getPrompt(params),
    readResource: (params: { uri: string }) => client.readResource(params),
    close: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
  return createBookkeeper('2025-11-25', asker);
}

/** SDK v2, which speaks 2026-07-28 and has no session. */
export async function openModernClient(url: string, { key }: BookkeeperOptions = {}): Promise<Bookkeeper> {
  const client = createModern();
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: headersFor(key) } }),
  );
  return createBookkeeper('2026-07-28', client as unknown as Asker);
}

/** The SDK starts a separate process to probe the version, except for subclasses of its transport. */
class OneProcess extends StdioClientTransport {}

/** SDK v2 over standard input and output: it starts the program itself. */
export async function openStdioClient(args: readonly string[], env: Record<string, string> = {}) {
  const transport = new OneProcess({
    ...showcaseCommand(['--stdio', ...args]),
    env: { ...(process.env as Record<string, string>), DATABASE_URL: '', ...env },
    stderr: 'pipe',
  });
  const client = createModern();
  await client.connect(transport);
  return createBookkeeper('2026-07-28', client as unknown as Asker);
}

function createModern(): Client {
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  client.setRequestHandler('elicitation/create', allow);
  return client;
}

function headersFor(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

interface Asker {
  callTool(params: { name: string; arguments: Json }, options: CallOptions): Promise<unknown>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  close(): Promise<void>;
}

function createBookkeeper(era: string, asker: Asker): Bookkeeper {
  const ask: Bookkeeper['ask'] = async (tool, action, args = {}, options = {}) => {
    const params = { name: tool, arguments: { action, ...args } };
    const { content, isError, _meta } = (await asker.callTool(params, options)) as {
      content: { text?: string }[];
      isError?: boolean;
      _meta?: Json;
    };
    const [first = ''] = content.map(({ text }) => text);
    return {
      isError: isError === true,
      text: content.map(({ text }) => text ?? '').join('\n'),
      value: isError === true ? first : readAnswer(first),
      meta: _meta ?? {},
    };
  };
  return {
    era,
    ask,
    call: async <T>(tool: string, action: string, args?: Json, options?: CallOptions) => {
      const { isError, text, value } = await ask(tool, action, args, options);
      if (isError) throw new Error(`${tool} ${action} ${JSON.stringify(args)}: ${text}`);
      return value as T;
    },
    toolNames: async () => (await asker.listTools()).tools.map(({ name }) => name),
    prompt: async (name, args) => {
      const { messages } = (await asker.getPrompt({ name, arguments: args })) as {
        messages: { content: { text: string } }[];
      };
      return messages.map(({ content }) => content.text).join('\n');
    },
    resource: async (uri) => {
      const { contents } = (await asker.readResource({ uri })) as { contents: { text: string }[] };
      return contents.map(({ text }) => text).join('\n');
    },
    close: () => asker.close(),
  };
}

/** Parses JSON or TOON. Other text is returned itself. */
export function readAnswer(text: string): unknown {
  // A TOON table begins with its length, an object with a key.
  if (/^(\w*\[\d+\](\{[^}]*\})?|\w+):( |\n|$)/.test(text)) return decode(text);
  return /^[[{]/.test(text) ? JSON.parse(text) : text;
}
