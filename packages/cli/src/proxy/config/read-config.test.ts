import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LISTING, readConfig } from './read-config.js';
import { readOverridesFile, splitOverrides } from './read-overrides.js';

function fileWith(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'mcp.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const env = { HOME: '/home/ada', GITHUB_TOKEN: 's3cret', EMPTY: '' };
const read = (content: unknown) => readConfig(fileWith(content), env);

describe('the configuration file', () => {
  it('lists commands and addresses, with variables of the environment', () => {
    const { servers, notices } = read({
      mcpServers: {
        files: { command: 'npx', args: ['-y', 'server-filesystem', '${HOME}/notes'], cwd: '${env:HOME}' },
        github: {
          type: 'http',
          url: 'https://mcp.example.com/${REGION:-eu}/mcp',
          headers: { Authorization: 'Bearer ${GITHUB_TOKEN}', 'X-Team': '${EMPTY:-core}' },
        },
      },
    });
    expect(servers.map(({ name, prefix, ownTarget }) => ({ name, prefix, ownTarget }))).toEqual([
      {
        name: 'files',
        prefix: 'files',
        ownTarget: {
          command: 'npx',
          args: ['-y', 'server-filesystem', '/home/ada/notes'],
          cwd: '/home/ada',
          env: {},
        },
      },
      {
        name: 'github',
        prefix: 'github',
        ownTarget: {
          url: 'https://mcp.example.com/eu/mcp',
          headers: { Authorization: 'Bearer s3cret', 'X-Team': 'core' },
        },
      },
    ]);
    expect(notices).toEqual([]);
  });

  it('may use the key of VS Code, and leaves disabled servers out', () => {
    const { servers } = read({
      servers: { a: { type: 'stdio', command: 'a' }, b: { command: 'b', disabled: true } },
    });
    expect(servers.map(({ name }) => name)).toEqual(['a']);
  });

  it('may have keys of other clients, which are reported', () => {
    const { notices } = read({ inputs: [], mcpServers: { a: { command: 'a', autoApprove: ['x'] } } });
    expect(notices).toEqual([
      expect.stringContaining('mcp.json: "inputs" has no effect'),
      expect.stringContaining('mcpServers["a"]: "autoApprove" has no effect'),
    ]);
  });

  it('takes values of the caller in headers and env, and reads the lists of the server without them', () => {
    const { servers, secrets } = read({
      mcpServers: {
        web: {
          url: 'https://a.example/mcp',
          headers: { Authorization: 'Bearer ${session:token}', 'X-Team': '${session:team:-none}' },
        },
        cli: { command: 'a', env: { KEY: '${session:key:-${GITHUB_TOKEN}}' } },
      },
    });
    const [web, cli] = servers;
    expect(web).toMatchObject({ sessionKeys: ['token', 'team'], isComplete: false });
    expect(web?.ownTarget).toEqual({ url: 'https://a.example/mcp', headers: { 'X-Team': 'none' } });
    const { headers } = (web as { target: unknown }).target as { headers: (context: object) => object };
    expect(headers({ token: 'abc' })).toEqual({ Authorization: 'Bearer abc', 'X-Team': 'none' });
    expect(headers(LISTING)).toEqual({ 'X-Team': 'none' });
    expect(() => headers({})).toThrow('The server "web" needs "token" of the caller\'s session.');
    expect(() => headers({ token: 'a\r\nX: y' })).toThrow('without control characters');
    expect(cli).toMatchObject({ sessionKeys: ['key'], isComplete: true });
    expect(cli?.ownTarget).toMatchObject({ env: { KEY: 's3cret' } });
    const { env: environment } = (cli as { target: unknown }).target as { env: (context: object) => object };
    expect(environment({ key: 'own' })).toEqual({ KEY: 'own' });
    headers({ token: 'caller-token' });
    expect(secrets.redact('GET with caller-token and s3cret')).toBe('GET with [redacted] and [redacted]');
  });

  it.each([
    [{}, 'has no "mcpServers"'],
    [{ mcpServers: {}, servers: {} }, 'has both "mcpServers" and "servers"'],
    [{ mcpServers: {} }, 'has no server that is not disabled'],
    [{ mcpServers: { a: {} } }, 'mcpServers["a"] must have either "command" or "url"'],
    [{ mcpServers: { a: { command: 'a', url: 'b' } } }, 'must have either "command" or "url"'],
    [{ mcpServers: { a: { command: 'a', headers: {} } } }, 'headers has no meaning beside "command"'],
    [{ mcpServers: { a: { command: 'a', args: 'b' } } }, '.args must be a list of text'],
    [{ mcpServers: { a: { command: 'a', env: { X: null } } } }, '.env.X must be text'],
    [{ mcpServers: { a: { url: 'ftp://a' } } }, '.url must be an address of https or http'],
    [{ mcpServers: { a: { url: 'https://u:s3cret@a.example' } } }, '.url must not contain credentials'],
    [{ mcpServers: { a: { url: 'http://a.example', headers: { a: 'b' } } } }, 'must be an https address'],
    [{ mcpServers: { a: { url: 'https://a.example', type: 'sse' } } }, 'which is not supported'],
    [{ mcpServers: { a: { command: 'a', type: 'http' } } }, '.type must be "stdio" beside "command"'],
    [{ mcpServers: { a: { command: '${NONE}' } } }, 'uses the environment variable NONE, which is not set'],
    [{ mcpServers: { a: { command: '${input:x}' } } }, 'uses ${input:x}, which is not supported'],
    [{ mcpServers: { a: { command: '${session:x}' } } }, 'possible only in headers and env'],
    [{ mcpServers: { 'a b': { command: 'a' }, a_b: { command: 'a' } } }, 'would both have the prefix "a_b"'],
    [{ mcpServers: { '!!': { command: 'a' } } }, 'needs a name with a letter or a digit'],
    ['{', 'is not valid JSON'],
  ])('is rejected with its place, and without a secret: %j', (content, message) => {
    expect(() => read(content)).toThrow(message);
    try {
      read(content);
    } catch (error) {
      expect(String(error)).not.toContain('s3cret');
    }
  });
});

describe('the overrides file', () => {
  it('is split by server, also if the name of a server has a slash', () => {
    const file = fileWith({ version: 1, tools: { 'a/x': { hide: true }, 'a/b/y': { title: 'Y' }, z: {} } });
    const { byServer, notices } = splitOverrides('o.json', readOverridesFile(file), ['a', 'a/b']);
    expect(Object.fromEntries(byServer)).toEqual({ a: { x: { hide: true } }, 'a/b': { y: { title: 'Y' } } });
    expect(notices).toEqual([
      'o.json: the override for "z" has no effect: it must have the form server/tool.',
    ]);
  });

  it.each([
    [{ tools: {} }, 'version must be 1'],
    [
      { version: 1, tool: {} },
      'has no field "tool". Its fields are version and tools. Did you mean "tools"?',
    ],
    [{ version: 1, tools: { a: { hidden: true } } }, 'mcp.json: tools["a"] has no option "hidden".'],
  ])('is rejected with its place: %j', (content, message) => {
    expect(() => readOverridesFile(fileWith(content))).toThrow(message);
  });
});
