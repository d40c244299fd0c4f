import type { McpHttpHandler, McpRequestContext } from '@modelcontextprotocol/server';
import { callerKey } from '../../callers/caller-key.js';
import { createFaultReporter } from '../../engine/fault-report.js';
import type { RequestOptions } from '../../engine/request.js';
import type { AuthInfo } from '../auth/auth-info.js';
import { internalsOf } from '../../registry/any-registry.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { assertRegistry } from '../../registry/assert-registry.js';
import { attach } from '../../registry/attach/attach.js';
import type { CacheHints } from '../../registry/methods.js';
import { listenedUris, SubscribedResources } from '../../registry/watch/subscribed-resources.js';
import { MemorySessionStore } from '../../stores/memory/memory-session-store.js';
import type { RegistryChange } from '../../stores/contracts.js';
import { Exposure } from '../../toolsets/exposure.js';
import { invalidOption, isJsonObject, withDefaultJsonLimits } from '@toolfold/schema/internal';
import type { ViewSource } from '../../views/view.js';
import { ModernAnswers } from '../modern/answer-modern.js';
import { assertSdk, loadSdk } from '../sdk.js';
import { Sessions } from '../sessions/sessions.js';
import { Upkeep } from '../sessions/upkeep.js';
import { createAdmission, createHostCheck } from './admission.js';
import { Capacity, createCallerReader, RequestLimiter } from './capacity.js';
import { serveRequest, createRequestReader } from './edge.js';
import type { Connection, Edge, ReadRequest } from './edge.js';
import { assertHandlerOptions } from './handler-options.js';
import type { HandlerOptions, ServingOptions } from './handler-options.js';
import { ArrivingBodies } from './request-body.js';
import { toResponse, WebConnection, withEnd } from './web-connection.js';

/** Serves a registry to clients of every MCP revision. */
export interface McpHandler {
  /**
   * The web-standard handler. `authInfo` is the verified authorization of the caller; `address` is the IP address at
   * the other end of the connection, which a `Request` does not have.
   */
  fetch(
    request: Request,
    options?: { readonly authInfo?: AuthInfo | undefined; readonly address?: string | undefined },
  ): Promise<Response>;
  /** @internal `toNodeListener` passes requests of Node through these parts. */
  readonly edge: Edge;
  /** Ends streams and questions. Running calls are still answered. */
  close(): Promise<void>;
}

const DEFAULT_MAX_BODY = 1024 * 1024;
const DEFAULT_BODY_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

/** Serves a registry inside a server of your own: as `fetch`, or for Node with `toNodeListener`. */
export function createHandler<App>(
  registry: AnyRegistry<App>,
  options: HandlerOptions<NoInfer<App>> = {},
): McpHandler {
  assertRegistry('createHandler', registry);
  assertHandlerOptions('createHandler', options);
  assertSdk('Serving');
  const { view, toolsets, scopes = 'challenge', pageSize, listTtlMs: ttlMs = 0, callerShare } = options;
  const { maxBodyBytes = DEFAULT_MAX_BODY, maxRequests = 1_000, maxStreams = 1_000 } = options;
  const { bodyTimeoutMs = DEFAULT_BODY_TIMEOUT_MS } = options;
  const onError = createFaultReporter(options.onError);
  const limiter = new RequestLimiter(options.requestLimit, onError);
  const onViewMade = ({ caller }: RequestOptions): void => limiter.takeForView(callerKey(caller));
  const exposure =
    options.exposure ?? new Exposure(registry, { view, toolsets, scopes, onError, onViewMade });
  exposure.start();
  const readRequest = createRequestReader(registry, exposure, options);
  const admission = createAdmission(options);
  const { allowedHosts, allowedOrigins } = options;
  const checkHost = createHostCheck(allowedHosts, allowedOrigins, admission.cors?.allows);
  const capacity = new Capacity({ maxRequests, maxStreams, maxBodyBytes, callerShare });
  const cacheHints: CacheHints = {
    ttlMs,
    // Middleware may change a list for each caller, and a list behind authentication must not reach other callers.
    get cacheScope() {
      return !internalsOf(registry).hasMiddleware && !options.auth && !exposure.isPersonal
        ? 'public'
        : 'private';
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
    : new MemorySessionStore({ ...memory, callerShare, onEnd: (id) => sessions.end(id) });
  const store = ownStore ?? (memoryStore as MemorySessionStore);
  const upkeep = new Upkeep(() => {
    // A session whose client listens on a stream is in use and must not expire.
    sessions.keepAlive();
    memoryStore?.sweep();
  }, KEEP_ALIVE_MS);
  const { shared } = registry;
  const onOpen = (): void => upkeep.start();
  const sessions: Sessions = new Sessions(registry, { ...common, store, shared, onOpen });
  // With a shared store, this process may get requests of sessions that it did not open, so start the upkeep now.
  if (ownStore) upkeep.start();
  const fallback = new SdkFallback(registry, { ...common, readRequest, maxBodyBytes, maxStreams });
  const unsubscribe = registry.onChange((change) => {
    modern.refresh();
    sessions.announce(change);
    fallback.notify(change);
  });
  const edge: Edge = {
    checkHost,
    admission,
    readCaller: createCallerReader(options.trustedProxies),
    limiter,
    capacity,
    bodies: new ArrivingBodies(capacity, { maxBodyBytes, bodyTimeoutMs }),
    jsonLimits: withDefaultJsonLimits(options),
    readRequest,
    exposure,
    modern,
    sessions,
    askSdk: (connection) => fallback.answer(connection),
    onError,
  };
  return {
    fetch: async (request, { authInfo, address } = {}) => {
      const connection = new WebConnection(request, { auth: authInfo as Connection['auth'], address });
      await serveRequest(edge, connection);
      return connection.reply.response;
    },
    edge,
    close: async () => {
      unsubscribe();
      upkeep.close();
      sessions.close();
      exposure.close();
      await fallback.close();
    },
  };
}

interface FallbackOptions extends ServingOptions {
  readonly readRequest: ReadRequest;
  readonly maxBodyBytes: number;
  readonly maxStreams: number;
}

/** Passes requests to the SDK that only the SDK can answer, such as `subscriptions/listen`. The SDK is loaded on first use. */
class SdkFallback {
  readonly #registry: AnyRegistry;
  readonly #options: FallbackOptions;
  #sdk: McpHttpHandler | undefined;
  #isClosed = false;

  constructor(registry: AnyRegistry, options: FallbackOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  async answer(connection: Connection): Promise<Response> {
    const { body, auth, session, caller } = connection;
    const { capacity, onError } = this.#options;
    const share = caller?.share;
    const isListening = isJsonObject(body) && body['method'] === 'subscriptions/listen';
    const rejected = isListening ? capacity.rejection('streams', share) : undefined;
    if (rejected) return toResponse(rejected);
    const handler = await this.#load();
    const request = connection.toRequest();
    const authInfo = auth as AuthInfo | undefined;
    const response = await handler.fetch(request, { parsedBody: body, ...(authInfo ? { authInfo } : {}) });
    const type = response.headers.get('content-type');
    if (!response.body || !type?.startsWith('text/event-stream')) return response;
    const release = capacity.hold('streams', share);
    const subscribed = new SubscribedResources();
    if (isListening)
      subscribed.sync(listenedUris(body['params']), (uri) =>
        internalsOf(this.#registry).watchResource(uri, { session, onError }),
      );
    const end = (): void => {
      release();
      subscribed.close();
    };
    request.signal.addEventListener('abort', end, { once: true });
    return withEnd(response, response.body, end);
  }

  notify(change: RegistryChange): void {
    if (change.kind === 'tools') this.#sdk?.notify.toolsChanged();
    else if (change.kind === 'prompts') this.#sdk?.notify.promptsChanged();
    else if (change.kind === 'resource') this.#sdk?.notify.resourceUpdated(change.uri);
    else this.#sdk?.notify.resourcesChanged();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sdk?.close();
  }

  async #load(): Promise<McpHttpHandler> {
    const { Server, createMcpHandler } = await loadSdk();
    const { exposure, pageSize, cacheHints, readRequest, maxBodyBytes, maxStreams, onError } = this.#options;
    const create = ({ requestInfo }: McpRequestContext): InstanceType<typeof Server> => {
      const { name, version, instructions } = this.#registry;
      const server = new Server(
        { name, version },
        { capabilities: {}, ...(instructions === undefined ? {} : { instructions }) },
      );
      const read = requestInfo && new WebConnection(requestInfo);
      if (!read || readRequest(read)) throw new TypeError('The SDK got a request that the edge rejects.');
      const { selection, session, clientId } = read;
      const source: ViewSource = {
        viewFor: (request) => exposure.viewFor(request),
        complete: (request) => exposure.complete({ ...request, selection, session, clientId }),
      };
      attach(this.#registry, server, {
        view: source,
        pageSize,
        cacheHints,
        variesByClient: exposure.variesByClient,
        announces: false,
        onFault: onError,
      });
      return server;
    };
    const limits = { maxRequestBodySize: maxBodyBytes, maxSubscriptions: maxStreams };
    this.#sdk ??= createMcpHandler(create, { legacy: 'reject', onerror: onError, ...limits });
    if (this.#isClosed) await this.#sdk.close();
    return this.#sdk;
  }
}
