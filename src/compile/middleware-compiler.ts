import { ErrNextCalledTwice } from '../errors.js';
import { drain, isAsyncGenerator } from './async-generator.js';
import type { ActionFn, Around, InternalAction } from './internal-action.js';
import type { Middleware, ToolCall } from './tool-definition.js';

/** Runs one action: all of its middleware, then its handler. What either returns may be a promise or not. */
export type ChainFn = ActionFn;

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
      [...globalMiddleware, ...middleware].reduceRight<ChainFn>(wrap, toEnd(handler)),
    ]),
  );
}

/** A generator runs inside the middleware, with the context that reached the handler. */
function toEnd(handler: ChainFn): ChainFn {
  return (call, around) => {
    const result = handler(call, around);
    return isAsyncGenerator(result) ? drain(result, call.context) : result;
  };
}

function wrap(inner: ChainFn, middleware: Middleware): ChainFn {
  return (call, around) => {
    let calls = 0;
    let given: Promise<unknown> | undefined;
    let hasReturned = false;
    const next = (changed: ToolCall = call): Promise<unknown> => {
      if (++calls > 1) {
        // Thrown while somebody is there to catch it. Later the call fails when the middleware ends.
        if (!hasReturned) throw calledTwice();
        return tolerate(Promise.reject(calledTwice()));
      }
      given = settle(inner, changed, around);
      return hasReturned ? tolerate(given) : given;
    };
    let result: unknown;
    try {
      result = middleware(call, next);
    } finally {
      hasReturned = true;
      // What it hands on is waited for. Anything else it may have forgotten.
      if (given !== undefined && given !== result) tolerate(given);
    }
    if (isAsyncGenerator(result)) return drain(result, call.context);
    if (result === given || !(result instanceof Promise)) return result;
    return result.then((value: unknown) => {
      if (calls > 1) throw calledTwice();
      return value;
    });
  };
}

/** A promise of what a chain gives or throws. An async function would cost three turns of the queue more. */
function settle(chain: ChainFn, call: ToolCall, around: Around | undefined): Promise<unknown> {
  try {
    const result = chain(call, around);
    return result instanceof Promise ? result : Promise.resolve(result);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A middleware need not look at what it gets from next(); the failure is then its own business. */
function tolerate(promise: Promise<unknown>): Promise<unknown> {
  promise.catch(nothing);
  return promise;
}

function nothing(): void {}

function calledTwice(): ErrNextCalledTwice {
  return new ErrNextCalledTwice('A middleware called next() twice.', {
    hint: 'Keep the result of the first call.',
  });
}
