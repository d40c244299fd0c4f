import type { Client, CallToolResult } from '@modelcontextprotocol/client';
import type { ToolsOf, TypedCaller } from 'toolfold';
import {
  ErrCancelled,
  ErrInvalidOptions,
  ErrTimeout,
  ErrUnknownTool,
  ErrUpstreamLost,
  ToolfoldError,
} from 'toolfold/errors';
import { AUTHORED_ARGUMENTS, callNode, packageVersion, readCallResult } from 'toolfold/internal';
import type { McpTool } from '@toolfold/profiles';
import {
  assertOptions,
  callback,
  describeValue,
  isPlain,
  listOf,
  oneOf,
  positiveMs,
  suggestName,
  untilAborted,
} from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { findCall, findSearchedCall, isSearched } from './find-call.js';
import type { WireCall } from './find-call.js';

/** Controls one call of a client. Its `timeoutMs` overrides that of `createClient`. */
export interface ClientCallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the call fails. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
}

/** Configures the connection of `createClient`, and gives defaults for its calls. */
export interface ClientOptions extends ClientCallOptions {
  /** Headers of every request, such as `authorization`. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The toolsets to select, sent as the header `X-MCP-Toolsets`. Default: those that the server offers. */
  readonly toolsets?: readonly string[] | undefined;
  /** The protocol to speak: 2025 sessions, 2026 requests, or the newest that the server has. Default: `auto`. */
  readonly protocol?: 'auto' | '2025' | '2026' | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** A typed client of a server, which `createClient` connects. */
export interface RemoteCaller<R> {
  /** Calls the actions of the server by their paths, as in `tools.users.list(input)`. */
  readonly tools: TypedCaller<ToolsOf<R>, ClientCallOptions>;
  /** Closes the connection to the server. */
  close(): Promise<void>;
  /** Closes the connection at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const callRules: Rules<keyof ClientCallOptions> = {
  signal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
  timeoutMs: positiveMs,
};
const rules: Rules<keyof ClientOptions> = {
  ...callRules,
  headers: [isTexts, 'an object of texts, such as { authorization: `Bearer ${token}` }'],
  toolsets: listOf('toolsets'),
  protocol: oneOf('auto', '2025', '2026'),
  fetch: callback,
};
const modes = { auto: 'auto', 2025: 'legacy', 2026: { pin: '2026-07-28' } } as const;

/**
 * Connects to a server over HTTP. `client.tools.users.list(input)` calls an action, whatever form the server lists it in. Import only
 * the type of the registry: `createClient<typeof registry>(url)`.
 */
export async function createClient<R>(
  url: string | URL,
  options: ClientOptions = {},
): Promise<RemoteCaller<R>> {
  const address = readAddress(url);
  // The query may contain a secret, so messages leave it out.
  const place = address.origin + address.pathname;
  assertOptions('createClient', options, rules);
  const { headers = {}, toolsets, protocol = 'auto', signal, timeoutMs = 60_000, fetch: send } = options;
  const sdk = await import('@modelcontextprotocol/client');
  const client = new sdk.Client(
    { name: 'toolfold-client', version: packageVersion },
    { versionNegotiation: { mode: modes[protocol] } },
  );
  const selected = toolsets ? { 'x-mcp-toolsets': toolsets.join(',') } : {};
  const transport = new sdk.StreamableHTTPClientTransport(address, {
    requestInit: { headers: { ...headers, ...selected } },
    ...(send ? { fetch: send } : {}),
  });
  try {
    await client.connect(transport, { timeout: timeoutMs, ...(signal ? { signal } : {}) });
  } catch (error) {
    await client.close();
    throw toClientError(error, `createClient cannot connect to ${place}`, signal);
  }
  const caller = new RemoteCalls(client, place, { signal, timeoutMs });
  const close = (): Promise<void> => client.close();
  return {
    tools: callNode((path, input, more) => caller.run(path, input, more)) as RemoteCaller<R>['tools'],
    close,
    [Symbol.asyncDispose]: close,
  };
}

function isTexts(value: unknown): boolean {
  return isPlain(value) && Object.values(value).every((entry) => typeof entry === 'string');
}

function readAddress(url: unknown): URL {
  const text = typeof url === 'string' || url instanceof URL ? String(url) : '';
  if (URL.canParse(text) && /^https?:/i.test(text.trim())) return new URL(text);
  const isRegistry = typeof (url as { executeTool?: unknown } | undefined)?.executeTool === 'function';
  throw new ErrInvalidOptions(
    `createClient needs the http or https URL of a server, but got ${describeValue(url)}.`,
    {
      hint: isRegistry
        ? 'To call a registry in the same process, write createCaller(registry).'
        : "Write createClient<typeof registry>('https://example.com/mcp').",
      details: { field: 'url' },
    },
  );
}

/** Calls actions of a server by their paths. It lists the tools once, and again if a path is not found. */
class RemoteCalls {
  readonly #client: Client;
  readonly #url: string;
  readonly #defaults: ClientCallOptions;
  #tools: Promise<readonly McpTool[]> | undefined;

  constructor(client: Client, url: string, defaults: ClientCallOptions) {
    this.#client = client;
    this.#url = url;
    this.#defaults = defaults;
  }

  async run(path: readonly string[], input: unknown, more: unknown = {}): Promise<unknown> {
    assertOptions('A call', more, callRules);
    const { signal, timeoutMs } = more as ClientCallOptions;
    const signals = [this.#defaults.signal, signal].filter((each) => each !== undefined);
    const options = {
      timeoutMs: timeoutMs ?? this.#defaults.timeoutMs,
      ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
    };
    const name = path.join('.');
    const call = await this.#find(name, (input ?? {}) as WireCall['arguments'], options);
    const result = await this.#send(call, options);
    return readCallResult(result as Parameters<typeof readCallResult>[0], call.hasOutput);
  }

  async #find(name: string, input: WireCall['arguments'], options: ClientCallOptions): Promise<WireCall> {
    const known = this.#tools !== undefined;
    const listing = (this.#tools ??= this.#list());
    const { signal } = options;
    const waiting = signal ? untilAborted(listing, signal) : listing;
    const tools = await waiting.catch((error: unknown) => {
      throw toClientError(error, `The call of "${name}"`, signal);
    });
    const found = findCall(tools, name, input);
    if (found) return found;
    if (isSearched(tools)) return findSearchedCall(tools, name, input, (call) => this.#send(call, options));
    if (known) {
      if (this.#tools === listing) this.#tools = undefined;
      return this.#find(name, input, options);
    }
    const names = tools.map((tool) => tool.name);
    throw new ErrUnknownTool(`The server at ${this.#url} has no tool for "${name}".`, {
      ...suggestName(name, names),
      details: { suggestions: names },
    });
  }

  /** Concurrent calls share the list, so the signal of one call must not cancel it. */
  async #list(): Promise<readonly McpTool[]> {
    try {
      const { tools } = await this.#client.listTools(undefined, toSdkOptions(this.#defaults));
      return tools as unknown as readonly McpTool[];
    } catch (error) {
      this.#tools = undefined;
      throw toClientError(error, `The server at ${this.#url} did not list its tools`, this.#defaults.signal);
    }
  }

  async #send(call: WireCall, options: ClientCallOptions): Promise<CallToolResult> {
    try {
      return (await this.#client.callTool(
        { name: call.name, arguments: { ...call.arguments }, _meta: { [AUTHORED_ARGUMENTS]: true } },
        toSdkOptions(options),
      )) as CallToolResult;
    } catch (error) {
      throw toClientError(error, `The call of "${call.name}" at ${this.#url} failed`, options.signal);
    }
  }
}

function toSdkOptions({ signal, timeoutMs = 60_000 }: ClientCallOptions): {
  timeout: number;
  signal?: AbortSignal;
} {
  return { timeout: timeoutMs, ...(signal ? { signal } : {}) };
}

/** Names the server in an error of the official client, and gives it a code. */
function toClientError(error: unknown, place: string, signal: AbortSignal | undefined): ToolfoldError {
  if (error instanceof ToolfoldError) return error;
  if (signal?.aborted) return new ErrCancelled(`${place}: it was cancelled.`, { cause: error });
  const { message, code, data } = error as {
    readonly message?: unknown;
    readonly code?: unknown;
    readonly data?: { readonly status?: unknown };
  };
  const status = data?.status === undefined ? '' : ` (HTTP ${String(data.status)})`;
  const said = String(message ?? error);
  const text = `${place}: ${said}${said.includes('(HTTP ') ? '' : status}`;
  if (/timed? ?out/i.test(said)) return new ErrTimeout(text, { cause: error });
  if (code === -32_602) return new ErrUnknownTool(text, { cause: error });
  const needsToken = /\(HTTP 40[13]\)/.test(text);
  return new ErrUpstreamLost(text, {
    cause: error,
    ...(needsToken ? { hint: 'Pass a token that the server accepts: headers: { authorization: … }.' } : {}),
  });
}
