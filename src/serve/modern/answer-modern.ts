import { MISSING_CAPABILITY, toRpcError } from '../../protocol/rpc-error.js';
import type { Caller } from '../../callers/caller.js';
import { ToolfoldError } from '../../errors.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { isLogged, isLoggingLevel, MODERN } from '../../protocol/mcp-types.js';
import type { ExecuteRequest, McpRequest, ReportFault, RequestOptions } from '../../engine/request.js';
import {
  askable,
  capabilitiesOf,
  createMethods,
  protocolErrorOf,
  serveMethod,
  toWireResult,
} from '../../registry/methods.js';
import type { CacheHints, MethodOptions } from '../../registry/methods.js';
import type { MethodHandler } from '../../registry/mcp-middleware.js';
import type { RpcError } from '../../protocol/rpc-error.js';
import { assertPageSize, listDigest, readCursor } from '../../views/lists.js';
import type { AskClient } from '../../questions/request-input.js';
import { taskRuleOf } from '../../tasks/task-calls.js';
import { TASKS_EXTENSION } from '../../tasks/tasks.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { toRequestOptions } from '../../registry/incoming-request.js';
import type { View } from '../../views/view.js';
import type { Exposure } from '../../toolsets/exposure.js';
import { scopeChallenge } from '../auth/challenge.js';
import type { EdgeAnswer, EdgeRequest } from '../http/request-response.js';
import {
  LEGACY,
  SDK_NOT_LOADED,
  PREFIX,
  CAPABILITIES,
  CLIENT,
  VALID,
  classify,
  classifyPlain,
} from './envelope.js';
import { EventStream } from '../http/event-stream.js';
import { JsonOrSseResponse, writeError } from '../http/json-or-sse-response.js';
import { toAnswer } from '../http/admission.js';
import type { Capacity } from '../http/capacity.js';
import { paramHeaderMismatch } from './param-headers.js';
import type { Id } from '../../protocol/messages.js';
import { findInvalidParam } from '../../protocol/messages.js';
import { rejectMethod, rejectParams } from './rejections.js';
import { ResultWriter } from './result-writer.js';

/** A request of any caller, for servers where all callers see the same tools. */
const ANYBODY: RequestOptions = Object.freeze({});
/** The one method that only the SDK serves. */
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

type JsonAnswer = EdgeAnswer & { readonly body: string };

export interface ModernOptions extends MethodOptions {
  readonly cacheHints: CacheHints;
  readonly exposure: Exposure;
  readonly capacity: Capacity;
  /** Called with errors that clients must not see. */
  readonly onError: ReportFault;
}

/** Answers 2026 requests from compiled data, and rejects invalid ones. Returns `undefined` if the SDK must answer. */
export class ModernAnswers {
  readonly #registry: AnyRegistry;
  readonly #options: ModernOptions;
  #writer!: ResultWriter;
  readonly #viewOf: (request: RequestOptions) => View | Promise<View>;
  /** The methods that a 2026 client can call, by name. */
  #methods!: ReadonlyMap<string, MethodHandler>;

  constructor(registry: AnyRegistry, options: ModernOptions) {
    assertPageSize(options.pageSize);
    this.#registry = registry;
    this.#options = options;
    this.#viewOf = (request) => options.exposure.viewFor(request);
    this.refresh();
  }

  /** Creates the method table again, because prompts, resources or tasks may have been registered. */
  refresh(): void {
    const { name, version } = this.#registry;
    this.#writer = new ResultWriter({ name, version });
    const { exposure, ...options } = this.#options;
    const { variesByClient } = exposure;
    this.#methods = new Map<string, MethodHandler>([
      ...Object.entries(createMethods(this.#registry, this.#viewOf, { ...options, variesByClient })),
      ...Object.entries(this.#registry.taskMethods),
      ['server/discover', async () => this.#discover()],
    ]);
  }

  answer(edge: EdgeRequest): Promise<EdgeAnswer> | undefined | typeof SDK_NOT_LOADED | typeof LEGACY {
    // Fast path: most requests are certainly valid.
    const verdict = classifyPlain(edge) ?? classify(edge);
    if (verdict === SDK_NOT_LOADED || verdict === LEGACY) return verdict;
    if (verdict !== VALID) return Promise.resolve(verdict);
    const { id, method, params = {} } = edge.body as Omit<ModernRequest, 'params'> & { params?: Params };
    if (method === LISTEN) return undefined;
    const handler = this.#methods.get(method) ?? this.#taskMethod(method);
    if (!handler) return Promise.resolve(rejectMethod(id));
    if (findInvalidParam(method, params) !== undefined) {
      const rejected = rejectParams(id, method, params);
      return rejected && Promise.resolve(rejected);
    }
    const meta = (params['_meta'] ?? {}) as Params;
    const request: ModernRequest = { id, method, params, meta, edge };
    const { selection } = edge;
    // An invalid selection is rejected for every method, not only for tools.
    const needsView = method === 'tools/call' || method === 'tools/list' || selection !== undefined;
    if (!needsView) return this.#serve(request, handler);
    try {
      const { exposure } = this.#options;
      const rejected = selection && exposure.rejectSelection(selection);
      if (rejected) return Promise.resolve(this.#reject(id, rejected));
      const view = exposure.viewFor(
        selection || exposure.dependsOnCaller ? viewRequestOf(edge, meta) : ANYBODY,
      );
      if (view instanceof Promise)
        return view.then(
          (ready) => this.#answerWith(ready, request, handler),
          (error: unknown) => this.#reject(id, error),
        );
      // Fast path: most requests are calls whose view is compiled.
      if (method === 'tools/call') return this.#call(request, view, handler);
      return this.#answerWith(view, request, handler);
    } catch (error) {
      return Promise.resolve(this.#reject(id, error));
    }
  }

  /** A task method that is not in the table yet, because a toolset loaded since then has brought the first task. */
  #taskMethod(method: string): MethodHandler | undefined {
    const { taskMethods } = this.#registry;
    return Object.hasOwn(taskMethods, method) ? taskMethods[method] : undefined;
  }

  #answerWith(view: View, request: ModernRequest, handler: MethodHandler): Promise<EdgeAnswer> {
    if (request.method === 'tools/call') return this.#call(request, view, handler);
    return request.method === 'tools/list' && !this.#registry.hasMiddleware
      ? this.#list(request, view)
      : this.#serve(request, handler);
  }

  /** The error for a request without a view: its selection is invalid, or a toolset could not be loaded. */
  #reject(id: Id, error: unknown): EdgeAnswer {
    const isClients = error instanceof ToolfoldError && error.audience !== 'author';
    return this.#toFailure(id, toRpcError(error, this.#options.onError), isClients ? 400 : 200);
  }

  /** Sends the JSON of a page that was written when the list was created. */
  #list(
    { id, params: { cursor }, edge: { auth, selection } }: ModernRequest,
    view: View,
  ): Promise<EdgeAnswer> {
    const { pageSize = Number.POSITIVE_INFINITY } = this.#options;
    const whole = view.listTools(MODERN);
    let at = 0;
    try {
      if (cursor !== undefined) at = readCursor(cursor, whole, pageSize);
    } catch (error) {
      return Promise.resolve(this.#toFailure(id, toRpcError(error, this.#options.onError)));
    }
    const pages = view.listPages({ protocolVersion: MODERN, pageSize });
    const page = pages[at === 0 ? 0 : at / pageSize] ?? '[]';
    const end = at + pageSize;
    const next = end < whole.length ? `,"nextCursor":"${end}.${listDigest(whole)}"` : '';
    const { cacheHints, exposure } = this.#options;
    const isOwn = auth !== undefined || selection !== undefined || exposure.variesByClient;
    const ttlMs = view.isPartial === true ? 0 : cacheHints.ttlMs;
    const hints = `,"ttlMs":${ttlMs},"cacheScope":"${isOwn ? 'private' : cacheHints.cacheScope}"`;
    return Promise.resolve(this.#writer.writeList(id, page, `${next}${hints}`));
  }

  #call(request: ModernRequest, view: View, handler: MethodHandler): Promise<EdgeAnswer> {
    const { id, params, meta, edge } = request;
    const name = params['name'] as string;
    const args = params['arguments'] as Record<string, unknown> | undefined;
    const tool = view.tools.get(name);
    const declared = tool?.paramHeaders ?? [];
    const mismatch = declared.length > 0 ? paramHeaderMismatch(declared, args, edge.header) : undefined;
    if (mismatch) return Promise.resolve(this.#toFailure(id, mismatch, 400));
    const isSimple =
      params['inputResponses'] === undefined &&
      params['requestState'] === undefined &&
      meta['progressToken'] === undefined &&
      meta[`${PREFIX}logLevel`] === undefined &&
      !(this.#registry.tools.mayHaveTasks && taskRuleOf(view, { name, arguments: args, meta }));
    if (!isSimple) return this.#serve(request, handler);
    // Fast path: most calls send nothing before their result and need no stream.
    let ask: AskClient | undefined;
    const options = toRequestOptions(edge, {
      protocolVersion: MODERN,
      client: meta[CLIENT] as Caller['client'],
      capabilities: meta[CAPABILITIES] as Caller['capabilities'],
      lazySignal: edge.signal,
      meta,
      onFault: this.#options.onError,
      ask: (questions, memo) =>
        (ask ??= this.#registry.askInRounds({ method: 'tools/call', params }, call))(questions, memo),
    });
    const call: ExecuteRequest = Object.assign(options, { name, arguments: args });
    const running = this.#registry.executeTool(call, view, this.#viewOf);
    return running.then((result) => {
      // Fast path: a result that is only content needs no further decisions.
      if (result.isError === undefined && result._meta === undefined && result.resultType === undefined) {
        try {
          return this.#writer.writePlain(id, result);
        } catch (error) {
          return this.#toFailure(id, toRpcError(error, this.#options.onError));
        }
      }
      const rejected = result.isError === true ? protocolErrorOf(result, name, view) : undefined;
      if (rejected) return this.#toFailure(id, toRpcError(rejected, this.#options.onError));
      const toWire = (): object => toWireResult(result, name, view, MODERN);
      if (result.resultType === undefined) return this.#write(id, toWire, call.caller);
      return this.#toAnswer(id, { ...call, method: 'tools/call', params }, async () => toWire());
    });
  }

  /** Runs a method whose response may become a stream. */
  #serve(request: ModernRequest, handler: MethodHandler): Promise<EdgeAnswer> {
    const { meta, edge } = request;
    const { capacity } = this.#options;
    const rejected = capacity.rejection('calls', edge.caller?.share);
    if (rejected) return Promise.resolve(rejected);
    const release = capacity.hold('calls', edge.caller?.share);
    const threshold = meta[`${PREFIX}logLevel`];
    const controller = new AbortController();
    const cancel = (): void => controller.abort();
    edge.signal().addEventListener('abort', cancel, { once: true });
    const response = new JsonOrSseResponse({
      // A client that disconnects from the stream cancels the call.
      createStream: () => {
        const stream = new EventStream();
        stream.onDisconnect(cancel);
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
      onFault: this.#options.onError,
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
        ask = this.#registry.askInRounds({ method, params, inputResponses, requestState }, options);
    } catch (error) {
      response.finish(this.#toFailure(id, toRpcError(error, this.#options.onError)));
      return;
    }
    response.finish(await this.#toAnswer(id, { ...options, ask, method, params }, handler));
  }

  async #toAnswer(id: Id, request: McpRequest, handler: MethodHandler): Promise<JsonAnswer> {
    const { onError } = this.#options;
    try {
      const answered = await serveMethod(this.#registry, handler, request, onError);
      return this.#write(id, () => answered as object, request.caller);
    } catch (error) {
      return this.#toFailure(id, toRpcError(error, onError));
    }
  }

  /** Writes a result with the fields that 2026-07-28 adds to every result. */
  #write(id: Id, read: () => object, caller: Caller | undefined): JsonAnswer {
    try {
      const answered = read() as CallToolResult;
      const rejected = scopeChallenge(answered, caller?.auth);
      if (rejected) return toAnswer(rejected, id);
      return this.#writer.write(id, answered);
    } catch (error) {
      return this.#toFailure(id, toRpcError(error, this.#options.onError));
    }
  }

  #toFailure(id: Id, error: RpcError, status?: number): JsonAnswer {
    return { status: status ?? (error.code === MISSING_CAPABILITY ? 400 : 200), body: writeError(id, error) };
  }

  #discover(): object {
    const { instructions, taskMethods } = this.#registry;
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

function viewRequestOf(edge: EdgeRequest, meta: Params): RequestOptions {
  const { auth, address, selection, session, clientId } = edge;
  const client = meta[CLIENT] as Caller['client'];
  return { protocolVersion: MODERN, caller: { auth, address, client }, selection, session, clientId };
}
