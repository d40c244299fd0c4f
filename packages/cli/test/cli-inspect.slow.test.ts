import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { serveHttp } from 'toolfold/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith, pathOf, runHere, runProgram, startHere, startProgram } from './cli-program.js';
import { registry } from '../../../test/wire/programs/cli-server.js';
import { everything, isAlive, faulty, startEverythingHttp } from '../../gateway/test/upstream-servers.js';

const server = 'test/wire/programs/cli-server.ts';
const withToolsets = 'test/wire/programs/cli-toolsets.mjs';
const commandOf = ({ command, args }: { command: string; args: string[] }): string[] => [
  '--',
  command,
  ...args,
];

interface Report {
  readonly kind: string;
  readonly server: { name: string; protocol?: string };
  readonly form?: string;
  readonly tokens: { total: number; method: string };
  readonly tools: { name: string; tokens: number; actions?: { address: string; scopes: string[] }[] }[];
  readonly toolsets: { key: string; tools: string[] }[];
  readonly prompts: { name: string }[];
  readonly resources: { uri: string }[];
  readonly forms: { form: string; tools: number; tokens: number }[];
  readonly warnings: { address: string; message: string }[];
}

async function inspect(...argv: string[]): Promise<Report> {
  const { code, out, err } = await runHere(['inspect', '--json', ...argv]);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out) as Report;
}

const namesOf = ({ tools }: Report): string[] => tools.map(({ name }) => name);

describe('toolfold inspect with a file', () => {
  it('shows groups, actions, annotations, scopes, prompts, resources and costs', async () => {
    const { code, out, err } = await runHere(['inspect', server]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(
      `desk-server 1.2.3 (${server}, exports registry, form grouped, profile standard)\n6 tools with 8 actions`,
    );
    expect(out).toContain('Tokens are counted with o200k: name, description and inputSchema');
    expect(out).toMatch(
      /^desk {2}~\d+ tokens, destructive\n {2}Users and rooms\n {2}├ users: People\n {2}├ users.list {2}read-only {2}Lists people\n/m,
    );
    expect(out).toContain('  └ users.ban   destructive, idempotent, needs users:write  Bans a person\n');
    expect(out).toContain('Prompts\n  hello()  Says hello\n');
    expect(out).toContain('Resources\n  memo://1  A memo\n');
    expect(out).toMatch(/grouped {4}6 tools {2}~\d+ tokens\n {2}flat {7}8 tools {2}~\d+ tokens\n {2}search/);
    expect(out).not.toContain('Warnings');
  });

  it('shows the ID and the version of tools, and finds them by ID', async () => {
    const folder = folderWith({
      'a.mjs': `import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
        const search = (namespace, version) => ({ name: 'search', namespace, version, description: 'Searches',
          inputSchema: {}, readOnly: true, handler: () => namespace });
        export default new ToolRegistry().register(search('billing', '1.2.0'), search('crm'),
          new GroupedToolBuilder('desk', { namespace: 'acme', version: '2.0.0' }).description('Desk')
            .action({ name: 'list', handler: () => 'listed' }));`,
    });
    const file = join(folder, 'a.mjs');
    const { out } = await runHere(['inspect', file]);
    expect(out).toMatch(/^billing_search {2}~\d+ tokens, ID billing:search, version 1\.2\.0, read-only$/m);
    expect(out).toMatch(/^acme_desk {2}~\d+ tokens, ID acme:desk, version 2\.0\.0/m);
    expect((await inspect(file)).tools).toMatchObject([
      { name: 'billing_search', id: 'billing:search', version: '1.2.0' },
      { name: 'crm_search', id: 'crm:search' },
      { name: 'acme_desk', actions: [{ address: 'acme:desk/list' }] },
    ]);
    expect((await runHere(['inspect', file, '--tool', 'billing:search'])).out).toMatch(
      /^billing:search .*1\.2\.0/,
    );
    expect((await runHere(['call', file, 'crm:search'])).out).toBe('crm\n');
    expect((await runHere(['call', file, 'acme:desk/list'])).out).toBe('listed\n');
  });

  it('prints the same as JSON, with a total that is the sum of its tools', async () => {
    const report = await inspect(server);
    expect(report.kind).toBe('module');
    expect(report.tools[0]?.actions?.map(({ address }) => address)).toEqual([
      'desk/users.list',
      'desk/users.add',
      'desk/users.ban',
    ]);
    expect(report.tools[0]?.actions?.[2]?.scopes).toEqual(['users:write']);
    expect(report.tokens.total).toBe(report.tools.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(report.forms.find(({ form }) => form === 'grouped')?.tokens).toBe(report.tokens.total);
  });

  it.each([
    [
      ['--form', 'flat'],
      ['desk_users_list', 'desk_users_add', 'desk_users_ban', 'ask', 'wait', 'media', 'data', 'fail'],
    ],
    [
      ['--form', 'search'],
      ['search_tools', 'describe_tools', 'call_read_tool', 'call_write_tool', 'list_toolsets'],
    ],
    [
      ['--readonly', '--form=flat'],
      ['desk_users_list', 'ask', 'wait', 'media', 'data', 'fail'],
    ],
  ])('shows the form and the tools that the options choose: %j', async (argv, names) => {
    expect(namesOf(await inspect(server, ...argv))).toEqual(names);
  });

  it('shows one action in full', async () => {
    const { code, out } = await runHere(['inspect', server, '--tool', 'desk/users.add']);
    expect(code).toBe(0);
    expect(out).toMatch(/^desk\/users\.add {2}~\d+ tokens for the whole tool\nAdds a person\n\nInput\n\{/);
    const { inputSchema } = JSON.parse(
      (await runHere(['inspect', server, '--tool', 'desk.users.add', '--json'])).out,
    ) as { inputSchema: { required: string[] } };
    expect(inputSchema.required).toEqual(['name']);
  });

  it('shows all toolsets, not only those that are active at startup', async () => {
    const report = await inspect(withToolsets);
    expect(report.toolsets.map(({ key, tools }) => [key, tools])).toEqual([
      ['users', ['list_users', 'add_user']],
      ['billing', ['list_users', 'add_user', 'pay']],
    ]);
    expect(namesOf(report)).toEqual(['ping', 'list_users', 'add_user', 'pay']);
    expect(namesOf(await inspect(withToolsets, '--toolsets', 'users', '--readonly'))).toEqual([
      'ping',
      'list_users',
    ]);
    const { out } = await runHere(['inspect', withToolsets]);
    expect(out).toMatch(/toolset billing {2}~\d+ tokens\n {2}Money\n {2}list_users {2}see users\n/);
    expect(out).toMatch(/in no toolset\n {2}ping/);
  });

  it('shows the form that the server serves, unless another is named', async () => {
    const folder = folderWith({
      'a.mjs': `import server from ${JSON.stringify(pathOf(withToolsets))};
        import { defineServer } from 'toolfold/node';
        export default defineServer({ ...server, view: { form: 'search', pinned: ['ping'] } });`,
    });
    const file = join(folder, 'a.mjs');
    expect(await inspect(file)).toMatchObject({ form: 'search', found: 'default' });
    expect(namesOf(await inspect(file))).toEqual(expect.arrayContaining(['ping', 'search_tools']));
    expect(namesOf(await inspect(file, '--form', 'flat', '--toolsets', 'billing'))).toEqual([
      'ping',
      'pay',
      'list_users',
      'add_user',
    ]);
  });

  it('shows builders, with warnings', async () => {
    const folder = folderWith({
      'a.mjs': `import { GroupedToolBuilder } from 'toolfold';
        export default new GroupedToolBuilder('b').description('B')
          .action({ name: 'x', inputSchema: {}, handler: () => 1 });`,
    });
    const report = await inspect(join(folder, 'a.mjs'));
    expect(namesOf(report)).toEqual(['b']);
    expect(report.warnings.map(({ address }) => address)).toEqual(['b/x', 'b/x']);
    expect(report.warnings[0]?.message).toBe('the description is missing');
  });

  it.each([
    [
      'nothing',
      'export {};',
      'exports no server, no registry and no builder; it exports nothing. Write: export const registry',
    ],
    ['something else', 'export const a = 1;', 'exports no server, no registry and no builder; it exports a.'],
    ['a function', 'export function makeServer() {}', 'export const registry = makeServer()'],
    [
      'several registries',
      "import { ToolRegistry as T } from 'toolfold'; export const a = new T(); export const b = new T();",
      'exports several registries: a, b. Export the one to use as registry.',
    ],
    [
      'a server with an unknown option',
      "import { ToolRegistry } from 'toolfold'; export default { registry: new ToolRegistry(), http: { prot: 1 } };",
      'serveHttp has no option "prot". Did you mean "port"?',
    ],
    [
      'nothing, because it throws',
      "throw new TypeError('no key');",
      "TypeError: no key\n  > 1 | throw new TypeError('no key');\n      |       ^\n    at a.mjs:1:7\n",
    ],
    [
      'nothing, because an import is missing',
      "import 'not-there';",
      'Are all packages installed that it imports?',
    ],
    [
      'an invalid tool',
      "import { ToolRegistry } from 'toolfold'; new ToolRegistry().register({ name: '' });",
      'Tool has no name.',
    ],
  ])('explains the failure for a file that exports %s', async (_, code, message) => {
    const folder = folderWith({ 'a.mjs': code });
    const { code: exit, out, err } = await runHere(['inspect', 'a.mjs'], { cwd: folder });
    expect(err).toContain(message);
    // The frames of the file are shown, and those of Toolfold and Node are not.
    expect(err).not.toMatch(/\n {4}at .*(?:dist|src|node:)/);
    expect({ exit, out }).toEqual({ exit: 1, out: '' });
  });

  it('keeps the prints of a file out of standard output, and ends although the file listens', async () => {
    const folder = folderWith({
      'a.mjs': `import { createServer } from 'node:http';
        import { ToolRegistry } from 'toolfold';
        console.log('hello from the file');
        export const registry = new ToolRegistry({ name: 'loud' });
        await new Promise((done) => createServer().listen(0, '127.0.0.1', done));`,
    });
    const { code, out, err } = await runProgram(['inspect', 'a.mjs', '--json'], { cwd: folder });
    expect(code).toBe(0);
    expect((JSON.parse(out) as Report).server.name).toBe('loud');
    expect(err).toContain('hello from the file');
    expect(err).toContain(
      'a.mjs started a server while it was loaded. Export the registry from a separate file',
    );
  });

  it('stops waiting for a file that never finishes loading', async () => {
    const folder = folderWith({ 'a.mjs': 'await new Promise(() => {}); export const registry = 1;' });
    const { code, out, err } = await runHere(['inspect', 'a.mjs', '--timeout', '1'], { cwd: folder });
    expect(err).toBe('toolfold: a.mjs was not loaded within 1 s. Raise the limit with --timeout.\n');
    expect({ code, out }).toEqual({ code: 1, out: '' });
  });

  it.each([
    ['ends the process', 'process.exit(0);', 'ended the process while it was loaded.'],
    ['cannot be parsed', 'export const = 1;', 'cannot be loaded: SyntaxError: '],
  ])('explains the failure if a file %s', async (_, code, message) => {
    const folder = folderWith({ 'a.mjs': code });
    const {
      code: exit,
      out,
      err,
    } = await runProgram(['inspect', 'a.mjs', '--timeout', '1'], { cwd: folder });
    expect(err).toContain(message);
    expect({ exit, out }).toEqual({ exit: 1, out: '' });
  });

  it('exits with 130 on Ctrl-C while a file is loaded', async () => {
    const folder = folderWith({ 'a.mjs': "console.log('loading'); await new Promise(() => {});" });
    const { child, exit, written } = startProgram(['inspect', 'a.mjs'], { cwd: folder });
    await expect.poll(() => written.err, { timeout: 30_000 }).toContain('loading');
    child.kill('SIGINT');
    expect(await exit).toEqual({ code: 130, signal: null });
    expect(written.err).toBe('loading\n');
  });

  describe('in a folder without "type": "module"', () => {
    const files = {
      'package.json': '{ "name": "plain" }',
      'greet.ts': 'export const greet = (name: string): string => `Hello ${name}`;',
      'registry.ts': `import { ToolRegistry } from 'toolfold';
        import * as z from 'zod';
        import { greet } from './greet';
        export const registry = new ToolRegistry({ name: 'plain' }).register({
          name: 'greet', description: 'Greets', inputSchema: z.object({ name: z.string() }),
          handler: ({ input }) => greet(input.name),
        });`,
    };

    it('loads TypeScript, which is CommonJS there', async () => {
      const folder = folderWith(files);
      const inspected = await runProgram(['inspect', 'registry.ts'], { cwd: folder });
      expect(inspected).toMatchObject({ code: 0, err: '' });
      expect(inspected.out).toContain(
        'plain 0.0.0 (registry.ts, exports registry, form grouped, profile standard)',
      );
      const called = await runProgram(['call', 'registry.ts', 'greet', 'name=Ada'], { cwd: folder });
      expect(called).toMatchObject({ code: 0, out: 'Hello Ada\n', err: '' });
    });

    it('lets tsx run a program that imports Toolfold', () => {
      const folder = folderWith({
        ...files,
        'main.ts': `import { registry } from './registry';
          void registry.executeTool({ name: 'greet', arguments: { name: 'Ada' } })
            .then(({ content }) => console.log(JSON.stringify(content)));`,
      });
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [pathOf('node_modules/tsx/dist/cli.mjs'), 'main.ts'],
        { cwd: folder, encoding: 'utf8' },
      );
      expect({ stdout, stderr }).toEqual({ stdout: '[{"type":"text","text":"Hello Ada"}]\n', stderr: '' });
    });

    it('says what to change if a file awaits outside of functions', async () => {
      const folder = folderWith({ ...files, 'wait.ts': 'await 1;\nexport const a = 1;' });
      const { code, err } = await runProgram(['inspect', 'wait.ts'], { cwd: folder });
      expect(code).toBe(1);
      expect(err).toContain('  > 1 | await 1;\n      | ^\n');
      expect(err).toContain('Add "type": "module" to package.json');
      expect(err).not.toContain('node:');
    });
  });

  it('needs tsx for TypeScript if Node does not support it', async () => {
    const folder = folderWith({ 'a.ts': 'export const registry: number = 1;' });
    const own = join(folder, 'own/node_modules');
    const cli = join(own, '@toolfold/cli');
    for (const path of ['dist', 'package.json'])
      cpSync(pathOf(`packages/cli/${path}`), join(cli, path), { recursive: true });
    const { dependencies } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8')) as {
      dependencies: object;
    };
    for (const name of Object.keys(dependencies)) {
      mkdirSync(join(own, name, '..'), { recursive: true });
      symlinkSync(pathOf(`node_modules/${name}`), join(own, name));
    }
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(cli, 'dist/main.js'), 'inspect', join(folder, 'a.ts')],
      { encoding: 'utf8' },
    );
    const isNative = Boolean((process.features as { typescript?: unknown }).typescript);
    expect(status).toBe(1);
    expect(stderr).toContain(isNative ? 'exports no registry' : 'npm install --save-dev tsx');
  });
});

describe('toolfold inspect with a running server', () => {
  it.each([
    ['2025', '2025-11-25'],
    ['2026', '2026-07-28'],
    ['auto', '2026-07-28'],
  ])(
    'shows a Toolfold server over HTTP in %s, with the actions of grouped tools',
    async (protocol, version) => {
      const running = await serveHttp(registry, { port: 0, closeOnSignals: false });
      onTestFinished(() => running.close());
      const report = await inspect(running.url, '--protocol', protocol);
      expect(report.server).toMatchObject({ name: 'desk-server', protocol: version });
      expect(report.kind).toBe('http');
      expect(report.tools[0]?.actions?.map(({ address }) => address)).toEqual([
        'desk/users.list',
        'desk/users.add',
        'desk/users.ban',
      ]);
      expect(report.prompts.map(({ name }) => name)).toEqual(['hello']);
      expect(report.resources.map(({ uri }) => uri)).toEqual(['memo://1']);
      expect(namesOf(await inspect(running.url, '--toolsets', 'desk'))).toEqual(['desk']);
    },
  );

  it('shows server-everything over stdio and over HTTP', async () => {
    const report = await inspect(...commandOf(everything));
    expect(report).toMatchObject({ kind: 'stdio', server: { name: 'mcp-servers/everything' } });
    expect(namesOf(report)).toContain('get-sum');
    expect(report.prompts.length).toBeGreaterThan(2);
    expect(report.resources.length).toBeGreaterThan(2);
    const { url } = await startEverythingHttp();
    expect(namesOf(await inspect(url))).toContain('get-sum');
    expect(namesOf(await inspect(url, '--toolsets', 'get', '--readonly'))).not.toContain('echo');
  });

  it('sends headers', async () => {
    const seen = new Set<unknown>();
    const rejecting = createServer((request, response) => {
      seen.add(request.headers['x-key']);
      response.writeHead(401).end();
    });
    await new Promise<void>((resolve) => {
      rejecting.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void rejecting.close());
    const url = `http://127.0.0.1:${(rejecting.address() as AddressInfo).port}/mcp`;
    const { code, err } = await runHere(['inspect', '--header', 'X-Key: a secret', url]);
    expect(code).toBe(1);
    expect(err).toContain('answered with HTTP status 401. Pass credentials with --header.');
    expect([...seen]).toEqual(['a secret']);
  });

  it.each([
    [
      'does not exist',
      ['--', 'toolfold-no-such-command'],
      1,
      'The command "toolfold-no-such-command" was not found.',
    ],
    ['dies', commandOf(faulty('crash')), 1, 'Its standard error:\nthere is no licence'],
    ['says nothing', ['--timeout', '1', ...commandOf(faulty('silent'))], 1, 'did not answer within 1 s.'],
    ['does not list', ['--timeout', '2', ...commandOf(faulty('no answer'))], 1, 'did not answer within 2 s.'],
    ['lists no tools', commandOf(faulty('no list')), 1, 'its list of tools is not a list'],
    ['lists in a circle', commandOf(faulty('circle')), 1, 'repeats a cursor'],
    [
      'speaks no MCP',
      [
        '--timeout',
        '1',
        '--',
        process.execPath,
        '-e',
        'setInterval(() => console.log("junk"), 10); process.stdin.resume().on("end", process.exit)',
      ],
      1,
      'Does it speak MCP',
    ],
    ['ends at once', ['--', process.execPath, '-e', 'console.log("junk")'], 1, 'exited or closed its output'],
    ['listens nowhere', ['http://127.0.0.1:9/mcp'], 1, 'cannot be'],
  ])(
    'explains the failure of a server that %s, and leaves no process behind',
    async (_, argv, expected, message) => {
      const { code, out, err } = await runHere(['inspect', ...argv]);
      expect(err).toContain(message);
      expect(err).not.toMatch(/\n {4}at /);
      expect({ code, out }).toEqual({ code: expected, out: '' });
    },
  );

  it('ends a started process, even one that ignores SIGTERM', async () => {
    const code =
      'process.on("SIGTERM", () => {}); process.stderr.write(`pid ${process.pid}\\n`); setInterval(() => {}, 1e3)';
    const { err } = await runHere([
      'inspect',
      '--protocol',
      '2025',
      '--timeout',
      '1',
      '--',
      process.execPath,
      '-e',
      code,
    ]);
    const pid = Number(/pid (\d+)/.exec(err)?.[1]);
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  it.each([
    ['inspect', '--protocol', '2025'],
    ['inspect', '--protocol', 'auto'],
    ['proxy', '--form', 'flat'],
  ])(
    'exits with 130 on Ctrl-C while it connects, and ends the started process: %s %s %s',
    async (...argv) => {
      const folder = folderWith({});
      const silent = `require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1e3)`;
      const { kill, exit, written } = startHere([...argv, '--', process.execPath, '-e', silent], {
        cwd: folder,
      });
      const readPid = (): number => Number(readFileSync(join(folder, 'pid'), 'utf8'));
      await expect.poll(readPid, { timeout: 30_000 }).toBeGreaterThan(0);
      kill('SIGINT');
      expect(await exit).toBe(130);
      expect(written.err).toBe('');
      await expect.poll(() => isAlive(readPid()), { timeout: 10_000 }).toBe(false);
    },
  );

  it('shows the valid tools of a list that has invalid ones', async () => {
    const more = [null, 5, { title: 'x' }, { name: 'y', inputSchema: 'z', description: 5, annotations: [] }];
    const { code, out, err } = await runHere(['inspect', ...commandOf(faulty('plain', more))]);
    expect({ code, err }).toEqual({ code: 0, err: 'toolfold: left out a tool that has no name\n' });
    expect(out).toMatch(/^y {2}~\d+ tokens$/m);
    expect(out).toContain('Warnings');
  });

  it('shows slow steps at a terminal', async () => {
    const silent = ['--', process.execPath, '-e', 'process.stdin.resume()'];
    const { err } = await runHere(['inspect', '--timeout', '2', ...silent], { isTTY: true });
    expect(err).toMatch(/toolfold: starting \S+ …[\s\S]*did not answer within 2 s\./);
  });

  it('ends normally if the reader closes the pipe', () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `"$0" packages/cli/dist/main.js inspect ${server} --json | head -1`, process.execPath],
      { cwd: pathOf(''), encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('toolfold inspect with a hostile server', () => {
  it('prints no control characters and no forged lines of a list', async () => {
    const evil = 'x\u001b[2J\u009b31m\u202e\ny  ~1 tokens';
    const tools = [{ name: evil, description: evil, inputSchema: { type: 'object', title: '\u009b' } }];
    const { code, out } = await runHere(['inspect', ...commandOf(faulty('plain', tools))]);
    expect(code).toBe(0);
    // oxlint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(out).not.toMatch(/^y {2}~1 tokens/m);
  });

  const listing = (count: number): string[] => {
    const many = `const { createInterface } = require('node:readline');
      const tools = Array.from({ length: ${count} }, (_, at) => (at < 2000 ? {} : { name: 't' + at }));
      createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        const result = method === 'initialize'
          ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'm', version: '1' } }
          : { tools };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });`;
    return ['inspect', '--protocol', '2025', '--tool', 't5000', '--', process.execPath, '-e', many];
  };

  it('reads a list of 90,000 tools, and reports once how many have no name', async () => {
    const { code, out, err } = await runHere(listing(90_000));
    expect({ code, err }).toEqual({ code: 0, err: 'toolfold: left out 2000 tools that have no name\n' });
    expect(out).toMatch(/^t5000 /);
  });

  it('rejects a list of more than 200,000 values, which would take too long to parse', async () => {
    const { code, err } = await runHere(listing(200_000));
    expect(code).toBe(4);
    expect(err).toContain('200000 values');
  });

  it.each([
    ['/other', 1, 'answered with HTTP status 307. Headers are not sent to the address that it redirects to.'],
    ['/reset', 1, 'cannot be reached: the connection was reset.'],
    ['/html', 4, 'is not valid MCP'],
    ['/flood', 4, 'sent a message of more than 16 MiB.'],
  ])('explains the failure of the URL %s, without repeating secrets', async (path, expected, message) => {
    const seen: unknown[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers['x-key']);
      response.writeHead(404).end();
    });
    const hostile = createServer((request, response) => {
      request.resume();
      if (path === '/other') response.writeHead(307, { location: urlOf(other) }).end();
      if (path === '/reset') request.socket.destroy();
      if (path === '/html') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      if (path === '/flood')
        response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(17 * 1024 * 1024));
    });
    for (const each of [other, hostile]) {
      await new Promise<void>((resolve) => {
        each.listen(0, '127.0.0.1', resolve);
      });
      onTestFinished(() => void each.close());
    }
    const url = `${urlOf(hostile)}${path}?key=sesame`;
    const { code, out, err } = await runHere(['inspect', '--json', '--header', 'X-Key: sesame', url]);
    expect(err).toContain(message);
    expect(err + out).not.toContain('sesame');
    expect(code).toBe(expected);
    expect(JSON.parse(out)).toEqual({ error: { exitCode: expected, message: err.slice(10, -1) } });
    expect(seen).toEqual([]);
  });
});

const urlOf = (each: { address(): unknown }): string =>
  `http://127.0.0.1:${(each.address() as AddressInfo).port}`;

describe('an invalid command line of toolfold inspect', () => {
  it.each([
    [[], 'No server given. Pass a file, a URL, or -- and a command.'],
    [['no.ts'], 'The file "no.ts" does not exist.'],
    [['localhost:3000/mcp'], 'Write https:// or http:// before it.'],
    [['npx', '-y', 'foo'], 'Write -- before a command: -- npx -y foo'],
    [[server, 'more'], 'Unexpected argument "more".'],
    [[server, '--form', 'round'], '--form must be grouped, flat, search or code'],
    [[server, '--timeout', 'soon'], '--timeout must be a number of seconds'],
    [[server, '--protocol', '2024'], '--protocol must be auto, 2025 or 2026'],
    [[server, '--toolsets', 'a'], 'has no toolsets'],
    [[withToolsets, '--toolsets', 'biling'], 'Did you mean "billing"?'],
    [[server, '--tool', 'dsk'], 'Unknown tool or action "dsk". Did you mean "desk"?'],
    [[server, '--header', 'a:b'], '--header works only with a URL.'],
    [['https://u:p@a.example'], 'The URL must not contain credentials.'],
    [['http://a.example/mcp', '--header', 'a:b'], '--header needs an https URL'],
    [['https://a.example', '--form', 'flat'], '--form works only with a file'],
    [['--'], 'No command given after --.'],
    [[server, '--jsn'], 'Did you mean --json?'],
    [['packages'], '"packages" is not a file. Pass the file that exports the registry.'],
    [['https://a.example', '--header', 'k: sesame€'], '--header: the value of k contains a character that'],
  ])('exits with 2 and a message: %j', async (argv, message) => {
    const { code, out, err } = await runHere(['inspect', ...argv]);
    expect(err).toContain(message);
    expect(err).not.toMatch(/\n {4}at /);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('also prints the error as JSON with --json, unless that option belongs to another command', async () => {
    const wrong = await runHere(['inspect', '--json', '--nonsense']);
    expect(JSON.parse(wrong.out)).toEqual({
      error: { exitCode: 2, message: 'Unknown option --nonsense. See --help.' },
    });
    expect(wrong.err).toBe('toolfold: Unknown option --nonsense. See --help.\n');
    expect(await runHere(['inspect', '--', 'toolfold-no-such-command', '--json'])).toMatchObject({ out: '' });
  });

  it.each([[['inspect', '--help']], [['inspect', '-h']], [['help', 'inspect']]])(
    'shows its options, examples and exit codes: %j',
    async (argv) => {
      const { code, out } = await runHere(argv);
      expect(code).toBe(0);
      expect(out).toMatch(
        /Usage:[\s\S]*--tool address[\s\S]*Examples:\n {2}toolfold inspect[\s\S]*Exit codes:\n {2}0 /,
      );
    },
  );
});
