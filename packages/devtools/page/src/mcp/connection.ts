// This import must come first; no-eval.ts explains why.
import { zodSettings } from './no-eval.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { isRecord } from '../sections/try/form/json.js';
import type { GivenAnswer } from './call.js';
import { headersFor, pathOf, revisions } from './endpoint.js';
import type { Endpoint } from './endpoint.js';
import { evictOldest } from './wire/evict-oldest.js';
import { MessageLog } from './wire/message-log.js';
import { createRecordingFetch, metaOf } from './wire/recording-fetch.js';
import type { Owner } from './wire/recording-fetch.js';
import { ask, isQuestionMethod } from './questions.js';

type Fields = Readonly<Record<string, unknown>>;

const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/** The key of `_meta` by which the server's events identify calls of the page. */
export const TRACE = 'toolfold/trace';

export const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** The part of a call that its connection needs. */
export interface CallOwner extends Owner {
  readonly trace: string;
  readonly asker: string;
  readonly signal: AbortSignal;
  /** Called before and after every question, because the user's time does not count. */
  readonly waiting: (isWaiting: boolean) => void;
  readonly answered: (answer: GivenAnswer) => void;
}

/** Accepts any JSON object, so that the page shows everything a server sends. */
export const anyObject = {
  '~standard': {
    version: 1,
    vendor: 'toolfold',
    validate: (value: unknown) =>
      isRecord(value) ? { value } : { issues: [{ message: 'The result is not an object.' }] },
  },
} as const;

/** The longest timeout of a timer, because calls have their own time limit. */
const NO_TIMEOUT = 2 ** 31 - 1;
const CONNECT_MS = 15_000;
/** Maximum number of cancelled calls that still receive late messages. */
const MAX_CANCELLED = 20;

/** The official client, connected to the page's endpoint in one era. */
export class Connection {
  readonly endpoint: Endpoint;
  readonly client: Client;
  /** Messages that belong to no call, such as the handshake. */
  readonly log = new MessageLog(() => {});
  readonly #calls = new Map<string, CallOwner>();
  readonly #cancelled = new Map<string, CallOwner>();
  readonly #requests = new Map<unknown, CallOwner>();
  readonly #askers = new Map<unknown, Owner>();
  readonly #own: Owner;
  readonly #onUpdate = new Set<(uri: string) => void>();
  /** Whether the session has expired or the connection was closed. */
  isLost = false;

  private constructor(endpoint: Endpoint) {
    // Use the settings, because the bundler drops modules that are only imported.
    if (zodSettings.jitless !== true) throw new Error('The MCP client would compile code.');
    this.endpoint = endpoint;
    this.client = new Client(
      { name: 'toolfold-page', title: 'Toolfold page', version: '1.0.0' },
      {
        capabilities,
        versionNegotiation: { mode: endpoint.era === '2026' ? { pin: revisions['2026'] } : 'legacy' },
      },
    );
    this.#own = {
      record: (message) => this.log.add(message),
      received: (message) => this.#passToOnly(message),
      broken: () => {},
      resumed: () => {},
      isOver: () => false,
      expired: () => {},
    };
    // Callers receive errors of their requests, and the recorded messages show the others.
    this.client.onerror = () => {};
    this.client.onclose = () => (this.isLost = true);
    this.#answerQuestions();
    this.client.setNotificationHandler('notifications/progress', () => {});
    this.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      for (const listener of this.#onUpdate) listener(params.uri);
    });
  }

  static async open(endpoint: Endpoint): Promise<Connection> {
    const connection = new Connection(endpoint);
    await connection.#connect();
    return connection;
  }

  get isModern(): boolean {
    return this.endpoint.era === '2026';
  }

  get hasTasks(): boolean {
    const { tasks, extensions } = (this.client.getServerCapabilities() ?? {}) as Fields;
    if (this.isModern) return isRecord(extensions) && TASKS_EXTENSION in extensions;
    return isRecord(tasks) && isRecord(tasks['requests']) && 'tools' in tasks['requests'];
  }

  /** Routes messages to a call. Returns a function that removes the call. */
  add(call: CallOwner): () => void {
    this.#calls.set(call.trace, call);
    return () => {
      this.#calls.delete(call.trace);
      if (!call.signal.aborted) return this.#forget(call);
      // The client sends `notifications/cancelled`, `tasks/cancel` and errors for open questions after the call was removed.
      this.#cancelled.set(call.trace, call);
      for (const oldest of evictOldest(this.#cancelled, MAX_CANCELLED)) this.#forget(oldest);
    };
  }

  #forget(call: CallOwner): void {
    for (const map of [this.#requests, this.#askers])
      for (const [id, owner] of map) if (owner === call) map.delete(id);
  }

  /** Returns the `_meta` of a call's requests. */
  metaFor({ trace }: CallOwner, isTask: boolean): Record<string, unknown> {
    const own = { progressToken: trace, [TRACE]: trace };
    if (!this.isModern) return own;
    const extensions = isTask ? { extensions: { [TASKS_EXTENSION]: {} } } : {};
    return {
      ...own,
      'io.modelcontextprotocol/clientCapabilities': { ...capabilities, ...extensions },
      'io.modelcontextprotocol/logLevel': 'debug',
    };
  }

  request(method: string, params: Fields, signal?: AbortSignal): Promise<Fields> {
    return this.client.request({ method, params: { ...params } }, anyObject as never, {
      ...(signal ? { signal } : {}),
      timeout: signal ? NO_TIMEOUT : CONNECT_MS,
      allowInputRequired: true,
    });
  }

  onResourceUpdate(listener: (uri: string) => void): () => void {
    this.#onUpdate.add(listener);
    return () => this.#onUpdate.delete(listener);
  }

  async close(): Promise<void> {
    const { transport } = this.client;
    if (transport instanceof StreamableHTTPClientTransport && !this.isModern && !this.isLost)
      // If this fails, the server ends the session later.
      await transport.terminateSession().catch(() => undefined);
    this.isLost = true;
    await this.client.close();
  }

  async #connect(): Promise<void> {
    const url = new URL(pathOf(this.endpoint), location.origin);
    const recording = createRecordingFetch({
      headers: headersFor(this.endpoint),
      ownerOf: (message) => this.#ownerOf(message),
      asked: (id, owner) => this.#askers.set(id, owner),
      expired: () => (this.isLost = true),
    });
    await this.client.connect(new StreamableHTTPClientTransport(url, { fetch: recording }), {
      timeout: CONNECT_MS,
    });
    if (!this.isModern && this.client.getServerCapabilities()?.logging)
      // Calls work without log messages.
      await this.client.setLoggingLevel('debug').catch(() => undefined);
  }

  #ownerOf(message: Fields): Owner {
    const { id, method, params } = message;
    const trace = String(metaOf(message)[TRACE]);
    const call = this.#calls.get(trace) ?? this.#cancelled.get(trace);
    if (call) {
      if (method !== undefined && id !== undefined) this.#requests.set(id, call);
      return call;
    }
    if (method === 'notifications/cancelled' && isRecord(params))
      return this.#requests.get(params['requestId']) ?? this.#own;
    if (method === undefined && id !== undefined) return this.#askers.get(id) ?? this.#own;
    return this.#own;
  }

  /** Log messages of 2025 servers may arrive on the stream of the session. They are assigned to the call if there is only one. */
  #passToOnly(message: Fields): void {
    const [only] = this.#calls.values();
    if (this.#calls.size === 1) only?.received(message);
  }

  /** 2025 servers ask through requests, on the stream of the asking call. */
  #answerQuestions(): void {
    for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const)
      this.client.setRequestHandler(method, async (request, { mcpReq }) => {
        const { params } = request as { readonly params?: Fields };
        const owner = this.#askers.get(mcpReq.id);
        if (owner?.isOver() === true) throw new Error('The call that asks was cancelled.');
        const call = [...this.#calls.values()].find((each) => each === owner) ?? [...this.#calls.values()][0];
        const signal = call ? AbortSignal.any([call.signal, mcpReq.signal]) : mcpReq.signal;
        return (await this.askFor(call, { method, params: params ?? {} }, signal)) as never;
      });
  }

  async askFor(
    call: CallOwner | undefined,
    { method, params }: { readonly method: unknown; readonly params: Fields },
    signal: AbortSignal,
  ): Promise<Fields> {
    if (!isQuestionMethod(method)) throw new Error(`The server asks an unknown question: ${String(method)}.`);
    call?.waiting(true);
    try {
      const result = await ask(
        { method, params, asker: call?.asker ?? 'The server', era: this.endpoint.era },
        signal,
      );
      call?.answered({ method, params, result });
      return result;
    } finally {
      call?.waiting(false);
    }
  }
}
