import type { McpRequest } from '../engine/request.js';
import { ErrNextCalledTwice } from '../errors.js';

/** Wraps every request. `next()` goes on, `next(changed)` with a changed request; it may be called once. */
export type McpMiddleware = (
  request: McpRequest,
  next: (request?: McpRequest) => Promise<unknown>,
) => unknown;

/** Answers a request after the middleware. */
export type MethodHandler = (request: McpRequest) => Promise<unknown>;

/** One function out of all middleware, for handlers that differ by method. */
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

function calledTwice(): ErrNextCalledTwice {
  return new ErrNextCalledTwice('A middleware called next() twice.', {
    hint: 'Keep the result of the first call.',
  });
}

/** A middleware need not look at it; the failure is then its own business. */
function tolerate(promise: Promise<unknown>): Promise<unknown> {
  promise.catch(() => undefined);
  return promise;
}
