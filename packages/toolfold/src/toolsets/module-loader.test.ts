import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ErrModuleFailed } from '@toolfold/schema/errors';
import { ToolRegistry } from '../registry/tool-registry.js';
import { Exposure } from './exposure.js';
import { createModuleAdapter } from './module-adapter.js';
import { createLoadedModules } from './module-loader.js';
import type { LoadedTool, ModuleLoader } from './module-loader.js';

const tool = (name: string): LoadedTool => ({
  name,
  description: name,
  inputSchema: {},
  handler: () => name,
});

/** A loader whose result the test sets. */
function waiting() {
  const calls: {
    context: unknown;
    finish: (tools: readonly LoadedTool[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const loader: ModuleLoader = (context) =>
    new Promise((finish, fail) => {
      calls.push({ context, finish, fail });
    });
  return { calls, loader };
}

describe('loaded modules', () => {
  it('are loaded on first use, once for each distinct context', async () => {
    const contexts: unknown[] = [];
    const modules = createLoadedModules({
      users: (context) => {
        contexts.push(context);
        return [tool('list')];
      },
    });
    expect(contexts).toEqual([]);
    const first = await modules.load('users', { a: 1, b: { c: 2, d: 3 } });
    expect(await modules.load('users', { b: { d: 3, c: 2 }, a: 1 })).toBe(first);
    expect(await modules.load('users', { a: 2 })).not.toBe(first);
    expect(contexts).toEqual([{ a: 1, b: { c: 2, d: 3 } }, { a: 2 }]);
  });

  it('are loaded once for concurrent callers', async () => {
    const { calls, loader } = waiting();
    const modules = createLoadedModules({ users: loader });
    const loads = Array.from({ length: 100 }, () => modules.load('users', { token: 'x' }));
    expect(calls).toHaveLength(1);
    calls[0]!.finish([tool('list')]);
    const results = await Promise.all(loads);
    expect(new Set(results).size).toBe(1);
  });

  it('fail for all waiting callers, and are loaded again for the next', async () => {
    const { calls, loader } = waiting();
    const modules = createLoadedModules({ users: loader });
    const loads = [modules.load('users', {}), modules.load('users', {})];
    calls[0]!.fail(new Error('down'));
    for (const load of loads) await expect(load).rejects.toThrow('Module "users" could not be loaded: down');
    const again = modules.load('users', {});
    expect(calls).toHaveLength(2);
    calls[1]!.finish([tool('list')]);
    expect(await again).toHaveLength(1);
  });

  it.each([
    ['nothing', undefined],
    ['an object instead of a list', { tools: [] }],
    ['a value that is not a tool', [tool('a'), null]],
    ['text', ['a']],
  ])('fail if the loader returns %s', async (_, result) => {
    const modules = createLoadedModules({ users: (() => result) as never });
    await expect(modules.load('users', {})).rejects.toMatchObject({
      code: 'ErrModuleFailed',
      details: { module: 'users' },
    });
  });

  it.each([
    ['a credential', { accessToken: 'token-of-ada' }],
    ['one by any name, at any depth', { acme: { region: ['token-of-ada'] } }],
  ])('fail without revealing %s, in the error and in its cause', async (_, context) => {
    const fail =
      (error: unknown): ModuleLoader =>
      () => {
        throw error;
      };
    const request = { headers: { 'x-acme': 'token-of-ada' } };
    const modules = createLoadedModules({
      plain: fail(new Error('401 for token-of-ada', { cause: 'token-of-ada' })),
      fields: fail(Object.assign(new TypeError('no token-of-ada'), { request })),
      text: fail('no token-of-ada'),
      own: fail(
        new ErrModuleFailed('Module "own": token-of-ada', {
          hint: 'Not token-of-ada.',
          cause: new Error('token-of-ada'),
          details: { token: 'token-of-ada', tried: ['token-of-ada'] },
        }),
      ),
      encoded: fail(new Error(`GET /x?key=${encodeURIComponent('token-of-ada')}`)),
      adapted: createModuleAdapter('adapted', () => {
        throw new Error('no token-of-ada');
      }),
    });
    for (const name of ['plain', 'fields', 'text', 'own', 'encoded', 'adapted']) {
      const thrown: unknown = await modules.load(name, context).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ErrModuleFailed);
      const { message, cause } = thrown as ErrModuleFailed;
      expect(message).toContain(`Module "${name}"`);
      expect(message).toContain('[redacted]');
      expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('token-of-ada');
      expect(inspect(cause, { depth: 9, showHidden: true })).not.toContain('token-of-ada');
    }
  });

  it('get a context that they cannot change for other callers', async () => {
    const base = { region: { name: 'eu' } };
    const modules = createLoadedModules({
      rude: (context) => {
        (context as typeof base).region.name = 'mine';
        return [];
      },
    });
    await expect(modules.load('rude', base)).rejects.toThrow('Module "rude" could not be loaded');
    expect(base).toEqual({ region: { name: 'eu' } });
  });

  it('are not found by inherited names', async () => {
    const modules = createLoadedModules({});
    for (const name of ['constructor', '__proto__', 'toString'])
      await expect(modules.load(name, {})).rejects.toThrow('there is no such module');
  });

  it('are never shared by different contexts, with any values', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(Infinity, -Infinity, Number.NaN, 1n, '1n', 'Infinity', null, 'null', true, 'true'),
      fc.date({ noInvalidDate: true }),
      fc.array(fc.string()).map((items) => new Set(items)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 2, maxLength: 6 }), async (values) => {
        const modules = createLoadedModules({
          users: (context) => [{ ...tool('who'), handler: () => context?.['who'] } as LoadedTool],
        });
        for (const who of values) {
          const [item] = await modules.load('users', { who });
          const given = (item as unknown as { handler: () => unknown }).handler();
          expect(given).toEqual(who);
        }
      }),
    );
  });
});

describe('a loader that times out', () => {
  it('fails for all waiting callers, and runs again for the next', async () => {
    const { calls, loader } = waiting();
    const modules = createLoadedModules({ users: loader }, { timeoutMs: 20 });
    const loads = [modules.load('users', { token: 'x' }), modules.load('users', { token: 'x' })];
    for (const load of loads) {
      await expect(load).rejects.toMatchObject({
        code: 'ErrModuleFailed',
        message: 'Module "users" could not be loaded: it took longer than 20 ms',
        details: { module: 'users' },
      });
    }
    const again = modules.load('users', { token: 'x' });
    expect(calls).toHaveLength(2);
    // A late result is ignored.
    calls[0]!.finish([tool('late')]);
    calls[1]!.finish([tool('list')]);
    expect(await again).toMatchObject([{ name: 'list' }]);
    expect(await modules.load('users', { token: 'x' })).toMatchObject([{ name: 'list' }]);
  });

  it('leaves no unhandled rejection if it fails later', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const { calls, loader } = waiting();
    const modules = createLoadedModules({ users: loader }, { timeoutMs: 5 });
    await expect(modules.load('users', {})).rejects.toThrow('it took longer');
    calls[0]!.fail(new Error('down'));
    await new Promise((done) => setTimeout(done, 5));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  it('may have its own timeout', async () => {
    const slow = waiting();
    const modules = createLoadedModules(
      { slow: Object.assign(slow.loader, { timeoutMs: 10_000 }), other: () => new Promise(() => {}) },
      { timeoutMs: 5 },
    );
    const loading = modules.load('slow', {});
    await expect(modules.load('other', {})).rejects.toThrow('it took longer than 5 ms');
    slow.calls[0]!.finish([tool('list')]);
    expect(await loading).toHaveLength(1);
  });

  it.each([0, -1, Number.NaN, 2 ** 31, '5'])('cannot have a timeout of %s', (timeoutMs) => {
    expect(() => createLoadedModules({}, { timeoutMs: timeoutMs as number })).toThrow(
      'loaderTimeoutMs must be',
    );
    const loader = Object.assign(() => [], { timeoutMs: timeoutMs as number });
    expect(() => createLoadedModules({ users: loader })).toThrow('the loader "users" must be');
  });
});

describe('the cache of loaded modules', () => {
  /** Counts how often each context was loaded. */
  function counting(maxTools: number, sizeOf: (who: string) => number = () => 9) {
    const loads: string[] = [];
    const load: ModuleLoader = ({ who } = {}) => {
      loads.push(String(who));
      return Array.from({ length: sizeOf(String(who)) }, (_, at) => tool(`tool_${at}`));
    };
    const modules = createLoadedModules({ users: load, audit: load }, { maxTools });
    return {
      ask: (who: string, module = 'users') => modules.load(module, { who }),
      countOf: (who: string) => loads.filter((each) => each === who).length,
    };
  }

  it('keeps contexts in use when others come once', async () => {
    const { ask, countOf } = counting(100);
    for (let round = 0; round < 2; round++) for (const who of ['ada', 'bob']) await ask(who);
    for (let at = 0; at < 100; at++) await ask(`junk-${at}`);
    for (const who of ['ada', 'bob']) {
      await ask(who);
      expect(countOf(who)).toBe(1);
    }
  });

  it('does not count several uses in one request as repeated use', async () => {
    const { ask, countOf } = counting(100);
    for (let round = 0; round < 2; round++) for (const who of ['ada', 'bob']) await ask(who);
    for (let at = 0; at < 100; at++) await Promise.all([ask(`junk-${at}`), ask(`junk-${at}`)]);
    await ask('ada');
    expect(countOf('ada')).toBe(1);
  });

  it('has a maximum number of tools, and keeps the latest ones', async () => {
    const sizes = fc.array(fc.record({ who: fc.nat(9), size: fc.nat(60) }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(sizes, async (steps) => {
        let size = 0;
        const kept = new Map<unknown, number>();
        const modules = createLoadedModules(
          { users: () => Array.from({ length: size }, (_, at) => tool(`tool_${at}`)) },
          { maxTools: 100 },
        );
        for (const step of steps) {
          size = step.size;
          const first = await modules.load('users', { who: step.who });
          size = 0;
          const again = await modules.load('users', { who: step.who });
          expect(again).toBe(first);
          kept.set(step.who, first.length + 1);
        }
        // Modules that are loaded again now were not cached.
        size = 99;
        let sum = 0;
        const probes = [...kept].map(async ([who, weight]) => {
          const items = await modules.load('users', { who });
          if (items.length !== 99) sum += weight;
        });
        await Promise.all(probes);
        expect(sum).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('has room for new contexts even if many are in use', async () => {
    const { ask, countOf } = counting(100, (who) => (who === 'large' ? 80 : 9));
    for (let at = 0; at < 10; at++) for (let round = 0; round < 2; round++) await ask(`used-${at}`);
    for (const who of ['new', 'large', 'huge']) {
      await ask(who);
      await ask(who);
      expect(countOf(who)).toBe(1);
    }
  });
});

it('lets no request wait for the load of another on Cloudflare Workers, where it may never end', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  const late = { name: 'late', description: 'Loads late', inputSchema: {}, handler: () => 'late' };
  const load = vi
    .fn<() => Promise<(typeof late)[]>>()
    .mockReturnValueOnce(new Promise(() => {}))
    .mockResolvedValue([late]);
  const exposure = new Exposure(new ToolRegistry(), {
    toolsets: {
      catalog: { a: { name: 'A', description: 'A', modules: ['a'] } },
      moduleLoaders: { a: Object.assign(load, { isShared: true as const }) },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
    },
  });
  try {
    void exposure.viewFor({});
    for (let request = 0; request < 3; request++)
      expect([...(await exposure.viewFor({})).tools.keys()]).toEqual(['late']);
    expect(load).toHaveBeenCalledTimes(2);
  } finally {
    vi.unstubAllGlobals();
    exposure.close();
  }
});
