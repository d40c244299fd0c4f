import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { ToolContext } from '../define/tool-definition.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { neverSignal } from './request-context.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { runs } from '../../test/runs.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();

/** Pseudo-random numbers that are the same in every run (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Yields a few times, to promises or to the event loop. */
async function wander(random: (below: number) => number): Promise<void> {
  for (let turns = random(5); turns > 0; turns--) {
    if (random(2) === 0) await Promise.resolve();
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

interface App {
  readonly owner: string;
}

/** Everything that a call can see about itself. */
const seen = (context: ToolContext<App>, input: Readonly<Record<string, unknown>>) => ({
  owner: context.app.owner,
  token: context.accessToken,
  sub: context.caller.auth?.['sub'],
  session: context.caller.sessionId,
  raw: context.rawArguments['n'],
  input: input['n'],
});

describe('concurrent calls', () => {
  const CALLS = runs(6_000);
  const CALLERS = 17;

  /** A registry with every kind of state between calls, which yields at every step. */
  const create = (random: (below: number) => number) => {
    const writes = new Map<string, number>();
    const inputSchema = z.object({
      n: z.number().refine(async () => (await wander(random), true)),
      fill: z.string(),
    });
    const look = async (context: ToolContext<App>, input: { n: number; fill: string }) => {
      const before = seen(context, input);
      await wander(random);
      const own = await context.cache.wrap(
        ['own', input.n % 5],
        async () => {
          await wander(random);
          return `${context.app.owner}'s`;
        },
        { ttlMs: 1e9 },
      );
      await wander(random);
      return { ...before, after: seen(context, input), own, fill: input.fill };
    };
    const common = {
      description: 'Looks',
      inputSchema,
      scopes: ['look'],
      defaultArgumentResolver: async ({ accessToken }: { accessToken: string | undefined }) => {
        await wander(random);
        return { fill: `filled for ${accessToken}` };
      },
    };
    const registry = new ToolRegistry<App>({
      contextFactory: async ({ accessToken }) => {
        await wander(random);
        return { owner: `owner of ${accessToken}` };
      },
      rateLimiter: { calls: 1e6, windowMs: 60_000 },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    }).register(
      { ...common, name: 'look', handler: ({ input, context }) => look(context, input) },
      new GroupedToolBuilder<App>('grouped').group('g', (g) =>
        g
          .action({
            ...common,
            name: 'kept',
            readOnly: true,
            cached: { ttlMs: 1e9 },
            handler: ({ input, context }) => look(context, input),
          })
          .action({
            ...common,
            name: 'write',
            idempotency: true,
            handler: async ({ input, context }) => {
              const key = `${String(context.caller.auth?.['sub'])} ${input.n}`;
              await wander(random);
              writes.set(key, (writes.get(key) ?? 0) + 1);
              return look(context, input);
            },
          }),
      ),
    );
    return { registry, writes };
  };

  it('share nothing: minify, app, identity, token, cache, keys [S004-39]', async () => {
    const random = randomFrom(4);
    const { registry, writes } = create(random);
    const calls = Array.from({ length: CALLS }, (_, index) => {
      const who = index % CALLERS;
      const n = random(20);
      return { who, n, minify: [true, false, undefined][random(3)], way: random(3), hinted: random(2) === 0 };
    });
    const results = await Promise.all(
      calls.map(async ({ who, n, minify, way, hinted }) => {
        await wander(random);
        const args = {
          n,
          ...(way === 0 ? {} : { action: way === 1 ? 'g.kept' : 'g.write' }),
          ...(hinted && minify !== undefined ? { _minify: minify } : {}),
        };
        return registry.executeTool({
          name: way === 0 ? 'look' : 'grouped',
          arguments: args,
          accessToken: `token-${who}`,
          caller: { auth: { sub: `sub-${who}`, scopes: ['look'] }, sessionId: `session-${who}` },
          minify: hinted ? undefined : minify,
          // All callers use the same keys.
          idempotencyKey: way === 2 ? `key-${n}` : undefined,
        });
      }),
    );
    results.forEach((result, index) => {
      const { who, n, minify } = calls[index]!;
      expect(result.isError, text(result)).toBeUndefined();
      const value = JSON.parse(text(result)) as Record<string, unknown>;
      const owner = `owner of token-${who}`;
      const self = {
        owner,
        token: `token-${who}`,
        sub: `sub-${who}`,
        session: `session-${who}`,
        raw: n,
        input: n,
      };
      expect(value).toEqual({ ...self, after: self, own: `${owner}'s`, fill: `filled for token-${who}` });
      expect(text(result)).toBe(JSON.stringify(value, undefined, minify === false ? 2 : undefined));
    });
    expect(writes.size).toBeGreaterThan(100);
    for (const [key, count] of writes) expect(count, `writes of ${key}`).toBe(1);
  });

  it('get their own errors, without any text of another call', async () => {
    const random = randomFrom(9);
    const registry = new ToolRegistry().register({
      name: 'fail',
      description: 'Fails',
      inputSchema: z.object({ n: z.number() }),
      handler: async ({ input, context }) => {
        await wander(random);
        throw new Error(`call ${input.n} of ${context.accessToken} failed`);
      },
    });
    const results = await Promise.all(
      Array.from({ length: runs(2_000) }, async (_, n) => {
        await wander(random);
        return registry.executeTool({ name: 'fail', arguments: { n }, accessToken: `a-token-of-${n}` });
      }),
    );
    results.forEach((result, n) => expect(text(result)).toBe(`[fail] call ${n} of [redacted] failed`));
  });

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
    const builder = new GroupedToolBuilder<string>('t').action({
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
