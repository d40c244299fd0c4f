import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { folderWith, runHere } from '../../test/cli-program.js';

afterEach(() => vi.unstubAllEnvs());

/** A project, and a home folder for the clients that keep their configuration there. */
function project() {
  const cwd = folderWith({ 'server.ts': '' });
  const home = folderWith({});
  vi.stubEnv('HOME', home);
  vi.stubEnv('USERPROFILE', home);
  vi.stubEnv('APPDATA', join(home, 'AppData'));
  return { cwd, home };
}

interface Installed {
  readonly file: string;
  readonly config: { readonly command: string; readonly args: readonly string[] };
  readonly link?: string;
  readonly backup?: string;
}

async function install(cwd: string, ...argv: readonly string[]): Promise<Installed> {
  const { code, out, err } = await runHere(['install', '--json', ...argv], { cwd });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Installed;
}

describe('toolfold install', () => {
  it.each(['claude', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini'])(
    'shows what it would write for %s, and writes it only with --write',
    async (client) => {
      const { cwd } = project();
      const shown = await install(cwd, client, 'server.ts', '--name', 'notes');
      const file = join(cwd, shown.file);
      const path = existsSync(dirname(file)) || !shown.file.startsWith('/') ? file : shown.file;
      expect(existsSync(path)).toBe(false);
      const { config } = await install(cwd, client, 'server.ts', '--name', 'notes', '--write');
      expect(config).toEqual(shown.config);
      expect(config.args.slice(-3)).toEqual(['start', expect.stringMatching(/server\.ts$/), '--stdio']);
      expect(readFileSync(path, 'utf8')).toContain('notes');
    },
  );

  it.each([
    ['claude-code', '.mcp.json', 'mcpServers', { type: 'http', url: 'https://a.example/mcp' }],
    ['cursor', '.cursor/mcp.json', 'mcpServers', { url: 'https://a.example/mcp' }],
    ['vscode', '.vscode/mcp.json', 'servers', { type: 'http', url: 'https://a.example/mcp' }],
    ['gemini', undefined, 'mcpServers', { httpUrl: 'https://a.example/mcp' }],
  ])('keeps the other settings of %s, and the file as it was before', async (client, path, field, entry) => {
    const { cwd, home } = project();
    const file = path === undefined ? join(home, '.gemini/settings.json') : join(cwd, path);
    const before = JSON.stringify({ theme: 'dark', [field]: { other: { command: 'x' } } });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, before);
    for (const name of ['one', 'two'])
      await install(
        cwd,
        client,
        'https://a.example/mcp',
        '--header',
        'x-api-key: k',
        '--name',
        name,
        '--write',
      );
    const config = { ...entry, headers: { 'x-api-key': 'k' } };
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      theme: 'dark',
      [field]: { other: { command: 'x' }, one: config, two: config },
    });
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe(before);
  });

  it('replaces its own table of Codex, and no other', async () => {
    const { cwd, home } = project();
    const file = join(home, '.codex/config.toml');
    mkdirSync(dirname(file));
    writeFileSync(
      file,
      'model = "x"\n\n[mcp_servers.notes]\ncommand = "old"\n\n[mcp_servers.notes.env]\nA = "1"\n\n[other]\nb = 1\n',
    );
    await install(cwd, 'codex', '--name', 'notes', '--write', '--', 'node', 'a "b".js');
    await install(cwd, 'codex', 'https://a.example/mcp', '--header', 'x: y', '--name', 'web', '--write');
    expect(readFileSync(file, 'utf8')).toBe(
      'model = "x"\n\n[other]\nb = 1\n\n[mcp_servers.notes]\ncommand = "node"\nargs = ["a \\"b\\".js"]\n\n' +
        '[mcp_servers.web]\nurl = "https://a.example/mcp"\nhttp_headers = { "x" = "y" }\n',
    );
  });

  it('starts a file of the project by npx, and a file elsewhere by its path', async () => {
    const { cwd, home } = project();
    writeFileSync(join(home, 'server.ts'), '');
    expect((await install(cwd, 'cursor', 'server.ts')).config).toEqual({
      command: 'npx',
      args: ['toolfold', 'start', 'server.ts', '--stdio'],
    });
    for (const [client, file] of [
      ['cursor', join(home, 'server.ts')],
      ['gemini', 'server.ts'],
    ] as const) {
      const { command, args } = (await install(cwd, client, file)).config;
      expect(command).toBe(process.execPath);
      expect(args[2]).toMatch(/^\/.*server\.ts$/);
    }
  });

  it('gives links that have the same entry', async () => {
    const { cwd } = project();
    const cursor = await install(cwd, 'cursor', 'server.ts', '--name', 'notes');
    const { searchParams } = new URL(cursor.link ?? '');
    expect(searchParams.get('name')).toBe('notes');
    const config = Buffer.from(searchParams.get('config') ?? '', 'base64').toString();
    expect(JSON.parse(config)).toEqual(cursor.config);
    const vscode = await install(cwd, 'vscode', 'server.ts', '--name', 'notes');
    const [scheme, query = ''] = (vscode.link ?? '').split('?');
    expect(scheme).toBe('vscode:mcp/install');
    expect(JSON.parse(decodeURIComponent(query))).toEqual({ name: 'notes', ...vscode.config });
  });

  it.each([
    [['emacs', 'server.ts'], 2, '"emacs" is not a client. Pass one of claude, claude-code'],
    [['claude', 'https://a.example/mcp'], 2, 'Claude Desktop takes commands, not addresses.'],
    [['cursor', 'missing.ts'], 2, 'The file "missing.ts" does not exist.'],
    [['cursor', 'server.ts', 'more'], 2, 'Unexpected argument "more".'],
    [['cursor', 'server.ts', '--name', 'a b'], 2, '--name may have letters'],
    [['vscode', 'server.ts', '--write'], 1, 'is not a JSON object without comments. Add the entry by hand.'],
  ])('rejects %j, and writes nothing', async (argv, code, message) => {
    const { cwd } = project();
    mkdirSync(join(cwd, '.vscode'));
    writeFileSync(join(cwd, '.vscode/mcp.json'), '// servers\n{}');
    const ended = await runHere(['install', ...argv], { cwd });
    expect(ended.err).toContain(message);
    expect(ended.code).toBe(code);
    expect(readFileSync(join(cwd, '.vscode/mcp.json'), 'utf8')).toBe('// servers\n{}');
  });
});
