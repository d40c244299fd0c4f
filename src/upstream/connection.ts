import type { Client, PriorDiscovery, Tool } from '@modelcontextprotocol/client';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ToolContext } from '../define/tool-definition.js';
import type { LoggingLevel } from '../protocol/log-levels.js';
import { isInputRequired } from '../protocol/input-required.js';
import { ErrUpstreamLost } from '../errors.js';
import { encode } from '../values/digest.js';
import { isJsonObject } from '../values/json-value.js';
import { packageVersion } from '../protocol/versions.js';
import { CallsInFlight, runApart, runAs, UpstreamCall } from './call.js';
import { lostUpstream } from './errors.js';
import { isCommand } from './options.js';
import type { UpstreamHeaders, UpstreamSettings } from './options.js';
import { ListError, readPages } from './pages.js';
import { askableCapabilities } from './questions.js';
import type { UpstreamQuestion } from './questions.js';
import { loadClientSdk } from './sdk.js';
import { connectingMs, createTransport } from './transport.js';

/** What the server is told about us. */
const CLIENT = { name: 'toolfold', version: packageVersion };
/** What 2026-07-28 says with each request: here, what the caller of this one can do. */
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const MAX_NAME_LENGTH = 200;
/** How often one call may come back with questions. */
const MAX_ROUNDS = 20;
/** Between two tries where the server wants another try and asks nothing. */
const PACE_MS = 250;
/** Ours ends calls; the client's own would end those that report progress. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** What a server says about itself, which nobody has checked. */
export interface UpstreamServer {
  /** As the server gives it. */
  readonly name: string | undefined;
  /** As the server gives it. */
  readonly version: string | undefined;
  /** What the server tells its clients about using it. */
  readonly instructions: string | undefined;
}

export interface ConnectionEvents {
  readonly onListChanged: () => void;
  readonly onLost: () => void;
}

interface Opening {
  readonly headers: UpstreamHeaders;
  /** What was found out about the protocol before. */
  readonly prior: PriorDiscovery | undefined;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** One connection to an upstream server. When it is lost, another one takes its place. */
export class UpstreamConnection {
  readonly #settings: UpstreamSettings;
  readonly #client: Client;
  readonly #calls = new CallsInFlight();
  #isLost = false;
  #isRetired = false;
  #closed: Promise<void> | undefined;

  private constructor(settings: UpstreamSettings, client: Client) {
    this.#settings = settings;
    this.#client = client;
  }

  /** Connects within the time there is for it, and leaves nothing behind where that fails. */
  static open(
    settings: UpstreamSettings,
    events: ConnectionEvents,
    opening: Opening,
  ): Promise<UpstreamConnection> {
    // What comes on it later is not about the call that happens to open it.
    return runApart(() => UpstreamConnection.#open(settings, events, opening));
  }

  static async #open(
    settings: UpstreamSettings,
    events: ConnectionEvents,
    { headers, prior, signal }: Opening,
  ): Promise<UpstreamConnection> {
    const sdk = await loadClientSdk();
    const { connectTimeoutMs: timeout, protocol, roots, target } = settings;
    const limit = connectingMs(isCommand(target) && protocol === 'auto' && !prior, timeout);
    const mode = ({ auto: 'auto', 2025: 'legacy', 2026: { pin: '2026-07-28' } } as const)[protocol];
    const client = new sdk.Client(CLIENT, {
      capabilities: {
        elicitation: { form: {}, url: {} },
        sampling: { tools: {}, context: {} },
        ...(roots ? { roots: {} } : {}),
      },
      versionNegotiation: { mode, probe: { timeoutMs: timeout } },
      inputRequired: { autoFulfill: false },
    });
    const connection = new UpstreamConnection(settings, client);
    connection.#listen(events);
    const transport = createTransport(sdk, settings, headers);
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new Error(`it did not answer within ${timeout} ms`));
    }, limit);
    const stop = (): void => controller.abort(signal.reason);
    const aborted = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    });
    aborted.catch(() => undefined);
    const connecting = client.connect(transport, {
      timeout,
      signal: controller.signal,
      ...(prior && protocol === 'auto' ? { prior } : {}),
    });
    connecting.catch(() => undefined);
    try {
      await Promise.race([connecting, aborted]);
    } catch (cause) {
      await transport.close().catch(settings.onError);
      // The client may have started a process of its own to ask it for its protocol, and ends it now.
      const patience = new Promise<void>((resolve) => setTimeout(resolve, 3_000).unref());
      await Promise.race([connecting.catch(() => undefined), patience]);
      throw lostUpstream(settings.name, cause, 'cannot be reached');
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
    await connection.#subscribe(events);
    return connection;
  }

  /** Whether another one must be opened. */
  get isUsable(): boolean {
    return !this.#isLost && !this.#isRetired;
  }

  /** Whether the transport has ended. */
  get hasEnded(): boolean {
    return this.#isLost;
  }

  /** What was found out about the protocol, which need not be found out again. */
  get prior(): PriorDiscovery {
    const discover = this.#client.getDiscoverResult();
    return discover ? { kind: 'modern', discover } : { kind: 'legacy' };
  }

  get #isModern(): boolean {
    return this.#client.getProtocolEra() === 'modern';
  }

  /** What the server says about itself. */
  get server(): UpstreamServer {
    const { name, version } = this.#client.getServerVersion() ?? {};
    return Object.freeze({
      name: name?.slice(0, MAX_NAME_LENGTH),
      version: version?.slice(0, MAX_NAME_LENGTH),
      instructions: this.#client.getInstructions()?.slice(0, this.#settings.maxDescriptionLength),
    });
  }

  /** The lists of the server, unchanged. */
  async listTools(): Promise<unknown[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const { maxTools, maxMessageBytes, name, connectTimeoutMs } = this.#settings;
    const deadline = Date.now() + connectTimeoutMs;
    const fetchPage = async (cursor: string | undefined): Promise<Record<string, unknown>> => {
      const timeout = deadline - Date.now();
      if (timeout <= 0) throw new ListError('its list of tools does not end');
      const params = cursor === undefined ? {} : { cursor };
      return runApart(() => this.#client.request({ method: 'tools/list', params }, anyObject, { timeout }));
    };
    try {
      return await readPages('tools', fetchPage, { maxItems: maxTools, maxSize: maxMessageBytes });
    } catch (error) {
      throw error instanceof ListError ? tooMuch(name, error.message) : error;
    }
  }

  /** Runs a call to its end, with every round of questions. */
  async callTool(
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<unknown> {
    const { name, timeoutMs } = this.#settings;
    const key = (): string => encode([tool.name, args]);
    await this.#calls.leaveAlone(key);
    const call = new UpstreamCall(name, context, { timeoutMs, key });
    this.#calls.add(call);
    let conversation: Promise<unknown> | undefined;
    try {
      return await runAs(call, () => call.run(() => (conversation = this.#converse(call, tool, args))));
    } finally {
      // It may go on after its caller was answered.
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
    let params: Record<string, unknown> & typeof base = base;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const result: unknown = await this.#client.callTool(params, {
        signal: call.signal,
        timeout: NO_TIMEOUT,
        toolDefinition: tool,
        allowInputRequired: true,
      });
      if (!isJsonObject(result) || result['resultType'] !== 'input_required') return result;
      const { inputRequests, requestState } = result;
      const questions = isJsonObject(inputRequests) ? toQuestions(inputRequests) : {};
      const isAsked = Object.keys(questions).length > 0;
      if (!isAsked) await new Promise((resolve) => setTimeout(resolve, PACE_MS));
      params = {
        ...base,
        ...(isAsked ? { inputResponses: await call.ask(questions) } : {}),
        ...(typeof requestState === 'string' ? { requestState } : {}),
      };
    }
    throw tooMuch(this.#settings.name, `it still asks after ${MAX_ROUNDS} rounds of questions`);
  }

  /** No more calls; those that are running may end. */
  retire(): Promise<void> {
    this.#isRetired = true;
    return this.#closeWhenIdle();
  }

  async #closeWhenIdle(): Promise<void> {
    if (this.#calls.isIdle) await this.close();
  }

  /** Ends it at once, and the process that was started for it. */
  close(): Promise<void> {
    this.#isRetired = true;
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    const { transport } = this.#client;
    if (transport && 'terminateSession' in transport && !this.#isModern && !this.#isLost) {
      // The server keeps a session for us. It need not know that we are gone.
      const end = (transport as { terminateSession: () => Promise<void> }).terminateSession();
      const patience = new Promise<void>((resolve) => setTimeout(resolve, 2_000).unref());
      await Promise.race([end.catch(() => undefined), patience]);
    }
    await this.#client.close();
  }

  #listen({ onListChanged, onLost }: ConnectionEvents): void {
    const client = this.#client;
    client.onclose = () => {
      this.#isLost = true;
      if (!this.#isRetired) onLost();
    };
    client.onerror = this.#settings.onError;
    client.setNotificationHandler('notifications/tools/list_changed', () => onListChanged());
    client.setNotificationHandler('notifications/progress', ({ params }) => {
      this.#calls.withToken(params.progressToken)?.report(params);
    });
    client.setNotificationHandler('notifications/message', ({ params }) => {
      this.#calls.find()?.log(params.level as LoggingLevel, params.data, params.logger);
    });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      try {
        return (await this.#ask('elicitation/create', params as Record<string, unknown>)) as never;
      } catch (thrown) {
        // The user answers later, in a repeated call. This call ends as if the question had been dismissed.
        if (isInputRequired(thrown)) return { action: 'cancel' as const };
        throw thrown;
      }
    });
    client.setRequestHandler(
      'sampling/createMessage',
      async ({ params }) =>
        (await this.#ask('sampling/createMessage', params as Record<string, unknown>)) as never,
    );
    if (this.#settings.roots)
      client.setRequestHandler('roots/list', async () => (await this.#ask('roots/list', {})) as never);
  }

  /** A question that comes by itself, as in 2025. */
  async #ask(method: string, params: UpstreamQuestion['params']): Promise<unknown> {
    // Servers ask for roots by themselves, and keep them: only on the stream of a call they are surely about it.
    const call = method === 'roots/list' ? this.#calls.own() : this.#calls.find();
    if (call) return (await call.ask({ question: { method, params } }))['question'];
    const why = this.#calls.size === 0 ? 'no call is running' : 'it cannot be told which call it is about';
    throw new Error(`There is nobody to ask: ${why}.`);
  }

  /** In 2026-07-28 a client says what it wants to hear of. */
  async #subscribe({ onLost }: ConnectionEvents): Promise<void> {
    if (!this.#isModern || this.#client.getServerCapabilities()?.tools?.listChanged !== true) return;
    try {
      const { connectTimeoutMs: timeout } = this.#settings;
      const subscription = await runApart(() => this.#client.listen({ toolsListChanged: true }, { timeout }));
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

function toQuestions(requests: Readonly<Record<string, unknown>>): Record<string, UpstreamQuestion> {
  return Object.fromEntries(
    Object.entries(requests).map(([key, request]) => {
      const { method, params } = isJsonObject(request) ? request : {};
      return [key, { method: String(method), params: isJsonObject(params) ? params : {} }];
    }),
  );
}

function tooMuch(name: string, what: string): ErrUpstreamLost {
  return new ErrUpstreamLost(`The server "${name}" cannot be used: ${what}.`, {
    details: { upstream: name },
  });
}

/** What a server lists is looked at tool by tool, so that one of them does not take the others with it. */
const anyObject: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'toolfold',
    validate: (value) =>
      isJsonObject(value) ? { value } : { issues: [{ message: 'the answer is not an object' }] },
  },
};
