import { describe, expect, it, vi } from 'vitest';
import { ErrNextCalledTwice } from '@toolfold/schema/errors';
import { readSchema } from '@toolfold/schema';
import { deepFreeze } from '@toolfold/schema/internal';
import type { InternalAction } from '../define/read-definition.js';
import { compileMiddlewareChains } from './middleware-compiler.js';
import type { Middleware, ToolCall, ToolContext } from '../define/tool-definition.js';

/** A hand-made action, without builder or registry. */
const action = (
  key: string,
  handler: InternalAction['handler'],
  middleware: readonly Middleware[] = [],
): InternalAction => ({
  key,
  definition: { name: key, handler },
  actionName: key,
  input: readSchema({}),
  tags: [],
  scopes: [],
  middleware,
  handler,
});

const call = { input: { id: 1 }, context: { operation: 'tool/go' } as ToolContext } as ToolCall;

/** Records when it is entered and left. */
const noting =
  (log: string[], name: string): Middleware =>
  async (_call, next) => {
    log.push(`> ${name}`);
    const result = await next();
    log.push(`< ${name}`);
    return result;
  };

type Next = Parameters<Middleware>[1];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Imitates libraries that wrap functions: the wrapper has the prototype of the original function. */
const disguise = (middleware: Middleware): Middleware =>
  Object.setPrototypeOf(middleware, Object.getPrototypeOf(async () => {}) as object) as Middleware;

const run = (middleware: readonly Middleware[], handler: InternalAction['handler'] = () => 'done') =>
  compileMiddlewareChains([action('go', handler, middleware)]).get('go')!(call);

describe('compiled chains', () => {
  it('are a map from the key of each action to one function [S000-71] [S001-11]', async () => {
    const chains = compileMiddlewareChains([
      action('users.list', () => 'listed'),
      action('users.create', async () => 'created'),
      action('__proto__', () => 'odd'),
    ]);
    expect(chains).toBeInstanceOf(Map);
    expect([...chains.keys()]).toEqual(['users.list', 'users.create', '__proto__']);
    expect(await chains.get('users.list')!(call)).toBe('listed');
    expect(await chains.get('users.create')!(call)).toBe('created');
    expect(await chains.get('__proto__')!(call)).toBe('odd');
  });

  it('run global, then group, then action middleware, then the handler [S000-72] [S000-73] [S000-74] [S000-75]', async () => {
    const log: string[] = [];
    const chains = compileMiddlewareChains(
      [
        action('go', () => log.push('handler'), [noting(log, 'group'), noting(log, 'action')]),
        action('other', () => log.push('other handler')),
      ],
      [noting(log, 'global 1'), noting(log, 'global 2')],
    );
    await chains.get('go')!(call);
    expect(log).toEqual([
      '> global 1',
      '> global 2',
      '> group',
      '> action',
      'handler',
      '< action',
      '< group',
      '< global 2',
      '< global 1',
    ]);
    log.length = 0;
    await chains.get('other')!(call);
    expect(log).toEqual(['> global 1', '> global 2', 'other handler', '< global 2', '< global 1']);
  });

  it('are wrapped right to left: the inner one sees what the outer one passed [S001-15]', async () => {
    const adding =
      (text: string): Middleware =>
      async (given, next) =>
        `${text}(${String(await next({ ...given, input: { path: `${String(given.input['path'] ?? '')}${text}` } }))})`;
    const result = await run([adding('a'), adding('b'), adding('c')], ({ input }) => input['path']);
    expect(result).toBe('a(b(c(abc)))');
  });

  it('are assembled once: a call builds and searches nothing [S000-76] [S001-16]', async () => {
    const log: string[] = [];
    const layers = Array.from({ length: 10 }, (_, index) => noting(log, String(index)));
    const reads = vi.fn<() => void>();
    const watched = (list: Middleware[]): Middleware[] =>
      new Proxy(list, {
        get(target, key, receiver) {
          reads();
          return Reflect.get(target, key, receiver) as unknown;
        },
      });
    const own = watched(layers.slice(5));
    const globals = watched(layers.slice(0, 5));
    const chain = compileMiddlewareChains([action('go', () => log.push('handler'), own)], globals).get('go')!;
    expect(reads).toHaveBeenCalled();
    reads.mockClear();

    await Promise.all([chain(call), chain(call)]);
    expect(reads).not.toHaveBeenCalled();
    expect(log.filter((line) => line === 'handler')).toHaveLength(2);
    expect(log).toHaveLength(2 * 21);

    own.push(noting(log, 'late'));
    globals.length = 0;
    log.length = 0;
    await chain(call);
    expect(log.slice(0, 11)).toEqual([...Array.from({ length: 10 }, (_, index) => `> ${index}`), 'handler']);
  });

  it('are pure: equal actions give equivalent chains, and the actions stay unchanged', async () => {
    const log: string[] = [];
    const make = () => [action('go', () => 'done', [noting(log, 'own')])];
    const frozen = deepFreeze(make());
    const globals = Object.freeze([noting(log, 'global')]);
    const [first, again, other] = [
      compileMiddlewareChains(frozen, globals),
      compileMiddlewareChains(frozen, globals),
      compileMiddlewareChains(make(), globals),
    ];
    expect([...again.keys()]).toEqual([...first.keys()]);
    const logs: string[][] = [];
    for (const chains of [first, again, other]) {
      log.length = 0;
      expect(await chains.get('go')!(call)).toBe('done');
      logs.push([...log]);
    }
    expect(logs[1]).toEqual(logs[0]);
    expect(logs[2]).toEqual(logs[0]);
  });
});

describe('a middleware', () => {
  it('that calls next() twice gets an error, and nothing runs twice', async () => {
    const handler = vi.fn<() => string>(() => 'once');
    const inner = vi.fn<Middleware>((_call, next) => next());
    const twice: Middleware = async (_call, next) => {
      await next();
      return next();
    };
    await expect(run([twice, inner], handler)).rejects.toThrow(ErrNextCalledTwice);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(inner).toHaveBeenCalledTimes(1);

    handler.mockClear();
    const atOnce: Middleware = async (_call, next) => Promise.all([next(), next()]);
    await expect(run([atOnce], handler)).rejects.toThrow(ErrNextCalledTwice);
    expect(handler).toHaveBeenCalledTimes(1);

    handler.mockClear();
    const retrying: Middleware = (_call, next) => next().catch(() => next());
    const failing = vi.fn<() => never>(() => {
      throw new Error('first');
    });
    await expect(run([retrying], failing)).rejects.toThrow(ErrNextCalledTwice);
    expect(failing).toHaveBeenCalledTimes(1);
  });

  it('may call next() once in each of many sequential or concurrent calls', async () => {
    const chain = compileMiddlewareChains([action('go', () => 'done', [(_call, next) => next()])]).get('go')!;
    expect(await Promise.all([chain(call), chain(call)])).toEqual(['done', 'done']);
    expect(await chain(call)).toBe('done');
  });

  it('passes a derived call on without changing the call for outer middleware', async () => {
    const frozen = deepFreeze(structuredClone(call));
    const seen: unknown[] = [];
    const derive: Middleware = (given, next) =>
      next({ ...given, context: { ...given.context, accessToken: 'secret' } });
    const outer: Middleware = async (given, next) => {
      const result = await next();
      seen.push(given.context.accessToken);
      return result;
    };
    const chains = compileMiddlewareChains(
      [action('go', ({ context }) => context.accessToken)],
      [outer, derive],
    );
    expect(await chains.get('go')!(frozen)).toBe('secret');
    expect(seen).toEqual([undefined]);
    expect(frozen).toEqual(call);
  });

  it('passes the same call on if next() has no argument', async () => {
    const handler = vi.fn<(given: ToolCall) => void>();
    await run([(_call, next) => next()], handler);
    expect(handler.mock.calls[0]?.[0]).toBe(call);
  });

  it('may answer without next(), and then no inner function runs', async () => {
    const handler = vi.fn<() => string>();
    expect(await run([() => 'from the cache', (_call, next) => next()], handler)).toBe('from the cache');
    expect(handler).not.toHaveBeenCalled();
  });

  it('may change the result, and receives errors of inner functions', async () => {
    const failing = () => {
      throw new Error('handler failed');
    };
    await expect(run([(_call, next) => next()], failing)).rejects.toThrow('handler failed');
    await expect(run([(_call, next) => next()], () => Promise.reject(new Error('later')))).rejects.toThrow(
      'later',
    );
    const rescuing: Middleware = (_call, next) => next().catch((error: Error) => `rescued: ${error.message}`);
    expect(await run([rescuing], failing)).toBe('rescued: handler failed');
  });

  it('that throws rejects the call, even if it is synchronous', async () => {
    const handler = vi.fn<() => string>();
    const throwing: Middleware = () => {
      throw new Error('not today');
    };
    await expect(run([(_call, next) => next(), throwing], handler)).rejects.toThrow('not today');
    expect(handler).not.toHaveBeenCalled();
  });
});

/** Async functions take a shorter code path with the same result. */
describe.each<[string, (does: (call: ToolCall, next: Next) => unknown) => Middleware]>([
  ['a plain function', (does) => (given, next) => does(given, next)],
  ['an async function', (does) => async (given, next) => does(given, next)],
  ['a plain function that looks like an async one', (does) => disguise((given, next) => does(given, next))],
])('a middleware that is %s', (_kind, make) => {
  it('may ignore the promise of next() without an unhandled rejection', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    const failing = (ms: number) => async () => {
      if (ms > 0) await pause(ms);
      throw new Error('inside');
    };
    const own: Middleware = async (_call, next) => {
      await next();
      throw new Error('own');
    };
    for (const answer of [() => 'answered', () => pause(6).then(() => 'answered')]) {
      const forgetting = make((_call, next) => {
        void next();
        return answer();
      });
      for (const ms of [0, 2, 12]) {
        expect(await run([forgetting], failing(ms))).toBe('answered');
        expect(await run([(_call, next) => next(), forgetting, own], () => pause(ms))).toBe('answered');
      }
      expect(
        await run([forgetting], () => {
          throw new Error('at once');
        }),
      ).toBe('answered');
      // oxlint-disable-next-line no-thenable
      expect(
        await run([forgetting], () => ({ then: (_: unknown, no: (e: Error) => void) => no(new Error()) })),
      ).toBe('answered');
    }
    const late = make(async (_call, next) => {
      await pause(1);
      void next();
      return 'answered';
    });
    expect(await run([late], failing(2))).toBe('answered');
    const throwing = make((_call, next) => {
      void next();
      throw new Error('not today');
    });
    await expect(run([(_call, next) => next(), throwing], failing(2))).rejects.toThrow('not today');
    await pause(15);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('may catch the error of a synchronous second next(), but a later one fails the call', async () => {
    const handler = vi.fn<() => string>(() => 'once');
    const catching = make((_call, next) => {
      const result = next();
      expect(() => void next()).toThrow(ErrNextCalledTwice);
      return result;
    });
    expect(await run([catching], handler)).toBe('once');
    const later = make(async (_call, next) => {
      const result = await next();
      await next().catch(() => undefined);
      return result;
    });
    await expect(run([later], handler)).rejects.toThrow(ErrNextCalledTwice);
    await expect(run([(_call, next) => next(), later], handler)).rejects.toThrow(ErrNextCalledTwice);
    await expect(run([async (_call, next) => next(), later], handler)).rejects.toThrow(ErrNextCalledTwice);
    expect(handler).toHaveBeenCalledTimes(4);
    const fromTimer = make(async (_call, next) => {
      const result = await next();
      setTimeout(() => void next(), 1);
      await pause(5);
      return result;
    });
    await expect(run([fromTimer], handler)).rejects.toThrow(ErrNextCalledTwice);
    expect(handler).toHaveBeenCalledTimes(5);
  });

  it('may call next() after a pause', async () => {
    const handler = vi.fn<() => string>(() => 'late');
    const late = make(async (_call, next) => {
      await pause(1);
      return next();
    });
    expect(await run([late, late], handler)).toBe('late');
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('gets a promise from next() for any return value of the handler', async () => {
    const handlers: InternalAction['handler'][] = [
      () => 'given',
      async () => 'given',
      // oxlint-disable-next-line no-thenable
      () => ({ then: (resolve: (value: string) => void) => resolve('given') }),
      async function* () {
        yield 1;
        return 'given';
      },
    ];
    const looking = make((_call, next) => {
      const result = next();
      expect(result).toBeInstanceOf(Promise);
      return result;
    });
    const context = { signal: new AbortController().signal, progress: async () => {} };
    for (const handler of handlers) {
      const chain = compileMiddlewareChains([action('go', handler, [looking, looking])]).get('go')!;
      expect(await chain({ ...call, context: { ...call.context, ...context } as ToolContext })).toBe('given');
    }
  });

  it('receives synchronous errors as rejections', async () => {
    const rescuing = make((_call, next) => next().catch((error: Error) => `rescued: ${error.message}`));
    const throwing = make(() => {
      throw new Error('inner');
    });
    expect(await run([rescuing, throwing])).toBe('rescued: inner');
  });
});
