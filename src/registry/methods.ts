import { isModern, MODERN } from '../protocol/mcp-types.js';
import { toRpcError } from '../protocol/rpc-error.js';
import { clip, didYouMean } from '../values/nearest-name.js';
import { missingCapabilities, InputRequired } from '../protocol/input-required.js';
import {
  ErrInvalidResult,
  ErrMissingCapability,
  ErrProtocol,
  ErrUnknownTool,
  ErrValidationFailed,
} from '../errors.js';
import type { ErrorReport } from '../engine/error-handler.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { describeValue } from '../values/describe-value.js';
import { isJsonObject } from '../values/json-value.js';
import type { AnyRegistry, ListEntry, ListKind } from './any-registry.js';
import type { ExecuteRequest, McpRequest, RequestOptions } from '../engine/request.js';
import { assertPageSize, pageOf } from '../views/lists.js';
import { isProtocolError } from '../engine/call-errors.js';
import type { MethodHandler } from './mcp-middleware.js';
import type { CompletionRequest } from './complete.js';
import type { View } from '../views/view.js';

/** Options for the answers to list requests. */
export interface MethodOptions {
  /** Number of entries on a page of a list. Default: all. */
  readonly pageSize?: number | undefined;
  /** How 2026 clients may cache lists. */
  readonly cacheHints?: CacheHints | undefined;
  /** @internal Whether clients get different lists of tools. */
  readonly variesByClient?: boolean | undefined;
}

/** How 2026 clients may cache a list. */
export interface CacheHints {
  /** Milliseconds for which a list may be cached. */
  readonly ttlMs: number;
  /** `public` if a shared cache may return the list to other callers. */
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
export function capabilitiesOf({ offers: { prompts, resources } }: AnyRegistry): Record<string, object> {
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
  const { prompts, resources } = registry.offers;
  // Lists of authenticated callers are private, because they may contain tools that other callers must not see.
  const hints = ({ protocolVersion, caller, selection }: McpRequest, varies = false): Partial<CacheHints> => {
    if (!isModern(protocolVersion)) return {};
    // A request with a selection gets its own list.
    const isOwn = caller?.auth !== undefined || selection !== undefined || varies;
    return isOwn ? { ttlMs: cacheHints.ttlMs, cacheScope: 'private' } : cacheHints;
  };
  const list = (name: ListKind, entries: () => readonly ListEntry[]): MethodHandler => {
    return async (request) => {
      const all = registry.hasMiddleware ? await registry.interceptList(name, request, entries()) : entries();
      const { page, nextCursor } = pageOf(all, request.params['cursor'], pageSize);
      return { [name]: page, ...(nextCursor === undefined ? {} : { nextCursor }), ...hints(request) };
    };
  };
  return {
    'tools/list': async (request) => {
      const view = await viewFor(request);
      const listed = view.listTools(isModern(request.protocolVersion) ? MODERN : '2025-11-25');
      const tools = registry.hasMiddleware
        ? await registry.interceptList('tools', request, listed, view.tools)
        : listed;
      const { page, nextCursor } = pageOf(tools, request.params['cursor'], pageSize);
      // The missing tools of a partial view may be loaded by the next request, so the list must not be cached.
      const passing = view.isPartial === true && isModern(request.protocolVersion) ? { ttlMs: 0 } : {};
      return {
        tools: page,
        ...(nextCursor === undefined ? {} : { nextCursor }),
        ...hints(request, variesByClient),
        ...passing,
      };
    },
    'tools/call': async (request) => {
      const { params } = request;
      const name = String(params['name']);
      const view = await viewFor(request);
      // The request was made for this call, so it is completed in place: a copy would take a quarter of the time of a session call.
      const call = Object.assign(request, {
        name,
        arguments: params['arguments'] as ExecuteRequest['arguments'],
      });
      const result = await registry.callOrStartTask(call, view, viewFor);
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
      : registry.intercept(request, handler));
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
function assertAnswerable(result: unknown, { caller }: McpRequest): void {
  const { resultType, inputRequests } = (result ?? {}) as Partial<CallToolResult>;
  if (resultType !== 'input_required' || !inputRequests || !caller?.capabilities) return;
  const requiredCapabilities = missingCapabilities(inputRequests, caller.capabilities);
  if (!requiredCapabilities) return;
  throw new ErrMissingCapability(
    `Missing required client capabilities: ${Object.keys(requiredCapabilities).join(', ')}`,
    { details: { requiredCapabilities } },
  );
}

/** A result as a client gets it. */
export function toWireResult(
  result: CallToolResult,
  name: string,
  view: View,
  protocolVersion: string | undefined,
): object {
  const rejected = result.isError === true ? protocolErrorOf(result, name, view) : undefined;
  if (rejected) throw rejected;
  if (result.resultType === 'input_required') {
    // A question has no content.
    const { content: _, ...question } = result;
    return question;
  }
  const { structuredContent, ...rest } = result;
  // 2025 clients accept only objects as structured content.
  return structuredContent === undefined || isJsonObject(structuredContent) || isModern(protocolVersion)
    ? result
    : rest;
}

/** The error of the protocol that a client gets in place of a failed result, if any. */
export function protocolErrorOf(
  result: CallToolResult,
  name: string,
  view: View,
): ErrUnknownTool | ErrProtocol | undefined {
  const report = result._meta?.['toolfold/error'] as ErrorReport | undefined;
  // A handler may have passed on what another call answered.
  if (report?.code === 'ErrUnknownTool' && !view.tools.has(name))
    return new ErrUnknownTool(`Unknown tool "${clip(name)}".${didYouMean(report.suggestions[0])}`);
  return report && isProtocolError(result) ? new ErrProtocol(report.message, report.details) : undefined;
}

async function complete(registry: AnyRegistry, { params, ...options }: McpRequest): Promise<unknown> {
  if (!isJsonObject(params['ref']) || !isJsonObject(params['argument']))
    throw new ErrValidationFailed('Validation failed: ref and argument are required.');
  return { completion: await registry.complete(params as unknown as CompletionRequest, options) };
}
