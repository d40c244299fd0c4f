import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packageVersion } from 'toolfold/internal';
import { folderWith, pathOf, runHere, runProgram, startHere, startProgram } from './cli-program.js';
import {
  everything as everythingTarget,
  isAlive,
  faulty as faultyTarget,
} from '../../gateway/test/upstream-servers.js';

const wordsOf = ({ command, args }: { command: string; args: readonly string[] }) => [command, ...args];
const everything = wordsOf(everythingTarget);
const faulty = wordsOf(faultyTarget());

/** Calls a tool of a started command line without a client, and returns the text of the answer. */
async function call(
  { stdin }: ReturnType<typeof startProgram>['child'],
  written: { readonly out: string },
  params: object,
): Promise<string> {
  const clientInfo = { name: 'c', version: '1' };
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  for (const message of [
    { id: 1, method: 'initialize', params: initialize },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params },
  ])
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = (): string | undefined => written.out.split('\n').find((line) => line.includes('"id":2'));
  await expect.poll(answer, { timeout: 60_000 }).toBeDefined();
  const { result } = JSON.parse(answer() ?? '') as { result: { content: [{ text: string }] } };
  return result.content[0].text;
}

/** Starts a proxy over HTTP in this process. */
async function serveHere(argv: readonly string[], upstream: readonly string[]) {
  const proxy = startHere(['proxy', '--http', '0', '--json', ...argv, '--', ...upstream]);
  onTestFinished(async () => {
    proxy.kill('SIGTERM');
    await proxy.exit;
  });
  await expect.poll(() => proxy.written.out, { timeout: 100_000 }).toContain('\n');
  return { ...proxy, ...(JSON.parse(proxy.written.out) as { url: string; server: string; tools: number }) };
}

/** A client of a proxy process over stdio, or of a proxy in this process over HTTP. */
async function connect(
  argv: readonly string[],
  upstream: readonly string[],
  over: 'stdio' | 'http' = 'http',
) {
  const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept' as const,
    content: { answer: 'from the person' },
  }));
  const transport =
    over === 'http'
      ? new StreamableHTTPClientTransport(new URL((await serveHere(argv, upstream)).url))
      : new StdioClientTransport({
          command: process.execPath,
          args: [pathOf('packages/cli/dist/main.js'), 'proxy', ...argv, '--', ...upstream],
          stderr: 'ignore',
        });
  await client.connect(transport, { timeout: 100_000 });
  onTestFinished(() => client.close());
  const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
  const text = async (name: string, args: Record<string, unknown> = {}): Promise<unknown> => {
    const { content } = await client.callTool({ name, arguments: args });
    return content[0]?.type === 'text' ? content[0].text : content[0];
  };
  return { client, names, text };
}

describe('toolfold', () => {
  it('shows its commands and its version', async () => {
    const help = await runProgram(['--help']);
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help.out).toMatch(
      /Commands:\n {2}init[\s\S]*dev[\s\S]*inspect[\s\S]*test[\s\S]*call[\s\S]*proxy[\s\S]*Examples:/,
    );
    expect(await runHere(['--version'])).toMatchObject({ code: 0, out: `${packageVersion}\n` });
  });

  it.each([
    [[], 'No command given.'],
    [['prxy'], 'Unknown command prxy. Did you mean proxy?'],
    [['--hlp'], 'Did you mean --help?'],
    [['proxy'], 'No server given.'],
    [['proxy', '--'], 'No command given after --.'],
    [['proxy', 'server'], 'is not a URL'],
    [['proxy', 'https://a.example', '--', 'b'], 'Pass only one of them.'],
    [['proxy', '--redonly', '--', 'b'], 'Did you mean --readonly?'],
    [['proxy', '--form', 'round', '--', 'b'], '--form must be grouped, flat, search or code'],
    [['proxy', '--http', '99999', '--', 'b'], '--http must be a number from 0 to 65535, not "99999".'],
    [['proxy', '--http', 'abc', '--', 'b'], '--http must be a number from 0 to 65535, not "abc".'],
    [['proxy', 'npx', '-y', 'foo'], 'Write -- before a command: -- npx -y foo'],
    [['proxy', 'foo', '--', 'b'], 'Unexpected argument "foo".'],
    [['proxy', '--json', '--', 'b'], '--json works only with --http'],
    [['proxy', '--pinned', 'a', '--', 'b'], '--pinned works only with --form search'],
    [['proxy', '--prefix', 'a b', '--', 'b'], '--prefix must have'],
    [['proxy', '--header', 'a:b', '--', 'b'], '--header works only with a URL'],
    [['proxy', '--header', 'secret', 'https://a.example'], '--header must have the form name:value'],
  ])('exits with 2 and a message: %j', async (argv, message) => {
    const { code, out, err } = await runHere(argv);
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('toolfold proxy', () => {
  it('ends together with its server after a line that is too long', async () => {
    const { child, written, exit } = startProgram(['proxy', '--', ...faulty]);
    const pid = await call(child, written, { name: 'faulty', arguments: { action: 'pid' } });
    const chunk = 'x'.repeat(1 << 20);
    // The pipe rejects input that is no longer read.
    child.stdin.on('error', () => {});
    for (let count = 0; count < 12; count++) child.stdin.write(chunk);
    expect((await exit).signal).toBeNull();
    await expect.poll(() => isAlive(Number(pid)), { timeout: 30_000 }).toBe(false);
  });

  it('ends together with its server when the client stops reading', async () => {
    const { child, written, exit } = startProgram(['proxy', '--', ...faulty]);
    const pid = await call(child, written, { name: 'faulty', arguments: { action: 'pid' } });
    child.stdout.destroy();
    child.stdin.on('error', () => {});
    for (let id = 10; id < 20; id++)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })}\n`);
    expect((await exit).signal).toBeNull();
    await expect.poll(() => isAlive(Number(pid)), { timeout: 30_000 }).toBe(false);
  });

  it('shows its options and examples', async () => {
    const { code, out } = await runHere(['proxy', '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/--form grouped\|flat\|search[\s\S]*Examples:\n {2}toolfold proxy -- npx/);
  });

  it('folds a server into one tool', async () => {
    const { names, text } = await connect([], everything, 'stdio');
    expect(await names()).toEqual(['mcp-servers_everything']);
    expect(await text('mcp-servers_everything', { action: 'get-sum', a: 2, b: 3 })).toBe(
      'The sum of 2 and 3 is 5.',
    );
  });

  it('names that tool by --prefix, and offers only the chosen actions', async () => {
    const { client } = await connect(
      ['--prefix', 'every', '--toolsets', 'get', '--exclude-tools', 'get-env', '--readonly'],
      everything,
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['every']);
    const { action } = tools[0]!.inputSchema.properties as { action: { enum: string[] } };
    expect(action.enum).toContain('get-sum');
    expect(action.enum).not.toContain('get-env');
    expect(action.enum.filter((name) => !name.startsWith('get-'))).toEqual([]);
    expect(tools[0]?.annotations?.readOnlyHint).toBe(true);
  });

  it('offers the tools unchanged with --form flat', async () => {
    const { names, text } = await connect(
      ['--form', 'flat', '--tools', 'echo,get-sum', '--prefix', 'e'],
      everything,
    );
    expect(await names()).toEqual(['e_echo', 'e_get-sum']);
    expect(await text('e_echo', { message: 'hi' })).toBe('Echo: hi');
  });

  it('offers search tools with --form search, beside pinned tools', async () => {
    const { names, text } = await connect(['--form=search', '--pinned', 'echo'], everything);
    expect(await names()).toEqual([
      'search_tools',
      'describe_tools',
      'call_read_tool',
      'call_write_tool',
      'list_toolsets',
      'echo',
    ]);
    expect(await text('search_tools', { query: 'add two numbers' })).toContain('get-sum');
    const sum = { address: 'get-sum', arguments: { a: 20, b: 22 } };
    expect(await text('call_read_tool', sum)).toBe('The sum of 20 and 22 is 42.');
  });

  it('passes the questions of the server on to the client', async () => {
    const { text } = await connect(['--form', 'flat'], faulty, 'stdio');
    expect(await text('ask', { question: 'well?' })).toBe('from the person');
  });

  it('follows the server when its tools change, and tells the client', async () => {
    const { client, names, text } = await connect(['--form', 'flat'], faulty);
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
    });
    expect(await names()).not.toContain('grown');
    await text('grow');
    await told;
    await expect.poll(names, { timeout: 60_000 }).toContain('grown');
    expect(await text('grown')).toBe('grown');
  });

  it('serves 2025 and 2026 clients with --http, and ends together with its server on SIGTERM', async () => {
    const { kill, exit, url, server, tools } = await serveHere(['--form', 'flat'], faulty);
    expect(server).toBe('faulty');
    expect(tools).toBeGreaterThan(10);
    let pid = 0;
    for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
      const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      const { content } = await client.callTool({ name: 'pid', arguments: {} });
      pid = Number(content[0]?.type === 'text' ? content[0].text : Number.NaN);
      await client.close();
    }
    expect(() => process.kill(pid, 0)).not.toThrow();
    kill('SIGTERM');
    expect(await exit).toBe(0);
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  });

  it.each(['SIGINT', 'SIGTERM', 'end of input'] as const)('exits with 0 on %s', async (how) => {
    const { child, written, exit } = startProgram(['proxy', '--form', 'flat', '--', ...faulty]);
    const clientInfo = { name: 'c', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await expect.poll(() => written.out, { timeout: 100_000 }).toContain('"serverInfo"');
    if (how === 'end of input') child.stdin.end();
    else child.kill(how);
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(written.err).toBe('');
  });

  it.each([
    [
      'an unknown command',
      ['--', 'toolfold-no-such-command'],
      1,
      'The command "toolfold-no-such-command" was not found. Is it installed and in PATH?',
    ],
    ['a process that ends', ['--', ...wordsOf(faultyTarget('crash'))], 1, 'there is no licence'],
    [
      'a command that ends',
      ['--', 'node', '-e', 'process.exit(3)'],
      1,
      '"node -e process.exit(3)" exited or closed its output before it answered.',
    ],
    ['a name that the server does not have', ['--tools', 'ecoh', '--', ...faulty], 2, 'Did you mean "echo"?'],
    ['no remaining tool', ['--readonly', '--', ...faulty], 1, 'No tool of the server matches the options.'],
    [
      'a pin that is not chosen',
      ['--form', 'search', '--pinned', 'pid', '--exclude-tools', 'pid', '--', ...faulty],
      2,
      'no tool "pid"',
    ],
  ])('explains the failure: %s', async (_, argv, expected, message) => {
    const { code, out, err } = await runHere(['proxy', ...argv]);
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
    expect({ code, out }).toEqual({ code: expected, out: '' });
  });

  it('reports a port that is already in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, err } = await runHere(['proxy', '--http', String(port), '--', ...faulty]);
    expect(err).toContain(`Port ${port} is already in use.`);
    expect(code).toBe(1);
  });

  it('sends headers to a server at a URL', async () => {
    const seen = new Set<unknown>();
    const server = createServer((request, response) => {
      seen.add(request.headers['x-key']);
      response.writeHead(403).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp`;
    const { code, err } = await runHere(['proxy', '--header', 'X-Key: a secret', url]);
    expect(code).toBe(1);
    expect(err).toContain(`${url} answered with HTTP status 403. Pass credentials with --header.`);
    expect(err).not.toContain('a secret');
    expect([...seen]).toEqual(['a secret']);
  });
});

describe('the search file of a proxy', () => {
  const search = async (argv: readonly string[]) => {
    const folder = folderWith({
      'search.json': JSON.stringify({
        version: 1,
        tools: {
          echo: { keywords: ['zyxparrot'] },
          'get-sum': { keywords: ['zyxtotal'] },
          ecko: { keywords: ['zyxgone'] },
        },
      }),
    });
    const file = join(folder, 'search.json');
    const proxy = await serveHere(['--form', 'search', '--search-file', file, ...argv], everything);
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(proxy.url)));
    onTestFinished(() => client.close());
    const find = async (query: string) =>
      JSON.stringify(await client.callTool({ name: 'search_tools', arguments: { query } }));
    const listed = JSON.stringify(await client.listTools());
    return { found: await find('zyxparrot'), listed, err: proxy.written.err };
  };

  it('finds tools by its words, with and without a prefix, and names addresses that no tool has once', async () => {
    const plain = await search(['--tools', 'echo,get-sum']);
    expect(plain.found).toContain('echo');
    expect(plain.listed).not.toContain('zyx');
    expect(plain.err.match(/belongs|no tool has/g)).toHaveLength(1);
    expect(plain.err).toContain(String.raw`\"ecko\" (did you mean \"echo\"?)`);
    const prefixed = await search(['--prefix', 'acme', '--tools', 'echo']);
    expect(prefixed.found).toContain('acme_echo');
    expect(prefixed.err.match(/no tool has/g)).toHaveLength(1);
  });

  it('must be a valid file, and needs the search form', async () => {
    const folder = folderWith({ 'search.json': '{"version":2}' });
    const file = join(folder, 'search.json');
    const invalid = await runHere(['proxy', '--form', 'search', '--search-file', file, '--', ...everything]);
    expect([invalid.code, invalid.err]).toEqual([1, expect.stringContaining('version must be 1, but is 2.')]);
    const grouped = await runHere(['proxy', '--search-file', file, '--', ...everything]);
    expect([grouped.code, grouped.err]).toEqual([
      2,
      expect.stringContaining('works only with --form search'),
    ]);
    const missing = await runHere(['proxy', '--form', 'search', '--search-file', 'no.json', '--', 'x']);
    expect(missing.err).toContain('no.json does not exist. Write it with toolfold search draft.');
  });
});
