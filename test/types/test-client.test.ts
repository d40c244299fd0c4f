import { expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { CallToolResult } from 'toolfold';
import { createTestClient } from '@toolfold/testing';
import { createHandler } from 'toolfold/web';

const registry = new ToolRegistry({ name: 'acme' }).register(
  new GroupedToolBuilder('users').commonSchema(z.object({ workspace: z.string() })).action({
    name: 'list',
    readOnly: true,
    inputSchema: z.object({ limit: z.int().optional() }),
    outputSchema: z.object({ names: z.array(z.string()) }),
    handler: () => ({ names: [] }),
  }),
  new GroupedToolBuilder('teams').group('admins', 'Admins', (group) =>
    group.action({
      name: 'ban',
      destructive: true,
      inputSchema: z.object({ id: z.string() }),
      handler: () => 'x',
    }),
  ),
  { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' },
);

/** Never runs: compiling it is the test. */
export async function callTyped(): Promise<void> {
  const client = await createTestClient(registry, { era: '2025', answers: { elicit: { confirm: true } } });
  const listed = await client.call('users.list', { workspace: 'w', limit: 5 });
  expectTypeOf(listed.structuredContent).toEqualTypeOf<{ names: string[] } | undefined>();
  expectTypeOf(await client.tools.users.list({ workspace: 'w' })).toEqualTypeOf<{ names: string[] }>();
  expectTypeOf(await client.call('ping')).toEqualTypeOf<CallToolResult>();
  expectTypeOf(await client.call('teams.admins.ban', { id: 'i' })).toEqualTypeOf<CallToolResult>();
  // @ts-expect-error The workspace is required.
  await client.call('users.list');
  // @ts-expect-error The limit is a number.
  await client.call('users.list', { workspace: 'w', limit: '5' });
  // @ts-expect-error There is no such field.
  await client.call('users.list', { workspace: 'w', size: 5 });
  // @ts-expect-error The id is required.
  client.start('teams.admins.ban', {});
  // @ts-expect-error The workspace is required.
  await client.tools.users.list({});
  // @ts-expect-error There is no such action.
  await client.tools.users.lst({ workspace: 'w' });
  const task = await client.startTask('users.list', { workspace: 'w' });
  expectTypeOf((await task.result()).structuredContent).toEqualTypeOf<{ names: string[] } | undefined>();
  // Invalid inputs and other names are for tests of errors.
  await client.call('users.list', { limit: 'x' } as never);
  await client.call('users.lst', { anything: 1 });
  await client.call('users/list', { anything: 1 }, { task: true });
  const name: string = 'users.list';
  expectTypeOf(await client.call(name, { anything: 1 })).toEqualTypeOf<CallToolResult>();
  // @ts-expect-error The era is a year.
  await createTestClient(registry, { era: 'modern' });
  const other = await createTestClient(createHandler(registry));
  await other.call('users.list', { anything: 1 });
  const untyped: ToolRegistry = registry;
  await (await createTestClient(untyped)).call('users.list', { anything: 1 });
}

it('types the calls of a test client from the registry', () => {
  expectTypeOf(createTestClient(registry)).resolves.toHaveProperty('tools');
});
