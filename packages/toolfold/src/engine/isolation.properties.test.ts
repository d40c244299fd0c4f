import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { initToolfold } from '../registry/init-toolfold.js';
import type { ToolContext } from '../define/tool-definition.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { runs } from '../../../../test/runs.js';
import { text, randomFrom, wander, seen } from '../../test/engine/isolation-setup.js';
import type { App } from '../../test/engine/isolation-setup.js';

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
      initToolfold<App>()
        .group('grouped')
        .group('g', (g) =>
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
});
