import { ErrNextCalledTwice } from '../errors.js';
import type { InternalAction } from './internal-action.js';
import type { Middleware, ToolCall } from './tool-definition.js';

/** Runs one action: all of its middleware, then its handler. What either returns may be a promise or not. */
export type ChainFn = (call: ToolCall) => unknown;

/**
 * Composes, for every action, its middleware and handler into one function: global outermost, then group,
 * then action. Nothing is assembled when a call comes.
 */
export function compileMiddlewareChains(
  actions: readonly InternalAction[],
  globalMiddleware: readonly Middleware[] = [],
): Map<string, ChainFn> {
  return new Map(
    actions.map(({ key, middleware, handler }) => [
      key,
      [...globalMiddleware, ...middleware].reduceRight<ChainFn>(wrap, handler),
    ]),
  );
}

function wrap(inner: ChainFn, middleware: Middleware): ChainFn {
  return (call) => {
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
