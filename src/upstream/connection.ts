import type { Client, PriorDiscovery, Tool } from '@modelcontextprotocol/client';
import { ErrUpstreamLost } from '../errors.js';
import { isInputRequired } from '../protocol/input-required.js';
import type { LoggingLevel } from '../protocol/mcp-types.js';
import { loadLinearPatterns } from '../schema/patterns/patterns.js';
import { encode } from '../values/digest.js';
import { isJsonObject } from '../values/json-value.js';
import { CallsInFlight, runApart, runAs, UpstreamCall } from './call.js';
import type { CallContext } from './call.js';
import type { UpstreamServer } from './upstream-types.js';
import { loadClientSdk } from './load-client-sdk.js';
import { closeClient, connectClient } from './connect.js';
import type { Attempt } from './connect.js';
import { listAll } from './list.js';
import type { ListLimits } from './list.js';
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from './options.js';
import type { ConnectionSettings } from './options.js';
import { askableCapabilities } from './questions.js';
import type { Questions, UpstreamQuestion } from './questions.js';

/** Sent with each 2026 request: the capabilities of its caller. */
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
/** Maximum number of times that one call may come back with questions. */
const MAX_ROUNDS = 20;
/** Milliseconds between two rounds if the server asks nothing and only wants another try. */
const ROUND_PAUSE_MS = 250;
/** Turns the timeout of the official client off, because it would end calls that report progress. `UpstreamCall` has its own. */
const NO_TIMEOUT = 2 ** 31 - 1;

interface ConnectionEvents {
  /** Called when the server announces other tools. Without it, the connection does not subscribe to changes. */
  readonly onListChanged?: () => void;
  readonly onLost: () => void;
}

const modes = { auto: 'auto', 2025: 'legacy', 2026: { pin: '2026-07-28' } } as const;

/** A list that MCP defines: its method, its field, and the capability without which a server has none. */
const lists = {
  tools: { method: 'tools/list', capability: 'tools' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
} as const;

export type ListName = keyof typeof lists;

/**
 * One connection to an MCP server: the client behind `fromMcpServer`, `toolfold proxy`, `toolfold inspect` and
 * `toolfold call`. A lost connection is not reopened; `UpstreamLink` opens another one.
 */
export class UpstreamConnection {
  readonly #settings: ConnectionSettings;
  readonly #client: Client;
  readonly #calls = new CallsInFlight();
  #isLost = false;
  #isRetired = false;
  #closed: Promise<void> | undefined;

  private constructor(settings: ConnectionSettings, client: Client) {
    this.#settings = settings;
    this.#client = client;
  }

  /** Connects within `connectTimeoutMs`. Throws the error of the official client, or the reason of the signal. */
  static open(
    settings: ConnectionSettings,
    events: ConnectionEvents,
    attempt: Attempt,
  ): Promise<UpstreamConnection> {
    // Later messages on this connection do not belong to the call that happens to open it.
    return runApart(async () => {
      // Patterns in the server's schemas are checked later, without waiting.
      const [sdk] = await Promise.all([loadClientSdk(), loadLinearPatterns()]);
      const { clientInfo, capabilities, protocol, connectTimeoutMs: timeoutMs } = settings;
      const client = new sdk.Client(clientInfo, {
        capabilities,
        versionNegotiation: { mode: modes[protocol], probe: { timeoutMs } },
        inputRequired: { autoFulfill: false },
      });
      const connection = new UpstreamConnection(settings, client);
      connection.#listen(events);
      await connectClient(client, sdk, settings, attempt);
      await connection.#subscribe(events);
      return connection;
    });
  }

  /** Whether new calls can use the connection. */
  get isUsable(): boolean {
    return !this.#isLost && !this.#isRetired;
  }

  /** Whether the transport has ended. */
  get hasEnded(): boolean {
    return this.#isLost;
  }

  /** The negotiated protocol, which the next connection need not probe again. */
  get prior(): PriorDiscovery {
    const discover = this.#client.getDiscoverResult();
    return discover ? { kind: 'modern', discover } : { kind: 'legacy' };
  }

  get #isModern(): boolean {
    return this.#client.getProtocolEra() === 'modern';
  }

  /** The revision of MCP that the connection speaks. */
  get protocolVersion(): string | undefined {
    return this.#client.getNegotiatedProtocolVersion();
  }

  get server(): UpstreamServer {
    const { name, version } = this.#client.getServerVersion() ?? {};
    return Object.freeze({
      name: name?.slice(0, MAX_NAME_LENGTH),
      version: version?.slice(0, MAX_NAME_LENGTH),
      instructions: this.#client.getInstructions()?.slice(0, MAX_DESCRIPTION_LENGTH),
    });
  }

  /** Reads all pages of a list, unchecked and within `connectTimeoutMs`. */
  list(name: ListName, limits: ListLimits, signal?: AbortSignal): Promise<unknown[]> {
    const { connectTimeoutMs: timeoutMs } = this.#settings;
    const request = { ...limits, ...lists[name], key: name, timeoutMs, ...(signal ? { signal } : {}) };
    return runApart(() => listAll(this.#client, request));
  }

  /** Runs a call to its end, with every round of questions. Throws the error of the official client. */
  async callTool(
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    context: CallContext,
  ): Promise<unknown> {
    const { name, timeoutMs } = this.#settings;
    const key = (): string => encode([tool.name, args]);
    await this.#calls.waitForLeftovers(key);
    const call = new UpstreamCall(name, context, { timeoutMs, key });
    this.#calls.add(call);
    let conversation: Promise<unknown> | undefined;
    try {
      return await runAs(call, () => call.run(() => (conversation = this.#converse(call, tool, args))));
    } finally {
      // The server may work on after the caller was answered.
      void Promise.allSettled([conversation]).then(() => {
        call.end();
        this.#calls.delete(call, timeoutMs);
        if (this.#isRetired) void this.#closeWhenIdle();
      });
    }
  }

  async #converse(call: UpstreamCall, tool: Tool, args: Readonly<Record<string, unknown>>): Promise<unknown> {
    const capabilities = askableCapabilities(call.context);
    const _meta = {
      progressToken: call.progressToken,
      ...(this.#isModern ? { [CAPABILITIES]: capabilities, [LOG_LEVEL]: 'info' } : {}),
    };
    const base = { name: tool.name, arguments: { ...args }, _meta };
    // Without an output schema the client does not validate the result. Toolfold validates it later.
    const { outputSchema: _, ...toolDefinition } = tool;
    let params: Record<string, unknown> & typeof base = base;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const result: unknown = await this.#client.callTool(params, {
        signal: call.signal,
        timeout: NO_TIMEOUT,
        toolDefinition,
        allowInputRequired: true,
      });
      if (!isJsonObject(result) || result['resultType'] !== 'input_required') return result;
      const { inputRequests, requestState } = result;
      const questions = isJsonObject(inputRequests) ? toQuestions(inputRequests) : {};
      const hasQuestions = Object.keys(questions).length > 0;
      if (!hasQuestions) await new Promise((resolve) => setTimeout(resolve, ROUND_PAUSE_MS));
      params = {
        ...base,
        ...(hasQuestions ? { inputResponses: await call.ask(questions) } : {}),
        ...(typeof requestState === 'string' ? { requestState } : {}),
      };
    }
    const { name } = this.#settings;
    throw new ErrUpstreamLost(
      `The server "${name}" cannot be used: it still asks after ${MAX_ROUNDS} rounds of questions.`,
      { details: { upstream: name } },
    );
  }

  /** Asks a 2025 server for log messages from `info` on. 2026 requests carry their level themselves. */
  async requestLogs(): Promise<void> {
    if (this.#isModern || !this.#client.getServerCapabilities()?.logging) return;
    // A server that fails here can still run calls.
    await this.#client
      .setLoggingLevel('info', { timeout: this.#settings.connectTimeoutMs })
      .catch(() => undefined);
  }

  /** Rejects new calls, and closes the connection when the running ones have ended. */
  retire(): Promise<void> {
    this.#isRetired = true;
    return this.#closeWhenIdle();
  }

  async #closeWhenIdle(): Promise<void> {
    if (this.#calls.isIdle) await this.close();
  }

  /** Closes the connection at once, and ends the process that was started for it. */
  close(): Promise<void> {
    this.#isRetired = true;
    return (this.#closed ??= closeClient(this.#client, this.#isLost));
  }

  #listen({ onListChanged, onLost }: ConnectionEvents): void {
    const client = this.#client;
    const { capabilities, onError } = this.#settings;
    client.onclose = () => {
      this.#isLost = true;
      if (!this.#isRetired) onLost();
    };
    client.onerror = onError;
    if (onListChanged)
      client.setNotificationHandler('notifications/tools/list_changed', () => onListChanged());
    client.setNotificationHandler('notifications/progress', ({ params }) => {
      this.#calls.withToken(params.progressToken)?.report(params);
    });
    client.setNotificationHandler('notifications/message', ({ params }) => {
      this.#calls.find()?.log(params.level as LoggingLevel, params.data, params.logger);
    });
    if (capabilities.elicitation)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        try {
          return (await this.#ask('elicitation/create', params as Record<string, unknown>)) as never;
        } catch (thrown) {
          // The user answers later, in a repeated call. This call ends as if the question had been dismissed.
          if (isInputRequired(thrown)) return { action: 'cancel' as const };
          throw thrown;
        }
      });
    if (capabilities.sampling)
      client.setRequestHandler(
        'sampling/createMessage',
        async ({ params }) =>
          (await this.#ask('sampling/createMessage', params as Record<string, unknown>)) as never,
      );
    if (capabilities.roots)
      client.setRequestHandler('roots/list', async () => (await this.#ask('roots/list', {})) as never);
  }

  /** Passes on a question that a 2025 server sends as a request. */
  async #ask(method: string, params: UpstreamQuestion['params']): Promise<unknown> {
    // Servers ask for roots at any time and keep them, so only a question on the stream of a call belongs to that call.
    const call = method === 'roots/list' ? this.#calls.own() : this.#calls.find();
    if (call) return (await call.ask({ question: { method, params } }))['question'];
    const why =
      this.#calls.size === 0
        ? 'no call is running'
        : 'it is not known which of the running calls it is about';
    throw new Error(`The question cannot be passed on: ${why}.`);
  }

  /** Subscribes to changes of the tools, as 2026 servers require. */
  async #subscribe({ onListChanged, onLost }: ConnectionEvents): Promise<void> {
    if (!onListChanged || !this.#isModern) return;
    if (this.#client.getServerCapabilities()?.tools?.listChanged !== true) return;
    try {
      const { connectTimeoutMs: timeout } = this.#settings;
      const subscription = await this.#client.listen({ toolsListChanged: true }, { timeout });
      void subscription.closed.then((how) => {
        if (how === 'local' || this.#isRetired) return;
        this.#isRetired = true;
        onLost();
        void this.#closeWhenIdle();
      });
    } catch (error) {
      this.#settings.onError(error);
    }
  }
}

function toQuestions(requests: Readonly<Record<string, unknown>>): Questions {
  return Object.fromEntries(
    Object.entries(requests).map(([key, request]) => {
      const { method, params } = isJsonObject(request) ? request : {};
      return [key, { method: String(method), params: isJsonObject(params) ? params : {} }];
    }),
  );
}
