import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { initToolfold } from '../registry/init-toolfold.js';
import { neverSignal } from './request-context.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { text, randomFrom, wander } from '../../test/engine/isolation-setup.js';

describe('concurrent calls', () => {
  it('that are nested each have their own override', async () => {
    const registry = new ToolRegistry();
    registry.register({
      name: 'nest',
      description: 'Calls itself',
      inputSchema: z.object({ path: z.array(z.boolean().nullable()) }),
      handler: async ({ input: { path } }) => {
        const [next, ...rest] = path;
        const inner =
          next === undefined
            ? undefined
            : text(
                await registry.executeTool({
                  name: 'nest',
                  arguments: { path: rest },
                  minify: next ?? undefined,
                }),
              );
        return { inner };
      },
    });
    const random = randomFrom(2);
    const paths = Array.from({ length: 300 }, () =>
      Array.from({ length: random(5) }, () => [true, false, null][random(3)]!),
    );
    const results = await Promise.all(
      paths.map(([minify, ...path]) =>
        registry.executeTool({ name: 'nest', arguments: { path }, minify: minify ?? undefined }),
      ),
    );
    const expected = ([minify, ...rest]: readonly (boolean | null)[]): string =>
      JSON.stringify(
        { inner: rest.length === 0 ? undefined : expected(rest) },
        undefined,
        minify === false ? 2 : undefined,
      );
    results.forEach((result, index) => expect(text(result)).toBe(expected(paths[index]!)));
  });

  it('leave no listeners on a shared signal that never fires', async () => {
    const listen = vi.spyOn(neverSignal(), 'addEventListener');
    const registry = new ToolRegistry().register({
      name: 'write',
      description: 'Writes',
      inputSchema: z.object({ n: z.number() }),
      idempotent: true,
      idempotency: true,
      retry: { attempts: 2, delayMs: 1 },
      handler: async ({ input }) => input.n,
    });
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        registry.executeTool({ name: 'write', arguments: { n }, idempotencyKey: `k${n}` }),
      ),
    );
    expect(listen).not.toHaveBeenCalled();
    listen.mockRestore();
  });

  it('keep the async context of their caller', async () => {
    const storage = new AsyncLocalStorage<number>();
    const random = randomFrom(7);
    const registry = new ToolRegistry().register({
      name: 'whose',
      description: 'Tells whose call it is',
      inputSchema: {},
      handler: async () => {
        await wander(random);
        return storage.getStore();
      },
    });
    const results = await Promise.all(
      Array.from({ length: 500 }, (_, n) =>
        storage.run(n, () => registry.executeTool({ name: 'whose', minify: n % 2 === 0 })),
      ),
    );
    expect(results.map(text)).toEqual(Array.from({ length: 500 }, (_, n) => String(n)));
  });

  it('cannot change the context of another call', async () => {
    const registry = new ToolRegistry().register(
      {
        name: 'kept',
        description: 'Kept',
        inputSchema: {},
        readOnly: true,
        cached: { ttlMs: 1e9, shared: true },
        middleware: [
          async (_call, next) => {
            const value = (await next()) as { list: number[] };
            value.list.push(2);
            return value;
          },
        ],
        handler: () => ({ list: [1] }),
      },
      {
        name: 'tamper',
        description: 'Tampers',
        inputSchema: {},
        handler: ({ context }) => {
          try {
            Object.assign(context.caller, { auth: { sub: 'root' } });
          } catch {
            // A frozen object cannot be changed, which is enough.
          }
          return context.caller.auth?.['sub'] ?? 'nobody';
        },
      },
      {
        name: 'who',
        description: 'Who',
        inputSchema: {},
        handler: ({ context }) => context.caller.auth?.['sub'] ?? 'nobody',
      },
    );
    for (let turn = 0; turn < 3; turn++)
      expect(text(await registry.executeTool({ name: 'kept' }))).toBe('{"list":[1,2]}');
    await registry.executeTool({ name: 'tamper' });
    expect(text(await registry.executeTool({ name: 'who' }))).toBe('nobody');
  });
});

describe('two registries', () => {
  it('share nothing: tools, limits, cache, keys, overrides, context [S004-41]', async () => {
    const create = (name: string) => {
      let runs = 0;
      return new ToolRegistry({
        name,
        rateLimiter: { calls: 3, windowMs: 1_000_000 },
        contextFactory: () => name,
      })
        .register({
          name: 'read',
          description: 'Reads',
          inputSchema: {},
          readOnly: true,
          cached: { ttlMs: 1e9, shared: true, tags: ['t'] },
          handler: ({ context }) => ({ name: context.app, run: ++runs }),
        })
        .register({
          name: 'write',
          description: 'Writes',
          inputSchema: {},
          idempotency: true,
          invalidates: ['t'],
          handler: ({ context }) => ({ wrote: context.app }),
        });
    };
    const [one, two] = [create('one'), create('two')];
    two.register({ name: 'only', description: 'Only here', inputSchema: {}, handler: () => 1 });
    expect(one.has('only')).toBe(false);
    expect(text(await one.executeTool({ name: 'read' }))).toBe('{"name":"one","run":1}');
    expect(text(await two.executeTool({ name: 'read' }))).toBe('{"name":"two","run":1}');
    const request = { name: 'write', idempotencyKey: 'k' };
    expect(text(await one.executeTool(request))).toBe('{"wrote":"one"}');
    expect(text(await two.executeTool(request))).toBe('{"wrote":"two"}');
    // A write in one registry does not invalidate the cache of another.
    await two.executeTool({ name: 'write', idempotencyKey: 'k2' });
    expect(text(await one.executeTool({ name: 'read' }))).toBe('{"name":"one","run":2}');
    expect(text(await one.executeTool({ name: 'read' }))).toBe('{"name":"one","run":2}');
    // One registry has used up its limit, the other has not.
    expect((await one.executeTool({ name: 'read' })).isError).toBe(true);
    expect((await two.executeTool({ name: 'read' })).isError).toBeUndefined();
    expect(text(await two.executeTool({ name: 'read', minify: false }))).toContain('\n');
  });

  it('may hold one builder, and each runs it with its own services [S004-41] [S004-43]', async () => {
    const builder = initToolfold<string>()
      .group('t')
      .action({
        name: 'a',
        handler: ({ context }) => context.app,
      });
    const [one, two] = ['one', 'two'].map((name) =>
      new ToolRegistry({ contextFactory: () => name }).register(builder),
    );
    const call = { name: 't', arguments: { action: 'a' } };
    expect(text(await one!.executeTool(call))).toBe('one');
    expect(text(await two!.executeTool(call))).toBe('two');
  });
});
