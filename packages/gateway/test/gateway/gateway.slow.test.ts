import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/client';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { startAuthorizationServer } from '../../../toolfold/test/auth/authorization-server.js';
import { speedUpTime } from '../../../../test/fast-clock.js';
import { pathOf, runHere, startHere, startProgram } from '../../../cli/test/cli-program.js';
import { isAlive } from '../upstream-servers.js';
import { config, connect, folder, healthOf, scripted, serve, tool, write } from './gateways.js';

/** Two servers: `a` with two tools, a prompt and a resource, and `b.c` with one tool. */
function twoServers() {
  const place = folder();
  const one = write(join(place, 'one.json'), {
    tools: [tool('read', { annotations: { readOnlyHint: true } }), tool('write')],
    prompts: [{ name: 'greet' }],
    resources: [{ name: 'note', uri: 'note://1' }],
  });
  const two = write(join(place, 'two.json'), {
    tools: [tool('read')],
    resources: [{ name: 'n', uri: 'n://2' }],
  });
  const file = config(place, { a: scripted(one), 'b.c': scripted(two) });
  return { place, one, two, file };
}

describe('toolfold proxy --config', () => {
  it('offers one tool for each server in the grouped form', async () => {
    const { file } = twoServers();
    const { url, tools } = await serve(['--config', file]);
    const { names, text, client } = await connect(url);
    expect(tools).toBe(3);
    expect(await names()).toEqual(['a_tools', 'b_c_tools']);
    expect(JSON.parse(await text('a_tools', { action: 'write', id: '1' }))).toMatchObject({
      tool: 'write',
      args: { id: '1' },
    });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['a_greet']);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['note://1', 'n://2']);
    expect(await client.readResource({ uri: 'n://2' })).toMatchObject({ contents: [{ text: 'n://2' }] });
  });

  it('offers the tools of all servers with prefixes in the flat form, and lets requests select servers', async () => {
    const { file } = twoServers();
    const { url } = await serve(['--config', file, '--form', 'flat', '--exclude-tools', 'a/write']);
    const { names, text } = await connect(url);
    expect(await names()).toEqual(['a_read', 'b_c_read']);
    expect(await text('b_c_read')).toContain('"tool":"read"');
    const narrowed = await connect(`${url}/x/b_c`);
    expect(await narrowed.names()).toEqual(['b_c_read']);
  });

  it('finds tools of all servers in the search form, beside pinned ones, with words of a search file', async () => {
    const { place, file } = twoServers();
    const words = write(join(place, 'search.json'), {
      version: 1,
      tools: { 'b.c/read': { keywords: ['zebra'] } },
    });
    const { url } = await serve([
      '--config',
      file,
      '--form',
      'search',
      '--pinned',
      'a/read',
      '--search-file',
      words,
    ]);
    const { names, text } = await connect(url);
    expect(await names()).toContain('a_read');
    expect(await text('search_tools', { query: 'zebra' })).toContain('b_c:read');
    expect(await text('call_write_tool', { address: 'a:write', arguments: { id: '7' } })).toContain(
      '"id":"7"',
    );
  });

  it('lets code call the tools of all servers in the code form', async () => {
    const { file } = twoServers();
    const { url } = await serve(['--config', file, '--form', 'code', '--readonly']);
    const { text } = await connect(url);
    expect(await text('search_tools', { query: 'read' })).toContain('a');
  });

  it('serves over stdio, and ends its servers with the client', async () => {
    const { file } = twoServers();
    const client = new Client({ name: 'c', version: '1' });
    const args = [pathOf('packages/cli/dist/main.js'), 'proxy', '--config', file, '--form', 'flat'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }), {
      timeout: 100_000,
    });
    onTestFinished(() => client.close());
    const { content } = await client.callTool({ name: 'a_read', arguments: {} });
    const { pid } = JSON.parse((content[0] as { text: string }).text) as { pid: number };
    await client.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('starts only the servers that the options name', async () => {
    const { place, file } = twoServers();
    const { servers } = await serve(['--config', file, '--toolsets', 'a', '--tools', 'a/read']);
    expect(servers).toMatchObject({ a: { tools: 1 } });
    expect(Object.keys(servers)).toEqual(['a']);
    for (const [argv, message] of [
      [['--toolsets', 'x'], 'has no server "x"'],
      [['--tools', 'read'], 'tools are written as server/tool, not "read". The servers are a, b.c.'],
      [['--prefix', 'x'], '--prefix cannot be used with --config'],
      [['--', 'node'], 'Both --config and another argument name a server'],
      [['--host', '0.0.0.0'], '--host works only with --http'],
      [['--http', '0', '--host', '0.0.0.0'], 'Add --auth-keys or --auth-issuer, or --insecure'],
      [['--changed', 'reject'], '--changed works only with --lock'],
      [['--http', '0', '--auth-issuer', 'https://a.example'], '--auth-issuer needs --public-url'],
    ] as const) {
      const { code, err } = await runHere(['proxy', '--config', join(place, 'mcp.json'), ...argv]);
      expect(err).toContain(message);
      expect(code).toBe(2);
    }
  });
});

describe('servers with the same names', () => {
  it('keep what the first one has, and a message says what is left out', async () => {
    const place = folder();
    const one = write(join(place, 'one.json'), {
      tools: [tool('b_read'), tool('other')],
      resources: [{ name: 'note', uri: 'note://1' }],
    });
    const two = write(join(place, 'two.json'), {
      tools: [tool('read', { description: 'Of the second' }), tool('more')],
      resources: [{ name: 'note', uri: 'note://1' }],
    });
    const { url, written } = await serve([
      '--config',
      config(place, { a: scripted(one), a_b: scripted(two) }),
      '--form',
      'flat',
    ]);
    const { client, names } = await connect(url);
    await expect.poll(async () => (await names()).toSorted()).toEqual(['a_b_more', 'a_b_read', 'a_other']);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['note://1']);
    // Of several conflicts that arise together, the first is reported.
    expect(written.err).toMatch(/a_b_read|note:/);
  });
});

it('reports items that another server has too, and leaves them out', async () => {
  const { file, two } = twoServers();
  write(two, { tools: [tool('read')], resources: [{ name: 'stolen', uri: 'note://1' }] });
  const { url, written } = await serve(['--config', file, '--form', 'flat']);
  const { client } = await connect(url);
  const { resources } = await client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(['a_note']);
  expect(written.err).toContain('left out an item: The resource \\"note://1\\" of \\"b.c\\"');
});

it('keeps live items when an earlier server adds their names or a template for all URIs, and says so', async () => {
  const { file, one } = twoServers();
  const { url, written } = await serve(['--config', file, '--form', 'flat']);
  const { client } = await connect(url);
  const read = async (uri: string) => JSON.stringify(await client.readResource({ uri }));
  expect(await read('n://2')).toContain('n://2');
  write(one, {
    tools: [tool('read')],
    resources: [
      { name: 'note', uri: 'note://1' },
      { name: 'stolen', uri: 'n://2' },
    ],
    resourceTemplates: [{ name: 'all', uriTemplate: '{+any}' }],
  });
  await expect
    .poll(() => written.err)
    .toContain('The resource \\"n://2\\" of \\"a\\" (mounted as \\"a\\") is also one of \\"b.c\\"');
  const { resources } = await client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(['a_note', 'b_c_n']);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['{+any}']);
  await expect(read('n://3')).rejects.toThrow('Unknown resource');
  expect(await read('other://1')).toContain('other://1');
});

describe('a server that is silent', () => {
  it('is named by a message, by a gateway and by the proxy of one server', async () => {
    const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
    const { file, place, one } = twoServers();
    config(place, { a: scripted(one), mute: silent });
    speedUpTime();
    const alone = startHere(['proxy', '--', silent.command, ...silent.args]);
    const { written } = await serve(['--config', file]);
    expect(written.err).toContain('the server \\"mute\\" has not answered for 10 s');
    expect(alone.written.err).toContain('the server "server" has not answered for 10 s');
    alone.kill('SIGINT');
    expect(await alone.exit).toBe(130);
  });
});

describe('a server that is down', () => {
  it('at the start lacks only its own tools, and comes back by itself', async () => {
    const { place, file, two } = twoServers();
    const later = join(place, 'later.json');
    config(place, { a: scripted(join(place, 'one.json')), late: scripted(later) });
    const { url, written } = await serve(['--config', file, '--form', 'flat']);
    const { names, text } = await connect(url);
    expect(await names()).toEqual(['a_read', 'a_write']);
    expect(await text('a_read')).toContain('"tool":"read"');
    await expect.poll(async () => (await healthOf(url))['late']?.state).toBe('down');
    expect(written.err).toContain('the server \\"late\\" is down');
    write(later, { tools: [tool('hello')] });
    await expect.poll(names, { timeout: 60_000 }).toEqual(['a_read', 'a_write', 'late_hello']);
    expect(await text('late_hello')).toContain('hello');
    expect(two).toBeDefined();
  });

  it('because its lists fail is reported with its reason, and comes back by itself', async () => {
    const { file, two } = twoServers();
    write(two, { fault: 'the database is not ready' });
    const { url, written } = await serve(['--config', file, '--form', 'flat']);
    const { names } = await connect(url);
    expect(await names()).toEqual(['a_read', 'a_write']);
    expect(written.err).toContain('the database is not ready');
    write(two, { tools: [tool('read')] });
    await expect.poll(names).toEqual(['a_read', 'a_write', 'b_c_read']);
    write(two, { fault: 'the database is gone' });
    await expect.poll(names).toEqual(['a_read', 'a_write']);
    expect((await healthOf(url))['b.c']).toMatchObject({ tools: 0 });
    expect(written.err).toContain('the database is gone');
  });

  it('later is started again for the next call, and the other servers do not notice', async () => {
    const { file } = twoServers();
    const { url } = await serve(['--config', file, '--form', 'flat']);
    const { text } = await connect(url);
    const pidOf = async (name: string) => (JSON.parse(await text(name)) as { pid: number }).pid;
    const [first, other] = [await pidOf('a_read'), await pidOf('b_c_read')];
    process.kill(first, 'SIGKILL');
    await expect
      .poll(async () => {
        const said = await text('a_read');
        return said.startsWith('{') && (JSON.parse(said) as { pid: number }).pid !== first;
      })
      .toBe(true);
    expect(await pidOf('b_c_read')).toBe(other);
  });

  it('like all others ends a proxy over stdio with the reasons, and leaves one over HTTP trying', async () => {
    const place = folder();
    const missing = join(place, 'missing.json');
    const file = config(place, {
      a: scripted(missing, { TOKEN: 'tok-secret-123' }),
      b: { command: 'no-such-program' },
    });
    const { code, err } = await runHere(['proxy', '--config', file]);
    expect(code).toBe(1);
    expect(err).toContain('No server can be reached: "a"');
    expect(err).not.toContain('tok-secret-123');
    const { url, written } = await serve(['--config', file]);
    expect((await fetch(new URL('/readyz', url))).status).toBe(503);
    write(missing, { tools: [tool('hello')] });
    await expect
      .poll(async () => (await fetch(new URL('/readyz', url))).status, { timeout: 60_000 })
      .toBe(200);
    expect(written.err).toContain('[redacted]');
    expect(written.err + written.out).not.toContain('tok-secret-123');
    expect(
      written.err
        .trim()
        .split('\n')
        .every((line) => typeof JSON.parse(line) === 'object'),
    ).toBe(true);
  });
});

const sessionOf = (values: object) => ({ 'mcp-session-config': btoa(JSON.stringify(values)) });

describe('credentials of callers', () => {
  it('reach a command as variables, in a process for each caller', async () => {
    const { place, one } = twoServers();
    const file = config(place, { a: scripted(one, { TOKEN: '${session:token}' }) });
    const { url } = await serve(['--config', file, '--form', 'flat']);
    const [ada, bob] = [
      await connect(url, sessionOf({ token: 'ada-1' })),
      await connect(url, sessionOf({ token: 'bob-1' })),
    ];
    const answers = await Promise.all(
      [ada, bob, ada].map(
        async ({ text }) => JSON.parse(await text('a_read')) as { token: string; pid: number },
      ),
    );
    expect(answers.map(({ token }) => token)).toEqual(['ada-1', 'bob-1', 'ada-1']);
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(2);
    const nobody = await connect(url);
    const reason = 'needs "token" of the caller\'s session';
    expect(await nobody.text('a_read')).toContain(reason);
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(nobody.client.getPrompt({ name: 'a_greet' })).rejects.toThrow(reason);
      await expect(nobody.client.readResource({ uri: 'note://1' })).rejects.toThrow(reason);
    }
    expect(await ada.client.getPrompt({ name: 'a_greet' })).toMatchObject({ messages: [{ role: 'user' }] });
    await expect(connect(url, sessionOf({ other: 'x' }))).rejects.toThrow('which is not allowed');
  });

  it('reach an address as headers, or else the default of the gateway', async () => {
    const seen: (string | undefined)[] = [];
    const behind = new ToolRegistry({ name: 'behind' }).register({
      name: 'whoami',
      description: 'Says who calls',
      inputSchema: {},
      handler: ({ context }) => String(context.caller.auth?.clientId),
    });
    const auth = {
      authenticate: (header: (name: string) => string | undefined) => {
        seen.push(header('x-user'));
        return { auth: { token: 't', clientId: header('x-user') ?? 'nobody', scopes: [] } };
      },
    };
    const running = await serveHttp(behind, { port: 0, closeOnSignals: false, auth });
    onTestFinished(() => running.close());
    const file = config(folder(), {
      who: { url: running.url, headers: { 'X-User': '${session:user:-service}' } },
    });
    const { url } = await serve(['--config', file, '--form', 'flat']);
    const [ada, nobody] = [await connect(url, sessionOf({ user: 'ada' })), await connect(url)];
    expect(await ada.text('who_whoami')).toBe('ada');
    expect(await nobody.text('who_whoami')).toBe('service');
    const odd = new TextEncoder().encode(JSON.stringify({ user: 'snow ☃' }));
    const snow = await connect(url, { 'mcp-session-config': btoa(String.fromCharCode(...odd)) });
    expect(await snow.text('who_whoami')).toContain('a character that is not allowed in headers');
    expect(new Set(seen)).toEqual(new Set(['ada', 'service']));
    const { code, err } = await runHere([
      'proxy',
      '--config',
      config(folder(), { who: { url: running.url, headers: { 'X-User': '${session:user}' } } }),
    ]);
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringContaining('which only HTTP clients can send'),
    });
  });
});

describe('--overrides', () => {
  it('changes tools of several servers, and reports entries without a tool', async () => {
    const { place, file } = twoServers();
    const overrides = write(join(place, 'overrides.json'), {
      version: 1,
      tools: {
        'a/write': { name: 'save', description: 'Saves a note.', fixed: { log: '' }, destructive: false },
        'a/red': { hide: true },
        'b.c/read': { hide: true },
        'x/y': { hide: true },
      },
    });
    const { url, written } = await serve(['--config', file, '--form', 'flat', '--overrides', overrides]);
    const { client, names, text } = await connect(url);
    expect(await names()).toEqual(['a_read', 'a_save']);
    const [, save] = (await client.listTools()).tools;
    expect(save).toMatchObject({ description: 'Saves a note.', annotations: { destructiveHint: false } });
    expect(Object.keys(save?.inputSchema.properties ?? {})).toEqual(['id', 'ms']);
    expect(await text('a_save', { id: '1', log: '/etc/x' })).toContain('"log" has a fixed value');
    expect(written.err).toContain(
      'There is an override for \\"red\\", but the server has no such tool. Did you mean \\"read\\"?',
    );
    expect(written.err).toContain('there is no server \\"x\\"');
  });

  it('changes tools of a single server, which --readonly then judges', async () => {
    const { place, one } = twoServers();
    const overrides = write(join(place, 'overrides.json'), {
      version: 1,
      tools: { write: { readOnly: true, name: 'peek' } },
    });
    const { url } = await serve([
      '--form',
      'flat',
      '--readonly',
      '--overrides',
      overrides,
      '--',
      process.execPath,
      ...scripted(one).args,
    ]);
    const { names } = await connect(url);
    expect(await names()).toEqual(['read', 'peek']);
  });
});

describe('a gateway in front', () => {
  it('accepts only callers with a key, and checks the scopes of overrides', async () => {
    const { place, file } = twoServers();
    const [ada, bob] = ['a', 'b'].map((letter) => letter.repeat(40));
    process.env['TEST_GATEWAY_KEY'] = bob;
    onTestFinished(() => void delete process.env['TEST_GATEWAY_KEY']);
    const keys = write(join(place, 'keys.json'), {
      keys: [
        { key: ada, clientId: 'ada', scopes: ['notes:write'] },
        { key: '${TEST_GATEWAY_KEY}', clientId: 'bob' },
      ],
    });
    const overrides = write(join(place, 'overrides.json'), {
      version: 1,
      tools: { 'a/write': { scopes: ['notes:write'] } },
    });
    const { url, written } = await serve([
      '--config',
      file,
      '--form',
      'flat',
      '--auth-keys',
      keys,
      '--overrides',
      overrides,
      '--host',
      '127.0.0.1',
      '--allowed-hosts',
      'gateway.example',
      '--rate-limit',
      '2',
    ]);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    const by = (key = '') => connect(url, { authorization: `Bearer ${key}` });
    const [first, second] = [await by(ada), await by(bob)];
    expect(await first.text('a_write')).toContain('"tool":"write"');
    expect(await second.text('a_write')).toContain('notes:write');
    await first.text('a_read');
    await first.text('a_read');
    expect(await first.text('a_read')).toContain('was called too often');
    expect(await second.text('a_read')).toContain('"tool":"read"');
    expect(written.err + written.out).not.toContain(ada);
  });

  it('accepts only callers with a token of the issuer, and tells others where to get one', async () => {
    const { file } = twoServers();
    const audience = 'https://mcp.example.com/mcp';
    const issuer = await startAuthorizationServer({ audience });
    onTestFinished(() => issuer.close());
    const { url } = await serve([
      '--config',
      file,
      '--form',
      'flat',
      '--auth-issuer',
      issuer.issuer,
      '--public-url',
      audience,
    ]);
    const rejected = await fetch(url, { method: 'POST', body: '{}' });
    expect(rejected.status).toBe(401);
    expect(rejected.headers.get('www-authenticate')).toContain('mcp.example.com');
    const { text } = await connect(url, { authorization: `Bearer ${await issuer.sign()}` });
    expect(await text('a_read')).toContain('"tool":"read"');
  });

  it('records calls with the global providers of OpenTelemetry', async () => {
    const { place, file } = twoServers();
    const spans = join(place, 'spans.log');
    const register = new URL('record-spans.mjs', import.meta.url).href;
    const argv = ['proxy', '--config', file, '--form', 'flat', '--http', '0', '--json', '--otel'];
    const child = spawn(
      process.execPath,
      ['--import', register, pathOf('packages/cli/dist/main.js'), ...argv],
      {
        env: { ...process.env, SPANS: spans },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    onTestFinished(() => void child.kill('SIGTERM'));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { text } = await connect((JSON.parse(String(line)) as { url: string }).url);
    await text('b_c_read');
    await expect
      .poll(() => (existsSync(spans) ? readFileSync(spans, 'utf8') : ''))
      .toContain('tools/call b_c_read b_c:read');
  });

  it('drains on SIGTERM: running calls are answered, and all servers end', async () => {
    const { file, place } = twoServers();
    const begun = join(place, 'begun');
    const { child, written, exit } = startProgram([
      'proxy',
      '--config',
      file,
      '--form',
      'flat',
      '--http',
      '0',
      '--json',
    ]);
    await expect.poll(() => written.out, { timeout: 60_000 }).toContain('\n');
    const { url } = JSON.parse(written.out) as { url: string };
    const { text } = await connect(url);
    const pids = await Promise.all(
      ['a_read', 'b_c_read'].map(async (name) => (JSON.parse(await text(name)) as { pid: number }).pid),
    );
    const answer = text('a_read', { ms: 1_000, id: 'last', begun });
    await expect.poll(() => existsSync(begun)).toBe(true);
    child.kill('SIGTERM');
    expect(await answer).toContain('"id":"last"');
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(pids.map(isAlive)).toEqual([false, false]);
  });
});
