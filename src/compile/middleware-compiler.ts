import { ErrNextCalledTwice } from '../errors.js';
import type { InternalAction } from './internal-action.js';
import type { Middleware, ToolCall } from './tool-definition.js';

/** Runs one action: all of its middleware, then its handler. */
export type ChainFn = (call: ToolCall) => Promise<unknown>;

/**
 * Composes, for every action, its middleware and handler into one function: global outermost, then group,
 * then action. Nothing is assembled when a call comes.
 */
export function compileMiddlewareChains(
  actions: readonly InternalAction[],
  globalMiddleware: readonly Middleware[] = [],
): Map<string, ChainFn> {
  return new Map(
    actions.map((action) => [
      action.key,
      [...globalMiddleware, ...action.middleware].reduceRight(wrap, async (call: ToolCall) =>
        action.handler(call),
      ),
    ]),
  );
}

function wrap(inner: ChainFn, middleware: Middleware): ChainFn {
  return async (call) => {
    let isCalled = false;
    return middleware(call, async (changed = call) => {
      if (isCalled) {
        throw new ErrNextCalledTwice('A middleware called next() twice.', {
          hint: 'Keep the result of the first call.',
        });
      }
      isCalled = true;
      return inner(changed);
    });
  };
}
