import { expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { error, initToolfold } from 'toolfold';
import type { Middleware, ToolContext } from 'toolfold';

interface App {
  readonly tokens: ReadonlyMap<string, string>;
}
interface User {
  readonly name: string;
}

const ada: User = { name: 'ada' };
const builder = initToolfold<App>().group('users');

/** Never runs: compiling it is the test. */
export function seeAddedFields(): void {
  builder
    .action({
      name: 'before',
      // @ts-expect-error The middleware comes later in the chain.
      handler: ({ context }) => context.user,
    })
    .use(({ context }, next) => {
      expectTypeOf(context.app).toEqualTypeOf<App>();
      return context.accessToken === undefined ? error('Sign in first.') : next({ context: { user: ada } });
    })
    .use(async ({ context }, next) => {
      expectTypeOf(context.user).toEqualTypeOf<User>();
      const result = await next({ context: { isAdmin: context.user.name === 'ada' } });
      return result;
    })
    .commonSchema({ workspace: z.string() })
    .defaultArguments(() => ({ workspace: 'w' }))
    .action({
      name: 'after',
      inputSchema: { id: z.number() },
      handler: ({ input, context }) => {
        expectTypeOf(input).toExtend<{ id: number; workspace: string }>();
        expectTypeOf(context.user).toEqualTypeOf<User>();
        expectTypeOf(context.isAdmin).toEqualTypeOf<boolean>();
        expectTypeOf(context.app).toEqualTypeOf<App>();
        // @ts-expect-error Nothing adds this field.
        return context.other;
      },
    });
}

/** Never runs: compiling it is the test. */
export function addInGroups(): void {
  builder
    .use((_, next) => next({ context: { user: ada } }))
    .group('admins', (group) =>
      group
        .use(({ context }, next) => next({ context: { admin: context.user } }))
        .action({
          name: 'ban',
          middleware: [({ context }, next) => next({ context: { accessToken: context.user.name } })],
          handler: ({ context }) => {
            expectTypeOf(context.admin).toEqualTypeOf<User>();
            return context.user.name;
          },
        }),
    )
    .group('guests', 'Guests', (group) =>
      group.action({
        name: 'list',
        handler: ({ context }) => {
          expectTypeOf(context.user).toEqualTypeOf<User>();
          // @ts-expect-error Only the other group has this field.
          return context.admin;
        },
      }),
    );
}

/** Never runs: compiling it is the test. */
export function overrideFields(): void {
  const optional = builder.use((_, next) => next({ context: { user: ada as User | undefined } }));
  optional
    .use(({ context: { user } }, next) => (user ? next({ context: { user } }) : error('Sign in first.')))
    .action({ name: 'a', handler: ({ context }) => expectTypeOf(context.user).toEqualTypeOf<User>() });
  // @ts-expect-error Actions that were added before read a user.
  optional.use((_, next) => next({ context: { user: 1 } }));
  // @ts-expect-error `signal` is a field of every context.
  builder.use((_, next) => next({ context: { signal: 1 } }));
  // @ts-expect-error
  builder.use((_, next) => next({ context: { app: {} } }));
  builder
    .use(({ context: { app } }, next) => next({ context: { app: { ...app, user: ada } } }))
    .action({ name: 'a', handler: ({ context }) => expectTypeOf(context.app.user).toEqualTypeOf<User>() });
}

/** Never runs: compiling it is the test. */
export function addInSomeCalls(): void {
  builder
    .use(({ context }, next) => (context.accessToken ? next({ context: { user: ada } }) : next()))
    // @ts-expect-error Calls without a token have no user.
    .action({ name: 'a', handler: ({ context }) => context.user });
  builder
    .use(({ context }, next) =>
      context.accessToken ? next({ context: { user: ada } }) : next({ context: { guest: true as const } }),
    )
    .action({
      name: 'a',
      handler: ({ context }) => ('user' in context ? context.user.name : context.guest),
    });
}

/** Never runs: compiling it is the test. */
export function passStoredMiddleware(): void {
  const count: Middleware = (_, next) => next();
  const signIn = ((_, next) => next({ context: { user: ada } })) satisfies Middleware<App>;
  const greet: Middleware<App, ToolContext<App> & { readonly user: User }> = ({ context }, next) => {
    expectTypeOf(context.user).toEqualTypeOf<User>();
    return next();
  };
  const several = builder.use(count, signIn, (_, next) => next({ context: { isAdmin: true } }));
  several.use(greet).action({
    name: 'a',
    handler: ({ context }) => {
      expectTypeOf(context.user).toEqualTypeOf<User>();
      expectTypeOf(context.isAdmin).toEqualTypeOf<boolean>();
    },
  });
  // @ts-expect-error It needs a user.
  builder.use(greet);
  const other: Middleware<{ readonly db: string }> = (_, next) => next();
  // @ts-expect-error It needs another `context.app`.
  builder.use(other);
}

it('types the fields that middleware adds to the context', () => {
  expectTypeOf(builder.use).toBeFunction();
});
