import { calledTwice } from '../compile/middleware-compiler.js';
import { ErrInvalidOptions, ErrInvalidResult } from '@toolfold/schema/errors';
import { isResult } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { describeValue, isJsonObject } from '@toolfold/schema/internal';
import { logFailure, toErrorResult } from '../engine/call-errors.js';
import { emitFault } from '../engine/request-context.js';
import type { Services } from '../engine/services.js';
import { followForward } from '../engine/find-action.js';
import type { McpRequest, ExecuteRequest, RequestOptions } from '../engine/request.js';
import { runCall } from '../engine/pipeline.js';
import type { View, ViewSource } from '../views/view.js';

/** Wraps every request. `next()` goes on, `next(changed)` with a changed request; it may be called once. */
export type McpMiddleware = (
  request: McpRequest,
  next: (request?: McpRequest) => Promise<unknown>,
) => unknown;

/** Answers a request after all middleware has passed it on. */
export type MethodHandler = (request: McpRequest) => Promise<unknown>;

export function assertMiddleware(middleware: readonly McpMiddleware[]): readonly McpMiddleware[] {
  const wrong: unknown = middleware.find((each) => typeof each !== 'function');
  if (wrong === undefined && !middleware.includes(undefined as never)) return middleware;
  throw new ErrInvalidOptions(`registry.use takes functions, but got ${describeValue(wrong)}.`, {
    hint: 'Write registry.use(async (request, next) => { …; return next(); }).',
  });
}

/** The handler is a parameter, because each method has its own. */
export function composeMcp(
  middleware: readonly McpMiddleware[],
): (request: McpRequest, handler: MethodHandler) => Promise<unknown> {
  return (request, handler) => middleware.reduceRight(wrap, handler)(request);
}

function wrap(inner: MethodHandler, middleware: McpMiddleware): MethodHandler {
  return async (request) => {
    let calls = 0;
    const result = await middleware(request, (changed = request) =>
      tolerate(++calls > 1 ? Promise.reject(calledTwice()) : inner(changed)),
    );
    if (calls > 1) throw calledTwice();
    return result;
  };
}

/** Prevents an unhandled rejection, because a middleware may ignore the result of `next()`. */
function tolerate(promise: Promise<unknown>): Promise<unknown> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * Runs one call through the middleware of a registry. For a call of `call_read_tool` or `call_write_tool`, the middleware sees the
 * tool that is called through it. `viewFor` finds another view when middleware changes the caller, the session, the selection or
 * the protocol version.
 */
export async function runIntercepted(
  intercept: (request: McpRequest, handler: MethodHandler) => Promise<unknown>,
  services: Services,
  request: ExecuteRequest,
  view: View,
  viewFor: ViewSource['viewFor'] | undefined,
): Promise<CallToolResult> {
  const found = followForward(view.tools, request);
  const { name, arguments: args, ...options } = found.call;
  const call = async ({ params, ...rest }: McpRequest): Promise<CallToolResult> => {
    const changed = {
      ...rest,
      name: params['name'] as string,
      arguments: params['arguments'] as typeof args,
    };
    const isSameView = !viewFor || decidesTheSame(rest, options);
    if (isSameView && changed.name === name) return runCall(services, found.tools, changed);
    const reached = isSameView ? view : await viewFor(rest);
    return runCall(services, toolsFor(reached, changed.name, found.tools !== view.tools), changed);
  };
  const fail = (thrown: unknown): Promise<CallToolResult> => {
    logFailure(thrown, services, request);
    emitFault(thrown, request, services, typeof name === 'string' ? name : undefined);
    return toErrorResult(thrown, services, request, { isAdmitted: true });
  };
  return intercept({ ...options, method: 'tools/call', params: { name, arguments: args } }, call).then(
    (result) =>
      isAnswer(result)
        ? result
        : fail(
            new ErrInvalidResult(
              `A middleware of registry.use() returned ${describeValue(result)} for tools/call.`,
              { hint: 'Write return next(), or return a result: { content: [ … ] }.' },
            ),
          ),
    fail,
  );
}

function isAnswer(result: unknown): result is CallToolResult {
  return isResult(result) || (isJsonObject(result) && result['resultType'] === 'input_required');
}

/** Whether two requests have the same view: equal selection, caller, session and protocol version. */
function decidesTheSame(one: RequestOptions, other: RequestOptions): boolean {
  return (
    one.selection === other.selection &&
    one.caller === other.caller &&
    one.session === other.session &&
    one.protocolVersion === other.protocolVersion
  );
}

/**
 * The tools of a view for a call that middleware has changed. The call has the name and the arguments of the author, so no profile
 * may translate it again. A call that came through the search form names a tool that the search finds.
 */
function toolsFor(view: View, name: string, isForwarded: boolean): View['tools'] {
  const { authored = view, shown } = view;
  return isForwarded && shown && !authored.tools.has(name) ? shown.view.tools : authored.tools;
}
