import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeClients } from './clients.js';
import { readOptions } from './options.js';
import { ask, cleanUp, end, program, scratch, serve, sleep, start, transfer } from './test-program.js';
import type { Started } from './test-program.js';

const books = join(scratch, 'books');
afterAll(cleanUp);

describe('the first start', () => {
  let first: Started;
  beforeAll(async () => {
    // The leftovers of an interrupted start.
    mkdirSync(join(books, 'pgdata.new'), { recursive: true });
    writeFileSync(join(books, 'pgdata.new', 'PG_VERSION'), '');
    first = start(['--port', '0', '--data', books, '--telemetry', '--readonly', '--toolsets', 'accounts']);
    while (!first.out().includes('Ctrl+C') && first.child.exitCode === null) await sleep(50);
  }, 120_000);

  it('shows the progress of creating the books', () => {
    expect(first.said()).toContain('Creating the files of the database');
    expect(existsSync(join(books, 'pgdata.new'))).toBe(false);
    expect(first.said()).toMatch(/Writing generated books: 1 of 26 \(Household \d{4}-\d\d\)/);
    expect(first.said()).toContain('26 of 26');
    expect(first.said()).toContain(`New books: ${books}`);
  });

  it('prints a working curl command, and logs its call', async () => {
    const [line = ''] = first.out().match(/^curl .*$/m) ?? [];
    const answer = JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' })) as {
      result: { structuredContent: { budgets: { name: string }[] } };
    };
    expect(answer.result.structuredContent.budgets.map(({ name }) => name)).toEqual(['Household', 'Studio']);
    while (!first.said().includes('span')) await sleep(20);
    expect(first.said()).toMatch(/span tools\/call finance [\d.]+ ms trace=\w+ .*toolfold.outcome=ok/);
  });

  it('prints configurations for clients', () => {
    const text = first.out();
    const url = /Serving (\S+)\./.exec(text)?.[1] ?? '';
    const blocks = blocksOf(text);
    expect(text).toContain(`claude mcp add --transport http finance ${url}\n`);
    expect(blocks.slice(0, 2)).toEqual([
      { mcpServers: { finance: { url } } },
      { servers: { finance: { type: 'http', url } } },
    ]);
    expect(blocks[2]).toMatchObject({
      mcpServers: {
        finance: { command: process.execPath, args: expect.arrayContaining([program, '--stdio', books]) },
      },
    });
    expect(blocks[2]).not.toHaveProperty('mcpServers.finance.env');
  });

  it('locks its folder, and releases it at its end', async () => {
    const second = start(['--port', '0', '--data', books]);
    expect(await second.exit).toBe(1);
    expect(second.said()).toBe(
      `Opening the books\nThe books in ${books} are in use by process ${first.child.pid}. End it first, or choose another folder with --data. ` +
        `If that process is something else, delete ${join(books, 'lock')}.\n`,
    );
    await end(first);
    expect(existsSync(join(books, 'lock'))).toBe(false);
  });

  it('serves the same tools to a client that starts the printed command', async () => {
    const { mcpServers } = blocksOf(first.out())[2] as { mcpServers: { finance: StdioServerParameters } };
    const client = new Client({ name: 'desktop', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ ...mcpServers.finance, stderr: 'ignore' }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['finance', true],
      ['accounts', true],
    ]);
    await client.close();
  });
});

function blocksOf(text: string): unknown[] {
  return [...text.matchAll(/^\{\n[\s\S]*?^\}$/gm)].map(([json]) => JSON.parse(json) as unknown);
}

describe('the client configuration for a PostgreSQL server', () => {
  it('names the server without the password', () => {
    const text = describeClients(
      'http://127.0.0.1:3000/mcp',
      readOptions([]),
      'postgresql://ada:hunter2@db.example/books',
    );
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('one process at a time');
    expect(blocksOf(text)[2]).toMatchObject({
      mcpServers: { finance: { env: { DATABASE_URL: 'postgresql://ada:YOUR-PASSWORD@db.example/books' } } },
    });
  });
});

describe('an interrupted first start', () => {
  it('releases the folder at once and leaves no database in it', async () => {
    const folder = join(scratch, 'ended');
    const started = start(['--port', '0', '--data', folder]);
    while (!existsSync(join(folder, 'pgdata.new'))) await sleep(20);
    started.child.kill('SIGINT');
    expect(await started.exit).toBe(0);
    expect(started.said()).toContain('Stopped before the books were opened.');
    expect(existsSync(join(folder, 'lock'))).toBe(false);
    expect(existsSync(join(folder, 'pgdata'))).toBe(false);
  });
});

describe('a mistake', () => {
  const file = join(scratch, 'file');
  writeFileSync(file, 'nothing');

  it.each([
    [['--prot', '1'], 2, "Unknown option '--prot'"],
    [['--toolsets', 'acounts'], 2, 'There is no toolset "acounts". There are: budgets, accounts'],
    [['--port', '-1'], 2, "Option '--port' argument is ambiguous. There are: --stdio"],
    [['--data', ''], 2, '--data names no folder'],
    [['--form', 'tree'], 2, '--form must be grouped, flat, search, code, dynamic'],
    [['--data', join(file, 'books')], 1, 'cannot be written to (ENOTDIR). Choose another one with --data.'],
    [['--keys', join(scratch, 'missing.json')], 1, 'cannot be used'],
  ] as const)('on the command line (%j) is explained', async (args, code, problem) => {
    const { exit, said, out } = start(args);
    expect(await exit).toBe(code);
    expect(said()).toContain(problem);
    expect(said()).not.toMatch(/\n\s+at /);
    expect(out()).toBe('');
  });

  it.each([
    ['mysql://x', 'DATABASE_URL is no address of a PostgreSQL server'],
    ['postgresql://ada:hunter2@127.0.0.1:1/books', 'Cannot connect to PostgreSQL at 127.0.0.1:1/books'],
  ])('in DATABASE_URL (%s) is explained', async (url, problem) => {
    const { exit, said } = start([], { DATABASE_URL: url });
    expect(await exit).toBe(1);
    expect(said()).toContain(problem);
    expect(said()).not.toMatch(/\n\s+at |hunter2/);
  });

  it('in the port, which is in use, is explained, and the folder is released', async () => {
    const running = await serve(['--data', books]);
    const copy = join(scratch, 'copy');
    cpSync(books, copy, { recursive: true, filter: (path) => !path.endsWith('lock') });
    const { port } = new URL(running.url);
    const second = start(['--port', port, '--data', copy]);
    expect(await second.exit).toBe(1);
    expect(second.said()).toContain(`The port ${port} is taken. Choose another one with --port`);
    expect(existsSync(join(copy, 'lock'))).toBe(false);
    await end(running);
  });
});

describe('standard input and output', () => {
  it('carry only protocol messages, and the books are closed when the input ends', async () => {
    const server = start(['--stdio', '--data', books]);
    const lines: Record<string, unknown>[] = [];
    createInterface({ input: server.child.stdout! }).on('line', (line) => {
      lines.push(JSON.parse(line) as Record<string, unknown>);
    });
    const send = (message: object): void => {
      server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    };
    const clientInfo = { name: 'test', version: '1' };
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    });
    send({ method: 'notifications/initialized' });
    const order = { action: 'make', from_account: 'Checking', to_account: 'Savings', amount: '0.01' };
    send({ id: 2, method: 'tools/call', params: { name: 'transfers', arguments: order } });
    server.child.stdin?.end();
    expect(await server.exit).toBe(0);
    expect(lines.map(({ id }) => id)).toEqual([1, 2]);
    expect(JSON.stringify(lines[1])).toContain('\\"amount\\":\\"0.01\\"');
    expect(existsSync(join(books, 'lock'))).toBe(false);
  });

  it('are free of the output of npm and the build, which goes to standard error', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
    // In place of npm, because building here would remove the build that other tests use.
    const npm = join(scratch, 'npm-cli.js');
    writeFileSync(npm, "console.log('built'); console.error('built');");
    const { status, stdout, stderr } = spawnSync(`${scripts.start} --help`, {
      shell: true,
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: npm },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'built\nbuilt\n' });
    expect(stdout).toContain('--stdio');
    expect(stdout).not.toContain('built');
  });
});

describe('API keys', () => {
  it('decide what a caller may do', async () => {
    const file = join(scratch, 'keys.json');
    const key = 'k'.repeat(32);
    writeFileSync(file, JSON.stringify([{ key, clientId: 'reader', scopes: [] }]));
    const running = await serve(['--data', books, '--keys', file]);
    const post = (headers: Record<string, string>): Promise<Response> =>
      fetch(running.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    expect((await post({})).status).toBe(401);
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(running.url), { requestInit }));
    expect(await ask(client, 'accounts', 'list')).toContain('Checking');
    await expect(transfer(client, 'no')).rejects.toThrow('finance:write');
    await client.close();
    await end(running);
  });
});
