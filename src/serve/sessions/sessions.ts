import type { CallToolResult } from '../../protocol/tool-result.js';
import { randomId } from '../../values/random-id.js';
import { isLogged } from '../../protocol/log-levels.js';
import { createMethods, serveMethod } from '../../registry/methods.js';
import { RpcError, toRpcError } from '../../protocol/rpc-error.js';
import type { MethodOptions } from '../../registry/methods.js';
import type { MethodHandler } from '../../registry/mcp-middleware.js';
import type { RegistryChange, Shared } from '../../stores/shared.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { createEnabledToolsets } from '../../registry/client-settings.js';
import { toRequestOptions } from '../../registry/incoming-request.js';
import type { EnabledToolsets } from '../../callers/selection.js';
import type { SessionRecord, SessionStore } from '../../stores/session-store.js';
import type { Exposure } from '../../toolsets/exposure.js';
import { Cancellation } from './cancellation.js';
import { scopeChallenge } from '../auth/challenge.js';
import { EVENT_HEADERS, reject } from '../http/request-response.js';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  REJECTED,
} from '../../protocol/rpc-codes.js';
import type { EdgeAnswer, EdgeRequest } from '../http/request-response.js';
import { EventStream, readEventId } from '../http/event-stream.js';
import {
  JsonOrSseResponse,
  writeError,
  writeNotification,
  writeResult,
} from '../http/json-or-sse-response.js';
import { toAnswer } from '../http/admission.js';
import type { LiveSession } from './live-session.js';
import { LiveSessions, TOOLS_CHANGED } from './live-sessions.js';
import type { Capacity } from '../http/capacity.js';
import { LAST_WITH_BATCHES, readMessages } from '../../protocol/messages.js';
import { nextTurn } from './next-turn.js';
import type { Message } from '../../protocol/messages.js';
import { findInvalidParam } from '../../protocol/params.js';
import { SessionAsker } from './session-asker.js';
import { shareMessages, toSessionMessage } from './session-messages.js';
import type { SessionMessages } from './session-messages.js';
import { createSessionChanger, createSessionMethods } from './session-methods.js';
import type { ChangeSession } from './session-methods.js';
import { findSession, LATEST, openSession, SESSION_ID, sessionIdOf } from './session-of-request.js';
import { StreamLog } from './stream-log.js';

export interface SessionsOptions extends MethodOptions {
  readonly exposure: Exposure;
  readonly store: SessionStore;
  /** The way to other processes that serve the same sessions. */
  readonly shared?: Pick<Shared, 'bus' | 'events' | 'sequence'> | undefined;
  readonly capacity: Capacity;
  /** Told what went wrong and is not for clients. */
  readonly onError: (error: unknown) => void;
}

type Request = Extract<Message, { kind: 'request' }>;

/** How the ids of streams begin that clients hold open with GET. */
const STANDING = 'get-';
/** A call that takes longer gets a stream, to which the client can come back when it loses the connection. */
const PATIENCE_MS = 2_000;

/** Serves session clients (2025 and before). The store holds their data; this class holds only running work. */
export class Sessions {
  readonly #registry: AnyRegistry;
  readonly #options: SessionsOptions;
  readonly #live = new LiveSessions();
  #methods: Readonly<Record<string, MethodHandler>> | undefined;
  readonly #change: ChangeSession;
  readonly #passOn: SessionMessages | undefined;
  readonly #log: StreamLog | undefined;
  readonly #unsubscribe: (() => void) | undefined;

  constructor(registry: AnyRegistry, options: SessionsOptions) {
    this.#registry = registry;
    this.#options = options;
    this.#change = createSessionChanger(options.store);
    const { store, shared } = options;
    const bus = shared?.bus;
    this.#log = shared && new StreamLog(shared.events);
    this.#passOn = bus && shareMessages(bus, (isMeant, message) => this.#live.deliverWhere(isMeant, message));
    this.#unsubscribe = store.onEndElsewhere?.((isEnded) => {
      for (const id of this.#live.ids()) if (isEnded(id)) this.end(id);
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
    const initialize = messages.find(isInitialize);
    const isBatch = Array.isArray(request.body);
    if (initialize && isBatch)
      return reject(400, INVALID_REQUEST, 'Invalid Request: Only one initialization request is allowed');
    if (initialize && sessionIdOf(request) === undefined)
      return openSession(initialize, request, this.#registry, this.#options);
    const found = await findSession(request, this.#options.store);
    if ('status' in found) return found;
    if (initialize) return reject(400, INVALID_REQUEST, 'Invalid Request: Server already initialized');
    if (isBatch && found.protocolVersion > LAST_WITH_BATCHES)
      return reject(
        400,
        INVALID_REQUEST,
        `Invalid Request: there are no batches in ${found.protocolVersion}`,
      );
    const requests: Request[] = [];
    for (const message of messages) {
      if (message.kind === 'request') requests.push(message);
      else this.#hear(found, message);
    }
    if (requests.length === 0) return { status: 202, body: undefined };
    return this.#answer(found, requests, request, isBatch);
  }

  /** The stream on which a client hears what no call of its own brings about, or one that it lost. */
  async get(request: EdgeRequest): Promise<EdgeAnswer> {
    if (sessionIdOf(request) === undefined) return notAllowed();
    if (!(request.header('accept') ?? '').includes('text/event-stream'))
      return reject(406, REJECTED, 'Not Acceptable: Client must accept text/event-stream');
    const session = await findSession(request, this.#options.store);
    if ('status' in session) return session;
    const headers = { ...EVENT_HEADERS, [SESSION_ID]: session.id };
    const lastEventId = request.header('last-event-id') || undefined;
    let missed: readonly string[] = [];
    if (lastEventId !== undefined) {
      const last = readEventId(lastEventId);
      const stream = last && this.#live.findStream(session.id, last.stream);
      if (stream?.has(last?.number ?? 0)) return { status: 200, headers, body: stream.connect(last?.number) };
      // What a client missed on its standing stream may be lost; what comes from now on need not be.
      if (last?.stream.startsWith(STANDING) !== true)
        return this.#follow(session.id, last, headers, request.caller?.share);
      missed = (await this.#log?.missed(session.id, last.stream, last.number)) ?? missed;
    }
    const full = this.#options.capacity.rejection('streams', request.caller?.share);
    if (full) return full;
    if (this.#live.get(session.id)?.standing?.isConnected)
      return reject(409, REJECTED, 'Conflict: Only one SSE stream is allowed per session');
    // Not a time, for those of two processes are never quite the same.
    const number = (await this.#options.shared?.sequence.next()) ?? 0;
    const streamId = `${STANDING}${randomId()}`;
    const stream = new EventStream(streamId, this.#log?.record(session.id, streamId));
    stream.onDisconnect(() => {
      this.#live.get(session.id)?.leave(stream);
      this.#live.forgetIdle(session.id);
    });
    const connect = stream.connect();
    return {
      status: 200,
      headers,
      // Only now, for the client may be gone by then, or there may be too many streams.
      body: (sink) => {
        this.#live
          .of(session.id)
          .stand(stream, number, () => this.#passOn?.send(session.id, { kind: 'stand', id: number }));
        for (const text of missed) sink.write(text);
        connect(sink);
      },
    };
  }

  /** A stream that another process has sent on, or still does. */
  async #follow(
    session: string,
    last: ReturnType<typeof readEventId>,
    headers: EdgeAnswer['headers'],
    share: string | undefined,
  ): Promise<EdgeAnswer> {
    const body = last && (await this.#log?.follow(session, last.stream, last.number));
    if (!body) return reject(400, REJECTED, 'Bad Request: what came after that event is no longer there');
    const full = this.#options.capacity.rejection('streams', share);
    if (full) return full;
    return { status: 200, ...(headers ? { headers } : {}), body };
  }

  async delete(request: EdgeRequest): Promise<EdgeAnswer> {
    if (sessionIdOf(request) === undefined) return notAllowed();
    const session = await findSession(request, this.#options.store);
    if ('status' in session) return session;
    await this.#options.store.delete(session.id);
    this.end(session.id);
    return { status: 200, body: undefined };
  }

  /** Tells clients that hold a stream open what has changed. */
  tell(change: RegistryChange): void {
    this.#methods = undefined;
    const { onError } = this.#options;
    for (const [id, { standing }] of this.#live.entries()) {
      if (!standing) continue;
      if (change.kind !== 'resource')
        standing.send(writeNotification(`notifications/${change.kind}/list_changed`));
      else this.#tellSubscriber(id, standing, change.uri).catch(onError);
    }
  }

  async #tellSubscriber(id: string, standing: EventStream, uri: string): Promise<void> {
    const session = await this.#options.store.get(id);
    if (session?.subscriptions?.includes(uri))
      standing.send(writeNotification('notifications/resources/updated', { uri }));
  }

  /** Says on every open stream that it is still there, and to the store that the sessions behind them are in use. */
  keepAlive(): void {
    for (const [id, live] of this.#live.entries()) {
      live.keepAlive();
      this.#live.forgetIdle(id);
    }
    for (const id of this.#live.ids()) this.#touch(id).catch(this.#options.onError);
  }

  /** What was ended by another process, or in the store, ends here too. */
  async #touch(id: string): Promise<void> {
    if (!(await this.#options.store.get(id))) this.end(id);
  }

  /** A session is over: what goes on in it ends. */
  end(id: string): void {
    this.#live.end(id);
  }

  /** Ends what waits for clients. Calls that run are answered. */
  close(): void {
    this.#passOn?.close();
    this.#unsubscribe?.();
    for (const [, live] of this.#live.entries()) live.close();
    this.#log?.close();
  }

  /** What needs no answer. Another process may run the call that it is about. */
  #hear(session: SessionRecord, message: Exclude<Message, Request>): void {
    const about = toSessionMessage(message);
    if (about && !this.#live.deliver(session.id, about)) this.#passOn?.send(session.id, about);
  }

  #answer(
    session: SessionRecord,
    requests: readonly Request[],
    edge: EdgeRequest,
    isBatch: boolean,
  ): Promise<EdgeAnswer> {
    const { capacity } = this.#options;
    const refused = capacity.rejection('calls', edge.caller?.share, requests.length);
    if (refused) return Promise.resolve(refused);
    const live = this.#live.of(session.id);
    const streamId = randomId();
    const exchange = new JsonOrSseResponse({
      createStream: () => {
        const isKept = session.protocolVersion >= LATEST;
        const recorder = isKept ? this.#log?.record(session.id, streamId, requests[0]?.id) : undefined;
        const stream = new EventStream(isKept ? streamId : undefined, recorder);
        live.streams.set(streamId, stream);
        return stream;
      },
      headers: { [SESSION_ID]: session.id },
      hasRoom: () => !capacity.rejection('streams', edge.caller?.share),
    });
    const timer = setTimeout(() => exchange.open(), PATIENCE_MS);
    // The requests of a batch start one by one, because all of them together could block the event loop for long.
    let turn: Promise<void> | undefined;
    const answered = requests.map((request, index) => {
      if (index > 0) turn = turn ? turn.then(nextTurn) : nextTurn();
      return this.#run(session, live, request, { edge, exchange, turn });
    });
    void Promise.all(answered).then((answers) => {
      clearTimeout(timer);
      const said = answers.filter((answer) => answer !== undefined);
      exchange.finishAll(said, isBatch);
      const { stream } = exchange;
      if (stream) {
        live.streams.delete(streamId);
        if (session.protocolVersion >= LATEST) this.#live.keepEnded(session.id, streamId, stream);
      }
      this.#live.forgetIdle(session.id);
    });
    return exchange.answer;
  }

  /** The answer to one request; nothing where the client has cancelled it. */
  #run(
    session: SessionRecord,
    live: LiveSession,
    { id, method, params }: Request,
    {
      edge,
      exchange,
      turn,
    }: {
      readonly edge: EdgeRequest;
      readonly exchange: JsonOrSseResponse;
      readonly turn: Promise<void> | undefined;
    },
  ): string | Promise<string | undefined> {
    const handler = this.#handlers()[method];
    if (!handler) return writeError(id, new RpcError(METHOD_NOT_FOUND, 'Method not found'));
    const wrong = findInvalidParam(method, params);
    if (wrong !== undefined) return writeError(id, new RpcError(INVALID_PARAMS, `Invalid params: ${wrong}`));
    const cancellation = new Cancellation();
    const endCall = live.begin(id, cancellation.cancel);
    const asker = new SessionAsker(session.capabilities, live, exchange, cancellation.signal);
    const end = (): void => {
      endCall();
      asker.end();
    };
    const { onError, capacity } = this.#options;
    // A handler that ignores its signal goes on after the call is cancelled, and counts until it is done.
    const running = capacity.hold('calls', edge.caller?.share);
    const meta = params['_meta'] as Readonly<Record<string, unknown>> | undefined;
    const options = toRequestOptions(edge, {
      protocolVersion: session.protocolVersion,
      client: session.client,
      capabilities: session.capabilities,
      sessionId: session.id,
      enabledToolsets: this.#enabledIn(session, exchange),
      lazySignal: cancellation.signal,
      notify: (notification, content) => exchange.notify(notification, content),
      isLogged: (level) => isLogged(level, session.logLevel),
      ask: asker.ask,
      release: () => {
        if (session.protocolVersion >= LATEST) exchange.open()?.release();
      },
      meta,
    });
    const serve = (): Promise<unknown> =>
      serveMethod(this.#registry, handler, { ...options, method, params }, onError);
    const answered = (turn ? turn.then(serve) : serve()).then(
      (result) => {
        const refused = scopeChallenge(result as CallToolResult, edge.auth);
        if (refused) exchange.rejection = toAnswer(refused, id);
        return writeResult(id, result, onError);
      },
      (error: unknown) => writeError(id, toRpcError(error, onError)),
    );
    void answered.then(running.release, running.release);
    return Promise.race([answered, cancellation.cancelled]).finally(end);
  }

  #handlers(): Readonly<Record<string, MethodHandler>> {
    const { exposure, store: _, capacity: __, shared: ___, ...options } = this.#options;
    return (this.#methods ??= Object.assign(
      Object.create(null) as Record<string, MethodHandler>,
      createMethods(this.#registry, (request) => exposure.viewFor(request), options),
      createSessionMethods(this.#change, this.#registry.counts.resources > 0),
    ));
  }

  #enabledIn({ id, toolsets }: SessionRecord, exchange: JsonOrSseResponse): EnabledToolsets | undefined {
    if (!this.#options.exposure.hasToolsets) return undefined;
    return createEnabledToolsets(
      () => toolsets,
      (derive) => this.#change(id, derive),
      async () => {
        // Once, where the client listens: on its standing stream, here or elsewhere, or on that of the call.
        if (this.#live.tellTools(id) || (await this.#passOn?.tellTools(id)) === true) return;
        exchange.notify(TOOLS_CHANGED);
      },
    );
  }
}

function isInitialize(message: Message): message is Request {
  return message.kind === 'request' && message.method === 'initialize';
}

function notAllowed(): EdgeAnswer {
  return reject(405, REJECTED, 'Method not allowed.', { headers: { allow: 'POST' } });
}
