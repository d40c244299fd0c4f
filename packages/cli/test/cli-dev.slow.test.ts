import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith, pathOf, runHere, runProgram, startProgram } from './cli-program.js';

interface DevEvent {
  readonly event: string;
  readonly url?: string;
  readonly error?: string;
  readonly address?: string;
  readonly outcome?: string;
  readonly ms?: number;
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  readonly changed?: readonly string[];
  readonly tokens?: readonly [number, number];
}

/** A server in two files. Its only action is `action`, which answers with `answer`. */
const filesOf = (action: string, answer: string): Record<string, string> => ({
  'registry.ts': `
    import { ToolRegistry } from 'toolfold';
    import { notes } from './notes.js';
    export const registry = new ToolRegistry({ name: 'notebook' });
    registry.register(notes);
  `,
  'notes.ts': notesFile(action, `() => ${answer}`),
});

const notesFile = (action: string, handler: string): string => `
import { GroupedToolBuilder } from 'toolfold';

export const notes = new GroupedToolBuilder('notes').description('Notes').action({
  name: '${action}',
  readOnly: true,
  inputSchema: {},
  handler: ${handler},
});
`;

/** Starts `toolfold dev` in a process of its own. */
async function startDev(files: Record<string, string>, ...argv: string[]) {
  const folder = folderWith(files);
  const program = startProgram(['dev', 'registry.ts', '--port', '0', '--json', ...argv], { cwd: folder });
  const events = (kind?: string): DevEvent[] =>
    program.written.out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as DevEvent)
      .filter(({ event }) => kind === undefined || event === kind);
  /** Waits until there are so many events of a kind, and returns the last of them. */
  const until = async (kind: string, count: number): Promise<DevEvent> => {
    await expect.poll(() => events(kind).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
    return events(kind)[count - 1] as DevEvent;
  };
  const { url = '' } = await until('serving', 1);
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  return { ...program, folder, url, events, until, write };
}

async function connect(url: string, mode: 'legacy' | 'auto') {
  let changes = 0;
  const client = new Client(
    { name: 'c', version: '1' },
    {
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return { client, changes: () => changes };
}

const call = async (client: Client, action: string): Promise<unknown> => {
  const { content } = await client.callTool({ name: 'notes', arguments: { action } });
  return (content as { text?: string }[])[0]?.text;
};

describe.each(['legacy', 'auto'] as const)('toolfold dev and a client (%s)', (mode) => {
  it('reloads a changed import, tells the client, and shows what changed', async () => {
    const { url, write, until, events } = await startDev(filesOf('list', '"one"'));
    const { client, changes } = await connect(url, mode);
    expect(await call(client, 'list')).toBe('one');
    write('notes.ts', notesFile('find', '() => "two"'));
    expect(await until('reloaded', 1)).toMatchObject({ added: ['notes/find'], removed: ['notes/list'] });
    await expect.poll(changes).toBe(1);
    expect(await call(client, 'find')).toBe('two');
    expect(await call(client, 'list')).toBe('Unknown action. Available: find');
    // The line about a call may reach this process after the call's answer.
    await until('call', 3);
    expect(events('call')).toMatchObject([
      { address: 'notes/list', outcome: 'ok' },
      { address: 'notes/find', outcome: 'ok' },
      { address: 'notes/list', outcome: 'ErrUnknownAction' },
    ]);
  });

  it('lets a call in flight finish on the old code', async () => {
    const waiting = (answer: string): string =>
      notesFile(
        'wait',
        `async () => { await new Promise((go) => setTimeout(go, 1_500)); return ${answer}; }`,
      );
    const { url, write, until } = await startDev({ ...filesOf('wait', ''), 'notes.ts': waiting('"old"') });
    const { client } = await connect(url, mode);
    const answer = call(client, 'wait');
    write('notes.ts', waiting('"new"'));
    await until('reloaded', 1);
    expect(await answer).toBe('old');
    expect(await call(client, 'wait')).toBe('new');
  });
});

describe('toolfold dev', () => {
  it('keeps the last version if a file cannot be compiled, and shows the lines around the mistake', async () => {
    const { url, write, until } = await startDev(filesOf('list', '"one"'));
    const { client } = await connect(url, 'auto');
    write('notes.ts', notesFile('list', '() => "two'));
    const { error } = await until('failed', 1);
    expect(error).toMatch(/^notes\.ts:8:\d+: Unterminated string literal/);
    expect(error).toContain('>  8 |   handler: () => "two,');
    expect(error).toMatch(/\n +\| +\^/);
    expect(await call(client, 'list')).toBe('one');
    write('notes.ts', notesFile('list', '() => "three"'));
    await until('reloaded', 1);
    expect(await call(client, 'list')).toBe('three');
  });

  it('keeps the last version if a file throws, and shows the place in its source', async () => {
    const { url, write, until } = await startDev(filesOf('list', '"one"'));
    const { client } = await connect(url, 'auto');
    write(
      'notes.ts',
      `interface Gone {}\n\n${notesFile('list', '() => 1')}\nthrow new RangeError('too late');`,
    );
    const { error } = await until('failed', 1);
    expect(error).toContain('RangeError: too late');
    expect(error).toContain("> 13 | throw new RangeError('too late');");
    expect(error).toContain('at notes.ts:13:7');
    expect(await call(client, 'list')).toBe('one');
  });

  it('waits for a fix if the first version cannot be loaded', async () => {
    const { url, until, write, events } = await startDev({
      ...filesOf('list', '"one"'),
      'notes.ts': 'export const notes = ;',
    });
    expect(events('failed')).toHaveLength(1);
    const { client, changes } = await connect(url, 'legacy');
    expect((await client.listTools()).tools).toEqual([]);
    write('notes.ts', notesFile('list', '() => "one"'));
    await until('reloaded', 1);
    await expect.poll(changes).toBe(1);
    expect(await call(client, 'list')).toBe('one');
  });

  it('reloads a file that an editor replaces, and a file that was missing', async () => {
    const { folder, until, write, events } = await startDev(filesOf('list', '"one"'));
    write('.notes.ts.swp', notesFile('list', '() => "two"'));
    renameSync(join(folder, '.notes.ts.swp'), join(folder, 'notes.ts'));
    await until('reloaded', 1);
    rmSync(join(folder, 'notes.ts'));
    expect((await until('failed', 1)).error).toContain('Could not resolve "./notes.js"');
    write('notes.ts', notesFile('found', '() => "three"'));
    expect(await until('reloaded', 2)).toMatchObject({ added: ['notes/found'], removed: ['notes/list'] });
    expect(events('failed')).toHaveLength(1);
  });

  it('reloads a file in new folders, and goes on if no file of the outer folder is imported any more', async () => {
    const { folder, until, write } = await startDev(filesOf('list', '"one"'));
    const importing = (...paths: string[]): string =>
      `${paths.map((path, at) => `import { text as text${at} } from '${path}';`).join('')}
      ${notesFile('list', `() => [${paths.map((_, at) => `text${at}`).join(',')}].join()`)}`;
    write('notes.ts', importing('./outer/inner/deep.js'));
    await until('failed', 1);
    // One by one, because the watcher must follow each folder as it appears.
    mkdirSync(join(folder, 'outer'));
    await until('failed', 2);
    mkdirSync(join(folder, 'outer/inner'));
    await until('failed', 3);
    write('outer/inner/deep.ts', 'export const text = "deep";');
    await until('reloaded', 1);
    write('outer/flat.ts', 'export const text = "flat";');
    write('notes.ts', importing('./outer/inner/deep.js', './outer/flat.js'));
    await until('reloaded', 2);
    write('notes.ts', importing('./outer/inner/deep.js'));
    await until('reloaded', 3);
    write('outer/inner/deep.ts', 'export const text = "deeper";');
    await until('reloaded', 4);
    rmSync(join(folder, 'outer'), { recursive: true });
    await until('failed', 4);
    mkdirSync(join(folder, 'outer/inner'), { recursive: true });
    write('outer/inner/deep.ts', 'export const text = "again";');
    await until('reloaded', 5);
    write('outer/inner/deep.ts', 'export const text = "and again";');
    await until('reloaded', 6);
  });

  it('survives a file that exits the process, and errors outside of calls', async () => {
    const { url, until, write } = await startDev(filesOf('list', '"one"'));
    write('notes.ts', `process.exit(7);${notesFile('list', '() => 1')}`);
    expect((await until('failed', 1)).error).toContain('called process.exit(7) while it was loaded');
    write('notes.ts', `setTimeout(() => { throw new Error('later'); });${notesFile('list', '() => 2')}`);
    expect((await until('error', 1)).error).toMatch(/Error: later[\s\S]*at .*notes\.ts:1:/);
    await until('reloaded', 1);
    const { client } = await connect(url, 'auto');
    expect(await call(client, 'list')).toBe('2');
  });

  it('serves the first example of the README', async () => {
    const [, example = ''] = /^```ts\n([^]*?)^```$/m.exec(readFileSync(pathOf('README.md'), 'utf8')) ?? [];
    const { url, events } = await startDev({ 'registry.ts': example });
    expect(events('failed')).toEqual([]);
    const { client } = await connect(url, 'auto');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['users']);
  });

  it.each([
    [[], 'No file given. Pass the file that exports your registry.'],
    [['no.ts'], 'The file "no.ts" does not exist.'],
    [['npx', 'server'], 'The file "npx" does not exist.'],
    [['packages'], '"packages" is not a file. Pass the file that exports the registry.'],
    [['http://a.example/mcp'], 'toolfold dev serves a file. Pass the file that exports your registry.'],
    [['--', 'node'], 'toolfold dev serves a file. Pass the file that exports your registry.'],
    [['package.json'], 'A saved list of tools cannot be served.'],
    [['vitest.config.ts', 'more'], 'Unexpected argument "more". toolfold dev takes one file.'],
    [['vitest.config.ts', '--ui-port', 'x'], '--ui-port must be a number from 0 to 65535, not "x".'],
  ])('rejects the command line %j', async (argv, message) => {
    expect(await runHere(['dev', ...argv])).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining(message) as string,
    });
  });

  it('ends with 0 on Ctrl-C', async () => {
    const { child, exit } = await startDev(filesOf('list', '"one"'));
    child.kill('SIGINT');
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it('keeps a connection over stdio open, and keeps the output of the file out of it', async () => {
    const folder = folderWith(filesOf('list', '"one"'));
    const noisy = (answer: string): string =>
      `console.log('loaded');${notesFile('list', `() => { console.log('called'); return ${answer}; }`)}`;
    writeFileSync(join(folder, 'notes.ts'), noisy('"one"'));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [pathOf('packages/cli/dist/main.js'), 'dev', 'registry.ts', '--stdio'],
      cwd: folder,
      stderr: 'pipe',
    });
    let [changes, err] = [0, ''];
    const errors: Error[] = [];
    transport.stderr?.on('data', (chunk: Buffer) => (err += String(chunk)));
    const client = new Client(
      { name: 'c', version: '1' },
      { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } } },
    );
    client.onerror = (error) => void errors.push(error);
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect(await call(client, 'list')).toBe('one');
    writeFileSync(join(folder, 'notes.ts'), noisy('"two"'));
    await expect.poll(() => changes, { timeout: 30_000 }).toBe(1);
    expect(await call(client, 'list')).toBe('two');
    await expect.poll(() => err.match(/notes\/list {2}[\d.]+ ms {2}ok/g)).toHaveLength(2);
    expect(err.match(/loaded\n/g)).toHaveLength(2);
    expect(errors).toEqual([]);
  });
});

describe('the files that toolfold dev loads', () => {
  it('may be JSON, CommonJS and lazy imports, know their own place, and await at the top', async () => {
    const { url, write, until } = await startDev({
      'registry.ts': `
        import { ToolRegistry } from 'toolfold';
        import data from './data.json' with { type: 'json' };
        import old from './old.cjs';
        import { basename } from 'node:path';
        const ready = await Promise.resolve('ready');
        export const registry = new ToolRegistry({ name: 'files' });
        registry.register({ name: 'notes', description: 'd', readOnly: true, inputSchema: { type: 'object', properties: { action: { type: 'string' } } }, handler: async () =>
          [data.value, old.value, (await import('./late.js')).value, basename(new URL(import.meta.url).pathname), ready].join() });
      `,
      'data.json': '{ "value": "json" }',
      'old.cjs': `module.exports = { value: require('node:path').basename(__filename) };`,
      'late.ts': `export const value: string = 'late';`,
    });
    const { client } = await connect(url, 'auto');
    expect(await call(client, '')).toBe('json,old.cjs,late,registry.ts,ready');
    write('data.json', '{ "value": "changed" }');
    await until('reloaded', 1);
    write('late.ts', `export const value: string = 'later';`);
    await until('reloaded', 2);
    write('old.cjs', `module.exports = { value: 'new' };`);
    await until('reloaded', 3);
    expect(await call(client, '')).toBe('changed,new,later,registry.ts,ready');
  });

  it('may have toolsets, which a reload can add and remove', async () => {
    const plain = `
      import { ToolRegistry } from 'toolfold';
      import { defineServer } from 'toolfold/node';
      const registry = new ToolRegistry({ name: 'sets' });
      export default defineServer({ registry, ...offer() });
    `;
    const config = `
      const send = { name: 'send', description: 'd', readOnly: true, inputSchema: {}, handler: () => 'sent' };
      const toolsets = {
        catalog: { mail: { name: 'Mail', description: 'Mail', modules: ['mail'] } },
        moduleLoaders: { mail: async () => [send] },
        startup: { mode: 'STATIC', toolsets: 'ALL' },
      };
      return { toolsets };
    `;
    const offering = (text: string): string => `${plain}function offer() {${text}}`;
    const { url, write, until } = await startDev({ 'registry.ts': offering('') });
    const clients = [await connect(url, 'legacy'), await connect(url, 'auto')];
    const list = () =>
      Promise.all(
        clients.map(async ({ client }) => (await client.listTools()).tools.map(({ name }) => name)),
      );
    expect(await list()).toEqual([[], []]);
    write('registry.ts', offering(config));
    expect(await until('reloaded', 1)).toMatchObject({ added: ['send'] });
    expect(await list()).toEqual([['send'], ['send']]);
    write('registry.ts', offering(''));
    expect(await until('reloaded', 2)).toMatchObject({ removed: ['send'] });
    expect(await list()).toEqual([[], []]);
  });
});

describe('a server that its author describes', () => {
  const define = (answer: string, options: string, registered = 'tool'): string => `
    import { ToolRegistry } from 'toolfold';
    import { defineServer } from 'toolfold/node';
    import { apiKeys } from 'toolfold/web';
    const inputSchema = { type: 'object', properties: { action: { type: 'string' } } };
    const tool = { name: 'notes', description: 'd', readOnly: true, inputSchema, handler: () => '${answer}' };
    const registry = new ToolRegistry({ name: 'own' }).register(${registered});
    export default defineServer({ registry, ${options} });
  `;
  const withToolsets = `toolsets: {
    catalog: { all: { name: 'All', description: 'All', modules: ['all'] } },
    moduleLoaders: { all: async () => [tool] },
    startup: { mode: 'STATIC', toolsets: 'ALL' },
  }`;

  it.each([
    ['form', 'tool', `view: { form: 'search', pinned: ['notes'] }`, ['notes', 'search_tools']],
    ['toolsets', '', withToolsets, ['notes']],
  ])('has its %s, also after a reload', async (_, registered, options, names) => {
    const code = (answer: string) => define(answer, options, registered);
    const { url, write, until } = await startDev({ 'registry.ts': code('one') });
    const { client } = await connect(url, 'legacy');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(await call(client, '')).toBe('one');
    write('registry.ts', code('two'));
    await until('reloaded', 1);
    expect(await call(client, '')).toBe('two');
  });

  it('is served in the form and at the address that options name', async () => {
    const files = {
      'registry.ts': `
        import { defineServer } from 'toolfold/node';
        import { registry } from './plain.js';
        export default defineServer({ registry, view: { form: 'search' }, http: { host: '127.0.0.1', path: '/books' } });`,
      'plain.ts': filesOf('list', '')['registry.ts'] as string,
      'notes.ts': filesOf('list', '"one"')['notes.ts'] as string,
    };
    const { url } = await startDev(files, '--form', 'flat', '--host', 'localhost');
    expect(new URL(url)).toMatchObject({ hostname: 'localhost', pathname: '/books' });
    const { client } = await connect(url, 'auto');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['notes_list']);
  });

  it('authenticates as in production, by the latest version of its keys, unless scopes are named', async () => {
    const withKey = (key: string): string =>
      define('x', `http: { auth: apiKeys({ keys: [{ key: '${key.repeat(32)}', clientId: 'ada' }] }) }`);
    const status = async (url: string, key: string): Promise<number> => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': key.repeat(32),
      };
      return (await fetch(url, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }))
        .status;
    };
    const { url, write, until } = await startDev({ 'registry.ts': withKey('a') });
    expect([await status(url, 'a'), await status(url, 'b')]).toEqual([400, 401]);
    write('registry.ts', withKey('b'));
    await until('reloaded', 1);
    expect([await status(url, 'a'), await status(url, 'b')]).toEqual([401, 400]);
    const open = await startDev({ 'registry.ts': withKey('a') }, '--scopes', 'x');
    expect(await status(open.url, 'c')).toBe(400);
  });

  it('says that options which a reload cannot apply need a restart', async () => {
    const { write, until, events } = await startDev({
      'registry.ts': define('one', 'http: { maxRequests: 5 }'),
    });
    write('registry.ts', define('two', 'http: { maxRequests: 5 }'));
    await until('reloaded', 1);
    expect(events('restart')).toEqual([]);
    write('registry.ts', define('two', 'http: { maxRequests: 6 }'));
    await until('restart', 1);
  });
});

describe('the errors of a file', () => {
  const files = {
    'package.json': '{ "type": "module" }',
    ...filesOf('list', ''),
    'notes.ts': `interface Row {}\n${notesFile('list', `() => { throw new RangeError('far', { cause: new Error('near') }); }`)}`,
  };

  it('are shown by toolfold call with the frames of the file and its causes', async () => {
    const { code, out, err } = await runProgram(['call', 'registry.ts', 'notes/list'], {
      cwd: folderWith(files),
    });
    expect(code).toBe(3);
    expect(out).toBe('');
    expect(err).toMatch(/^RangeError: far\n[\s\S]*> {1,2}9 \| {3}handler: [\s\S]*\n {4}at .*notes\.ts:9:26/);
    expect(err).toMatch(/Caused by: Error: near\n {4}at .*notes\.ts:9:/);
    expect(err.match(/^ {4}at /gm)).toHaveLength(2);
  });

  it('are shown by toolfold inspect if the file cannot be loaded', async () => {
    const folder = folderWith({
      ...files,
      'notes.ts': `\n\nthrow new RangeError('far');\nexport const notes = 1;`,
    });
    const { code, err } = await runProgram(['inspect', 'registry.ts'], { cwd: folder });
    expect(code).toBe(1);
    expect(err).toMatch(
      /registry\.ts cannot be loaded: RangeError: far\n[\s\S]*> 3 \| throw[\s\S]*notes\.ts:3:7/,
    );
  });

  it('are shown by toolfold dev, but not to the client', async () => {
    const { url, until } = await startDev(files);
    const { client } = await connect(url, 'auto');
    expect(await call(client, 'list')).toBe('[notes/list] far');
    expect((await until('error', 1)).error).toMatch(
      /^RangeError: far\n[\s\S]*notes\.ts:9:26[\s\S]*Caused by: Error: near/,
    );
    expect(await until('call', 1)).toMatchObject({ address: 'notes/list', outcome: 'ErrToolFailed' });
  });
});

describe('toolfold dev after many reloads', () => {
  it('works, and frees the versions that it no longer needs', async () => {
    const RELOADS = 60;
    /** Each version holds 16 MiB, so that 60 of them would not fit into the heap. */
    const version = (number: number): string =>
      `const ballast = new Array(2048 * 1024).fill(${number}.5);
      ${notesFile('list', `() => String(ballast[0]) + ' ' + Math.round(process.memoryUsage().rss / 1048576)`)}`;
    const { url, write, until, events } = await startDev({
      ...filesOf('list', ''),
      'notes.ts': version(0),
    });
    const { client, changes } = await connect(url, 'legacy');
    const read = async (): Promise<readonly [number, number]> => {
      const [number, mb] = String(await call(client, 'list')).split(' ');
      return [Number(number), Number(mb)];
    };
    let settled = 0;
    for (let reload = 1; reload <= RELOADS; reload++) {
      write('notes.ts', version(reload));
      await until('reloaded', reload);
      const [number, mb] = await read();
      expect(number).toBe(reload + 0.5);
      if (reload === 20) settled = mb;
    }
    await expect.poll(changes).toBe(RELOADS);
    expect(events('failed')).toEqual([]);
    expect(events('error')).toEqual([]);
    const [, last] = await read();
    // 40 more versions would be 640 MiB.
    expect(last - settled).toBeLessThan(200);
  });
});
