import { ErrNextCalledTwice } from '../errors.js';
import type { ActionFn, Around } from '../define/read-definition.js';
import type { Middleware, RequestContext, ToolCall } from '../define/tool-definition.js';
import { isJsonObject } from '../values/json-value.js';

/** Runs one action: all of its middleware, then its handler. What either returns may be a promise or not. */
export type ChainFn = ActionFn;

/** The parts of an action that its chain is composed of. */
export interface ChainedAction {
  /** The key under which the chain is found. */
  readonly key: string;
  /** The middleware of the action's group, then its own. */
  readonly middleware: readonly Middleware[];
  /** The innermost function. */
  readonly handler: ChainFn;
}

/**
 * The default strategy for middleware. It composes the middleware and the handler of every action into one function, with global
 * middleware outermost, then that of the group, then that of the action. A call assembles nothing.
 */
export function compileMiddlewareChains(
  actions: readonly ChainedAction[],
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

/** What all levels of one call share. */
interface Run {
  readonly around: Around | undefined;
  /** Whether a middleware called next() twice when nobody was there to catch it. Looked at once, at the end. */
  isTwice: boolean;
}

type Level = (call: ToolCall, run: Run) => unknown;

function compose(middleware: readonly Middleware[], end: ChainFn): ChainFn {
  if (middleware.length === 0) return end;
  const chain = middleware.reduceRight<Level>(wrap, (call, run) => end(call, run.around));
  return (call, around) => {
    const run: Run = { around, isTwice: false };
    const result = chain(call, run);
    if (!(result instanceof Promise)) return result;
    return result.then((value: unknown) => {
      if (run.isTwice) throw calledTwice();
      return value;
    });
  };
}

function wrap(inner: Level, middleware: Middleware): Level {
  return isAsyncFunction(middleware) ? wrapAsync(inner, middleware) : wrapAny(inner, middleware);
}

/** An async function gives a promise of its own and hands nothing on, so there is nothing to find out afterwards. */
function wrapAsync(inner: Level, middleware: Middleware): Level {
  return (call, run) => {
    let isCalled = false;
    let hasReturned = false;
    const result = middleware(call, (changed = call) => {
      if (isCalled) return refuse(run, hasReturned);
      isCalled = true;
      return tolerate(start(inner, changed, run));
    });
    hasReturned = true;
    return result;
  };
}

function wrapAny(inner: Level, middleware: Middleware): Level {
  return (call, run) => {
    let isCalled = false;
    let hasReturned = false;
    let given: Promise<unknown> | undefined;
    let result: unknown;
    try {
      result = middleware(call, (changed = call) => {
        if (isCalled) return refuse(run, hasReturned);
        isCalled = true;
        given = start(inner, changed, run);
        return hasReturned ? tolerate(given) : given;
      });
    } finally {
      hasReturned = true;
      // What it hands on is waited for. Anything else it may have forgotten.
      if (given !== undefined && given !== result) tolerate(given);
    }
    return result === given || !isAsyncGenerator(result) ? result : drain(result, call.context);
  };
}

/** A promise of what a chain gives or throws. An async function would cost three turns of the queue more. */
function start(level: Level, call: ToolCall, run: Run): Promise<unknown> {
  try {
    const result = level(call, run);
    return result instanceof Promise ? result : Promise.resolve(result);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The second next(). Thrown while somebody is there to catch it; later the call fails when it ends. */
function refuse(run: Run, hasReturned: boolean): Promise<never> {
  if (!hasReturned) throw calledTwice();
  run.isTwice = true;
  return tolerate(Promise.reject(calledTwice()));
}

/**
 * A middleware need not look at what it gets from next(); the failure is then its own business. A handler for
 * success costs less than none: without one the value goes into a promise, which looks for its `then`.
 */
function tolerate<T>(promise: Promise<T>): Promise<T> {
  promise.then(nothing, nothing);
  return promise;
}

function nothing(): void {}

function calledTwice(): ErrNextCalledTwice {
  return new ErrNextCalledTwice('A middleware called next() twice.', {
    hint: 'Keep the result of the first call.',
  });
}

const asyncFunction: unknown = Object.getPrototypeOf(async () => {});

function isAsyncFunction(middleware: Middleware): boolean {
  return Object.getPrototypeOf(middleware) === asyncFunction;
}

export function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

/**
 * Runs a generator to its end: what it yields is progress, what it returns is its value. When the call is given
 * up, the generator is closed and says nothing more.
 */
export async function drain(
  generator: AsyncGenerator,
  { signal, progress }: RequestContext,
): Promise<unknown> {
  const close = (): void => {
    generator.return(undefined).catch(() => undefined);
  };
  signal.addEventListener('abort', close, { once: true });
  try {
    for (let count = 1; ; count++) {
      const step = await generator.next();
      if (step.done) return step.value;
      if (signal.aborted) {
        close();
        return undefined;
      }
      // A client that can no longer be told is no reason not to finish.
      await report(step.value, count, progress).catch(() => undefined);
    }
  } finally {
    signal.removeEventListener('abort', close);
  }
}

async function report(step: unknown, count: number, progress: RequestContext['progress']): Promise<void> {
  if (typeof step === 'number') await progress(step);
  else if (typeof step === 'string') await progress(count, undefined, step);
  else if (isJsonObject(step) && typeof step['progress'] === 'number') {
    const { progress: done, total, message } = step;
    await progress(
      done,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    );
  }
}
