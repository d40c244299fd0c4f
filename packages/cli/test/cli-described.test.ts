import { describe, expect, it } from 'vitest';
import { folderWith, runHere } from './cli-program.js';

const files = {
  'server.mjs': `
    import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
    import { defineServer } from 'toolfold/node';
    import * as z from 'zod';
    const notes = new GroupedToolBuilder('notes')
      .description('The notes of the team')
      .action({
        name: 'list',
        description: 'Lists all notes of the team',
        readOnly: true,
        scopes: ['notes:read'],
        inputSchema: z.object({}),
        handler: ({ context }) => 'for ' + context.caller.auth.clientId,
      })
      .action({ name: 'add', inputSchema: z.object({ text: z.string() }), destructive: false, handler: () => 'added' });
    export default defineServer({
      registry: new ToolRegistry({ name: 'own' }).register(notes),
      view: { form: 'search' },
      stdio: { auth: { clientId: 'local', scopes: ['notes:read'] } },
    });
  `,
};

const runIn = (cwd: string, ...argv: readonly string[]) => runHere(argv, { cwd });
const json = async <T>(cwd: string, ...argv: readonly string[]): Promise<T> =>
  JSON.parse((await runIn(cwd, ...argv, '--json')).out) as T;

describe('a described server in the search form', () => {
  it('is called as the client of stdio, unless scopes are named', async () => {
    const cwd = folderWith(files);
    expect(await runIn(cwd, 'call', 'server.mjs', 'notes/list')).toMatchObject({
      code: 0,
      out: 'for local\n',
    });
    const denied = await runIn(cwd, 'call', 'server.mjs', 'notes/list', '--scopes', 'other');
    expect(denied).toMatchObject({ code: 3, err: expect.stringContaining('notes:read') as string });
  });

  it('is inspected and counted as clients list it', async () => {
    const cwd = folderWith(files);
    const { form, tools } = await json<{ form: string; tools: readonly { name: string }[] }>(
      cwd,
      'inspect',
      'server.mjs',
    );
    expect(form).toBe('search');
    expect(tools.map(({ name }) => name)).toContain('search_tools');
    const counted = await json<{ form: string; tools: readonly unknown[] }>(cwd, 'tokens', 'server.mjs');
    expect(counted).toMatchObject({ form: 'search', tools: { length: tools.length } });
  });

  it('is linted, tested and locked with all actions, and linted for its keywords', async () => {
    const cwd = folderWith(files);
    const { actions, findings } = await json<{
      actions: number;
      findings: readonly { rule: string; action?: string }[];
    }>(cwd, 'lint', 'server.mjs');
    expect(actions).toBe(2);
    expect(findings.map(({ rule }) => rule)).toContain('search-keywords-missing');
    const { operations } = await json<{ operations: readonly { address: string; status: string }[] }>(
      cwd,
      'test',
      'server.mjs',
      '--runs',
      '3',
    );
    expect(operations.map(({ address, status }) => [address, status])).toEqual([
      ['notes/list', 'passed'],
      ['notes/add', 'passed'],
    ]);
    expect(await json(cwd, 'lock', 'server.mjs')).toMatchObject({ tools: 1, actions: 2 });
    expect((await runIn(cwd, 'lock', 'server.mjs', '--check')).code).toBe(0);
  });
});
