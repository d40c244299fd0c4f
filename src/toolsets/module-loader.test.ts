import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LoadedModules } from './module-loader.js';
import type { LoadedTool, ModuleLoader } from './module-loader.js';

const tool = (name: string): LoadedTool => ({
  name,
  description: name,
  inputSchema: {},
  handler: () => name,
});

/** A loader that is finished by hand. */
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
  it('are loaded when they are first asked for, once for each distinct context', async () => {
    const contexts: unknown[] = [];
    const modules = new LoadedModules({
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

  it('are loaded once by callers that come while they load', async () => {
    const { calls, loader } = waiting();
    const modules = new LoadedModules({ users: loader });
    const loads = Array.from({ length: 100 }, () => modules.load('users', { token: 'x' }));
    expect(calls).toHaveLength(1);
    calls[0]!.finish([tool('list')]);
    const results = await Promise.all(loads);
    expect(new Set(results).size).toBe(1);
  });

  it('fail for all that wait, and are loaded anew by the next', async () => {
    const { calls, loader } = waiting();
    const modules = new LoadedModules({ users: loader });
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
    ['no list', { tools: [] }],
    ['something that is no tool', [tool('a'), null]],
    ['text', ['a']],
  ])('fail when the loader gives %s', async (_, result) => {
    const modules = new LoadedModules({ users: (() => result) as never });
    await expect(modules.load('users', {})).rejects.toMatchObject({
      code: 'ErrModuleFailed',
      details: { module: 'users' },
    });
  });

  it('are never found by accident', async () => {
    const modules = new LoadedModules({});
    for (const name of ['constructor', '__proto__', 'toString'])
      await expect(modules.load(name, {})).rejects.toThrow('there is no such module');
  });

  it('are never shared by contexts that differ, whatever these hold', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(Infinity, -Infinity, Number.NaN, 1n, '1n', 'Infinity', null, 'null', true, 'true'),
      fc.date({ noInvalidDate: true }),
      fc.array(fc.string()).map((items) => new Set(items)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 2, maxLength: 6 }), async (values) => {
        const modules = new LoadedModules({
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
