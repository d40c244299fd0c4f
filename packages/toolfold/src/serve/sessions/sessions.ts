/*
 * The life of a session. The store holds its record, so that every process can serve it. A process holds only running work.
 *
 *     POST initialize           next request              a call, question or stream
 *   ─────────────────▶ opened ────────────────▶ in use ◀─────────────────────────────▶ live in this process
 *                        │                        │        nothing runs any more               │
 *                        │ unused for its time    │ unused for its time to live, evicted       │ DELETE, or ended by
 *                        │ to live, evicted       │ for room, DELETE                           │ another process
 *                        ▼                        ▼                                            ▼
 *                      ended: requests get 404. Calls are cancelled and streams end.
 *
 * A session that is only opened is evicted before one in use. It can be live in several processes at once: `SessionMessages`
 * takes an answer or a cancellation to the process that runs the call, and the standing stream that was opened last replaces
 * the others.
 */
import type { EnabledToolsets } from '../../callers/caller.js';
import { LAST_WITH_BATCHES, readMessages, findInvalidParam } from '../../protocol/messages.js';
import type { Message } from '../../protocol/messages.js';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  REJECTED,
  RpcError,
} from '../../protocol/rpc-error.js';
import { emitFaults } from '../../engine/fault-report.js';
import { internalsOf } from '../../registry/any-registry.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { createEnabledToolsets, createSettingsMethods } from '../../registry/client-settings.js';
import { createMethods } from '../../registry/methods.js';
import type { MethodHandler } from '../../registry/mcp-middleware.js';
import type { SessionRecord, SessionStore, RegistryChange, Shared } from '../../stores/contracts.js';
import type { ViewSource } from '../../views/view.js';
import type { ServingOptions } from '../http/handler-options.js';
import { randomId } from '../../runtime/random-id.js';
import { reject, methodNotAllowed } from '../http/request-response.js';
import type { EdgeAnswer, EdgeRequest, Written } from '../http/request-response.js';
import { EventStream } from '../http/event-stream.js';
import { JsonOrSseResponse } from '../http/json-or-sse-response.js';
import { writeError, writeNotification } from '../http/write-message.js';
import { LiveSessions, TOOLS_CHANGED } from './live-sessions.js';
import type { LiveSession } from './live-sessions.js';
import { runSessionCall } from './session-call.js';
import type { SessionCallOptions, SessionCallServices } from './session-call.js';
import { shareMessages, toSessionMessage } from './session-messages.js';
import type { SessionMessages } from './session-messages.js';
import {
  createSessionChanger,
  findSession,
  LATEST,
  openSession,
  SESSION_ID,
  sessionIdOf,
} from './session-records.js';
import type { ChangeSession } from './session-records.js';
import { openStream } from './session-streams.js';
import type { StreamServices } from './session-streams.js';
import { StreamLog } from './stream-log.js';

interface SessionsOptions extends ServingOptions {
  readonly store: SessionStore;
  readonly shared?: Pick<Shared, 'bus' | 'events' | 'sequence'> | undefined;
  /** Called when a client opens a session or a stream. From then on, `keepAlive` must be called at regular intervals. */
  readonly onOpen: () => void;
}

type Request = Extract<Message, { kind: 'request' }>;

/** A call that runs longer than this gets a stream, to which the client can reconnect. */
const STREAM_AFTER_MS = 2_000;

export class Sessions {
  readonly #registry: AnyRegistry;
  readonly #options: SessionsOptions;
  readonly #callServices: SessionCallServices;
  readonly #live = new LiveSessions();
  readonly #change: ChangeSession;
  readonly #messages: SessionMessages | undefined;
  readonly #log: StreamLog | undefined;
  readonly #streams: StreamServices;
  readonly #unsubscribe: (() => void) | undefined;
  /** Created on first use. A change of the registry resets it. */
  #methods: ReadonlyMap<string, MethodHandler> | undefined;

  constructor(registry: AnyRegistry, options: SessionsOptions) {
    const { store, shared, capacity } = options;
    this.#registry = registry;
    this.#options = options;
    this.#callServices = { ...options, emit: emitFaults(options.onError) };
    this.#change = createSessionChanger(store);
    this.#log = shared && new StreamLog(shared.events);
    this.#messages =
      shared && shareMessages(shared.bus, (isMeant, message) => this.#live.deliverWhere(isMeant, message));
    this.#streams = {
      live: this.#live,
      capacity,
      log: this.#log,
      messages: this.#messages,
      sequence: shared?.sequence,
      onStanding: (id, { session }) => {
        const sync = (): void => void this.#syncWatches(id).catch(options.onError);
        Object.assign(this.#live.getOrCreate(id), { context: session, onSubscriptions: sync });
        sync();
      },
    };
    this.#unsubscribe = store.onEndElsewhere?.((isEnded) => {
      for (const id of this.#live.sessions.keys()) if (isEnded(id)) this.end(id);
    });
  }

  async post(request: EdgeRequest): Promise<EdgeAnswer> {
    const accept = request.header('accept') ?? '';
    if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
      return reject(
        406,
        REJECTED,
        'Not Acceptable: Client must accept both application/json and text/event-stream',
      );
    }
    const messages = readMessages(request.body);
    if (!messages) return reject(400, PARSE_ERROR, 'Parse error: Invalid JSON-RPC message');
    const isBatch = Array.isArray(request.body);
    const requests = messages.filter((message) => message.kind === 'request');
    const initialize = requests.find(({ method }) => method === 'initialize');
    if (initialize && isBatch)
      return reject(400, INVALID_REQUEST, 'Invalid Request: Only one initialization request is allowed');
    if (initialize && sessionIdOf(request) === undefined) {
      this.#options.onOpen();
      return openSession(initialize, request, this.#registry, this.#options);
    }
    const session = await findSession(request, this.#options.store);
    if ('status' in session) return session;
    if (initialize) return reject(400, INVALID_REQUEST, 'Invalid Request: Server already initialized');
    if (isBatch && session.protocolVersion > LAST_WITH_BATCHES)
      return reject(
        400,
        INVALID_REQUEST,
        `Invalid Request: there are no batches in ${session.protocolVersion}`,
      );
    for (const message of messages) if (message.kind !== 'request') this.#receive(session.id, message);
    if (requests.length === 0) return { status: 202, body: undefined };
    return this.#answer(session, requests, request, isBatch);
  }

  /** Answers a GET, by which a client opens its standing stream or resumes a stream that it lost. */
  async get(request: EdgeRequest): Promise<EdgeAnswer> {
    if (sessionIdOf(request) === undefined) return methodNotAllowed('POST');
    if (!(request.header('accept') ?? '').includes('text/event-stream'))
      return reject(406, REJECTED, 'Not Acceptable: Client must accept text/event-stream');
    const session = await findSession(request, this.#options.store);
    if ('status' in session) return session;
    this.#options.onOpen();
    return openStream(session, request, this.#streams);
  }

  async delete(request: EdgeRequest): Promise<EdgeAnswer> {
    if (sessionIdOf(request) === undefined) return methodNotAllowed('POST');
    const session = await findSession(request, this.#options.store);
    if ('status' in session) return session;
    await this.#options.store.delete(session.id);
    this.end(session.id);
    return { status: 200, body: undefined };
  }

  /** Notifies clients with a standing stream of a change of the registry. */
  announce(change: RegistryChange): void {
    this.#methods = undefined;
    const { onError } = this.#options;
    for (const [id, { standing }] of this.#live.sessions) {
      if (!standing) continue;
      if (change.kind !== 'resource')
        standing.send(writeNotification(`notifications/${change.kind}/list_changed`));
      else this.#announceUpdate(id, standing, change.uri).catch(onError);
    }
  }

  async #announceUpdate(id: string, standing: EventStream, uri: string): Promise<void> {
    const session = await this.#options.store.get(id);
    if (session?.subscriptions?.includes(uri))
      standing.send(writeNotification('notifications/resources/updated', { uri }));
  }

  /** Watches the resources that a session is subscribed to, in the process that sends it updates. */
  async #syncWatches(id: string): Promise<void> {
    if (!this.#live.sessions.get(id)?.standing) return;
    this.#watchSubscribed(id, await this.#options.store.get(id));
  }

  #watchSubscribed(id: string, record: SessionRecord | undefined): void {
    const live = this.#live.sessions.get(id);
    live?.watchResources(record?.subscriptions ?? [], (uri) =>
      internalsOf(this.#registry).watchResource(uri, {
        session: live.context,
        onError: this.#options.onError,
      }),
    );
  }

  /** Keeps streams and their sessions alive. Must be called at regular intervals. */
  keepAlive(): void {
    for (const [id, live] of this.#live.sessions) {
      live.keepAlive();
      this.#live.forgetIdle(id);
    }
    for (const id of this.#live.sessions.keys()) this.#touch(id).catch(this.#options.onError);
  }

  /** Restarts the time to live of a session. If another process has ended it, it ends here too. */
  async #touch(id: string): Promise<void> {
    const record = await this.#options.store.get(id);
    if (!record) this.end(id);
    // The client may have subscribed through another process.
    else this.#watchSubscribed(id, record);
  }

  end(id: string): void {
    this.#live.end(id);
  }

  /** Ends questions and standing streams. Running calls are still answered. */
  close(): void {
    this.#messages?.close();
    this.#unsubscribe?.();
    for (const [, live] of this.#live.sessions) live.close();
    this.#log?.close();
  }

  /** Passes a notification or an answer to its call, which may run in another process. */
  #receive(session: string, received: Exclude<Message, Request>): void {
    const message = toSessionMessage(received);
    if (message && !this.#live.deliver(session, message)) this.#messages?.send(session, message);
  }

  /** Starts the requests of one POST. The response is JSON, or a stream if something is sent before the answers. */
  #answer(
    session: SessionRecord,
    requests: readonly Request[],
    edge: EdgeRequest,
    isBatch: boolean,
  ): EdgeAnswer | Promise<EdgeAnswer> {
    const { capacity } = this.#options;
    const rejected = capacity.rejection('calls', edge.caller?.share, requests.length);
    if (rejected) return rejected;
    const live = this.#live.getOrCreate(session.id);
    const response = new JsonOrSseResponse({
      createStream: () => {
        // Clients of earlier revisions cannot resume a stream, so it needs no id.
        const id = session.protocolVersion >= LATEST ? randomId() : undefined;
        const recorder = id === undefined ? undefined : this.#log?.record(session.id, id, requests[0]?.id);
        const stream = new EventStream(id, recorder);
        live.streams.add(stream);
        return stream;
      },
      headers: { [SESSION_ID]: session.id },
      hasRoom: () => !capacity.rejection('streams', edge.caller?.share),
    });
    const answers: Promise<Written | undefined>[] = [];
    // Each request of a batch starts in a later turn, because all at once could block the event loop for long.
    let turn: Promise<void> | undefined;
    for (const [index, request] of requests.entries()) {
      if (index > 0) turn = turn ? turn.then(nextTurn) : nextTurn();
      answers.push(this.#run(session, request, { live, edge, response, turn }));
    }
    void this.#finish(session.id, live, response, answers, isBatch);
    return response.answer;
  }

  async #finish(
    session: string,
    live: LiveSession,
    response: JsonOrSseResponse,
    answers: readonly Promise<Written | undefined>[],
    isBatch: boolean,
  ): Promise<void> {
    const timer = setTimeout(() => response.open(), STREAM_AFTER_MS);
    const written = (await Promise.all(answers)).filter((answer) => answer !== undefined);
    clearTimeout(timer);
    response.finishAll(written, isBatch);
    const { stream } = response;
    if (stream) {
      live.streams.delete(stream);
      this.#live.keepEnded(session, stream);
    }
    this.#live.forgetIdle(session);
  }

  /** Runs one request. Resolves to `undefined` if the client cancels it, because cancelled requests get no answer. */
  async #run(
    session: SessionRecord,
    request: Request,
    { live, edge, response, turn }: Omit<SessionCallOptions, 'session' | 'handler' | 'enabledToolsets'>,
  ): Promise<Written | undefined> {
    const { id, method, params } = request;
    const handler = (this.#methods ??= this.#createMethods()).get(method);
    if (!handler) return writeError(id, new RpcError(METHOD_NOT_FOUND, 'Method not found'));
    const invalid = findInvalidParam(method, params);
    if (invalid !== undefined)
      return writeError(id, new RpcError(INVALID_PARAMS, `Invalid params: ${invalid}`));
    const enabledToolsets = this.#options.exposure.hasToolsets
      ? this.#enabledIn(session, response)
      : undefined;
    return runSessionCall(
      this.#registry,
      request,
      { live, edge, response, turn, session, handler, enabledToolsets },
      this.#callServices,
    );
  }

  #createMethods(): ReadonlyMap<string, MethodHandler> {
    const { exposure, pageSize, cacheHints } = this.#options;
    const settings = createSettingsMethods(
      ({ caller }) =>
        async (derive) => {
          const id = caller?.sessionId ?? '';
          await this.#change(id, derive);
          if (this.#live.sessions.get(id)?.standing) await this.#syncWatches(id);
          else this.#messages?.send(id, { kind: 'subscriptions', id: 0 });
        },
      internalsOf(this.#registry).offers.resources,
    );
    const viewFor: ViewSource['viewFor'] = (request) => exposure.viewFor(request);
    const methods = createMethods(this.#registry, viewFor, { pageSize, cacheHints });
    return new Map(Object.entries({ ...methods, ...settings, ping: async () => ({}) }));
  }

  #enabledIn({ id, toolsets }: SessionRecord, response: JsonOrSseResponse): EnabledToolsets {
    return createEnabledToolsets(
      () => toolsets,
      (derive) => this.#change(id, derive),
      async () => {
        // Notify the client once: on its standing stream, which any process may hold, otherwise on the stream of the call.
        if (this.#live.announceTools(id) || (await this.#messages?.announceTools(id)) === true) return;
        response.notify(TOOLS_CHANGED);
      },
    );
  }
}

/** Lets the event loop serve other connections first. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // Other runtimes than Node may have no setImmediate.
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve);
  });
}
