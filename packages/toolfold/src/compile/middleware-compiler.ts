import { ErrInvalidResult, ErrNextCalledTwice } from '@toolfold/schema/errors';
import type { ActionFn, WrapHandler } from '../define/read-definition.js';
import type { Middleware, RequestContext, ToolCall } from '../define/tool-definition.js';
import { describeKind, isJsonObject } from '@toolfold/schema/internal';

/** Runs one action: its middleware, then its handler. Either may return a promise or a plain value. */
export type ChainFn = ActionFn;

/** The parts of an action that are composed into its chain. */
export interface ChainedAction {
  /** The key of the action, by which its chain is found. */
  readonly key: string;
  /** The middleware of the action's group, then its own. */
  readonly middleware: readonly Middleware[];
  /** Called by the last middleware. */
  readonly handler: ChainFn;
}

/**
 * The default strategy for middleware: composes the middleware and the handler of every action into one function at compile time.
 * Global middleware is outermost, then that of the group, then that of the action.
 */
export function compileMiddlewareChains(
  actions: readonly ChainedAction[],
  globalMiddleware: readonly Middleware[] = [],
): Map<string, ChainFn> {
  return new Map(
    actions.map(({ key, middleware, handler }) => [
      key,
      compose([...globalMiddleware, ...middleware], handler),
    ]),
  );
}

/** Runs a generator inside the middleware, with the context that reached the handler. */
export function drainGenerators(handler: ChainFn): ChainFn {
  return (call, wrap) => {
    const result = handler(call, wrap);
    return isAsyncGenerator(result) ? drain(result, call.context) : result;
  };
}

interface Run {
  readonly wrap: WrapHandler | undefined;
  /** Whether a middleware called next() a second time after it had returned. Checked once, when the call ends. */
  isTwice: boolean;
  isHandled: boolean;
  handled: unknown;
  /** Whether next() resolved to undefined, which is a mistake if the handler returned a value. */
  isEmpty: boolean;
}

type Level = (call: ToolCall, run: Run) => unknown;

function compose(middleware: readonly Middleware[], end: ChainFn): ChainFn {
  // Without middleware, the pipeline drains the generator that a handler returns.
  if (middleware.length === 0) return end;
  const drained = drainGenerators(end);
  const chain = middleware.reduceRight<Level>(toLevel, (call, run) => {
    run.isHandled = true;
    return (run.handled = drained(call, run.wrap));
  });
  return (call, wrap) => {
    const run: Run = { wrap, isTwice: false, isHandled: false, handled: undefined, isEmpty: false };
    const result = chain(call, run);
    if (!(result instanceof Promise)) return result === undefined ? assertIntended(run, result) : result;
    return result.then((value: unknown) => {
      if (run.isTwice) throw calledTwice();
      return value === undefined || run.isEmpty ? assertIntended(run, value) : value;
    });
  };
}

/** Throws if a middleware returned undefined although next() gave it a value, or without calling next(). */
async function assertIntended(run: Run, value: unknown): Promise<unknown> {
  if (!run.isHandled) {
    if (value !== undefined) return value;
    throw new ErrInvalidResult('A middleware returned undefined without calling next().', {
      hint: 'Write return next(), or return a result.',
    });
  }
  // If the handler failed, the middleware has caught the error.
  const handled = await Promise.resolve(run.handled).catch(() => undefined);
  if (handled === undefined) return value;
  throw new ErrInvalidResult(
    `A middleware returned undefined, although next() returned ${describeKind(handled)}.`,
    { hint: 'Write return next(), or const result = await next() and return result.' },
  );
}

function toLevel(inner: Level, middleware: Middleware): Level {
  return (call, run) => {
    let isCalled = false;
    let hasReturned = false;
    let given: Promise<unknown> | undefined;
    let result: unknown;
    try {
      const next: (changed?: ChangedCall) => Promise<never> = (changed) => {
        if (isCalled) return rejectSecond(run, hasReturned);
        isCalled = true;
        given = start(inner, changed ? mergeCall(call, changed) : call, run);
        return (hasReturned ? watch(given, run) : given) as Promise<never>;
      };
      result = middleware(call, next);
    } finally {
      hasReturned = true;
      // The caller awaits a promise that the middleware returns. Of any other, ignore the rejection.
      if (given !== undefined && given !== result) watch(given, run);
    }
    return result === given || !isAsyncGenerator(result) ? result : drain(result, call.context);
  };
}

type ChangedCall = { readonly [field in keyof ToolCall]?: Partial<ToolCall[field]> };

function mergeCall(call: ToolCall, { input, context }: ChangedCall): ToolCall {
  return { input: input ?? call.input, context: context ? { ...call.context, ...context } : call.context };
}

async function start(level: Level, call: ToolCall, run: Run): Promise<unknown> {
  return level(call, run);
}

/** Rejects a second next(): throws while the middleware runs; after that, the call fails when it ends. */
function rejectSecond(run: Run, hasReturned: boolean): Promise<never> {
  if (!hasReturned) throw calledTwice();
  run.isTwice = true;
  const rejected = Promise.reject<never>(calledTwice());
  rejected.catch(() => undefined);
  return rejected;
}

/** Notes whether next() resolves to undefined. Prevents an unhandled rejection if a middleware ignores the promise. */
function watch(promise: Promise<unknown>, run: Run): Promise<unknown> {
  promise.then(
    (value) => {
      if (value === undefined) run.isEmpty = true;
    },
    () => undefined,
  );
  return promise;
}

export function calledTwice(): ErrNextCalledTwice {
  return new ErrNextCalledTwice('A middleware called next() twice.', {
    hint: 'Keep the result of the first call.',
  });
}

export function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

/**
 * Runs a generator to its end. Yielded values are progress; the returned value is the result. When the call is cancelled, the
 * generator is closed and reports nothing more.
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
      // The call goes on if the client can no longer receive progress.
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
