import { expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from '../../src/index.js';
import { createModuleAdapter, Exposure, Toolsets, createHandler } from '../../src/web.js';
import type { ModuleLoader } from '../../src/web.js';
import { serveHttp, serveStdio } from '../../src/node.js';

interface App {
  readonly user: string;
}

/** Never runs: compiling it is the test. */
export async function serveWithApp(): Promise<void> {
  const registry = new ToolRegistry<App>({ contextFactory: () => ({ user: 'ada' }) });
  const builder = new GroupedToolBuilder<App>('users').action({
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
  // @ts-expect-error A builder whose handlers want another `context.app`.
  registry.register(new GroupedToolBuilder<{ other: number }>('others'));
}

it('serves a registry with any type of context.app', () => {
  expectTypeOf(serveHttp).toBeCallableWith(new ToolRegistry<App>());
});

it('has adapters that can be registered and used as modules', () => {
  expectTypeOf<ReturnType<typeof createModuleAdapter>>().toExtend<ModuleLoader>();
});
