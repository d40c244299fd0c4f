import { expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { initToolfold, ToolRegistry } from 'toolfold';
import type { ToolCall } from 'toolfold';
import {
  createHandler,
  createModuleAdapter,
  Exposure,
  ModeConfigMapper,
  ServerModeEnforcer,
  Toolsets,
} from 'toolfold/web';
import type { ModuleLoader, ToolsetConfig } from 'toolfold/web';
import { createTestClient } from '@toolfold/testing';
import { serveHttp, serveStdio } from 'toolfold/node';

interface App {
  readonly user: string;
}

interface Other {
  readonly db: string;
}

/** Never runs: compiling it is the test. */
export function createRegistries(): void {
  // @ts-expect-error Handlers would read `context.app`, which nothing supplies.
  void new ToolRegistry<App>();
  // @ts-expect-error
  void new ToolRegistry<App>({ name: 'a' });
  // @ts-expect-error The factory returns another type.
  void new ToolRegistry<App>({ contextFactory: () => ({ db: 'a' }) });
  expectTypeOf(new ToolRegistry()).toEqualTypeOf<ToolRegistry<unknown>>();
  expectTypeOf(new ToolRegistry({ name: 'a' })).toEqualTypeOf<ToolRegistry<unknown>>();
  expectTypeOf(new ToolRegistry<unknown>()).toEqualTypeOf<ToolRegistry<unknown>>();
  const inferred = new ToolRegistry({ name: 'a', contextFactory: async () => ({ user: 'ada' }) });
  expectTypeOf(inferred).toEqualTypeOf<ToolRegistry<{ user: string }>>();
}

/** Never runs: compiling it is the test. */
export function registerOtherApps(): void {
  const registry = new ToolRegistry<App>({ contextFactory: () => ({ user: 'ada' }) });
  const others = initToolfold<Other>().group('others');
  // @ts-expect-error The handlers of the builder need another `context.app`.
  registry.register(others);
  // @ts-expect-error
  registry.register(initToolfold<App>().group('users'), others);
  // @ts-expect-error A registry without a `contextFactory` has no `context.app`.
  new ToolRegistry().register(others);
  // @ts-expect-error
  registry.register({
    name: 'own',
    description: 'Own',
    inputSchema: {},
    handler: ({ context }: ToolCall<Other>) => context.app.db,
  });
}

/** Never runs: compiling it is the test. */
export async function serveOtherApps(): Promise<void> {
  const registry = new ToolRegistry<App>({ contextFactory: () => ({ user: 'ada' }) });
  const startup = { mode: 'DYNAMIC' } as const;
  const own = { a: { name: 'A', description: 'A', tools: [initToolfold<App>().group('users')] } };
  const catalog = { a: { name: 'A', description: 'A', tools: [initToolfold<Other>().group('others')] } };
  const modules = { a: { name: 'A', description: 'A', modules: ['a'] } };
  const moduleLoaders = { a: async () => [initToolfold<Other>().group('others')] };
  new Toolsets(registry, { catalog: own, startup }).close();
  // @ts-expect-error The handlers of the toolset need another `context.app`.
  new Toolsets(registry, { catalog, startup }).close();
  // @ts-expect-error
  new Toolsets(registry, { catalog: modules, moduleLoaders, startup }).close();
  // @ts-expect-error
  new Exposure(registry, { toolsets: { catalog, startup } }).close();
  // @ts-expect-error
  await createHandler(registry, { toolsets: { catalog, startup } }).close();
  // @ts-expect-error
  await serveHttp(registry, { toolsets: { catalog, startup } });
  // @ts-expect-error
  serveStdio(registry, { toolsets: { catalog: modules, moduleLoaders, startup } });
  // @ts-expect-error
  await createTestClient(registry, { server: { toolsets: { catalog, startup } } });
  await createTestClient(registry, { server: { toolsets: { catalog: own, startup } } });

  const enforcer = new ServerModeEnforcer({ catalog });
  const config = ModeConfigMapper.toToolsetConfig('ALL_TOOLS', {}, enforcer);
  // @ts-expect-error
  new Toolsets(registry, config).close();
  const rightEnforcer = new ServerModeEnforcer({ catalog: own });
  new Toolsets(registry, ModeConfigMapper.toToolsetConfig('ALL_TOOLS', {}, rightEnforcer)).close();

  // A configuration without an `App` fits every registry, and takes no builder that needs one.
  const plain: ToolsetConfig = {
    catalog: modules,
    moduleLoaders: { a: createModuleAdapter('a', () => {}) },
    startup,
  };
  new Toolsets(registry, plain).close();
  // @ts-expect-error
  ({ catalog, startup }) satisfies ToolsetConfig;
}

/** Never runs: compiling it is the test. */
export async function serveWithApp(): Promise<void> {
  const registry = new ToolRegistry<App>({ contextFactory: () => ({ user: 'ada' }) });
  const builder = initToolfold<App>()
    .group('users')
    .action({
      name: 'me',
      inputSchema: z.object({ loud: z.boolean() }),
      handler: ({ input, context }) => {
        expectTypeOf(input).toEqualTypeOf<{ loud: boolean }>();
        return context.app.user;
      },
    });
  registry.register(builder, ...(await createModuleAdapter('old', () => {})()));
  const toolsets = { catalog: {}, moduleLoaders: {}, startup: { mode: 'DYNAMIC' } } as const;
  await serveHttp(registry, { toolsets });
  serveStdio(registry);
  await createHandler(registry).close();
  await new Exposure(registry).viewFor({});
  new Toolsets(registry, toolsets).close();
}

it('serves a registry with any type of context.app', () => {
  expectTypeOf(serveHttp<App>).toBeCallableWith(
    new ToolRegistry<App>({ contextFactory: () => ({ user: 'ada' }) }),
  );
});

it('has adapters that can be registered and used as modules', () => {
  expectTypeOf<ReturnType<typeof createModuleAdapter>>().toExtend<ModuleLoader>();
});
