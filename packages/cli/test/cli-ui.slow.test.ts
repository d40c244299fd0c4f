import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { folderWith, pathOf, runHere, startHere, startProgram } from './cli-program.js';
import { pageAt, textOf } from '../../../test/wire/page-client.js';
import { everything } from '../../gateway/test/upstream-servers.js';

const server = 'test/wire/programs/cli-server.ts';

/** Starts `toolfold ui` in a process of its own, and waits for its page. */
async function startUi(argv: readonly string[], cwd?: string) {
  const program = startProgram(['ui', '--port', '0', '--json', ...argv], cwd === undefined ? {} : { cwd });
  const line = (): string => program.written.out.split('\n')[0] ?? '';
  await expect
    .poll(() => (program.written.out.includes('\n') ? line() : ''), { timeout: 60_000 })
    .not.toBe('');
  const { url, server: name } = JSON.parse(line()) as { url: string; server: string };
  return { ...program, url, name, page: pageAt(url) };
}

describe('toolfold ui', () => {
  it('shows a file, and ends with a signal', async () => {
    const { url, page, child, exit } = await startUi([server]);
    const html = await fetch(url);
    expect(html.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await html.text()).toContain('<title>Toolfold</title>');
    expect(await page.server()).toMatchObject({
      target: server,
      canCall: true,
      form: 'grouped',
      profile: 'standard',
    });
    expect(await page.tools()).toContain('desk');
    const client = await page.connect();
    const listed = await client.callTool({ name: 'desk', arguments: { action: 'users.list', limit: 1 } });
    expect(listed.isError ?? false).toBe(false);
    child.kill('SIGTERM');
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it('refuses requests without the token of its address', async () => {
    const { url } = await startUi([server]);
    const response = await fetch(new URL('/api/server', url));
    expect(response.status).toBe(401);
    const rebound = await fetch(new URL('/api/server', url), { headers: { origin: 'http://evil.example' } });
    expect(rebound.status).toBe(403);
  });

  it('takes the form and the profile of the command line', async () => {
    const { page } = await startUi([server, '--form', 'flat', '--profile', 'openai']);
    expect(await page.server()).toMatchObject({ form: 'flat', profile: 'openai' });
  });

  it('shows the chosen toolsets of a file', async () => {
    const { page } = await startUi(['test/wire/programs/cli-toolsets.mjs']);
    const all = (await page.server()).toolsets.map(({ key }) => key);
    expect(all.length).toBeGreaterThan(1);
    const one = await startUi(['test/wire/programs/cli-toolsets.mjs', '--toolsets', all[0] as string]);
    expect((await one.page.server()).toolsets.map(({ key }) => key)).toEqual([all[0]]);
  });

  it('shows a server at a URL, and forwards calls with the headers of the command line in both eras', async () => {
    const registry = new ToolRegistry({ name: 'remote', version: '2.0.0', instructions: 'Be kind.' });
    registry.register({
      name: 'who',
      description: 'Asks who you are',
      inputSchema: {},
      handler: async ({ context }) => {
        const { who } = await context.requestInput({
          who: {
            message: 'Who are you?',
            schema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
          },
        });
        return `Hello ${JSON.stringify(who)}`;
      },
    });
    registry.registerPrompt({ name: 'greet', description: 'Greets', handler: () => 'Hello' });
    const running = await serveHttp(registry, {
      port: 0,
      auth: apiKeys({ keys: [{ key: 'k'.repeat(32), clientId: 'ui' }] }),
    });
    onTestFinished(() => running.close());
    const { page, name } = await startUi([
      running.url,
      '--header',
      `Authorization: Bearer ${'k'.repeat(32)}`,
    ]);
    expect(name).toBe('remote');
    expect(await page.server()).toMatchObject({
      version: '2.0.0',
      instructions: 'Be kind.',
      isForwarded: true,
      form: 'flat',
      profile: 'none',
      counts: { tools: 1, prompts: 1 },
    });
    for (const era of ['2025', '2026'] as const) {
      const client = await page.connect(era);
      expect(textOf(await client.callTool({ name: 'who', arguments: {} }))).toContain('from the page');
      expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toEqual(['greet']);
    }
    registry.register({ name: 'later', description: 'Comes later', inputSchema: {}, handler: () => 'here' });
    await expect.poll(() => page.tools()).toContain('later');
  });

  it('shows none of the credentials that it forwards in Live, also if the server repeats them', async () => {
    const secrets = ['zq9-Sup3rS3cr3t', 'k3y-0f-th3-t3am'] as const;
    const remote = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (id === undefined) return void response.writeHead(202).end();
      const { authorization = '', 'x-team': team = '' } = request.headers;
      const text = `The token "${authorization}" of ${String(team)} has expired: ${secrets[0]}`;
      const results: Readonly<Record<string, object>> = {
        initialize: {
          protocolVersion: '2025-06-18',
          serverInfo: { name: 'remote', version: '1' },
          capabilities: { tools: {} },
        },
        'tools/list': { tools: [{ name: 'leak', description: 'Leaks', inputSchema: { type: 'object' } }] },
        'tools/call': { isError: true, content: [{ type: 'text', text }] },
      };
      const result = results[method ?? ''];
      const answer = result ? { result } : { error: { code: -32_601, message: 'no' } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
    await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      remote.closeAllConnections();
      remote.close();
    });
    const { page } = await startUi([
      `http://127.0.0.1:${(remote.address() as AddressInfo).port}/mcp`,
      '--protocol',
      '2025',
      '--header',
      `Authorization: Bearer ${secrets[0]}`,
      '--header',
      `X-Team: ${secrets[1]}`,
    ]);
    const client = await page.connect();
    expect((await client.callTool({ name: 'leak', arguments: { text: secrets[1] } })).isError).toBe(true);
    const live = JSON.stringify(await page.get('/api/live'));
    expect(live).toContain('has expired: [redacted]');
    for (const secret of secrets) expect(live).not.toContain(secret);
  });

  it('counts the tokens that toolfold tokens counts', async () => {
    const { page } = await startUi([server]);
    for (const [form, profile] of [
      ['grouped', 'portable'],
      ['flat', 'gemini'],
      ['search', 'portable'],
    ] as const) {
      const counted = await runHere(['tokens', server, '--json', '--form', form, '--profile', profile]);
      const { tokens, parts } = JSON.parse(counted.out) as { tokens: number; parts: object };
      expect(tokens).toBeGreaterThan(0);
      expect(await page.get(`/api/cost?form=${form}&profile=${profile}`)).toMatchObject({ tokens, parts });
    }
  });

  it('shows a command, with its prompts and resources, and ends it with the page', async () => {
    const { page, child, exit, written } = await startUi(['--', everything.command, ...everything.args]);
    const { counts } = await page.server();
    expect(counts.tools).toBeGreaterThan(5);
    expect(counts.prompts).toBeGreaterThan(0);
    expect(counts.resources + counts.templates).toBeGreaterThan(0);
    const client = await page.connect();
    const echoed = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
    expect(textOf(echoed)).toContain('hi');
    const { calls } = await page.get<{ calls: number }>('/api/live');
    expect(calls).toBe(1);
    child.kill('SIGINT');
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(written.err).not.toContain('Error');
  });

  it('says on the page why a command that has ended is missing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolfold-ui-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const pid = join(folder, 'pid');
    // The second start fails, so that the server stays down.
    const program = `
      const { existsSync, writeFileSync } = require('node:fs');
      if (existsSync(${JSON.stringify(pid)})) process.exit(1);
      writeFileSync(${JSON.stringify(pid)}, String(process.pid));
      process.argv[2] = 'stdio';
      import(${JSON.stringify(fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')))});
    `;
    const { page } = await startUi(['--protocol', '2025', '--', process.execPath, '--eval', program]);
    expect((await page.server()).problem).toBeUndefined();
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    await expect
      .poll(async () => (await page.server()).problem, { timeout: 90_000 })
      .toMatch(/^The server is down/);
    expect(await page.tools()).toEqual([]);
  });

  it('shows a saved list in every form, and answers that it cannot be called', async () => {
    const tools = [
      {
        name: 'one',
        description: 'The first',
        inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
      },
      { name: 'broken', description: 'No schema' },
    ];
    const folder = folderWith({ 'tools.json': JSON.stringify({ tools }) });
    const { page, written } = await startUi(['tools.json'], folder);
    expect(await page.server()).toMatchObject({ canCall: false, form: 'flat', counts: { tools: 1 } });
    expect(await page.tools()).toEqual(['one']);
    const client = await page.connect();
    const answer = await client.callTool({ name: 'one', arguments: {} });
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toContain('Nothing can be called');
    expect(written.err).toContain('left out "broken": ');
  });

  it('shows a specification, and calls its API with the credential of the environment', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const api = createServer(({ headers }, response) => {
      seen.push(headers);
      response.setHeader('content-type', 'application/json');
      response.end('{"open":true}');
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void api.close());
    const { port } = api.address() as AddressInfo;
    const folder = folderWith({
      'openapi.yaml': `
openapi: 3.1.0
info: { title: Museum, version: 1.0.0 }
security: [{ Key: [] }]
paths:
  /hours:
    get:
      operationId: getHours
      tags: [museum]
      summary: Reads the opening hours
      responses: { '200': { description: Hours, content: { application/json: { schema: { type: object } } } } }
components: { securitySchemes: { Key: { type: apiKey, in: header, name: x-key } } }
`,
    });
    vi.stubEnv('MUSEUM_KEY', 'secret-of-the-museum');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { page, written } = await startUi(
      [
        'openapi.yaml',
        '--base-url',
        `http://127.0.0.1:${port}`,
        '--credential',
        'Key=MUSEUM_KEY',
        '--form',
        'flat',
      ],
      folder,
    );
    const client = await page.connect();
    const [tool] = (await client.listTools()).tools;
    expect(textOf(await client.callTool({ name: tool?.name ?? '', arguments: {} }))).toContain('open');
    expect(seen[0]?.['x-key']).toBe('secret-of-the-museum');
    expect(written.out + written.err).not.toContain('secret-of-the-museum');
  });

  it.each([
    [['nothing.ts'], 2, 'The file "nothing.ts" does not exist.'],
    [[], 2, 'No server given'],
    [[server, '--port', 'x'], 2, '--port must be a number from 0 to 65535, not "x".'],
    [[server, '--port', '99999'], 2, '--port must be a number from 0 to 65535, not "99999".'],
    [[server, '--form', 'x'], 2, '--form must be grouped'],
    [[server, '--toolsets', 'x'], 2, 'has no toolsets'],
    [[server, '--opne'], 2, 'Unknown option --opne.'],
    [['--', 'no-such-command'], 1, 'The command "no-such-command" was not found.'],
    [['http://127.0.0.1:9/mcp'], 1, 'http://127.0.0.1:9/mcp cannot be used: fetch failed: bad port.'],
    [
      ['--', 'node', '-e', 'process.exit(3)'],
      1,
      '"node -e process.exit(3)" exited or closed its output before it answered.',
    ],
    [
      ['--timeout', '1', '--', 'sleep', '100'],
      1,
      '"sleep 100" did not answer within 1 s. Does it speak MCP on its standard input and output? Raise the limit with --timeout.',
    ],
  ])('explains what is wrong with %j', async (argv, code, message) => {
    const result = await runHere(['ui', '--json', ...argv]);
    expect(result.code).toBe(code);
    expect(result.err).toContain(message);
    expect(JSON.parse(result.out)).toMatchObject({ error: { exitCode: code } });
  });

  it('names the option for a port that is taken', async () => {
    const { url } = await startUi([server]);
    const { port } = new URL(url);
    const result = await runHere(['ui', server, '--port', port]);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toContain(`Port ${port} is already in use. Choose another one with --port.`);
  });

  it.each([
    [[], [server], `npx toolfold lock ${server}`],
    [['--lock', 'a b.json'], [server], `npx toolfold lock --output 'a b.json' ${server}`],
    [[], ['--', everything.command, ...everything.args], 'npx toolfold lock -- '],
  ])('shows a command that writes the lockfile: %j %j', async (options, target, command) => {
    const { page } = await startUi([...options, ...target]);
    expect((await page.get<{ command: string }>('/api/diff')).command).toContain(command);
  });

  it('shows a command that writes the lockfile of a URL, without the values of its query and headers', async () => {
    const running = await serveHttp(new ToolRegistry({ name: 'remote' }), { port: 0 });
    onTestFinished(() => running.close());
    const { page } = await startUi([`${running.url}?key=hidden`, '--header', 'Authorization: Bearer hidden']);
    expect((await page.get<{ command: string }>('/api/diff')).command).toBe(
      `npx toolfold lock '${running.url}?…' --header 'Authorization: …'`,
    );
  });

  it('uses another port if the default is taken', async () => {
    const first = startProgram(['ui', '--json', server]);
    const second = startProgram(['ui', '--json', server]);
    for (const { written } of [first, second]) await expect.poll(() => written.out).toContain('\n');
    expect(first.written.out).not.toBe(second.written.out);
  });
});

describe('the browser of toolfold ui', () => {
  /** Runs the command with a program in the place of the browser, which writes its argument to a file. */
  async function openWith(options: { isTTY?: boolean; ci?: string }, ...argv: string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'toolfold-open-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const opened = join(folder, 'opened');
    writeFileSync(
      join(folder, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
    );
    chmodSync(join(folder, 'xdg-open'), 0o755);
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
    vi.stubEnv('CI', options.ci ?? '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const ui = startHere(['ui', pathOf(server), '--port', '0', ...argv], { isTTY: options.isTTY ?? true });
    await expect.poll(() => ui.written.out).toContain('token=');
    return { ...ui, opened };
  }

  it.skipIf(process.platform !== 'linux')(
    'opens a file that only the user can read, so that the token is in no list of processes',
    async () => {
      const { opened, written, kill, exit } = await openWith({});
      await expect.poll(() => existsSync(opened)).toBe(true);
      const address = readFileSync(opened, 'utf8');
      expect(address).toMatch(/^file:/);
      const [url = ''] = /http:\S+/.exec(written.out) ?? [];
      const file = fileURLToPath(address);
      expect(readFileSync(file, 'utf8')).toContain(url);
      for (const path of [file, dirname(file)]) expect(statSync(path).mode & 0o077, path).toBe(0);
      kill('SIGINT');
      expect(await exit).toBe(0);
      expect(existsSync(fileURLToPath(address))).toBe(false);
    },
  );

  it.each([
    ['the output is not a terminal', { isTTY: false }, []],
    ['it runs in CI', { ci: 'true' }, []],
    ['--no-open is given', {}, ['--no-open']],
    ['the output is JSON', {}, ['--json']],
  ])('stays closed if %s', async (_, options, argv) => {
    const { opened, kill, exit } = await openWith(options, ...argv);
    kill('SIGTERM');
    await exit;
    expect(existsSync(opened)).toBe(false);
  });
});
