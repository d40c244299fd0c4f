import { RateLimiterMemory } from 'rate-limiter-flexible';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ErrValidationFailed } from '@toolfold/schema/errors';
import { ErrorHandler } from './error-handler.js';
import type { ErrorReport } from './error-handler.js';
import { error } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { createRateLimiter } from '../guards/rate-limit/rate-limiter.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { toolWith } from '../../../../test/calls.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();
const report = (result: CallToolResult): ErrorReport => result._meta!['toolfold/error'] as ErrorReport;
const codeOf = (result: CallToolResult): string => (result.isError === true ? report(result).code : 'ok');
const as = (sub: string, scopes: readonly string[] = []) => ({ auth: { sub, scopes } });

const count = { name: 'count', description: 'Counts', inputSchema: {} };

/** The real function, taken before a test installs fake timers. */
const realSetImmediate = setImmediate;

describe('the rate limit', () => {
  it('counts each caller and each action separately', async () => {
    const registry = new ToolRegistry({
      rateLimiter: createRateLimiter({ calls: 2, windowMs: 60_000 }, { clock: () => 0 }),
    }).register(
      { ...count, name: 'a', handler: () => 1 },
      new GroupedToolBuilder('b')
        .action({ name: 'x', handler: () => 1 })
        .action({ name: 'y', handler: () => 1 }),
    );
    const twiceThenNot = async (name: string, args: Record<string, unknown>, sub: string) => {
      const codes = [];
      for (let turn = 0; turn < 3; turn++)
        codes.push(codeOf(await registry.executeTool({ name, arguments: args, caller: as(sub) })));
      return codes;
    };
    const expected = ['ok', 'ok', 'ErrRateLimited'];
    for (const sub of ['ann', 'bob']) {
      expect(await twiceThenNot('a', {}, sub)).toEqual(expected);
      expect(await twiceThenNot('b', { action: 'x' }, sub)).toEqual(expected);
      expect(await twiceThenNot('b', { action: 'y' }, sub)).toEqual(expected);
    }
  });

  it('is shared by the grouped and the flat form of an action', async () => {
    const registry = new ToolRegistry({
      rateLimiter: createRateLimiter({ calls: 1, windowMs: 60_000 }, { clock: () => 0 }),
    }).register(new GroupedToolBuilder('b').action({ name: 'x', handler: () => 1 }));
    expect(codeOf(await registry.executeTool({ name: 'b', arguments: { action: 'x' } }))).toBe('ok');
    const flat = registry.view({ form: 'flat' });
    expect(codeOf(await registry.executeTool({ name: 'b_x' }, flat))).toBe('ErrRateLimited');
  });

  it('counts calls with invalid arguments too, and costs above one', async () => {
    const registry = new ToolRegistry({
      rateLimiter: createRateLimiter({ calls: 4, windowMs: 60_000 }, { clock: () => 0 }),
    }).register({ ...count, handler: () => 1 }, { ...count, name: 'dear', cost: 3, handler: () => 1 });
    const call = async (name: string, args = {}) =>
      codeOf(await registry.executeTool({ name, arguments: args }));
    expect(await call('count', { no: 1 })).toBe('ErrValidationFailed');
    for (let turn = 0; turn < 3; turn++) expect(await call('count')).toBe('ok');
    expect(await call('count', { no: 1 })).toBe('ErrRateLimited');
    expect(await call('dear')).toBe('ok');
    expect(await call('dear')).toBe('ErrRateLimited');
  });

  it('has a generous default, and can be switched off', async () => {
    const callOften = async (registry: ToolRegistry) => {
      registry.register({ ...count, cost: 1_000, handler: () => 1 });
      const codes = [];
      for (let turn = 0; turn < 4; turn++) codes.push(codeOf(await registry.executeTool({ name: 'count' })));
      return codes;
    };
    expect(await callOften(new ToolRegistry())).toEqual(['ok', 'ok', 'ok', 'ErrRateLimited']);
    expect(await callOften(new ToolRegistry({ rateLimiter: false }))).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(await callOften(new ToolRegistry({ rateLimiter: { calls: 1_000, windowMs: 60_000 } }))).toEqual([
      'ok',
      'ErrRateLimited',
      'ErrRateLimited',
      'ErrRateLimited',
    ]);
  });

  it('may come from rate-limiter-flexible', async () => {
    const registry = new ToolRegistry({
      rateLimiter: new RateLimiterMemory({ points: 2, duration: 60 }),
    }).register({ ...count, handler: () => 1 });
    const call = () => registry.executeTool({ name: 'count' });
    expect(codeOf(await call())).toBe('ok');
    expect(codeOf(await call())).toBe('ok');
    const rejected = await call();
    expect(rejected.isError).toBe(true);
    expect(text(rejected)).toMatch(/^"count" was called too often\. Try again in \d+ s\.$/);
    expect(report(rejected).details['retryAfterMs']).toBeGreaterThan(0);
  });

  it.each([
    true,
    null,
    7,
    'high',
    {},
    { calls: 0, windowMs: 1_000 },
    { calls: 1, windowMs: 0 },
    { calls: 1 },
  ])('%j is rejected when the registry is created', (rateLimiter) => {
    expect(() => new ToolRegistry({ rateLimiter: rateLimiter as never })).toThrow(/rateLimit/);
  });

  it('delays a call at most until its timeout, and does not run a call cancelled meanwhile', async () => {
    vi.useFakeTimers();
    const handler = vi.fn<() => string>(() => 'ran');
    const hanging = new ToolRegistry({ rateLimiter: { consume: () => new Promise(() => {}) } }).register(
      toolWith(handler, { timeoutMs: 50 }),
    );
    const pending = hanging.executeTool({ name: 't' });
    await vi.advanceTimersByTimeAsync(60);
    expect(text(await pending)).toContain('longer than 50 ms');
    const slow = new ToolRegistry({
      rateLimiter: {
        consume: () =>
          new Promise((resolve) => {
            setTimeout(() => resolve({ msBeforeNext: 0, remainingPoints: 1 }), 20);
          }),
      },
    }).register(toolWith(handler));
    const controller = new AbortController();
    const cancelled = slow.executeTool({ name: 't', signal: controller.signal });
    controller.abort();
    await vi.advanceTimersByTimeAsync(100);
    expect(text(await cancelled)).toContain('cancelled');
    expect(handler).not.toHaveBeenCalled();
    vi.useRealTimers();
  });
});

describe('scopes', () => {
  const registry = () =>
    new ToolRegistry().register(
      { ...count, scopes: ['read', 'write'], handler: () => 'ran' },
      new GroupedToolBuilder('users').group('a', (a) =>
        a
          .action({ name: 'list', handler: () => 'listed' })
          .action({ name: 'ban', scopes: ['users:write', 'users:ban'], handler: () => 'banned' }),
      ),
    );

  it('are required per tool and per action, and the error names all of them', async () => {
    const tools = registry();
    const call = (name: string, scopes: readonly string[], args = {}) =>
      tools.executeTool({ name, arguments: args, caller: as('me', scopes) });
    expect(codeOf(await call('users', [], { action: 'a.list' }))).toBe('ok');
    const rejected = await call('users', ['users:write'], { action: 'a.ban' });
    expect(codeOf(rejected)).toBe('ErrInsufficientScope');
    expect(text(rejected)).toContain('users:write, users:ban');
    expect(report(rejected).details).toEqual({
      required: ['users:write', 'users:ban'],
      missing: ['users:ban'],
    });
    expect(text(await call('users', ['users:ban', 'users:write'], { action: 'a.ban' }))).toBe('banned');
    expect(codeOf(await call('count', ['read']))).toBe('ErrInsufficientScope');
    expect(text(await call('count', ['read', 'write']))).toBe('ran');
  });

  it.each([
    undefined,
    null,
    'read write',
    { 0: 'read', 1: 'write', length: 2 },
    [['read', 'write']],
    ['READ', 'WRITE'],
    ['*'],
  ])('are not granted by %j', async (scopes) => {
    const caller = { auth: { scopes: scopes as string[] } };
    expect(codeOf(await registry().executeTool({ name: 'count', caller }))).toBe('ErrInsufficientScope');
  });

  it('protect an action in every form', async () => {
    const tools = registry();
    const result = await tools.executeTool({ name: 'users_a_ban' }, tools.view({ form: 'flat' }));
    expect(codeOf(result)).toBe('ErrInsufficientScope');
  });
});

describe('a call', () => {
  const spied = (isThrottled: boolean) => {
    const work: string[] = [];
    const note = (name: string) => (): undefined => {
      work.push(name);
    };
    const action = {
      name: 'go',
      description: 'Goes',
      inputSchema: z.object({ n: z.number() }),
      scopes: ['go'],
      defaultArgumentResolver: note('resolver'),
      middleware: [
        (_call: unknown, next: () => Promise<unknown>) => {
          work.push('middleware');
          return next();
        },
      ],
      handler: note('handler'),
    };
    const registry = new ToolRegistry({
      contextFactory: note('contextFactory'),
      rateLimiter: {
        consume: async () => {
          const allowance = { msBeforeNext: 1, remainingPoints: 0 };
          if (isThrottled) throw allowance;
          return allowance;
        },
      },
    }).register(
      action,
      new GroupedToolBuilder('tool').group('g', (g) => g.action(action)),
    );
    const callBoth = async (args: Record<string, unknown>, scopes: readonly string[]) => [
      codeOf(await registry.executeTool({ name: 'go', arguments: args, caller: as('me', scopes) })),
      codeOf(
        await registry.executeTool({
          name: 'tool',
          arguments: { ...args, action: 'g.go' },
          caller: as('me', scopes),
        }),
      ),
    ];
    return { work, callBoth };
  };

  it('without a required scope does no upstream work', async () => {
    const { work, callBoth } = spied(false);
    expect(await callBoth({ n: 1 }, [])).toEqual(['ErrInsufficientScope', 'ErrInsufficientScope']);
    expect(work).toEqual([]);
  });

  it('over the rate limit does no upstream work', async () => {
    const { work, callBoth } = spied(true);
    expect(await callBoth({ n: 1 }, ['go'])).toEqual(['ErrRateLimited', 'ErrRateLimited']);
    expect(work).toEqual([]);
  });

  it('that fails validation resolves only its defaults', async () => {
    const { work, callBoth } = spied(false);
    expect(await callBoth({ n: 'x' }, ['go'])).toEqual(['ErrValidationFailed', 'ErrValidationFailed']);
    expect(work).toEqual(['resolver', 'resolver']);
  });

  it('that is admitted runs each step once', async () => {
    const { work, callBoth } = spied(false);
    expect(await callBoth({ n: 1 }, ['go'])).toEqual(['ok', 'ok']);
    const once = ['resolver', 'contextFactory', 'middleware', 'handler'];
    expect(work).toEqual([...once, ...once]);
  });

  it('cancelled before it starts does no upstream work', async () => {
    const { work } = spied(false);
    const registry = new ToolRegistry({ contextFactory: () => work.push('x') }).register({
      ...count,
      defaultArgumentResolver: () => void work.push('resolver'),
      handler: () => work.push('handler'),
    });
    expect(codeOf(await registry.executeTool({ name: 'count', signal: AbortSignal.abort() }))).toBe(
      'ErrCancelled',
    );
    expect(work).toEqual([]);
  });
});

/** The same action as a plain tool, in a flat builder and in a group. */
const ways = [
  ['alone', (action: object) => action, 'act', {}],
  [
    'in a flat builder',
    (action: object) => new GroupedToolBuilder('t').action(action as never),
    't',
    { action: 'act' },
  ],
  [
    'in a group',
    (action: object) => new GroupedToolBuilder('t').group('g', (g) => g.action(action as never)),
    't',
    { action: 'g.act' },
  ],
] as const;

describe.each(ways)('an action %s', (_, wrap, name, extra) => {
  const actWith = (
    action: object,
    options: ConstructorParameters<typeof ToolRegistry>[0] = {},
    others: readonly object[] = [],
  ) => {
    const registry = new ToolRegistry(options).register(
      ...([wrap({ name: 'act', description: 'Acts', inputSchema: {}, ...action }), ...others] as never[]),
    );
    const call = (args: Record<string, unknown> = {}, request: object = {}) =>
      registry.executeTool({ ...request, name, arguments: { ...extra, ...args } });
    return Object.assign(call, { registry });
  };

  describe('with an idempotency key', () => {
    const writing = () => {
      let writes = 0;
      return {
        handler: vi.fn<() => Promise<{ write: number }>>(async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return { write: ++writes };
        }),
      };
    };

    it('runs once, during and after the first call', async () => {
      const { handler } = writing();
      const call = actWith({ idempotency: true, handler });
      const key = { idempotencyKey: 'k' };
      const during = await Promise.all([
        call({}, key),
        call({}, key),
        call({}, { meta: { 'toolfold/idempotencyKey': 'k' } }),
      ]);
      const after = await call({}, key);
      expect([...during, after].map(text)).toEqual(Array(4).fill('{"write":1}'));
      expect(handler).toHaveBeenCalledTimes(1);
      expect(text(await call({}, { idempotencyKey: 'other' }))).toBe('{"write":2}');
      expect(text(await call())).toBe('{"write":3}');
    });

    it('runs once with the key in an argument', async () => {
      const { handler } = writing();
      const call = actWith({
        idempotency: { field: 'request_id' },
        inputSchema: z.object({ request_id: z.string(), n: z.number().optional() }),
        handler,
      });
      expect(text(await call({ request_id: 'r' }))).toBe('{"write":1}');
      expect(text(await call({ request_id: 'r' }))).toBe('{"write":1}');
      expect(codeOf(await call({ request_id: 'r', n: 1 }))).toBe('ErrIdempotencyConflict');
      expect(text(await call({ request_id: 's' }))).toBe('{"write":2}');
    });

    it('rejects other arguments with the same key', async () => {
      const { handler } = writing();
      const call = actWith({ idempotency: true, inputSchema: z.object({ n: z.number() }), handler });
      const key = { idempotencyKey: 'k' };
      const both = await Promise.all([call({ n: 1 }, key), call({ n: 2 }, key)]);
      expect(both.map(codeOf).toSorted()).toEqual(['ErrIdempotencyConflict', 'ok']);
      expect(handler).toHaveBeenCalledTimes(1);
    });

    it('runs once for each caller', async () => {
      const { handler } = writing();
      const call = actWith({ idempotency: true, handler });
      const [ann, bob] = [as('ann'), as('bob')];
      expect(text(await call({}, { idempotencyKey: 'k', caller: ann }))).toBe('{"write":1}');
      expect(text(await call({}, { idempotencyKey: 'k', caller: bob }))).toBe('{"write":2}');
      expect(text(await call({}, { idempotencyKey: 'k', caller: ann }))).toBe('{"write":1}');
    });

    it('does not run again after a failure, and reports a conflict', async () => {
      const handler = vi.fn<() => never>(() => {
        throw new Error('half done');
      });
      const call = actWith({ idempotency: true, handler });
      expect(codeOf(await call({}, { idempotencyKey: 'k' }))).toBe('ErrToolFailed');
      const again = await call({}, { idempotencyKey: 'k' });
      expect(codeOf(again)).toBe('ErrIdempotencyConflict');
      expect(handler).toHaveBeenCalledTimes(1);
    });

    it('reveals no more of a failure to a repeated call than to the first', async () => {
      const call = actWith(
        {
          idempotency: true,
          handler: () => {
            throw new Error('db7.internal refused the connection');
          },
        },
        { errorHandler: new ErrorHandler({ exposeErrors: 'generic' }) },
      );
      const results = [await call({}, { idempotencyKey: 'k' }), await call({}, { idempotencyKey: 'k' })];
      expect(JSON.stringify(results)).not.toContain('db7.internal');
    });

    it('reveals no credential of the first call to a later call', async () => {
      const call = actWith({
        idempotency: true,
        handler: ({ context }: { context: { accessToken: string } }) => {
          throw new Error(`upstream said no to ${context.accessToken}`);
        },
      });
      const request = (accessToken: string) => ({
        idempotencyKey: 'k',
        accessToken,
        caller: { auth: { sub: 'me', token: accessToken } },
      });
      const results = [
        await call({}, request('violet-harbour-one')),
        await call({}, request('copper-meadow-two')),
      ];
      expect(results.map(codeOf)).toEqual(['ErrToolFailed', 'ErrIdempotencyConflict']);
      expect(JSON.stringify(results)).not.toContain('violet-harbour-one');
    });

    it.each(['', 7, 'a\nb', 'x'.repeat(256), {}])('rejects the key %j', async (idempotencyKey) => {
      const { handler } = writing();
      const call = actWith({ idempotency: true, handler });
      expect(codeOf(await call({}, { idempotencyKey }))).toBe('ErrValidationFailed');
      expect(handler).not.toHaveBeenCalled();
    });

    it('does not use up the key if the call is rejected', async () => {
      const { handler } = writing();
      const call = actWith({
        idempotency: true,
        scopes: ['write'],
        inputSchema: z.object({ n: z.number() }),
        handler,
      });
      const key = { idempotencyKey: 'k' };
      expect(codeOf(await call({ n: 1 }, { ...key, caller: as('me') }))).toBe('ErrInsufficientScope');
      expect(codeOf(await call({ n: 'x' }, { ...key, caller: as('me', ['write']) }))).toBe(
        'ErrValidationFailed',
      );
      expect(text(await call({ n: 1 }, { ...key, caller: as('me', ['write']) }))).toBe('{"write":1}');
      // A caller that has lost the scope does not get the stored result.
      expect(codeOf(await call({ n: 1 }, { ...key, caller: as('me') }))).toBe('ErrInsufficientScope');
    });

    it('applies the minify hint of each call', async () => {
      const { handler } = writing();
      const call = actWith({ idempotency: true, handler });
      expect(text(await call({}, { idempotencyKey: 'k', minify: false }))).toBe('{\n  "write": 1\n}');
      expect(text(await call({ minify: true }, { idempotencyKey: 'k' }))).toBe('{"write":1}');
    });
  });

  it('has separate keys for each server on one store', async () => {
    const store = new MemoryStore();
    const call = (server: string) =>
      actWith({ idempotency: true, handler: () => server }, { name: server, store });
    expect(text(await call('one')({}, { idempotencyKey: 'k' }))).toBe('one');
    expect(text(await call('two')({}, { idempotencyKey: 'k' }))).toBe('two');
    expect(text(await call('one')({}, { idempotencyKey: 'k' }))).toBe('one');
  });

  describe('that is cached', () => {
    it('loads once for each caller and input, and again after the ttl', async () => {
      let now = 0;
      let loads = 0;
      const call = actWith(
        {
          readOnly: true,
          cached: { ttlMs: 1_000 },
          inputSchema: z.object({ n: z.number().default(0) }),
          handler: () => ({ load: ++loads }),
        },
        { clock: () => now },
      );
      const [ann, bob] = [{ caller: as('ann') }, { caller: as('bob') }];
      const during = await Promise.all([call({}, ann), call({ n: 0 }, ann)]);
      expect(during.map(text)).toEqual(['{"load":1}', '{"load":1}']);
      expect(text(await call({}, bob))).toBe('{"load":2}');
      expect(text(await call({ n: 1 }, ann))).toBe('{"load":3}');
      now = 999;
      expect(text(await call({}, ann))).toBe('{"load":1}');
      now = 1_000;
      expect(text(await call({}, ann))).toBe('{"load":4}');
    });

    it('and shared loads once for all callers', async () => {
      let loads = 0;
      const call = actWith({
        readOnly: true,
        cached: { ttlMs: 1_000, shared: true },
        handler: () => ++loads,
      });
      expect(text(await call({}, { caller: as('ann') }))).toBe('1');
      expect(text(await call({}, { caller: as('bob') }))).toBe('1');
    });

    it('serves the stale value while it reloads', async () => {
      let now = 0;
      let loads = 0;
      const call = actWith(
        { readOnly: true, cached: { ttlMs: 10, staleWhileRevalidateMs: 10 }, handler: () => ++loads },
        { clock: () => now },
      );
      expect(text(await call())).toBe('1');
      now = 15;
      expect(text(await call())).toBe('1');
      await vi.waitFor(async () => expect(text(await call())).toBe('2'));
      expect(loads).toBe(2);
    });

    it('is invalidated by a writing action with its tag, even by one that fails', async () => {
      let loads = 0;
      let fails = false;
      const write = {
        name: 'write',
        description: 'Writes',
        inputSchema: {},
        invalidates: ['users'],
        handler: () => {
          if (fails) throw new Error('half done');
          return 'written';
        },
      };
      const call = actWith(
        { readOnly: true, cached: { ttlMs: 1e6, tags: ['users'] }, handler: () => ++loads },
        {},
        [write, new GroupedToolBuilder('writer').group('g', (g) => g.action(write))],
      );
      const ann = { caller: as('ann') };
      expect(text(await call({}, ann))).toBe('1');
      expect(text(await call({}, ann))).toBe('1');
      await call.registry.executeTool({ name: 'write', caller: as('bob') });
      expect(text(await call({}, ann))).toBe('2');
      await call.registry.executeTool({ name: 'writer', arguments: { action: 'g.write' } });
      expect(text(await call({}, ann))).toBe('3');
      fails = true;
      expect((await call.registry.executeTool({ name: 'write' })).isError).toBe(true);
      expect(text(await call({}, ann))).toBe('4');
      // A rejected call wrote nothing.
      await call.registry.executeTool({ name: 'write', arguments: { no: 1 } });
      expect(text(await call({}, ann))).toBe('4');
    });

    it('does not cache failures', async () => {
      let loads = 0;
      const call = actWith({
        readOnly: true,
        cached: { ttlMs: 1e6 },
        handler: () => {
          loads++;
          if (loads === 1) throw new Error('not yet');
          return loads === 2 ? error('not quite') : 'there';
        },
      });
      expect(codeOf(await call())).toBe('ErrToolFailed');
      expect(text(await call())).toBe('not quite');
      expect(text(await call())).toBe('there');
      expect(text(await call())).toBe('there');
      expect(loads).toBe(3);
    });

    it('is still guarded: a caller without the scope does not get the cached value', async () => {
      const call = actWith({
        readOnly: true,
        cached: { ttlMs: 1e6, shared: true },
        scopes: ['read'],
        handler: () => 'kept',
      });
      expect(text(await call({}, { caller: as('ann', ['read']) }))).toBe('kept');
      expect(codeOf(await call({}, { caller: as('bob') }))).toBe('ErrInsufficientScope');
    });

    it('distinguishes inputs that validation transformed into non-JSON values', async () => {
      let loads = 0;
      const call = actWith({
        readOnly: true,
        cached: { ttlMs: 1e6 },
        inputSchema: z.object({
          at: z.string().transform((value) => new URL(value)),
          tags: z.array(z.string()).transform((value) => new Set(value)),
        }),
        handler: () => ++loads,
      });
      const args = { at: 'https://a.example/', tags: ['x'] };
      expect(text(await call(args))).toBe('1');
      expect(text(await call(args))).toBe('1');
      expect(text(await call({ ...args, tags: ['y'] }))).toBe('2');
      expect(text(await call({ ...args, at: 'https://b.example/' }))).toBe('3');
    });

    it('still answers if the store fails', async () => {
      const broken = async (): Promise<never> => {
        throw new Error('store is gone');
      };
      const call = actWith(
        { readOnly: true, cached: { ttlMs: 1e6, tags: ['x'] }, handler: () => 'loaded' },
        { store: { get: broken, set: broken, setIfAbsent: broken, delete: broken } },
      );
      expect(text(await call())).toBe('loaded');
    });
  });

  describe('with retries', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    const failing = (times: number, fields: object) => {
      let tries = 0;
      return vi.fn<() => string>(() => {
        if (++tries <= times) throw Object.assign(new Error('upstream'), fields);
        return `after ${tries}`;
      });
    };
    /** Digests take real time, so a pause may start after any number of turns. */
    const settle = async <T>(promise: Promise<T>): Promise<T> => {
      const state = { isSettled: false };
      const end = (): void => {
        state.isSettled = true;
      };
      promise.then(end, end);
      while (!state.isSettled) {
        await vi.advanceTimersByTimeAsync(10_000);
        await new Promise((resolve) => {
          realSetImmediate(resolve);
        });
      }
      return promise;
    };

    it.each([{ readOnly: true }, { idempotent: true }])(
      'and %j is retried while that may help',
      async (claim) => {
        const handler = failing(2, { status: 503 });
        const call = actWith({ ...claim, retry: { attempts: 3 }, handler });
        expect(text(await settle(call()))).toBe('after 3');
        expect(handler).toHaveBeenCalledTimes(3);
      },
    );

    it('stops after the maximum number of attempts', async () => {
      const handler = failing(9, { code: 'ECONNRESET' });
      const call = actWith({ idempotent: true, retry: { attempts: 3 }, handler });
      expect(codeOf(await settle(call()))).toBe('ErrToolFailed');
      expect(handler).toHaveBeenCalledTimes(3);
    });

    it.each([{ status: 400 }, { status: 404 }, { status: 500 }, {}, { message: 'HTTP 503' }])(
      'is not retried after %j',
      async (fields) => {
        const handler = failing(9, fields);
        const call = actWith({ idempotent: true, retry: { attempts: 3 }, handler });
        await settle(call());
        expect(handler).toHaveBeenCalledTimes(1);
      },
    );

    it('is not retried without the option', async () => {
      const handler = failing(9, { status: 503 });
      const call = actWith({ idempotent: true, handler });
      await settle(call());
      expect(handler).toHaveBeenCalledTimes(1);
    });

    it('writes once for one key, including retries', async () => {
      const handler = failing(1, { status: 503 });
      const call = actWith({ idempotent: true, idempotency: true, retry: { attempts: 2 }, handler });
      const key = { idempotencyKey: 'k' };
      const results = Promise.all([call({}, key), call({}, key)]);
      expect((await settle(results)).map(text)).toEqual(['after 2', 'after 2']);
      expect(handler).toHaveBeenCalledTimes(2);
      expect(text(await settle(call({}, key)))).toBe('after 2');
    });
  });
});

describe('the request log', () => {
  const lines = () => {
    const written: { level: string; message: string; fields: Record<string, unknown> }[] = [];
    const at = (level: string) => (fields: object, message: string) =>
      void written.push({ level, message, fields: { ...fields } });
    return {
      written,
      logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    };
  };

  it.each<[string, object, string, string]>([
    ['a value', { handler: () => 1 }, 'info', 'ok'],
    ['an error that is thrown', { handler: () => Promise.reject(new Error('x')) }, 'error', 'error'],
    ['an error that is returned', { handler: () => error('x') }, 'warn', 'error'],
    [
      'a result that does not fit',
      { outputSchema: z.object({ a: z.string() }), handler: () => ({ a: 1 }) },
      'error',
      'error',
    ],
    ['a result that JSON cannot say', { handler: () => 10n }, 'error', 'error'],
    [
      'a result above its budget',
      { outputBudget: { bytes: 1 }, handler: () => 12345 },
      'warn',
      'ErrOutputTooLarge',
    ],
  ])('states the outcome of %s', async (_, action, level, outcome) => {
    const { written, logger } = lines();
    const registry = new ToolRegistry({ logger }).register({
      ...count,
      handler: () => 1,
      ...action,
    } as never);
    const result = await registry.executeTool({ name: 'count' });
    expect(written.at(-1)).toMatchObject({ level, fields: { outcome } });
    expect(result.isError === true).toBe(outcome !== 'ok');
  });

  it.each<[string, object, string]>([
    ['took too long', { timeoutMs: 1, handler: () => new Promise(() => {}) }, 'ErrTimeout'],
    [
      'threw an error of ours',
      { handler: () => Promise.reject(new ErrValidationFailed('not like this')) },
      'ErrValidationFailed',
    ],
  ])('does not report a call that ran and %s as rejected', async (_, action, outcome) => {
    const { written, logger } = lines();
    const registry = new ToolRegistry({ logger }).register({ ...count, ...action } as never);
    await registry.executeTool({ name: 'count' });
    expect(written.at(-1)).toMatchObject({ message: 'tool call failed', fields: { outcome } });
  });

  it('never contains argument values that look like secrets', async () => {
    const { written, logger } = lines();
    const secrets = {
      password: 'hunter2-hunter2',
      nested: { api_key: 'nested-key-value' },
      header: 'Bearer abcdefghijklmnop',
      url: 'https://user:pa55word@example.com/',
      pat: 'ghp_0123456789abcdefghijABCDEFGHIJ012345',
      jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ',
      echo: 'my own token is plain-access-value, keep it',
    };
    const registry = new ToolRegistry({ logger }).register({
      ...count,
      inputSchema: z.looseObject({}),
      handler: () => 1,
    });
    await registry.executeTool({
      name: 'count',
      arguments: { ...secrets, visible: 'shown' },
      accessToken: 'plain-access-value',
      caller: { sessionId: 'session-0123456789' },
    });
    const log = JSON.stringify(written);
    expect(log).toContain('shown');
    for (const secret of [
      'hunter2-hunter2',
      'nested-key-value',
      'abcdefghijklmnop',
      'pa55word',
      secrets.pat,
      secrets.jwt,
      'plain-access-value',
      'session-0123456789',
    ])
      expect(log).not.toContain(secret);
  });
});
