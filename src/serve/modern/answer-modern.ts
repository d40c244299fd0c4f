import { MISSING_CAPABILITY } from '../../protocol/rpc-codes.js';
import type { Caller } from '../../callers/caller.js';
import { ToolfoldError } from '../../errors.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { isLogged, isLoggingLevel } from '../../protocol/log-levels.js';
import type { ExecuteRequest, McpRequest, RequestOptions } from '../../engine/request.js';
import {
  askable,
  capabilitiesOf,
  createMethods,
  protocolErrorOf,
  serveMethod,
  toWireResult,
} from '../../registry/methods.js';
import { MODERN } from '../../protocol/versions.js';
import { toRpcError } from '../../protocol/rpc-error.js';
import type { CacheHints, MethodOptions } from '../../registry/methods.js';
import type { MethodHandler } from '../../registry/mcp-middleware.js';
import type { RpcError } from '../../protocol/rpc-error.js';
import { assertPageSize, listDigest, readCursor } from '../../views/pages.js';
import type { AskClient } from '../../questions/request-input.js';
import { taskRuleOf } from '../../tasks/task-calls.js';
import { TASKS_EXTENSION } from '../../tasks/tasks.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { toRequestOptions } from '../../registry/incoming-request.js';
import type { View } from '../../views/view.js';
import { isJsonObject } from '../../values/json-value.js';
import type { Exposure } from '../../toolsets/exposure.js';
import { scopeChallenge } from '../auth/challenge.js';
import type { EdgeAnswer, EdgeRequest } from '../http/request-response.js';
import { LEGACY, NEEDS_SDK, PREFIX, VALID, classify } from './envelope.js';
import { EventStream } from '../http/event-stream.js';
import { JsonOrSseResponse, writeError } from '../http/json-or-sse-response.js';
import { toAnswer } from '../http/admission.js';
import type { Capacity } from '../http/capacity.js';
import { paramHeaderMismatch } from './param-headers.js';
import type { Id } from '../../protocol/messages.js';
import { findInvalidParam } from '../../protocol/params.js';
import { rejectMethod } from './rejections.js';
import { ResultWriter } from './result-writer.js';
import { rejectParams } from './wrong-params.js';

const ANYBODY: RequestOptions = Object.freeze({});
const CLIENT_INFO = `${PREFIX}clientInfo`;
const CLIENT_CAPABILITIES = `${PREFIX}clientCapabilities`;
/** The one method that only the SDK serves. */
const LISTEN = 'subscriptions/listen';

type Params = Readonly<Record<string, unknown>>;

/** The body of a request that `classify` accepted. */
interface RightRequest {
  readonly id: Id;
  readonly method: string;
  readonly params?: Params;
}

export interface ModernOptions extends MethodOptions {
  readonly cacheHints: CacheHints;
  readonly exposure: Exposure;
  readonly capacity: Capacity;
  /** Told what went wrong and is not for clients. */
  readonly onError: (error: unknown) => void;
}

/** Answers 2026 requests from compiled data, and rejects invalid ones. Returns `undefined` if the SDK must answer. */
export class ModernAnswers {
  readonly #registry: AnyRegistry;
  readonly #options: ModernOptions;
  readonly #writer: ResultWriter;
  readonly #viewOf: (request: RequestOptions) => View | Promise<View>;
  #methods: Readonly<Record<string, MethodHandler>> | undefined;

  constructor(registry: AnyRegistry, options: ModernOptions) {
    assertPageSize(options.pageSize);
    this.#registry = registry;
    this.#options = options;
    this.#viewOf = (request) => options.exposure.viewFor(request);
    this.#writer = new ResultWriter({ name: registry.name, version: registry.version });
  }

  /** What is registered has changed. */
  refresh(): void {
    this.#methods = undefined;
  }

  answer(request: EdgeRequest): Promise<EdgeAnswer> | undefined | typeof NEEDS_SDK | typeof LEGACY {
    const verdict = classify(request);
    if (verdict === NEEDS_SDK || verdict === LEGACY) return verdict;
    if (verdict !== VALID) return Promise.resolve(verdict);
    const { id, method, params = {} } = request.body as RightRequest;
    const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
    if (method === LISTEN) return undefined;
    if (!this.#handlerOf(method)) return Promise.resolve(rejectMethod(id));
    if (findInvalidParam(method, params) !== undefined) {
      const rejected = rejectParams(id, method, params);
      return rejected && Promise.resolve(rejected);
    }
    const isOfTools = method === 'tools/call' || method === 'tools/list';
    // An invalid selection is rejected for every method, not only for tools.
    if (!isOfTools && !(request.selection && this.#handlers()[method]))
      return this.#serve(id, method, params, meta, request);
    try {
      const rejected = request.selection && this.#options.exposure.rejectSelection(request.selection);
      if (rejected) return Promise.resolve(this.#reject(id, rejected));
      const view = this.#viewFor(request);
      if (view instanceof Promise)
        return view.then(
          (ready) => this.#answerWith(ready, id, method, params, meta, request) as Promise<EdgeAnswer>,
          (error: unknown) => this.#reject(id, error),
        );
      return this.#answerWith(view, id, method, params, meta, request);
    } catch (error) {
      return Promise.resolve(this.#reject(id, error));
    }
  }

  #answerWith(
    view: View,
    id: Id,
    method: string,
    params: Params,
    meta: Params,
    request: EdgeRequest,
  ): Promise<EdgeAnswer> | undefined {
    if (method === 'tools/call') return this.#call(id, params, meta, request, view);
    return method === 'tools/list' && !this.#registry.hasMiddleware
      ? this.#list(id, params, request, view)
      : this.#serve(id, method, params, meta, request);
  }

  #viewFor({ auth, address, selection, session, clientId }: EdgeRequest): View | Promise<View> {
    const { exposure } = this.#options;
    const caller = { auth, address };
    return selection || exposure.hasToolsets
      ? exposure.viewFor({ protocolVersion: MODERN, caller, selection, session, clientId })
      : exposure.viewFor(ANYBODY);
  }

  /** A view that a request cannot have: by its own mistake, or because something could not be loaded. */
  #reject(id: Id, error: unknown): EdgeAnswer {
    const isClients = error instanceof ToolfoldError && error.audience !== 'author';
    return this.#toFailure(id, toRpcError(error, this.#options.onError), isClients ? 400 : 200);
  }

  /** The list as it was written when it was made. */
  #list(
    id: Id,
    { cursor }: Params,
    { auth, selection }: EdgeRequest,
    view: View,
  ): Promise<EdgeAnswer> | undefined {
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
    const { ttlMs, cacheScope } = this.#options.cacheHints;
    const hints = `,"ttlMs":${view.isPartial === true ? 0 : ttlMs},"cacheScope":"${auth || selection ? 'private' : cacheScope}"`;
    return Promise.resolve(this.#writer.writeList(id, page, `${next}${hints}`));
  }

  #call(
    id: Id,
    params: Params,
    meta: Params,
    request: EdgeRequest,
    view: View,
  ): Promise<EdgeAnswer> | undefined {
    const name = params['name'] as string;
    const args = params['arguments'] as Record<string, unknown> | undefined;
    const tool = view.tools.get(name);
    const mismatch = tool && paramHeaderMismatch(tool.tool.inputSchema, args, request.header);
    if (mismatch) return Promise.resolve(this.#toFailure(id, mismatch, 400));
    const isSimple =
      params['inputResponses'] === undefined &&
      params['requestState'] === undefined &&
      meta['progressToken'] === undefined &&
      meta[`${PREFIX}logLevel`] === undefined &&
      !taskRuleOf(view, { name, arguments: args });
    if (!isSimple) return this.#serve(id, 'tools/call', params, meta, request);
    // Fast path: most calls send nothing before their result and need no stream.
    let ask: AskClient | undefined;
    const options = toRequestOptions(request, {
      protocolVersion: MODERN,
      client: meta[CLIENT_INFO] as Caller['client'],
      capabilities: meta[CLIENT_CAPABILITIES] as Caller['capabilities'],
      lazySignal: request.signal,
      meta,
      ask: (questions) =>
        (ask ??= this.#registry.askInRounds({ method: 'tools/call', params }, call))(questions),
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
      const rejected = protocolErrorOf(result, name, view);
      if (rejected) return this.#toFailure(id, toRpcError(rejected, this.#options.onError));
      const toWire = (): object => toWireResult(result, name, view, MODERN);
      if (result.resultType === undefined) return this.#write(id, toWire, call.caller);
      return this.#toAnswer(id, { ...call, method: 'tools/call', params }, async () => toWire());
    });
  }

  #serve(
    id: Id,
    method: string,
    params: Params,
    meta: Params,
    request: EdgeRequest,
  ): Promise<EdgeAnswer> | undefined {
    const handler = this.#handlerOf(method) as MethodHandler;
    const { capacity } = this.#options;
    const rejected = capacity.rejection('calls', request.caller?.share);
    if (rejected) return Promise.resolve(rejected);
    const running = capacity.hold('calls', request.caller?.share);
    const threshold = meta[`${PREFIX}logLevel`];
    const controller = new AbortController();
    const giveUp = (): void => controller.abort();
    request.signal().addEventListener('abort', giveUp, { once: true });
    const exchange = new JsonOrSseResponse({
      // Who leaves the stream has left the call.
      createStream: () => {
        const stream = new EventStream();
        stream.onDisconnect(giveUp);
        return stream;
      },
      hasRoom: () => !capacity.rejection('streams', request.caller?.share),
    });
    const options = toRequestOptions(request, {
      protocolVersion: MODERN,
      client: meta[CLIENT_INFO] as Caller['client'],
      capabilities: meta[CLIENT_CAPABILITIES] as Caller['capabilities'],
      signal: controller.signal,
      notify: (notification, content) => exchange.notify(notification, content),
      // A client that names no level gets no messages.
      isLogged: isLoggingLevel(threshold) ? (level) => isLogged(level, threshold) : undefined,
      meta,
    });
    void this.#answerInto(exchange, id, method, params, options, handler).finally(running.release);
    return exchange.answer;
  }

  async #answerInto(
    exchange: JsonOrSseResponse,
    id: Id,
    method: string,
    params: Params,
    options: RequestOptions,
    handler: MethodHandler,
  ): Promise<void> {
    let ask: AskClient | undefined;
    try {
      const { inputResponses, requestState } = params;
      if (askable.has(method))
        ask = this.#registry.askInRounds({ method, params, inputResponses, requestState }, options);
    } catch (error) {
      exchange.finish(this.#toFailure(id, toRpcError(error, this.#options.onError)));
      return;
    }
    exchange.finish(await this.#toAnswer(id, { ...options, ask, method, params }, handler));
  }

  async #toAnswer(
    id: Id,
    request: McpRequest,
    handler: MethodHandler,
  ): Promise<EdgeAnswer & { readonly body: string }> {
    const { onError } = this.#options;
    try {
      const answered = await serveMethod(this.#registry, handler, request, onError);
      return this.#write(id, () => answered as object, request.caller);
    } catch (error) {
      return this.#toFailure(id, toRpcError(error, onError));
    }
  }

  /** Writes a result with the fields that 2026-07-28 adds to every result. */
  #write(id: Id, read: () => object, caller: Caller | undefined): EdgeAnswer & { readonly body: string } {
    try {
      const answered = read() as CallToolResult;
      const rejected = scopeChallenge(answered, caller?.auth);
      if (rejected) return toAnswer(rejected, id);
      return this.#writer.write(id, answered);
    } catch (error) {
      return this.#toFailure(id, toRpcError(error, this.#options.onError));
    }
  }

  #toFailure(id: Id, error: RpcError, status?: number): EdgeAnswer & { readonly body: string } {
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

  #handlerOf(method: string): MethodHandler | undefined {
    const handler = this.#handlers()[method];
    if (handler) return handler;
    // Toolsets that are loaded later may bring the first task.
    const { taskMethods } = this.#registry;
    return Object.hasOwn(taskMethods, method) ? taskMethods[method] : undefined;
  }

  #handlers(): Readonly<Record<string, MethodHandler>> {
    return (this.#methods ??= this.#createHandlers());
  }

  #createHandlers(): Readonly<Record<string, MethodHandler>> {
    const { exposure: _, ...options } = this.#options;
    return Object.assign(
      Object.create(null) as Record<string, MethodHandler>,
      createMethods(this.#registry, this.#viewOf, options),
      this.#registry.taskMethods,
      { 'server/discover': async () => this.#discover() },
    );
  }
}
