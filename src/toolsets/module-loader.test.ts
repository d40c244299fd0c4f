import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrModuleFailed } from '../errors.js';
import { createModuleAdapter } from './module-adapter.js';
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

  it.each([
    ['a credential', { accessToken: 'token-of-ada' }],
    ['one by any name, at any depth', { acme: { region: ['token-of-ada'] } }],
  ])('fail without a word of %s, in the error and in what caused it', async (_, context) => {
    const fail =
      (error: unknown): ModuleLoader =>
      () => {
        throw error;
      };
    const request = { headers: { 'x-acme': 'token-of-ada' } };
    const modules = new LoadedModules({
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
    const modules = new LoadedModules({
      rude: (context) => {
        (context as typeof base).region.name = 'mine';
        return [];
      },
    });
    await expect(modules.load('rude', base)).rejects.toThrow('Module "rude" could not be loaded');
    expect(base).toEqual({ region: { name: 'eu' } });
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
