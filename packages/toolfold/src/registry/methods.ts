import { isModern, MODERN } from '../protocol/mcp-types.js';
import { toRpcError } from '../protocol/rpc-error.js';
import { clip, describeValue, didYouMean, isJsonObject } from '@toolfold/schema/internal';
import { missingCapabilities, InputRequired } from '../protocol/input-required.js';
import {
  ErrInvalidResult,
  ErrMissingCapability,
  ErrProtocol,
  ErrUnknownTool,
  ErrValidationFailed,
} from '@toolfold/schema/errors';
import type { ErrorReport } from '../engine/error-handler.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { internalsOf } from './any-registry.js';
import type { AnyRegistry, ListEntry, ListKind } from './any-registry.js';
import type { ExecuteRequest, McpRequest, RequestOptions } from '../engine/request.js';
import { assertPageSize, pageOf } from '../views/lists.js';
import { isProtocolError } from '../engine/call-errors.js';
import type { MethodHandler } from './mcp-middleware.js';
import type { CompletionRequest } from './complete.js';
import type { View } from '../views/view.js';

/** Decides how lists are paged and cached. */
export interface MethodOptions {
  /** Maximum number of entries on one page of a list. Default: all. */
  readonly pageSize?: number | undefined;
  /** How long 2026 clients may cache lists. Default: not at all. */
  readonly cacheHints?: CacheHints | undefined;
  /** @internal Whether clients get different lists of tools. */
  readonly variesByClient?: boolean | undefined;
}

/** Permission for 2026 clients to cache lists. */
export interface CacheHints {
  /** Milliseconds after which a client must read the list again. */
  readonly ttlMs: number;
  /** `public` allows a shared cache to return the list to other callers. */
  readonly cacheScope: 'public' | 'private';
}

/** The requests whose handlers may ask the client something before they answer. */
export const askable: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

const NO_HINTS: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/**
 * The capabilities of a server with this registry, for 2025 and 2026 clients.
 *
 * @internal
 */
export function capabilitiesOf(registry: AnyRegistry): Record<string, object> {
  const { prompts, resources } = internalsOf(registry).offers;
  return {
    tools: { listChanged: true },
    logging: {},
    ...(prompts ? { prompts: { listChanged: true } } : {}),
    ...(resources ? { resources: { listChanged: true, subscribe: true } } : {}),
    ...(prompts || resources ? { completions: {} } : {}),
  };
}

/**
 * The methods that a registry answers on every transport: tools always, prompts and resources if there are any.
 *
 * @internal
 */
export function createMethods(
  registry: AnyRegistry,
  viewFor: (request: RequestOptions) => View | Promise<View>,
  { pageSize, cacheHints = NO_HINTS, variesByClient = false }: MethodOptions = {},
): Record<string, MethodHandler> {
  assertPageSize(pageSize);
  const { prompts, resources } = internalsOf(registry).offers;
  // Lists of authenticated callers are private, because they may contain tools that other callers must not see.
  const hints = ({ protocolVersion, caller, selection }: McpRequest, varies = false): Partial<CacheHints> => {
    if (!isModern(protocolVersion)) return {};
    // A request with a selection gets its own list.
    const isOwn = caller?.auth !== undefined || selection !== undefined || varies;
    const { ttlMs, cacheScope } = cacheHints;
    return { ttlMs, cacheScope: isOwn ? 'private' : cacheScope };
  };
  const answerList = async (
    kind: ListKind,
    request: McpRequest,
    entries: readonly ListEntry[],
    tools?: View['tools'],
  ): Promise<object> => {
    const all = await internalsOf(registry).interceptList(kind, request, entries, tools);
    const { page, nextCursor } = pageOf(all, request.params['cursor'], pageSize);
    return {
      [kind]: page,
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...hints(request, kind === 'tools' && variesByClient),
    };
  };
  const list =
    (kind: ListKind, entries: () => readonly ListEntry[]): MethodHandler =>
    (request) =>
      answerList(kind, request, entries());
  return {
    'tools/list': async (request) => {
      const view = await viewFor(request);
      const listed = view.listTools(isModern(request.protocolVersion) ? MODERN : '2025-11-25');
      // The missing tools of a partial view may be loaded by the next request, so the list must not be cached.
      const passing = view.isPartial === true && isModern(request.protocolVersion) ? { ttlMs: 0 } : {};
      return { ...(await answerList('tools', request, listed, view.tools)), ...passing };
    },
    'tools/call': async (request) => {
      const { params } = request;
      const name = String(params['name']);
      const view = await viewFor(request);
      const call = { ...request, name, arguments: params['arguments'] as ExecuteRequest['arguments'] };
      const result = await internalsOf(registry).callOrStartTask(call, view, viewFor);
      return toWireResult(result, name, view, request.protocolVersion);
    },
    ...(!prompts
      ? {}
      : {
          'prompts/list': list('prompts', () => registry.listPrompts()),
          'prompts/get': async ({ params, ...request }) =>
            registry.getPrompt({
              ...request,
              name: String(params['name']),
              arguments: params['arguments'] as ExecuteRequest['arguments'],
            }),
        }),
    ...(!resources
      ? {}
      : {
          'resources/list': list('resources', () => registry.listResources()),
          'resources/templates/list': list('resourceTemplates', () => registry.listResourceTemplates()),
          'resources/read': async ({ params, ...request }) => ({
            ...(await registry.readResource({ ...request, uri: String(params['uri']) })),
            ...(isModern(request.protocolVersion) ? NO_HINTS : {}),
          }),
        }),
    ...(prompts || resources ? { 'completion/complete': (request) => complete(registry, request) } : {}),
  };
}

/**
 * Runs a method through the middleware. Questions become a result; errors are thrown with their JSON-RPC code.
 *
 * @internal
 */
export async function serveMethod(
  registry: AnyRegistry,
  handler: MethodHandler,
  request: McpRequest,
  onFault: ((error: unknown) => void) | undefined,
): Promise<unknown> {
  try {
    // executeTool runs the middleware of calls, because calls also come from elsewhere.
    const result = await (request.method === 'tools/call'
      ? handler(request)
      : internalsOf(registry).intercept(request, handler));
    if (!isJsonObject(result))
      throw new ErrInvalidResult(
        `A middleware of registry.use() returned ${describeValue(result)} for ${request.method}.`,
        { hint: 'Write return next(), or return a result.' },
      );
    if (result['resultType'] === 'input_required') assertAnswerable(result, request);
    return result;
  } catch (error) {
    if (!(error instanceof InputRequired)) throw toRpcError(error, onFault);
    const asked = error.toResult();
    try {
      assertAnswerable(asked, request);
    } catch (missing) {
      throw toRpcError(missing, onFault);
    }
    return asked;
  }
}

/** Rejects questions that the client cannot answer. Clients that declare no capabilities are not checked. */
function assertAnswerable(result: object, { caller }: McpRequest): void {
  const { inputRequests } = result as Partial<CallToolResult>;
  if (!inputRequests || !caller?.capabilities) return;
  const requiredCapabilities = missingCapabilities(inputRequests, caller.capabilities);
  if (!requiredCapabilities) return;
  throw new ErrMissingCapability(
    `Missing required client capabilities: ${Object.keys(requiredCapabilities).join(', ')}`,
    { details: { requiredCapabilities } },
  );
}

/** Turns the result of a call into the answer to the client. Throws if the answer is an error of the protocol. */
export function toWireResult(
  result: CallToolResult,
  name: string,
  view: View,
  protocolVersion: string | undefined,
): object {
  const rejected = result.isError === true ? protocolErrorOf(result, name, view) : undefined;
  if (rejected) throw rejected;
  if (result.resultType === 'input_required') {
    // The protocol's `input_required` result has no `content` field.
    const { content: _, ...question } = result;
    return question;
  }
  const { structuredContent } = result;
  if (structuredContent === undefined || isJsonObject(structuredContent) || isModern(protocolVersion))
    return result;
  // 2025 clients accept only objects as structured content.
  const { structuredContent: _, ...rest } = result;
  return rest;
}

/** The error of the protocol that a client gets in place of a failed result, if any. */
export function protocolErrorOf(
  result: CallToolResult,
  name: string,
  view: View,
): ErrUnknownTool | ErrProtocol | undefined {
  const report = result._meta?.['toolfold/error'] as ErrorReport | undefined;
  // The error may come from a nested call whose result the handler returned, so check that this tool is really unknown.
  if (report?.code === 'ErrUnknownTool' && !view.tools.has(name))
    return new ErrUnknownTool(`Unknown tool "${clip(name)}".${didYouMean(report.suggestions[0])}`);
  return report && isProtocolError(result) ? new ErrProtocol(report.message, report.details) : undefined;
}

async function complete(registry: AnyRegistry, { params, ...options }: McpRequest): Promise<unknown> {
  if (!isJsonObject(params['ref']) || !isJsonObject(params['argument']))
    throw new ErrValidationFailed('Validation failed: ref and argument are required.');
  return { completion: await registry.complete(params as unknown as CompletionRequest, options) };
}
