import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { textOf, toolWith } from '../../../../test/calls.js';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { initToolfold } from '../registry/init-toolfold.js';
import type { Middleware } from '../define/tool-definition.js';
import { ToolRegistry } from '../registry/tool-registry.js';

describe('middleware', () => {
  it('a second next() fails the call, awaited or not, and leaves no unhandled rejection', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    const careless: Middleware[] = [
      async (_call, next) => {
        const result = await next();
        void next();
        return result;
      },
      (_call, next) => {
        void next();
        return next();
      },
    ];
    for (const middleware of careless) {
      const handler = vi.fn<() => string>(() => 'ok');
      const builder = new GroupedToolBuilder('b').use(middleware).action({ name: 'a', handler });
      const result = await builder.execute({ action: 'a' });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain('next() twice');
      expect(handler).toHaveBeenCalledTimes(1);
    }
    const registry = new ToolRegistry().register(toolWith(() => 'ok')).use((_request, next) => {
      void next();
      return next();
    });
    expect((await registry.executeTool({ name: 't' })).isError).toBe(true);
    await new Promise((resolve) => setTimeout(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it.each<[string, () => unknown]>([
    ['rejects', async () => Promise.reject(new Error('late'))],
    [
      'throws',
      () => {
        throw new Error('late');
      },
    ],
  ])(
    'a handler that %s after its middleware has answered leaves no unhandled rejection',
    async (_what, handler) => {
      const unhandled = vi.fn<(reason: unknown) => void>();
      process.on('unhandledRejection', unhandled);
      const builder = new GroupedToolBuilder('b')
        .use((_call, next) => {
          void next();
          return 'answered';
        })
        .action({ name: 'a', handler });
      expect(await builder.execute({ action: 'a' })).toEqual({
        content: [{ type: 'text', text: 'answered' }],
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
      process.off('unhandledRejection', unhandled);
      expect(unhandled).not.toHaveBeenCalled();
    },
  );

  it('a middleware that calls next() late, twice or without awaiting it leaves no unhandled error', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    process.on('uncaughtException', unhandled);
    const boom = async (): Promise<never> => Promise.reject(new Error('boom'));
    const hurried: Middleware[] = [
      (_call, next) => {
        void next();
        throw new Error('mw');
      },
      (_call, next) => {
        void next();
        return next();
      },
      (_call, next) => {
        const result = next();
        setTimeout(() => void next(), 3);
        return result;
      },
      async (_call, next) => {
        setTimeout(() => void next(), 3);
        return next();
      },
    ];
    for (const middleware of hurried) {
      for (const handler of [boom, async () => 'ok']) {
        await new GroupedToolBuilder('b')
          .use(middleware)
          .action({ name: 'a', handler })
          .execute({ action: 'a' });
      }
      const registry = new ToolRegistry()
        .register(toolWith(boom))
        .use((_request, next) => middleware({} as never, next as never));
      await registry.executeTool({ name: 't' });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('a middleware without application types fits every builder, and may be a generator', async () => {
    const plain: Middleware = async (_call, next) => next();
    const builder = initToolfold<{ db: string }>()
      .group('b')
      .use(plain)
      .use(async function* (_call, next) {
        yield 1;
        return await next();
      })
      .action({ name: 'a', handler: ({ context }) => context.app.db });
    expect(textOf(await builder.execute({ action: 'a' }, { app: { db: 'x' } }))).toBe('x');
  });

  it('adds fields to the context, in the order of builder, group and action, and inner ones override outer ones', async () => {
    const seen: unknown[] = [];
    const builder = new GroupedToolBuilder('b')
      .use((_call, next) => next({ context: { user: 'ada', role: 'guest' } }))
      .group('g', (group) =>
        group
          .use(({ context }, next) => {
            seen.push(context.user, context.role);
            return next({ context: { role: 'admin' } });
          })
          .action({
            name: 'a',
            inputSchema: z.object({ id: z.number() }),
            middleware: [
              ({ context, input }, next) =>
                next({ input: { ...input, id: 2 }, context: { user: context.role } }),
            ],
            handler: ({ context, input }) => {
              seen.push(context.user, context.role, input.id, context.action, context.signal.aborted);
            },
          }),
      );
    await builder.execute({ action: 'g.a', id: 1 });
    expect(seen).toEqual(['ada', 'guest', 'admin', 'admin', 2, 'g.a', false]);
  });

  it('that adds fields in one call leaves the contexts of other calls unchanged', async () => {
    const users = ['ada', undefined];
    const builder = new GroupedToolBuilder('b')
      .use((_call, next) => next({ context: { user: users.shift() } }))
      .action({ name: 'a', handler: ({ context }) => context.user ?? 'nobody' });
    const results = [await builder.execute({ action: 'a' }), await builder.execute({ action: 'a' })];
    expect(results.map(textOf)).toEqual(['ada', 'nobody']);
  });

  it('a middleware sees the same action in the grouped and in the flat form', async () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('platform')
        .use(({ context }, next) => {
          if (context.action === 'users.ban') throw new Error('denied');
          return next();
        })
        .group('users', (users) =>
          users.action({ name: 'ban', handler: () => 'ran' }).action({ name: 'list', handler: () => 'ran' }),
        ),
    );
    const flat = registry.view({ form: 'flat' });
    expect(textOf(await registry.executeTool({ name: 'platform_users_ban' }, flat))).toContain('denied');
    expect(textOf(await registry.executeTool({ name: 'platform_users_list' }, flat))).toBe('ran');
    expect(
      textOf(await registry.executeTool({ name: 'platform', arguments: { action: 'users.ban' } })),
    ).toContain('denied');
  });
});
