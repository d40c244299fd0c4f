import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith, pathOf, runHere, runProgram, startHere, startProgram } from './cli-program.js';
import { registry } from '../../../test/wire/programs/cli-server.js';
import { everything, isAlive, faulty, startEverythingHttp } from '../../gateway/test/upstream-servers.js';

const server = pathOf('test/wire/programs/cli-server.ts');
const withToolsets = pathOf('test/wire/programs/cli-toolsets.mjs');
const commandOf = ({ command, args }: { command: string; args: string[] }): string[] => [
  '--',
  command,
  ...args,
];

const hasScript = spawnSync('script', ['--version']).status === 0;

async function call(...argv: string[]): Promise<string> {
  const { code, out, err } = await runHere(['call', ...argv]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

async function serve(): Promise<string> {
  const running = await serveHttp(registry, { port: 0, closeOnSignals: false });
  onTestFinished(() => running.close());
  return running.url;
}

describe('toolfold call with a file', () => {
  it.each([
    ['desk/users.list', [], {}],
    ['desk/users.list', ['limit=5', 'deep=true', 'note=null'], { limit: 5, deep: true, note: null }],
    ['desk.users.list', ['tag=a', 'tag=b', 'note=5'], { tag: ['a', 'b'], note: '5' }],
    ['desk_users_list', ['tag:=["x"]', 'house=other'], { tag: ['x'], house: 'other' }],
    [
      'desk',
      ['action=users.add', 'name=Ada', 'owner.name=Bob', 'owner.age=7'],
      { name: 'Ada', owner: { name: 'Bob', age: 7 } },
    ],
    ['desk/users.add', ['name=1', 'owner:={"name":"B"}'], { name: '1', owner: { name: 'B' } }],
    ['desk/users.add', ['--input', '{"name":"Ada"}', 'house=h'], { name: 'Ada', house: 'h' }],
    ['desk', ['--input', '{"action":"users.add","name":"Ada"}'], { name: 'Ada' }],
  ])('runs %s %j', async (address, words, expected) => {
    expect(JSON.parse(await call(server, address, ...words))).toEqual({ house: 'main', ...expected });
  });

  it('takes fields from files and all arguments from its input', async () => {
    const folder = folderWith({ 'name.txt': 'Ada Lovelace', 'tags.json': '["a", "b"]' });
    const named = await runHere(['call', server, 'desk/users.add', 'name=@name.txt'], { cwd: folder });
    expect(named.out).toContain('Ada Lovelace');
    const tagged = await runHere(['call', server, 'desk/users.list', 'tag:=@tags.json'], { cwd: folder });
    expect(JSON.parse(tagged.out)).toMatchObject({ tag: ['a', 'b'] });
    const whole = await runHere(['call', server, 'desk/users.add', '--input', '-'], {
      input: '{"name":"piped"}',
    });
    expect(whole.out).toContain('piped');
    const one = await runHere(['call', server, 'desk/users.add', 'name=@-'], { input: 'from input' });
    expect(one.out).toContain('"name":"from input"');
    const both = await runHere(['call', server, 'desk/users.add', 'name=@-', '--input', '-'], {
      input: '{}',
    });
    expect(both).toMatchObject({
      code: 2,
      out: '',
      err: 'toolfold: --input: standard input is already read by name.\n',
    });
  });

  it('has only the scopes of --scopes', async () => {
    const rejected = await runHere(['call', server, 'desk/users.ban', 'name=Ada']);
    expect(rejected).toMatchObject({ code: 3, out: '' });
    expect(rejected.err).toContain('needs the scope users:write');
    expect(await call(server, 'desk/users.ban', 'name=Ada', '--scopes', 'users:write')).toBe('banned Ada\n');
  });

  it('runs a tool of a toolset with the session context of the server', async () => {
    expect(await call(withToolsets, 'pay')).toBe('pay for the-server\n');
  });

  it('times out if a tool does not answer', async () => {
    const { code, err } = await runHere(['call', server, 'wait', '--timeout', '1']);
    expect(code).toBe(1);
    expect(err).toBe(
      '[1/2] half way\n[info] working\ntoolfold: There was no answer for 1 s. Raise the limit with --timeout.\n',
    );
  });
});

describe('the result of a tool', () => {
  it('is printed as data if it has no text, and completely with --json', async () => {
    expect(JSON.parse(await call(server, 'data'))).toEqual({ a: [1, 2] });
    expect(JSON.parse(await call(server, 'data', '--json'))).toEqual({
      content: [],
      structuredContent: { a: [1, 2] },
    });
  });

  it('is written to new files in the folder if it is not text', async () => {
    const folder = folderWith({});
    const out = join(folder, 'out');
    const first = await runHere(['call', server, 'media', '--output', 'out'], { cwd: folder });
    expect(first.out.split('\n')).toEqual([
      'image: out/media.png (image/png), 8 bytes',
      'audio: out/media.wav (audio/wav), 7 bytes',
      'link: a file:///a.txt (text/plain)',
      '  A file',
      'resource: memo://b (text/plain)',
      'inside',
      'resource file:///../c.zip: out/media-c.zip (application/zip), 3 bytes',
      '',
    ]);
    expect(readFileSync(join(out, 'media.png'), 'utf8')).toBe('an image');
    writeFileSync(join(out, 'media.png'), 'mine');
    const second = await runHere(['call', server, 'media', '--output', 'out'], { cwd: folder });
    expect(second.out).toContain('image: out/media-2.png');
    expect(readFileSync(join(out, 'media.png'), 'utf8')).toBe('mine');
    await runHere(['call', server, 'media', '--output', 'out', '--force'], { cwd: folder });
    expect(readFileSync(join(out, 'media.png'), 'utf8')).toBe('an image');
    expect(readdirSync(out).toSorted()).toEqual([
      'media-2.png',
      'media-2.wav',
      'media-c-2.zip',
      'media-c.zip',
      'media.png',
      'media.wav',
    ]);
  });

  it('causes an error if it cannot be written', async () => {
    const folder = folderWith({ taken: '' });
    const { code, err } = await runHere(['call', server, 'media', '--output', 'taken'], { cwd: folder });
    expect(code).toBe(1);
    expect(err).toContain('The result cannot be written to a file');
  });

  it('goes to standard error with exit code 3 if the tool reports an error', async () => {
    expect(await runHere(['call', server, 'fail'])).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('boom') as string,
    });
    const { code, out } = await runHere(['call', server, 'fail', '--json']);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ isError: true });
  });
});

describe('toolfold call with a running server', () => {
  it.each(['2025', '2026'])(
    'calls a Toolfold server over HTTP in %s, with progress and logs',
    async (protocol) => {
      const url = await serve();
      const args = ['--protocol', protocol];
      expect(JSON.parse(await call(url, 'desk/users.list', 'limit=5', 'tag=a', ...args))).toEqual({
        house: 'main',
        limit: 5,
        tag: ['a'],
      });
      const waited = await runHere(['call', url, 'wait', 'ms=10', ...args]);
      expect(waited).toEqual({
        code: 0,
        out: 'waited\n',
        err: '[1/2] half way\n[info] working\n',
      });
      expect(await runHere(['call', url, 'fail', ...args])).toMatchObject({ code: 3, out: '' });
      const missing = await runHere(['call', url, 'desk/users.add', ...args]);
      expect(missing).toMatchObject({
        code: 2,
        err: 'toolfold: A required field is missing:\n  name=<text>  What to call them.\n',
      });
    },
  );

  it.each([
    ['2025', 'SIGINT', 130],
    ['2026', 'SIGINT', 130],
    ['2026', 'SIGTERM', 143],
  ] as const)('cancels the call in %s on %s', async (protocol, signal, expected) => {
    const url = await serve();
    const marker = join(folderWith({}), 'marker');
    const argv = ['call', url, 'wait', `marker=${marker}`, '--protocol', protocol];
    const { kill, exit, written } = startHere(argv);
    await expect.poll(() => written.err, { timeout: 30_000 }).toContain('working');
    kill(signal);
    expect(await exit).toBe(expected);
    expect(written.err).toBe('[1/2] half way\n[info] working\n');
    await expect.poll(() => existsSync(marker), { timeout: 10_000 }).toBe(true);
  });

  it('exits with 130 on a real SIGINT', async () => {
    const { child, exit, written } = startProgram(['call', await serve(), 'wait']);
    await expect.poll(() => written.err, { timeout: 30_000 }).toContain('working');
    child.kill('SIGINT');
    expect(await exit).toEqual({ code: 130, signal: null });
    expect(written.err).toBe('[1/2] half way\n[info] working\n');
  });

  it('tells a server on standard input that the call is cancelled', async () => {
    const folder = folderWith({});
    const { command, args } = faulty();
    const line = `tee lines | ${[command, ...args].map((word) => `'${word}'`).join(' ')}`;
    const { kill, exit } = startHere(['call', 'hang', '--protocol', '2025', '--', 'sh', '-c', line], {
      cwd: folder,
    });
    const readLines = (): string => readFileSync(join(folder, 'lines'), 'utf8');
    await expect.poll(readLines, { timeout: 30_000 }).toContain('"tools/call"');
    kill('SIGINT');
    expect(await exit).toBe(130);
    expect(readLines()).toContain('"notifications/cancelled"');
  });

  it('declines questions without a terminal', async () => {
    const url = await serve();
    for (const target of [[url, '--protocol', '2025'], [url], [server]]) {
      const { code, out, err } = await runHere(['call', ...target, 'ask']);
      expect(err).toBe('toolfold: declined a question because there is no terminal: How many?\n');
      expect({ code, out }).toEqual({ code: 0, out: '{"action":"decline"}\n' });
    }
  });

  it.skipIf(!hasScript)('asks at a terminal, and again after an invalid answer', async () => {
    const command = `${process.execPath} packages/cli/dist/main.js call ${server} ask`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      cwd: pathOf(''),
      input: 'many\n3\nblue\n',
      encoding: 'utf8',
    });
    expect(stdout).toContain('The server asks: How many?');
    expect(stdout).toContain('count must be a whole number, not "many"');
    expect(stdout).toContain('{"action":"accept","content":{"count":3,"colour":"blue"}}');
  });

  it('sends credentials', async () => {
    const key = 'k'.repeat(32);
    const running = await serveHttp(registry, {
      port: 0,
      closeOnSignals: false,
      auth: apiKeys({ keys: [{ key, clientId: 'ada', scopes: ['users:write'] }] }),
    });
    onTestFinished(() => running.close());
    expect(await call(running.url, 'desk/users.ban', 'name=Ada', '--header', `x-api-key: ${key}`)).toBe(
      'banned Ada\n',
    );
    expect(await runHere(['call', running.url, 'desk/users.ban', 'name=Ada'])).toMatchObject({ code: 1 });
  });

  it('calls server-everything over stdio and over HTTP', async () => {
    const { url } = await startEverythingHttp();
    const folder = folderWith({});
    for (const [before, after] of [
      [[], commandOf(everything)],
      [[url], []],
    ] as const) {
      const sum = await runHere(['call', ...before, 'get-sum', 'a=2', 'b=3.5', ...after]);
      expect(sum).toMatchObject({ code: 0, out: 'The sum of 2 and 3.5 is 5.5.\n' });
      const long = await runHere([
        'call',
        ...before,
        'trigger-long-running-operation',
        'duration=1',
        'steps=2',
        ...after,
      ]);
      expect(long.err).toContain('[1/2]\n[2/2]\n');
    }
    const image = await runHere(['call', url, 'get-tiny-image', '--output', folder]);
    expect(image.out).toMatch(/image: .*get-tiny-image\.png \(image\/png\), \d+ bytes/);
    const weather = await runHere(['call', url, 'get-structured-content', 'location=New York', '--json']);
    expect((JSON.parse(weather.out) as { structuredContent: object }).structuredContent).toHaveProperty(
      'temperature',
    );
    const wrong = await runHere(['call', url, 'get-structured-content', 'location=Nowhere']);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('location must be one of New York, Chicago, Los Angeles');
    const png = readdirSync(folder).find((name) => name.endsWith('.png')) as string;
    expect(readFileSync(join(folder, png)).subarray(1, 4).toString()).toBe('PNG');
  });

  it.each([
    ['dies', 'die', 1, 'exited or closed its output before it answered'],
    ['does not answer', 'hang', 1, 'There was no answer for 2 s.'],
    ['answers with an invalid result', 'garbage', 4, 'is not valid MCP'],
    ['rejects the call', 'refuse', 4, 'The server answered with the error -32602: no such thing.'],
  ])('explains the failure when the server %s', async (_, name, expected, message) => {
    const { code, out, err } = await runHere(['call', name, '--timeout', '2', ...commandOf(faulty())]);
    expect(err).toContain(message);
    expect(err).not.toMatch(/\n {4}at /);
    expect({ code, out }).toEqual({ code: expected, out: '' });
  });

  it('does not time out while the server reports progress, and leaves no process behind', async () => {
    const steps = await runHere(['call', 'steps', '--timeout', '1', ...commandOf(faulty())]);
    expect(steps).toMatchObject({ code: 0, out: 'stepped\n', err: '[1/4]\n[2/4]\n[3/4]\n[4/4]\n' });
    const pid = Number(await call('pid', ...commandOf(faulty())));
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });
});

describe('toolfold call with a server in the search form', () => {
  it('calls an unlisted tool by its address, with fields typed by its schema', async () => {
    const running = await serveHttp(registry, { port: 0, closeOnSignals: false, view: { form: 'search' } });
    onTestFinished(() => running.close());
    const { url } = running;
    expect(JSON.parse(await call(url, 'desk/users.list', 'limit=5', 'tag=a'))).toEqual({
      house: 'main',
      limit: 5,
      tag: ['a'],
    });
    expect(await call(url, 'desk/users.add', 'name=5')).toContain('"name":"5"');
    expect(await runHere(['call', url, 'desk/users.list', 'limit=x'])).toMatchObject({
      code: 2,
      err: 'toolfold: limit must be a whole number, not "x"\n',
    });
    const missing = await runHere(['call', url, 'desk/users.lst']);
    expect(missing).toMatchObject({ code: 2, out: '' });
    expect(missing.err).toContain('desk/users.list');
    expect(await call(url, 'list_toolsets')).toContain('others: 8');
  });
});

describe('toolfold call with a hostile server', () => {
  const escape = '\u001b[2J\u009b31m';
  const hostile = new ToolRegistry({ name: 'hostile' });
  hostile.register(
    {
      name: 'media',
      description: 'Names files',
      inputSchema: {},
      handler: () => ({
        content: [
          { type: 'image' as const, mimeType: 'constructor', data: 'aGk=' },
          { type: 'image' as const, mimeType: '../../x', data: 'aGkh' },
          {
            type: 'resource' as const,
            resource: { uri: 'x:/../-rf.py', mimeType: `a${escape}\n`, blob: 'aGk=' },
          },
          { type: 'resource_link' as const, uri: `x:a\nimage: b${escape}`, name: `n${escape}` },
        ],
      }),
    },
    {
      name: 'text',
      description: 'Says what a terminal would act on',
      inputSchema: {},
      handler: () => `a${escape}b`,
    },
  );
  const start = async (): Promise<string> => {
    const running = await serveHttp(hostile, { port: 0, closeOnSignals: false });
    onTestFinished(() => running.close());
    return running.url;
  };

  it('names files after the tool, inside the folder and without overwriting each other', async () => {
    const folder = folderWith({});
    for (const more of [[], ['--force']]) {
      const { out } = await runHere(['call', await start(), 'media', '--output', 'o', ...more], {
        cwd: folder,
      });
      expect(out.split('\n')).toEqual([
        'image: o/media.bin (constructor), 2 bytes',
        'image: o/media-2.bin (../../x), 3 bytes',
        'resource x:/../-rf.py: o/media--rf.py (a [2J 31m), 2 bytes',
        'link: n [2J 31m x:a image: b [2J 31m',
        '',
      ]);
    }
    expect(readdirSync(join(folder, 'o')).toSorted()).toEqual(['media--rf.py', 'media-2.bin', 'media.bin']);
  });

  it('escapes control characters at a terminal, and nowhere else', async () => {
    const url = await start();
    expect(await call(url, 'text')).toBe(`a${escape}b\n`);
    const { out } = await runHere(['call', url, 'text'], { isTTY: true });
    expect(out).toBe('a\\u001b[2J\\u009b31mb\n');
  });

  it('reports a message that is too large', async () => {
    const tools = [
      { name: 'large', inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } } } },
    ];
    const argv = ['call', 'large', `bytes=${17 * 1024 * 1024}`, ...commandOf(faulty('plain', tools))];
    const { code, err } = await runHere(argv);
    expect(err).toContain('sent a message of more than 16 MiB.');
    expect(code).toBe(4);
  });

  it('fails if a tool of a file ends the process', async () => {
    const folder = folderWith({
      'a.mjs': `import { ToolRegistry } from 'toolfold';
        export const registry = new ToolRegistry({ name: 'a' });
        registry.register({ name: 'end', description: 'Ends', inputSchema: {}, handler: () => process.exit(0) });`,
    });
    expect(await runProgram(['call', 'a.mjs', 'end'], { cwd: folder })).toMatchObject({
      code: 1,
      out: '',
      err: 'toolfold: a.mjs ended the process before the command was done. Export the registry from a separate file that serves nothing.\n',
    });
  });
});

describe('an invalid command line of toolfold call', () => {
  it.each([
    [[server], 'No tool given.'],
    [
      [server, 'desk'],
      '"desk" needs an action: action=… or desk/…. Available: users.list, users.add, users.ban.',
    ],
    [[server, 'desk', 'action=users.lst'], '"desk" has no action "users.lst". Did you mean "users.list"?'],
    [[server, 'run_code', 'code=1'], 'Unknown tool or action "run_code". With a file, add --form code.'],
    [[server, 'desk/user.list'], 'Unknown tool or action "desk/user.list". Did you mean "desk/users.list"?'],
    [[server, 'desk/users.add'], 'A required field is missing:\n  name=<text>  What to call them'],
    [[server, 'desk/users.list', 'limit=five'], 'limit must be a whole number, not "five"'],
    [[server, 'desk/users.list', 'limt=5'], 'Unknown field "limt". Did you mean "limit"?'],
    [[server, 'desk/users.list', 'limit'], '"limit" is not a field. Write key=value.'],
    [[server, 'desk/users.list', 'tag:=[1'], 'tag:= must be valid JSON'],
    [[server, 'desk/users.add', 'name=@nowhere.txt'], 'name: the file "nowhere.txt" does not exist.'],
    [
      [server, 'desk/users.add', 'owner=Bob', 'naem=x'],
      'Several fields are invalid:\n  owner must be an object, not "Bob". Write owner.field=value',
    ],
    [[server, 'ask', '--input', 'x'], '--input must be valid JSON'],
    [[server, 'ask', '--input', '[]'], '--input must be a JSON object'],
    [['https://a.example', 'x', '--scopes', 'a'], '--scopes works only with a file'],
    [['--', 'node'], 'No tool given.'],
    [[server, 'ask', '--', 'node'], 'and a command after -- name a server. Pass only one of them.'],
  ])('exits with 2 and a message: %j', async (argv, message) => {
    const { code, out, err } = await runHere(['call', ...argv]);
    expect(err).toContain(message);
    expect(err).not.toMatch(/\n {4}at /);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('shows its options, examples and exit codes', async () => {
    const { code, out } = await runHere(['call', '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /Usage:[\s\S]*--input json\|-[\s\S]*Examples:\n {2}toolfold call[\s\S]*Exit codes:\n {2}0 /,
    );
  });
});
