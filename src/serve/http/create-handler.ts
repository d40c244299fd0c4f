import type { AuthInfo, McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server';
import { ErrOverloaded } from '../../errors.js';
import { callerKey, NOBODY } from '../../callers/caller-key.js';
import type { CacheHints } from '../../registry/methods.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { attach } from '../../registry/attach/attach.js';
import type { RequestOptions } from '../../engine/request.js';
import type { ViewSource } from '../../views/view.js';
import { withDefaultJsonLimits } from '../../values/json-limits.js';
import type { JsonLimits } from '../../values/json-limits.js';
import { MemorySessionStore } from '../../stores/memory/memory-session-store.js';
import { isJsonObject } from '../../values/json-value.js';
import { Exposure } from '../../toolsets/exposure.js';
import { ArrivingBodies, isJson, rejectMedia, wrongMediaType, rejectLargeJson } from './request-body.js';
import { invalidOption } from '../../values/options.js';
import { ModernAnswers } from '../modern/answer-modern.js';
import { alreadyRead, isStream, reject } from './request-response.js';
import { INTERNAL_ERROR, REJECTED } from '../../protocol/rpc-codes.js';
import type { EdgeAnswer, EdgeRequest } from './request-response.js';
import { LEGACY, NEEDS_SDK } from '../modern/envelope.js';
import { createGate } from './admission.js';
import type { Admission, Gate } from './admission.js';
import { assertHandlerOptions } from './handler-options.js';
import type { HandlerOptions } from './handler-options.js';
import { createHostCheck } from './hosts-and-origins.js';
import type { HostCheck } from './hosts-and-origins.js';
import { createIdentify, idOf, pathOf, rejectClient } from './read-request.js';
import { Capacity, overloaded, createCallerReader, RequestLimiter } from './capacity.js';
import type { ReadCaller } from './capacity.js';
import { assertSdk, loadSdk } from '../sdk.js';
import { Sessions } from '../sessions/sessions.js';
import { isEventStream, readBody, toResponse, withEnd } from './web-response.js';

/** Serves a registry to clients of every era. */
export interface McpHandler {
  /**
   * The web-standard handler. `authInfo` is the verified authorization of the caller; `address` is the IP address at
   * the other end of the connection, which a `Request` does not have.
   */
  fetch(
    request: Request,
    options?: { readonly authInfo?: AuthInfo | undefined; readonly address?: string | undefined },
  ): Promise<Response>;
  /** @internal What `toNodeListener` works with. */
  readonly edge: Edge;
  /** Ends streams and questions. Calls that run are answered. */
  close(): Promise<void>;
}

/** A request that the SDK answers. */
export interface SdkRequest {
  readonly body: unknown;
  readonly auth: AuthInfo | undefined;
  readonly share: string | undefined;
}

/** A handler below the web standard, for servers that have read a request already. */
export interface Edge {
  readonly check: HostCheck;
  /** CORS, the metadata of the server, and who is asking. */
  readonly gate: Gate;
  /** Answers a request whose body is parsed. Returns `undefined` if the SDK must answer. */
  answer(httpMethod: string, request: EdgeRequest): Promise<EdgeAnswer | undefined> | undefined;
  readonly jsonLimits: JsonLimits;
  /** Passes a request to the SDK. */
  askSdk(request: Request, asked: SdkRequest): Promise<Response>;
  readonly readCaller: ReadCaller;
  readonly limiter: RequestLimiter;
  /** The request bodies that are arriving. */
  readonly bodies: ArrivingBodies;
  readonly capacity: Capacity;
  readonly onError: (error: unknown) => void;
}

const DEFAULT_MAX_BODY = 1024 * 1024;
const DEFAULT_BODY_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

/** Serves a registry inside a server of your own: as `fetch`, or for Node with `toNodeListener`. */
export function createHandler(registry: AnyRegistry, options: HandlerOptions = {}): McpHandler {
  assertHandlerOptions('createHandler', options);
  assertSdk('Serving');
  const { view, toolsets, pageSize, listTtlMs: ttlMs = 0 } = options;
  const jsonLimits = withDefaultJsonLimits(options);
  const onError = tolerant(options.onError);
  const limiter = new RequestLimiter(options.requestLimit, onError);
  const onViewMade = ({ caller }: RequestOptions): void => limiter.takeForView(callerKey(caller));
  const exposure = new Exposure(registry, { view, toolsets, onError, onViewMade });
  const identify = createIdentify(exposure, options);
  const { maxBodyBytes = DEFAULT_MAX_BODY, maxRequests = 1_000, maxStreams = 1_000 } = options;
  const gate = createGate(options);
  const check = createHostCheck(options.allowedHosts, options.allowedOrigins, gate.allowsOrigin);
  const capacity = new Capacity({ maxRequests, maxStreams, maxBodyBytes, callerShare: options.callerShare });
  const readCaller = createCallerReader(options.trustedProxies);
  const { bodyTimeoutMs = DEFAULT_BODY_TIMEOUT_MS } = options;
  const bodies = new ArrivingBodies(capacity, { maxBodyBytes, bodyTimeoutMs });
  const cacheHints: CacheHints = {
    ttlMs,
    // What middleware makes of a list may depend on who asks, and who may not ask must not find it.
    get cacheScope() {
      return !registry.hasMiddleware && !options.auth && !exposure.isPersonal ? 'public' : 'private';
    },
  };
  const common = { exposure, pageSize, cacheHints, onError, capacity };
  const modern = new ModernAnswers(registry, common);
  const { store: givenStore, ...memory } = options.sessions ?? {};
  const ownStore = givenStore ?? registry.shared?.sessions;
  if (!givenStore && ownStore && Object.keys(memory).length > 0)
    throw invalidOption('createHandler: sessions', 'left to the shared state, which has them');
  const memoryStore = ownStore
    ? undefined
    : new MemorySessionStore({
        ...memory,
        callerShare: options.callerShare,
        onEnd: (id) => sessions.end(id),
      });
  const sessions: Sessions = new Sessions(registry, {
    ...common,
    store: ownStore ?? (memoryStore as MemorySessionStore),
    shared: registry.shared,
  });
  let sdk: McpHttpHandler | undefined;
  let isClosed = false;
  const createSdk = async (): Promise<McpHttpHandler> => {
    const { Server, createMcpHandler } = await loadSdk();
    const create = ({ requestInfo }: McpRequestContext): InstanceType<typeof Server> => {
      const { name, version, instructions } = registry;
      const server = new Server(
        { name, version },
        { capabilities: {}, ...(instructions === undefined ? {} : { instructions }) },
      );
      const known = requestInfo && identify(toEdgeRequest(requestInfo));
      if (!known || 'status' in known) throw new TypeError('A request came past the edge.');
      const { selection, session, clientId } = known;
      const source: ViewSource = {
        viewFor: (request) => exposure.viewFor(request),
        complete: (request) => exposure.complete({ ...request, selection, session, clientId }),
      };
      attach(registry, server, { view: source, pageSize, cacheHints, announces: false });
      return server;
    };
    const limits = { maxRequestBodySize: maxBodyBytes, maxSubscriptions: maxStreams };
    sdk ??= createMcpHandler(create, { legacy: 'reject', onerror: onError, ...limits });
    if (isClosed) await sdk.close();
    return sdk;
  };
  const unsubscribe = registry.onChange((change) => {
    modern.refresh();
    sessions.announce(change);
    if (change.kind === 'tools') sdk?.notify.toolsChanged();
    else if (change.kind === 'prompts') sdk?.notify.promptsChanged();
    else if (change.kind === 'resource') sdk?.notify.resourceUpdated(change.uri);
    else sdk?.notify.resourcesChanged();
  });
  const keepAlive = setInterval(() => {
    // Sessions that are listened to are in use.
    sessions.keepAlive();
    memoryStore?.sweep();
  }, KEEP_ALIVE_MS);
  // Only in Node a timer keeps the process.
  if (typeof keepAlive === 'object') keepAlive.unref();

  const answer: Edge['answer'] = (httpMethod, given) => {
    const request = identify(given);
    if ('status' in request) return Promise.resolve(request);
    if (httpMethod === 'GET') return unlessGone(sessions.get(request));
    if (httpMethod === 'DELETE') return unlessGone(sessions.delete(request));
    if (httpMethod !== 'POST') return Promise.resolve(methodNotAllowed);
    if (!isJson(request.header('content-type'))) return Promise.resolve(wrongMediaType);
    const rejected = rejectLargeJson(request.body, jsonLimits);
    if (rejected) return Promise.resolve(rejected);
    const answered = modern.answer(request);
    if (answered === NEEDS_SDK) return loadSdk().then(() => answer(httpMethod, given));
    if (answered !== LEGACY) return answered;
    return Array.isArray(request.body) ? postBatch(request, request.body.length) : post(request);
  };
  const post = (request: EdgeRequest): Promise<EdgeAnswer> =>
    request.selection ? postSelecting(request) : unlessGone(sessions.post(request));
  /** Every message of a batch counts as a request. The first was counted with the body. */
  const postBatch = async (request: EdgeRequest, count: number): Promise<EdgeAnswer> =>
    (await limiter.take(request.caller?.key ?? NOBODY, Math.max(count - 1, 0))) ?? post(request);
  /** Rejects an invalid selection before anything else happens. */
  const postSelecting = async (request: EdgeRequest): Promise<EdgeAnswer> => {
    try {
      await exposure.check({
        caller: { auth: request.auth, address: request.address },
        selection: request.selection,
        session: request.session,
      });
    } catch (error) {
      return rejectClient(error, idOf(request.body));
    }
    return unlessGone(sessions.post(request));
  };
  /** Where sessions cannot be looked up, the client may come again: it has lost nothing. */
  const unlessGone = (answered: Promise<EdgeAnswer>): Promise<EdgeAnswer> =>
    answered.catch((error: unknown) => {
      if (!(error instanceof ErrOverloaded)) throw error;
      onError(error);
      return overloaded;
    });
  const askSdk: Edge['askSdk'] = async (request, { body, auth, share }) => {
    const isListening = isJsonObject(body) && body['method'] === 'subscriptions/listen';
    const rejected = isListening ? capacity.rejection('streams', share) : undefined;
    if (rejected) return toResponse(rejected);
    const handler = await createSdk();
    const response = await handler.fetch(request, { parsedBody: body, ...(auth ? { authInfo: auth } : {}) });
    if (!response.body || !isEventStream(response)) return response;
    const stream = capacity.hold('streams', share);
    request.signal.addEventListener('abort', stream.release, { once: true });
    return withEnd(response, response.body, stream.release);
  };
  const edge: Edge = {
    check,
    gate,
    answer,
    askSdk,
    readCaller,
    limiter,
    bodies,
    jsonLimits,
    capacity,
    onError,
  };

  const serve = async (
    request: Request,
    given: AuthInfo | undefined,
    address: string | undefined,
  ): Promise<Response> => {
    const { method } = request;
    const edgeRequest = toEdgeRequest(request, address);
    const { header } = edgeRequest;
    const peer = readCaller(edgeRequest, undefined);
    const rejected = check(hostOf(request), header('origin'));
    if (rejected) return toResponse((await limiter.take(peer.key)) ?? rejected);
    const busy = capacity.rejection('requests', peer.share);
    if (busy) return toResponse(busy);
    const path = pathOf(edgeRequest.target);
    const authenticating = capacity.hold('requests', peer.share);
    const admitting = async (): Promise<Admission> => gate.admit({ method, path, header }, given);
    const admission = await admitting().finally(authenticating.release);
    if (admission.answer) return toResponse((await limiter.take(peer.key)) ?? admission.answer);
    const auth = admission.auth as (AuthInfo & EdgeRequest['auth']) | undefined;
    const caller = auth ? readCaller(edgeRequest, auth) : peer;
    const { key, share } = caller;
    const limited = await limiter.take(key);
    if (limited) return toResponse(limited);
    const wrong = method === 'POST' ? rejectMedia(header) : undefined;
    if (wrong) return toResponse(wrong);
    const read = method === 'POST' ? await readBody(request, bodies, jsonLimits, share) : NO_BODY;
    if (read.rejected === alreadyRead) onError(new TypeError('The body of a request was already read.'));
    if (read.rejected) return toResponse(read.rejected);
    const full = capacity.rejection('requests', share);
    if (full) return toResponse(full);
    const slot = capacity.hold('requests', share);
    const { body } = read;
    try {
      const ready = await answer(method, { ...edgeRequest, body, auth, caller });
      if (!ready) return await askSdk(request, { body, auth, share });
      if (!isStream(ready)) return toResponse(ready);
      // Check again, because other streams may have been opened since the first check.
      const crowded = method === 'GET' && capacity.rejection('streams', share);
      if (crowded) return toResponse(crowded);
      const stream = capacity.hold('streams', share);
      return toResponse(ready, { onStreamEnd: stream.release, signal: request.signal });
    } finally {
      slot.release();
    }
  };

  return {
    fetch: async (request, { authInfo, address } = {}) => {
      let response: Response;
      try {
        response = await serve(request, authInfo, address);
      } catch (error) {
        onError(error);
        response = toResponse(reject(500, INTERNAL_ERROR, 'Internal server error'));
      }
      const added = gate.headersFor(request.headers.get('origin') ?? undefined) ?? {};
      for (const [name, value] of Object.entries(added))
        if (!response.headers.has(name)) response.headers.set(name, value);
      return response;
    },
    edge,
    close: async () => {
      unsubscribe();
      isClosed = true;
      clearInterval(keepAlive);
      sessions.close();
      exposure.close();
      await sdk?.close();
    },
  };
}

function toEdgeRequest(request: Request, address?: string): EdgeRequest {
  const { pathname, search } = new URL(request.url);
  return {
    header: (name) => request.headers.get(name) ?? undefined,
    body: undefined,
    address,
    target: `${pathname}${search}`,
    signal: () => request.signal,
  };
}

/** A listener that fails changes no answer. */
function tolerant(onError: HandlerOptions['onError']): (error: unknown) => void {
  return (error) => {
    try {
      onError?.(error);
    } catch {
      // Nobody is left to tell.
    }
  };
}

const methodNotAllowed = reject(405, REJECTED, 'Method not allowed.', {
  headers: { allow: 'GET, POST, DELETE' },
});

/** A fetch-style runtime may leave the header out and have the host in the URL. */
function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

const NO_BODY: { readonly body?: unknown; readonly rejected?: EdgeAnswer } = {};
