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
      compose([...globalMiddleware, ...middleware], toEnd(handler)),
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

/** What went wrong after a middleware returned. One for all levels of a call, looked at once. */
interface Late {
  isTwice: boolean;
}

type Level = (call: ToolCall, around: Around | undefined, late: Late) => unknown;

function compose(middleware: readonly Middleware[], end: ChainFn): ChainFn {
  if (middleware.length === 0) return end;
  const chain = middleware.reduceRight<Level>(wrap, end);
  return (call, around) => {
    const late: Late = { isTwice: false };
    const result = chain(call, around, late);
    if (!(result instanceof Promise)) return result;
    return result.then((value: unknown) => {
      if (late.isTwice) throw calledTwice();
      return value;
    });
  };
}

function wrap(inner: Level, middleware: Middleware): Level {
  return (call, around, late) => {
    let isCalled = false;
    let given: Promise<unknown> | undefined;
    let hasReturned = false;
    const next = (changed: ToolCall = call): Promise<unknown> => {
      if (isCalled) {
        // Thrown while somebody is there to catch it. Later the call fails when it ends.
        if (!hasReturned) throw calledTwice();
        late.isTwice = true;
        return tolerate(Promise.reject(calledTwice()));
      }
      isCalled = true;
      given = settle(inner, changed, around, late);
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
    return isAsyncGenerator(result) ? drain(result, call.context) : result;
  };
}

/** A promise of what a chain gives or throws. An async function would cost three turns of the queue more. */
function settle(chain: Level, call: ToolCall, around: Around | undefined, late: Late): Promise<unknown> {
  try {
    const result = chain(call, around, late);
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
