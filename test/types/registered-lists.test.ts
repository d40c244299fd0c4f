import { expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { createCaller, GroupedToolBuilder, initToolfold, ToolRegistry } from 'toolfold';

interface App {
  readonly user: string;
}

/** Never runs: compiling it is the test. */
export function registerLists(): void {
  const registry = new ToolRegistry<App>({ contextFactory: () => ({ user: 'ada' }) });
  const users = new GroupedToolBuilder<App, 'users'>('users').action({
    name: 'list',
    handler: () => 'users',
  });
  const teams = new GroupedToolBuilder('teams').action({ name: 'list', handler: () => 'teams' });
  const others = initToolfold<{ db: string }>().group('others');
  const own = (name: string) => ({ name, description: 'Own', inputSchema: {}, handler: () => 'own' });
  const loaded = [users, users];

  const caller = createCaller(registry.register([users, teams]));
  expectTypeOf(caller.users.list).toBeFunction();
  expectTypeOf(caller.teams.list).toBeFunction();
  registry.register([]);
  registry.register(loaded);
  registry.register(...loaded);
  registry.register(teams, loaded);
  registry.register([own('a'), own('b')], teams);
  registry.register(loaded, [teams], own('a'));
  registry.register([
    users,
    {
      name: 'own',
      description: 'Own',
      inputSchema: { id: z.number() },
      handler: ({ input, context }) => {
        expectTypeOf(input.id).toEqualTypeOf<number>();
        expectTypeOf(context.app).toEqualTypeOf<App>();
        // @ts-expect-error The schema has no such field.
        return input.other;
      },
    },
  ]);

  // @ts-expect-error The handlers of the builder need another `context.app`.
  registry.register([others]);
  // @ts-expect-error
  registry.register(users, [others]);
  // @ts-expect-error Only one level of lists.
  registry.register([[users]]);
  // @ts-expect-error
  registry.register(users, [[users]]);
  // @ts-expect-error
  registry.register([1]);
  // @ts-expect-error
  registry.register(users, 'users');
}

/** Never runs: compiling it is the test. */
export function registerManyDefinitions(): void {
  const registry = new ToolRegistry().register(
    { name: 'a', description: 'A', inputSchema: { a: z.string() }, handler: ({ input }) => input.a },
    { name: 'b', description: 'B', inputSchema: { b: z.string() }, handler: ({ input }) => input.b },
    { name: 'c', description: 'C', inputSchema: { c: z.string() }, handler: ({ input }) => input.c },
    { name: 'd', description: 'D', inputSchema: { d: z.string() }, handler: ({ input }) => input.d },
    { name: 'e', description: 'E', inputSchema: { e: z.string() }, handler: ({ input }) => input.e },
    { name: 'f', description: 'F', inputSchema: { f: z.string() }, handler: ({ input }) => input.f },
    { name: 'g', description: 'G', inputSchema: { g: z.string() }, handler: ({ input }) => input.g },
    { name: 'h', description: 'H', inputSchema: { h: z.string() }, handler: ({ input }) => input.h },
    { name: 'i', description: 'I', inputSchema: { i: z.string() }, handler: ({ input }) => input.i },
    {
      name: 'j',
      description: 'J',
      inputSchema: { j: z.string() },
      handler: ({ input }) => {
        expectTypeOf(input.j).toEqualTypeOf<string>();
        // @ts-expect-error The tenth definition is typed like the first.
        return input.i;
      },
    },
  );
  const caller = createCaller(registry);
  void caller.j({ j: 'j' });
  // @ts-expect-error
  void caller.a({ b: 'b' });
}

it('registers lists of builders and definitions', () => {
  expectTypeOf(registerLists).toBeFunction();
});
