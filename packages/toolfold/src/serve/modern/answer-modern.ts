import { MISSING_CAPABILITY, toRpcError } from '../../protocol/rpc-error.js';
import type { Caller } from '../../callers/caller.js';
import { ToolfoldError } from '@toolfold/schema/errors';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { isLogged, isLoggingLevel, MODERN } from '../../protocol/mcp-types.js';
import type { McpRequest, RequestOptions } from '../../engine/request.js';
import { askable, capabilitiesOf, createMethods, serveMethod, toWireResult } from '../../registry/methods.js';
import type { MethodHandler } from '../../registry/mcp-middleware.js';
import type { RpcError } from '../../protocol/rpc-error.js';
import { assertPageSize } from '../../views/lists.js';
import type { AskClient } from '../../questions/request-input.js';
import { taskRuleOf } from '../../tasks/task-calls.js';
import { TASKS_EXTENSION } from '../../tasks/tasks.js';
import { internalsOf } from '../../registry/any-registry.js';
import type { AnyRegistry, RegistryInternals } from '../../registry/any-registry.js';
import { emitFaults } from '../../engine/fault-report.js';
import type { Emit } from '../../engine/events/call-events.js';
import { assertSubscribable } from '../../registry/client-settings.js';
import { listenedUris, trimListenParams } from '../../registry/watch/subscribed-resources.js';
import { toRequestOptions } from '../../registry/incoming-request.js';
import type { View } from '../../views/view.js';
import { scopeChallenge } from '../auth/challenge.js';
import type { EdgeAnswer, EdgeRequest, WrittenAnswer } from '../http/request-response.js';
import { PREFIX, CAPABILITIES, CLIENT, VALID, classify } from './envelope.js';
import type { Verdict } from './envelope.js';
import { EventStream } from '../http/event-stream.js';
import { JsonOrSseResponse } from '../http/json-or-sse-response.js';
import { createResultWriter, writeError } from '../http/write-message.js';
import { toAnswer } from '../http/admission.js';
import type { ServingOptions } from '../http/handler-options.js';
import { paramHeaderMismatch } from './param-headers.js';
import type { Id } from '../../protocol/messages.js';
import { findInvalidParam } from '../../protocol/messages.js';
import { rejectMethod, rejectParams } from './rejections.js';

/** Only the SDK serves this method. */
const LISTEN = 'subscriptions/listen';

type Params = Readonly<Record<string, unknown>>;

/** A 2026 request that `classify` accepted. */
interface ModernRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  readonly meta: Params;
  readonly edge: EdgeRequest;
}

/** Answers 2026 requests from compiled data, and rejects invalid ones. */
export class ModernAnswers {
  readonly #registry: AnyRegistry;
  readonly #options: ServingOptions;
  readonly #viewFor: (request: RequestOptions) => View | Promise<View>;
  readonly #internals: RegistryInternals;
  readonly #emit: Emit;
  readonly #write: ReturnType<typeof createResultWriter>;
  #methods!: ReadonlyMap<string, MethodHandler>;

  constructor(registry: AnyRegistry, options: ServingOptions) {
    assertPageSize(options.pageSize);
    this.#registry = registry;
    this.#options = options;
    this.#viewFor = (request) => options.exposure.viewFor(request);
    this.#internals = internalsOf(registry);
    this.#emit = emitFaults(options.onError);
    this.#write = createResultWriter({ name: registry.name, version: registry.version }, options.onError);
    this.refresh();
  }

  /** Creates the method table again, because prompts, resources or tasks may have been registered. */
  refresh(): void {
    const { exposure, ...options } = this.#options;
    const { variesByClient } = exposure;
    this.#methods = new Map<string, MethodHandler>([
      ...Object.entries(createMethods(this.#registry, this.#viewFor, { ...options, variesByClient })),
      ...Object.entries(this.#internals.taskMethods),
      ['server/discover', async () => this.#discover()],
    ]);
  }

  /** Resolves to `undefined` if the SDK must answer. */
  async answer(edge: EdgeRequest): Promise<Exclude<Verdict, typeof VALID> | undefined> {
    const verdict = classify(edge);
    if (verdict !== VALID) return verdict;
    const { id, method, params = {} } = edge.body as Omit<ModernRequest, 'params'> & { params?: Params };
    if (method === LISTEN) return this.#checkListening(id, params, edge.body);
    const handler = this.#methods.get(method) ?? this.#taskMethod(method);
    if (!handler) return rejectMethod(id);
    if (findInvalidParam(method, params) !== undefined) return rejectParams(id, method, params);
    const meta = (params['_meta'] ?? {}) as Params;
    const request: ModernRequest = { id, method, params, meta, edge };
    // An invalid selection is rejected for every method, not only for tools.
    const needsView = method === 'tools/call' || method === 'tools/list' || edge.selection !== undefined;
    if (!needsView) return this.#serve(request, handler);
    try {
      const options = toRequestOptions(edge, {
        protocolVersion: MODERN,
        client: meta[CLIENT] as Caller['client'],
        capabilities: meta[CAPABILITIES] as Caller['capabilities'],
        lazySignal: edge.signal,
        meta,
        emit: this.#emit,
      });
      const found = this.#options.exposure.viewFor(options);
      // Awaiting only promises makes a call over HTTP about 4 % faster.
      const view = found instanceof Promise ? await found : found;
      if (method === 'tools/call') return await this.#call(request, options, view, handler);
      // Only middleware can send something before a list.
      const isPlain = method === 'tools/list' && !this.#internals.hasMiddleware;
      return await (isPlain
        ? this.#toAnswer(id, { ...options, method, params }, handler)
        : this.#serve(request, handler));
    } catch (error) {
      return this.#reject(id, error);
    }
  }

  /** Finds a task method that is missing in the table, because a toolset that was loaded later has brought the first task. */
  #taskMethod(method: string): MethodHandler | undefined {
    const { taskMethods } = this.#internals;
    return Object.hasOwn(taskMethods, method) ? taskMethods[method] : undefined;
  }

  /** Rejects a stream of changes for too many resources, because the SDK keeps every URI. The SDK answers the others. */
  #checkListening(id: Id, params: Params, body: unknown): WrittenAnswer | undefined {
    try {
      assertSubscribable(listenedUris(params), String(id).length);
      trimListenParams(body as { params: unknown });
      return undefined;
    } catch (error) {
      return this.#toFailure(id, toRpcError(error, this.#options.onError));
    }
  }

  /** Answers a request without a view: its selection is invalid, or a toolset could not be loaded. */
  #reject(id: Id, error: unknown): WrittenAnswer {
    const isClients = error instanceof ToolfoldError && error.audience !== 'author';
    return this.#toFailure(id, toRpcError(error, this.#options.onError), isClients ? 400 : 200);
  }

  #call(
    request: ModernRequest,
    options: RequestOptions,
    view: View,
    handler: MethodHandler,
  ): EdgeAnswer | Promise<EdgeAnswer> {
    const { id, params, meta, edge } = request;
    const name = params['name'] as string;
    const args = params['arguments'] as Record<string, unknown> | undefined;
    const tool = view.tools.get(name);
    const declared = tool?.paramHeaders ?? [];
    const mismatch = declared.length > 0 ? paramHeaderMismatch(declared, args, edge.header) : undefined;
    if (mismatch) return this.#toFailure(id, mismatch, 400);
    const isSimple =
      params['inputResponses'] === undefined &&
      params['requestState'] === undefined &&
      meta['progressToken'] === undefined &&
      meta[`${PREFIX}logLevel`] === undefined &&
      !(this.#internals.tools.mayHaveTasks && taskRuleOf(view, { name, arguments: args, meta }));
    if (!isSimple) return this.#serve(request, handler);
    // The call sends nothing before its result, so it needs neither a stream nor a signal that aborts with the stream.
    const method = 'tools/call';
    let asked: AskClient | undefined;
    const ask: AskClient = (questions, memo) =>
      (asked ??= this.#internals.askInRounds({ method, params }, call))(questions, memo);
    const call = Object.assign(options, { name, arguments: args, method, params, ask });
    return this.#toAnswer(id, call, async () =>
      toWireResult(await this.#registry.executeTool(call, view, this.#viewFor), name, view, MODERN),
    );
  }

  /** Runs a method whose response may become a stream. */
  async #serve(request: ModernRequest, handler: MethodHandler): Promise<EdgeAnswer> {
    const { meta, edge } = request;
    const { capacity } = this.#options;
    const rejected = capacity.rejection('calls', edge.caller?.share);
    if (rejected) return rejected;
    const release = capacity.hold('calls', edge.caller?.share);
    const threshold = meta[`${PREFIX}logLevel`];
    const controller = new AbortController();
    const cancel = (): void => controller.abort();
    edge.signal().addEventListener('abort', cancel, { once: true });
    const response = new JsonOrSseResponse({
      // A client that disconnects from the stream cancels the call.
      createStream: () => {
        const stream = new EventStream();
        stream.onDisconnect = cancel;
        return stream;
      },
      hasRoom: () => !capacity.rejection('streams', edge.caller?.share),
    });
    const options = toRequestOptions(edge, {
      protocolVersion: MODERN,
      client: meta[CLIENT] as Caller['client'],
      capabilities: meta[CAPABILITIES] as Caller['capabilities'],
      signal: controller.signal,
      notify: (notification, content) => response.notify(notification, content),
      // A client that names no level gets no messages.
      isLogged: isLoggingLevel(threshold) ? (level) => isLogged(level, threshold) : undefined,
      meta,
      emit: this.#emit,
    });
    void this.#answerInto(response, request, options, handler).finally(release);
    return response.answer;
  }

  async #answerInto(
    response: JsonOrSseResponse,
    { id, method, params }: ModernRequest,
    options: RequestOptions,
    handler: MethodHandler,
  ): Promise<void> {
    let ask: AskClient | undefined;
    try {
      const { inputResponses, requestState } = params;
      if (askable.has(method))
        ask = this.#internals.askInRounds({ method, params, inputResponses, requestState }, options);
    } catch (error) {
      response.finish(this.#toFailure(id, toRpcError(error, this.#options.onError)));
      return;
    }
    response.finish(await this.#toAnswer(id, { ...options, ask, method, params }, handler));
  }

  async #toAnswer(id: Id, request: McpRequest, handler: MethodHandler): Promise<WrittenAnswer> {
    const { onError } = this.#options;
    try {
      const answered = await serveMethod(this.#registry, handler, request, onError);
      const { isError } = answered as CallToolResult;
      const rejected = isError ? scopeChallenge(answered as CallToolResult, request.caller?.auth) : undefined;
      if (rejected) return toAnswer(rejected, id);
      return { status: 200, body: this.#write(id, answered as object) };
    } catch (error) {
      return this.#toFailure(id, toRpcError(error, onError));
    }
  }

  #toFailure(id: Id, error: RpcError, status?: number): WrittenAnswer {
    return { status: status ?? (error.code === MISSING_CAPABILITY ? 400 : 200), body: writeError(id, error) };
  }

  #discover(): object {
    const { instructions } = this.#registry;
    const { taskMethods } = this.#internals;
    const { ttlMs, cacheScope } = this.#options.cacheHints;
    const extensions = Object.keys(taskMethods).length > 0 ? { [TASKS_EXTENSION]: {} } : undefined;
    return {
      supportedVersions: [MODERN],
      capabilities: { ...capabilitiesOf(this.#registry), ...(extensions ? { extensions } : {}) },
      ...(instructions === undefined ? {} : { instructions }),
      ttlMs,
      cacheScope,
    };
  }
}
