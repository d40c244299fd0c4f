import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ErrTimeout } from 'toolfold/errors';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { createTestClient, describeSurface } from './index.js';
import './vitest.js';

const createRegistry = () =>
  new ToolRegistry({ name: 'acme', version: '1.0.0', rateLimiter: false }).register(
    new GroupedToolBuilder('users')
      .description('People')
      .commonSchema(z.object({ workspace: z.string().describe('Workspace') }))
      .action({
        name: 'list',
        description: 'Lists people',
        readOnly: true,
        inputSchema: z.object({ limit: z.int().optional(), sort: z.enum(['name', 'age']).optional() }),
        outputSchema: z.object({ rows: z.array(z.object({ id: z.string(), age: z.number().optional() })) }),
        handler: () => ({ rows: [] }),
      })
      .action({
        name: 'ban',
        destructive: true,
        idempotent: true,
        scopes: ['users:write'],
        inputSchema: z.object({ id: z.union([z.string(), z.number()]) }),
        handler: () => 'banned',
      }),
    {
      name: 'build',
      description: 'Builds\nthe site',
      inputSchema: z.object({ tags: z.array(z.enum(['a', 'b'])).optional() }),
      task: true,
      destructive: false,
      openWorld: false,
      handler: () => 'built',
    },
  );

/** The message of a failed assertion, without colours. */
const messageOf = (check: () => void): string => {
  try {
    check();
  } catch (error) {
    return stripVTControlCharacters((error as Error).message);
  }
  return '';
};

describe('toBeToolError', () => {
  it('passes for the result or the error of a failed call, by code, text and pattern', async () => {
    await using client = await createTestClient(createRegistry());
    const result = await client.call('users.lst', { workspace: 'w' });
    expect(result).toBeToolError();
    expect(result).toBeToolError('ErrUnknownAction');
    expect(result).toBeToolError('ErrUnknownAction', 'list');
    expect(result).toBeToolError('ErrUnknownAction', /Did you mean "list"/);
    expect(result).not.toBeToolError('ErrTimeout');
    expect(new ErrTimeout('slow')).toBeToolError('ErrTimeout', 'slow');
    await expect(client.call('usrs')).rejects.toBeToolError(
      'ErrUnknownTool',
      'The client sees users, build.',
    );
    expect(await client.call('users.list', { workspace: 'w' })).not.toBeToolError();
  });

  it('shows the actual result in its failures', async () => {
    await using client = await createTestClient(createRegistry());
    const failed = await client.call('users.lst', { workspace: 'w' });
    const worked = await client.call('users.list', { workspace: 'w' });
    expect(messageOf(() => expect(failed).toBeToolError('ErrTimeout'))).toContain(
      'Expected a tool error with code "ErrTimeout".\nThe call failed with code "ErrUnknownAction" and message "Unknown action.',
    );
    const message = messageOf(() => expect(worked).toBeToolError('ErrTimeout'));
    expect(message).toContain('The call did not fail. Its result:');
    expect(message).toContain('"structuredContent": Object {');
    expect(() => expect(failed).toBeToolError('ErrUnknownAction', 'nothing like it')).toThrow(
      'a message with',
    );
    expect(() => expect(failed).not.toBeToolError()).toThrow('Expected anything but a tool error.');
  });
});

describe('toMatchSurface', () => {
  it('describes names, fields, results, hints, scopes and tokens', () => {
    expect(describeSurface(createRegistry())).toMatchInlineSnapshot(`
      "2 tools, about 212 tokens

      users: destructive, about 147 tokens
        | People. Actions: list, ban
        | Details:
        | - \`list\`: Lists people
        | - \`ban\`: Requires: id ⚠️ DESTRUCTIVE
        list(workspace: string, limit?: integer, sort?: "name" | "age") → { rows: { id: string, age?: number }[] }: read-only
        ban(workspace: string, id: string | number): destructive, idempotent, scopes users:write

      build(tags?: ("a" | "b")[]): not destructive, closed world, task, about 65 tokens
        | Builds
        | the site"
    `);
  });

  it('describes what a client sees, in its form', async () => {
    await using client = await createTestClient(createRegistry(), { form: 'flat' });
    expect(describeSurface(await client.listTools())).toMatchInlineSnapshot(`
      "3 tools, about 182 tokens

      users_list(workspace: string, limit?: integer, sort?: "name" | "age") → { rows: { id: string, age?: number }[] }: read-only, about 62 tokens
        | Lists people

      users_ban(workspace: string, id: string | number): destructive, idempotent, about 55 tokens
        | People: ban

      build(tags?: ("a" | "b")[]): not destructive, closed world, about 65 tokens
        | Builds
        | the site"
    `);
    await using grouped = await createTestClient(createRegistry());
    expect(describeSurface(await grouped.listTools())).toContain(
      'ban(workspace: string, id: string | number)',
    );
  });

  it('compares a registry, a view, a list and a client with a snapshot', async () => {
    const registry = createRegistry();
    await expect(registry).toMatchSurface();
    await expect(registry.view({ form: 'flat' })).toMatchSurface();
    await expect(registry.listTools()).toMatchSurface();
    await using client = await createTestClient(registry);
    await expect(client).toMatchSurface();
  });

  it('compares with the snapshot in a file', async () => {
    await expect(createRegistry()).toMatchSurface('__snapshots__/surface.txt');
  });

  it('rejects values that have no surface', () => {
    expect(() => expect('users').toMatchSurface()).toThrow('toMatchSurface needs a registry');
  });
});
