import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultClients } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { lowerTool, profileNames } from '@toolfold/profiles';
import type { McpTool } from '@toolfold/profiles';
import { commandIn, files } from './cli-profile-files.js';
import { folderWith, runHere } from './cli-program.js';
import { cases, createRejected } from '../../../test/wire/rejected-tools.js';

interface Shown {
  readonly tools: readonly { readonly name: string }[];
  readonly profile?: string;
  readonly clients: readonly {
    readonly client: { readonly name: string; readonly profile: string };
    readonly profile: string;
    readonly form?: string;
    readonly reason: string;
    readonly tools: number;
    readonly isAccepted: boolean;
    readonly violations: readonly string[];
  }[];
}

async function inspect(
  argv: readonly string[],
  { cwd = folderWith(files), command = [] }: { cwd?: string; command?: readonly string[] } = {},
): Promise<Shown> {
  const words = ['inspect', ...argv, '--json', ...(command.length > 0 ? ['--', ...command] : [])];
  const { code, out } = await runHere(words, { cwd });
  expect(code).toBe(0);
  return JSON.parse(out) as Shown;
}

async function serveRejected(): Promise<string> {
  const server = await serveHttp(createRejected(), { port: 0, view: { profile: 'anthropic' } });
  onTestFinished(() => server.close());
  return server.url;
}

describe('toolfold inspect --profile', () => {
  it.each(['registry.mjs', 'tools.json', 'a command', 'a URL'])(
    'shows the tools of %s as a client gets them, and names the profile',
    async (target) => {
      const cwd = folderWith(files);
      const command = target === 'a command' ? commandIn(cwd) : [];
      const words = target === 'a command' ? [] : [target === 'a URL' ? await serveRejected() : target];
      const report = await inspect(['--profile', 'portable', ...words], { cwd, command });
      expect(report).toMatchObject({ profile: 'portable', tools: [{ name: 'files_move' }, {}, {}, {}, {}] });
      const one = await inspect(['--profile', 'portable', '--tool', 'find', ...words], { cwd, command });
      const { inputSchema } = one as unknown as { inputSchema: object };
      expect(inputSchema).toMatchObject({ properties: { filter_name: {} }, required: ['filter_name'] });
    },
  );

  it('shows the fields of an action as a client sees them', async () => {
    const argv = ['grouped.mjs', '--tool', 'plan/list'];
    expect(await inspect(argv)).toMatchObject({ inputSchema: { required: ['workspace', 'filter[name]'] } });
    expect(await inspect([...argv, '--profile', 'anthropic'])).toMatchObject({
      inputSchema: { properties: { day: { type: 'string' } }, required: ['workspace', 'filter_name'] },
    });
  });

  it('does not warn of a name that the chosen client accepts', async () => {
    const { out } = await runHere(['inspect', 'registry.mjs', '--profile', 'gemini'], {
      cwd: folderWith(files),
    });
    expect(out).toContain('files.move');
    expect(out).not.toContain('reject this name');
  });

  it.each([
    [['registry.mjs', '--profile', 'gemni'], '--profile must be one of standard, portable, anthropic'],
    [['registry.mjs', '--profile', 'client'], '--profile must be one of standard, portable, anthropic'],
  ])('rejects %j', async (argv, message) => {
    const { code, err } = await runHere(['inspect', ...argv], { cwd: folderWith(files) });
    expect(err).toContain(message);
    expect(code).toBe(2);
  });
});

describe('toolfold inspect --clients', () => {
  it.each(['registry.mjs', 'tools.json', 'a command', 'a URL'])(
    'shows that all known clients accept the lowered tools of %s',
    async (target) => {
      const cwd = folderWith(files);
      const command = target === 'a command' ? commandIn(cwd) : [];
      const words = target === 'a command' ? [] : [target === 'a URL' ? await serveRejected() : target];
      const { clients } = await inspect(['--clients', ...words], { cwd, command });
      expect(clients.map(({ client }) => client.name)).toEqual(defaultClients.map(({ name }) => name));
      for (const each of clients) {
        expect([each.client.name, each.violations]).toEqual([each.client.name, []]);
        expect(each).toMatchObject({ isAccepted: true, tools: 5, profile: each.client.profile });
      }
    },
  );

  it('shows the table of a described server, without rows that no client gets, and why a form is chosen', async () => {
    const { clients } = await inspect(['served.mjs', '--clients']);
    const rows = clients.filter(({ client }) => /^c[uo]/.test(client.name));
    expect(rows.map(({ client, profile, form }) => [client.name, profile, form])).toEqual([
      ['cursor', 'gemini', 'flat'],
      ['codex*', 'codex', 'search'],
      // The row "cursor" fits only that name, and other names that begin with it get the next row.
      ['cursor*', 'cursor', 'grouped'],
    ]);
    expect(rows[1]?.reason).toBe(
      'the grouped and the flat form have more than 2 tools, or descriptions that are too long',
    );
  });

  it('judges a fixed profile by the rules of each client', async () => {
    const { clients } = await inspect(['fixed.mjs', '--clients']);
    const find = (name: string) => clients.find(({ client }) => client.name === name);
    expect(find('chatgpt*')).toMatchObject({ profile: 'openai', isAccepted: true });
    expect(find('claude-ai*')).toMatchObject({
      profile: 'openai',
      isAccepted: false,
      violations: ['property-key'],
    });
  });
});

describe('toolfold call --profile', () => {
  const call = async (argv: readonly string[]) => {
    const { code, out, err } = await runHere(['call', ...argv], { cwd: folderWith(files) });
    return { code, text: (out === '' ? err : out).trim() };
  };

  it.each(profileNames)('takes the arguments that a client with the profile %s sends', async (profile) => {
    const authored = createRejected().view().authored?.listTools('2025-11-25') ?? [];
    for (const [at, { name, valid }] of cases.entries()) {
      const { tool, encode = (args) => args } = lowerTool(authored[at] as McpTool, profile);
      const input = JSON.stringify(encode(valid));
      const result = await call(['registry.mjs', tool.name, '--profile', profile, '--input', input]);
      expect([name, result]).toEqual([name, { code: 0, text: JSON.stringify(valid) }]);
    }
  });

  it('takes the fields of an action as a client sees them', async () => {
    const words = ['grouped.mjs', 'plan/list', 'workspace=w', 'filter_name=5'];
    const text = '{"workspace":"w","filter[name]":"5"}';
    expect(await call([...words, '--profile', 'portable'])).toEqual({ code: 0, text });
    expect(await call(words)).toMatchObject({ code: 2 });
  });

  it('works only with a file', async () => {
    expect(await call(['http://127.0.0.1:1/mcp', 'find', '--profile', 'gemini'])).toMatchObject({
      code: 2,
      text: expect.stringContaining('--profile works only with a file') as string,
    });
  });

  it.each([
    [['pong', 'x[y]=5'], '{"x[y]":5}'],
    [
      ['plan/make', 'workspace=w', 'day=2026-01-01', 'at:=[1]'],
      '{"workspace":"w","day":"2026-01-01","at":[1]}',
    ],
    [
      ['plan', 'action=make', 'workspace=w', 'day=2026-01-01', 'at:=[1]'],
      '{"workspace":"w","day":"2026-01-01","at":[1]}',
    ],
  ])('calls a tool or an action of a file by a former name: %j', async (argv, text) => {
    expect(await call(['grouped.mjs', ...argv])).toEqual({ code: 0, text });
  });
});
