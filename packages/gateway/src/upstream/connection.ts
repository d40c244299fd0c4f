import type { Client, PriorDiscovery, Tool } from '@modelcontextprotocol/client';
import type { LoggingLevel } from 'toolfold';
import { isJsonObject, loadLinearPatterns } from '@toolfold/schema/internal';
import { encode } from 'toolfold/internal';
import { CallsInFlight, runApart, runAs, UpstreamCall } from './call.js';
import type { CallContext } from './call.js';
import type { UpstreamServer } from './upstream-types.js';
import { isAnswer } from './health/link-errors.js';
import { loadClientSdk } from './load-client-sdk.js';
import { closeClient, connectClient } from './connect.js';
import type { Attempt } from './connect.js';
import { anyObject, listAll } from './list.js';
import type { ListLimits } from './list.js';
import { isCommand, MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from './options.js';
import type { ConnectionSettings } from './options.js';
import { answerQuestions, converse } from './questions/answer-questions.js';
import { askableCapabilities } from './questions/pass-questions.js';
import { OpenSubscriptions } from './subscriptions/open-subscriptions.js';
import {
  abortLater,
  assertTask,
  awaitLegacyTask,
  awaitModernTask,
  TASK_TTL_MS,
} from './tasks/upstream-task.js';
import type { TaskPort } from './tasks/upstream-task.js';
import { isTaskResult, revealResult } from './untrusted-messages.js';

/** Sent with each 2026 request: the capabilities of its caller. */
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/** A 2026 server has this long to answer a cancelled call with its task, which can then be cancelled. */
const TASK_GRACE_MS = 1_000;
/** Disables the timeout of the official client, which would end calls that report progress. `UpstreamCall` has its own. */
const NO_TIMEOUT = 2 ** 31 - 1;

interface ConnectionEvents {
  /** Called when the server announces a change of a list. Without it, the connection does not subscribe to changes. */
  readonly onListChanged?: (kind: ChangingList) => void;
  /** Called when the server announces that a resource has changed. */
  readonly onResourceUpdated?: (uri: string) => void;
  readonly onLost: () => void;
}

export type ChangingList = 'tools' | 'prompts' | 'resources';

const changingLists: readonly ChangingList[] = ['tools', 'prompts', 'resources'];

const modes = { auto: 'auto', 2025: 'legacy', 2026: { pin: '2026-07-28' } } as const;

/** Maps each list of MCP to its method, its field, and the capability that a server with this list declares. */
const lists = {
  tools: { method: 'tools/list', capability: 'tools' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
} as const;

export type ListName = keyof typeof lists;

/** The optional features of a server that Toolfold uses. */
export interface UpstreamFeatures {
  readonly completions: boolean;
  readonly tasks: boolean;
  readonly isModern: boolean;
}

/**
 * One connection to an MCP server: the client behind `fromMcpServer`, `toolfold proxy`, `toolfold inspect` and `toolfold call`. A lost
 * connection is not reopened; `UpstreamLink` opens another one.
 */
export class UpstreamConnection {
  readonly #settings: ConnectionSettings;
  readonly #client: Client;
  readonly #calls = new CallsInFlight();
  #subscriptions: OpenSubscriptions | undefined;
  #onLost: () => void = () => undefined;
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
      // The patterns are loaded now, because the schemas of the server are checked synchronously later.
      const [sdk] = await Promise.all([loadClientSdk(), loadLinearPatterns()]);
      const { target, clientInfo, capabilities, protocol, connectTimeoutMs, connectLimitMs } = settings;
      // A command that ignores the probe is started again without it.
      const isStartedTwice = isCommand(target) && protocol === 'auto';
      const timeoutMs = isStartedTwice && connectLimitMs ? connectLimitMs / 2 : connectTimeoutMs;
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

  get isUsable(): boolean {
    return !this.#isLost && !this.#isRetired;
  }

  /** Whether a call is running, so that a server with one thread may not answer other requests. */
  get isBusy(): boolean {
    return !this.#calls.isIdle;
  }

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

  get protocolVersion(): string | undefined {
    return this.#client.getNegotiatedProtocolVersion();
  }

  get features(): UpstreamFeatures {
    const { completions, tasks, extensions } = this.#capabilities;
    const hasTasks =
      isJsonObject(tasks) && isJsonObject(tasks['requests']) && isJsonObject(tasks['requests']['tools']);
    const hasExtension = isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]);
    return {
      completions: isJsonObject(completions),
      tasks: this.#isModern ? hasExtension : hasTasks,
      isModern: this.#isModern,
    };
  }

  get #capabilities(): Readonly<Record<string, unknown>> {
    return (this.#client.getServerCapabilities() ?? {}) as Readonly<Record<string, unknown>>;
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
  callTool(tool: Tool, args: Readonly<Record<string, unknown>>, context: CallContext): Promise<unknown> {
    const key = (): string => encode([tool.name, args]);
    return this.#run(context, key, (call) => this.#callTool(call, tool, args));
  }

  /** Sends a request of a caller, with every round of questions. Throws the error of the official client. */
  request(method: string, params: Readonly<Record<string, unknown>>, context: CallContext): Promise<unknown> {
    const key = (): string => encode([method, params]);
    return this.#run(context, key, (call) => {
      const base = { ...params, _meta: this.#metaOf(call) };
      return converse(call, this.#settings.name, (more) =>
        this.#send(method, { ...base, ...more }, call.signal),
      );
    });
  }

  async #run(
    context: CallContext,
    key: () => string,
    forward: (call: UpstreamCall) => Promise<unknown>,
  ): Promise<unknown> {
    const { name, timeoutMs } = this.#settings;
    await this.#calls.waitForLeftovers(key);
    const call = new UpstreamCall(name, context, { timeoutMs, key });
    this.#calls.add(call);
    let conversation: Promise<unknown> | undefined;
    try {
      return await runAs(call, () => call.run(() => (conversation = forward(call))));
    } finally {
      // The server may continue after the caller was answered.
      void Promise.allSettled([conversation]).then(() => {
        call.end();
        this.#calls.delete(call, timeoutMs);
        if (this.#isRetired) void this.#closeWhenIdle();
      });
    }
  }

  #metaOf(call: UpstreamCall, extensions?: object): Record<string, unknown> {
    const capabilities = { ...askableCapabilities(call.context), ...(extensions ? { extensions } : {}) };
    return {
      progressToken: call.progressToken,
      ...(this.#isModern ? { [CAPABILITIES]: capabilities, [LOG_LEVEL]: 'info' } : {}),
    };
  }

  #send(
    method: string,
    params: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<Record<string, unknown>> {
    return this.#client.request({ method, params }, anyObject, {
      ...(signal ? { signal } : {}),
      timeout: signal ? NO_TIMEOUT : this.#settings.connectTimeoutMs,
      allowInputRequired: true,
    });
  }

  async #callTool(call: UpstreamCall, tool: Tool, args: Readonly<Record<string, unknown>>): Promise<unknown> {
    const extensions = this.features.tasks ? { [TASKS_EXTENSION]: {} } : undefined;
    // Some transports drop an argument of this name, so it is left out in all of them.
    const { ['__proto__']: _proto, ...sent } = args;
    const base = { name: tool.name, arguments: sent, _meta: this.#metaOf(call, extensions) };
    const port: TaskPort = {
      name: this.#settings.name,
      call,
      request: (method, params, signal) =>
        this.#send(
          method,
          this.#isModern ? { ...params, _meta: this.#metaOf(call, extensions) } : { ...params },
          signal,
        ),
      onError: this.#settings.onError,
    };
    if (!this.#isModern && this.features.tasks && isTaskTool(tool)) {
      const { connectTimeoutMs } = this.#settings;
      const answer = await abortLater(call.signal, connectTimeoutMs, (signal) =>
        this.#send('tools/call', { ...base, task: { ttl: TASK_TTL_MS } }, signal),
      );
      const { task } = answer;
      return task === undefined ? answer : awaitLegacyTask(port, assertTask(task, port.name));
    }
    // Without an output schema the client does not validate the result. Toolfold validates it later.
    const { outputSchema: _, ...toolDefinition } = tool;
    const result = await converse(call, this.#settings.name, (more) =>
      abortLater(call.signal, this.features.tasks ? TASK_GRACE_MS : 0, (signal) =>
        this.#client.callTool(
          { ...base, ...more },
          { signal, timeout: NO_TIMEOUT, toolDefinition, allowInputRequired: true },
        ),
      ),
    );
    const revealed = revealResult(result);
    return isTaskResult(revealed) ? awaitModernTask(port, assertTask(revealed, port.name)) : revealed;
  }

  /** Checks that the server answers. An error counts as an answer. */
  async ping(timeoutMs: number): Promise<void> {
    const method = this.#isModern ? 'server/discover' : 'ping';
    await runApart(() =>
      this.#client
        .request({ method, params: {} }, anyObject, { timeout: timeoutMs })
        .catch((error: unknown) => {
          if (!isAnswer(error)) throw error;
        }),
    );
  }

  /** Subscribes to exactly these resources, if the server supports that. */
  subscribe(uris: Iterable<string>): void {
    const { resources } = this.#capabilities;
    if (!isJsonObject(resources) || resources['subscribe'] !== true) return;
    const { connectTimeoutMs: timeoutMs, onError } = this.#settings;
    const onEnd = (): void => this.#loseStream();
    const isModern = this.#isModern;
    this.#subscriptions ??= new OpenSubscriptions(this.#client, { isModern, timeoutMs, onEnd, onError });
    runApart(() => this.#subscriptions?.set(uris));
  }

  /** Asks a 2025 server for log messages from `info` on. 2026 requests carry their own level. */
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

  #listen({ onListChanged, onResourceUpdated, onLost }: ConnectionEvents): void {
    const client = this.#client;
    const { capabilities, onError } = this.#settings;
    this.#onLost = onLost;
    client.onclose = () => {
      this.#isLost = true;
      if (!this.#isRetired) onLost();
    };
    client.onerror = onError;
    if (onListChanged)
      for (const kind of changingLists)
        client.setNotificationHandler(`notifications/${kind}/list_changed`, () => onListChanged(kind));
    if (onResourceUpdated)
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        onResourceUpdated(params.uri);
      });
    client.setNotificationHandler('notifications/progress', ({ params }) => {
      this.#calls.withToken(params.progressToken)?.report(params);
    });
    client.setNotificationHandler('notifications/message', ({ params }) => {
      this.#calls.find()?.log(params.level as LoggingLevel, params.data, params.logger);
    });
    answerQuestions(client, capabilities, this.#calls);
  }

  /** Subscribes to changes of the lists, as 2026 servers require. */
  async #subscribe({ onListChanged }: ConnectionEvents): Promise<void> {
    if (!onListChanged || !this.#isModern) return;
    const changing = changingLists.filter((kind) => {
      const capability = this.#capabilities[kind];
      return isJsonObject(capability) && capability['listChanged'] === true;
    });
    if (changing.length === 0) return;
    try {
      const { connectTimeoutMs: timeout } = this.#settings;
      const filter = Object.fromEntries(changing.map((kind) => [`${kind}ListChanged`, true]));
      const subscription = await this.#client.listen(filter, { timeout });
      void subscription.closed.then((how) => {
        if (how !== 'local') this.#loseStream();
      });
    } catch (error) {
      this.#settings.onError(error);
    }
  }

  /** Handles the end of a stream of changes: the server has probably been restarted. Running calls may still be answered. */
  #loseStream(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#onLost();
    void this.#closeWhenIdle();
  }
}

export function isTaskTool({ execution }: { readonly execution?: unknown }): boolean {
  const support = isJsonObject(execution) ? execution['taskSupport'] : undefined;
  return support === 'optional' || support === 'required';
}
