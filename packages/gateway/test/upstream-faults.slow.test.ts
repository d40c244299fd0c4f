import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromMcpServer } from '@toolfold/gateway';
import type { FromMcpServerOptions, UpstreamTarget } from '@toolfold/gateway';
import {
  codeOf,
  freePort,
  everything,
  isAlive,
  proxy,
  faulty,
  startEverythingHttp,
  textOf,
} from './upstream-servers.js';

const load = (target: UpstreamTarget, options: FromMcpServerOptions = {}) => {
  const upstream = fromMcpServer(target, options);
  onTestFinished(() => upstream.close());
  return upstream();
};

describe('a server that is lost', () => {
  it('fails the running call with its name, and is reconnected for the next call', async () => {
    const { call } = await proxy(faulty(), { name: 'shaky' });
    const first = textOf(await call('pid'));
    const lost = await call('die');
    expect(codeOf(lost)).toBe('ErrUpstreamLost');
    expect(textOf(lost)).toContain('The server "shaky" was lost');
    const second = textOf(await call('pid'));
    expect(Number(second)).toBeGreaterThan(0);
    expect(second).not.toBe(first);
  });

  it('fails all running calls, and is restarted once for all later calls', async () => {
    const { call } = await proxy(faulty());
    const hanging = ['a', 'b', 'c'].map(() => call('hang'));
    await call('die');
    expect((await Promise.all(hanging)).map(codeOf)).toEqual(
      Array.from({ length: 3 }, () => 'ErrUpstreamLost'),
    );
    const pids = await Promise.all(Array.from({ length: 5 }, () => call('pid')));
    expect(new Set(pids.map(textOf)).size).toBe(1);
    expect(Number(textOf(pids[0]!))).toBeGreaterThan(0);
  });

  it.each(['fetch failed', 'terminated', 'Not connected', 'Connection closed'])(
    'is not treated as lost because of an error message "%s"',
    async (message) => {
      const { call } = await proxy(faulty(), { name: 'alive' });
      const first = textOf(await call('pid'));
      const failed = await call('fail', { message });
      expect(codeOf(failed)).toBe('ErrToolFailed');
      expect(textOf(failed)).toContain(`The server "alive" rejected the call (-32603): ${message}`);
      expect(textOf(await call('pid'))).toBe(first);
    },
  );

  it('is not restarted for every call if every call crashes it', async () => {
    const { call } = await proxy(faulty());
    const codes: unknown[] = [];
    const texts: string[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      const result = await call('die');
      codes.push(codeOf(result));
      texts.push(textOf(result));
    }
    expect(codes).toEqual(Array.from({ length: 4 }, () => 'ErrUpstreamLost'));
    expect(texts.some((text) => /cannot be reached. Try again in \d+ s/.test(text))).toBe(true);
    await expect
      .poll(async () => textOf(await call('echo', { there: 'again' })), { timeout: 60_000, interval: 200 })
      .toBe('{"there":"again"}');
  });

  it('reports a change if it lists other tools after a restart', async () => {
    const { upstream, call } = await proxy(faulty());
    await call('grow');
    await expect.poll(async () => (await upstream()).some(({ name }) => name === 'grown')).toBe(true);
    const changed = new Promise<void>((resolve) => {
      upstream.onChange(resolve);
    });
    await call('die');
    await call('pid');
    await changed;
    expect((await upstream()).some(({ name }) => name === 'grown')).toBe(false);
  });

  it('is reconnected over HTTP after a restart that ended its sessions', async () => {
    const { url, port, stop } = await startEverythingHttp();
    const { call } = await proxy({ url });
    expect(textOf(await call('echo', { message: 'a' }))).toBe('Echo: a');
    const during = call('trigger-long-running-operation', { duration: 300, steps: 300 }, { progress: stop });
    expect(codeOf(await during)).toBe('ErrUpstreamLost');
    const down = await call('echo', { message: 'b' });
    expect(codeOf(down)).toBe('ErrUpstreamLost');
    await startEverythingHttp(port);
    await expect
      .poll(async () => textOf(await call('echo', { message: 'c' })), { timeout: 60_000, interval: 200 })
      .toBe('Echo: c');
  });
});

describe('a server that cannot be reached', () => {
  it.each([
    ['a command that does not exist', async () => ({ command: 'toolfold-no-such-command' }), 'ENOENT'],
    ['a process that ends at once', async () => faulty('crash'), 'closed'],
    [
      'an address without a server',
      async () => ({ url: `http://127.0.0.1:${await freePort()}/mcp` }),
      'ECONNREFUSED',
    ],
  ])('makes loading fail with the reason: %s', async (_, find, reason) => {
    await expect(load(await find(), { name: 'gone' })).rejects.toThrow(
      new RegExp(`"gone" cannot be reached.*${reason}`, 's'),
    );
  });

  it('passes its standard error to onStderr', async () => {
    let written = '';
    const failing = load(faulty('crash'), { onStderr: (text) => void (written += text), protocol: '2025' });
    await expect(failing).rejects.toThrow('cannot be reached');
    await expect.poll(() => written).toContain('there is no licence');
  });

  it('times out if it does not answer, and its process ends', async () => {
    const target = { ...faulty('silent'), args: [...faulty('silent').args] };
    const begun = Date.now();
    await expect(load(target, { connectTimeoutMs: 1_000 })).rejects.toThrow(/within 1000 ms|timed out/);
    expect(Date.now() - begun).toBeLessThan(30_000);
  });

  it('times out if it does not list its tools', async () => {
    await expect(load(faulty('no answer'), { connectTimeoutMs: 2_000 })).rejects.toThrow(/timed out/i);
  });

  it('reports the HTTP status', async () => {
    const server = createServer((_, response) => response.writeHead(401).end('no'));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await expect(load({ url: `http://127.0.0.1:${port}/mcp` })).rejects.toThrow(
      /needs valid credentials.*401/,
    );
  });
});

it('is closed at once while it is still being connected to, and its process ends', async () => {
  const upstream = fromMcpServer(faulty('silent'), { protocol: '2025' });
  const loading = upstream().catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const begun = Date.now();
  await upstream.close();
  expect(await loading).toMatchObject({ code: 'ErrUpstreamLost' });
  expect(Date.now() - begun).toBeLessThan(30_000);
});

it('tells callers that a server cannot be reached, and only the operator why', async () => {
  const { url, stop } = await startEverythingHttp();
  const errors: unknown[] = [];
  const { call } = await proxy({ url }, { name: 'far', onError: (error) => errors.push(error) });
  await stop();
  await call('echo', { message: 'a' });
  const result = await call('echo', { message: 'b' });
  expect(textOf(result)).toBe('The server "far" cannot be reached. Try again later.');
  expect(JSON.stringify(result)).not.toContain('127.0.0.1');
  expect(errors.map(String).join('\n')).toContain('ECONNREFUSED');
});

describe('a server that does not answer a call', () => {
  it('times out without progress, and receives a cancellation', async () => {
    const { call } = await proxy(faulty(), { timeoutMs: 700, name: 'slow' });
    const result = await call('hang');
    expect(codeOf(result)).toBe('ErrTimeout');
    expect(textOf(result)).toContain('The server "slow" did not answer for 700 ms');
    expect(textOf(await call('echo', { still: 'there' }))).toBe('{"still":"there"}');
  });

  it('does not time out while it reports progress', async () => {
    const { call } = await proxy(faulty(), { timeoutMs: 1_100 });
    expect(textOf(await call('steps'))).toBe('stepped');
  });

  it('does not delay a caller that cancels while the connection opens', async () => {
    const { call } = await proxy(faulty(), { connectTimeoutMs: 60_000 });
    await call('die');
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    expect(codeOf(await call('pid', {}, { signal: controller.signal }))).toBe('ErrCancelled');
    expect(Number(textOf(await call('pid')))).toBeGreaterThan(0);
  });
});

describe('a server that lists invalid tools', () => {
  const tool = (name: string, more: object = {}) => ({
    name,
    description: name,
    inputSchema: { type: 'object' },
    ...more,
  });
  const deep = (depth: number): object =>
    depth === 0 ? {} : { type: 'object', properties: { a: deep(depth - 1) } };
  const bad: readonly unknown[] = [
    tool('remote', { inputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/s' } } } }),
    tool('circular', { inputSchema: { type: 'object', properties: { a: { type: 'nothing' } } } }),
    tool('deep', { inputSchema: deep(500) }),
    tool('text', { inputSchema: { type: 'string' } }),
    tool('none', { inputSchema: 'x' }),
    tool('long', { description: 'x'.repeat(30_000) }),
    tool('hint', { annotations: { readOnlyHint: 'yes' } }),
    tool('echo'),
    { description: 'no name' },
    'not a tool',
  ];

  it('has its valid tools offered, and each invalid one reported with the reason', async () => {
    const skipped = new Map<string, string>();
    const { registry } = await proxy(faulty('plain', [...bad, tool('good')]), {
      onSkipped: (name, reason) => skipped.set(name, reason),
    });
    expect(registry.has('good') && registry.has('echo')).toBe(true);
    expect([...skipped.keys()].toSorted()).toEqual(
      ['(no name)', 'circular', 'deep', 'echo', 'hint', 'long', 'none', 'remote', 'text'].toSorted(),
    );
    expect(skipped.get('remote')).toContain('https://example.com/s');
    expect(skipped.get('echo')).toBe('it is listed twice');
    for (const reason of skipped.values()) expect(reason).not.toBe('');
  });

  it('is rejected as a whole without onSkipped', async () => {
    await expect(load(faulty('plain', bad))).rejects.toThrow(/"remote": .*onSkipped/s);
  });

  it.each([
    ['endless', /more than|does not end/],
    ['circle', /repeats a cursor/],
    ['no list', /list of tools is not a list/],
  ])('is rejected when its list is %s', async (mode, reason) => {
    await expect(load(faulty(mode), { connectTimeoutMs: 10_000 })).rejects.toThrow(reason);
  });

  it('is rejected when it lists more tools than allowed', async () => {
    await expect(load(faulty(), { maxTools: 5 })).rejects.toThrow('more than 5 tools');
  });

  it('is read page by page', async () => {
    const pages = (await load(faulty('pages'))).map(({ name }) => name);
    expect(pages).toEqual((await load(faulty())).map(({ name }) => name));
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '\u0000', '🧨'.repeat(60)])(
    'gets a tool offered that is called %j',
    async (name) => {
      const { registry } = await proxy(faulty('plain', [tool(name)]), { prefix: 'p' });
      expect(registry.listTools().some(({ description }) => description === name)).toBe(true);
      expect(registry.listTools().every((listed) => /^[\w-]{1,64}$/.test(listed.name))).toBe(true);
    },
  );

  it('gets a short reason for a long invalid definition', async () => {
    const huge = tool('huge', { inputSchema: { type: 'object', $ref: `https://${'x'.repeat(50_000)}` } });
    const skipped = new Map<string, string>();
    await load(faulty('plain', [huge]), { onSkipped: (name, reason) => skipped.set(name, reason) });
    expect(skipped.get('huge')?.length).toBeLessThan(600);
    const many = Array.from({ length: 200 }, (_, index) => tool(`bad-${index}`, { inputSchema: 5 }));
    const error = (await load(faulty('plain', many)).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toContain('and 180 more');
    expect(error.message.length).toBeLessThan(5_000);
  });

  it('changes no prototype, with any keys', async () => {
    const hostile = JSON.parse(
      '{"name":"p","description":"p","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}},"_meta":{"__proto__":{"polluted":true}},"annotations":{"__proto__":{"polluted":true}}}',
    ) as object;
    await load(faulty('plain', [hostile]), { onSkipped: () => {} });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const { call } = await proxy(faulty());
    const args = JSON.parse('{"__proto__":{"polluted":true},"constructor":"c"}') as Record<string, unknown>;
    expect(textOf(await call('echo', args))).toContain('"constructor":"c"');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('a server that answers calls with invalid results', () => {
  it.each([
    ['content of no known kind', 'garbage'],
    ['a result that is not an object', 'nothing'],
  ])('causes an error that names it: %s', async (_, name) => {
    const { call } = await proxy(faulty(), { name: 'odd' });
    const result = await call(name);
    expect(codeOf(result)).toBe('ErrToolFailed');
    expect(textOf(result)).toContain('The server "odd"');
    expect(textOf(await call('echo', {}))).toBe('{}');
  });

  it('has its protocol errors passed on with code and text', async () => {
    const { call } = await proxy(faulty(), { name: 'odd' });
    expect(textOf(await call('refuse'))).toContain(
      'The server "odd" rejected the call (-32602): no such thing',
    );
  });

  it('is lost when a message is larger than allowed', async () => {
    const { call } = await proxy(faulty(), { maxMessageBytes: 100_000 });
    expect(textOf(await call('large', { bytes: 50_000 }))).toHaveLength(50_000);
    expect(codeOf(await call('large', { bytes: 500_000 }))).toBe('ErrUpstreamLost');
    expect(textOf(await call('echo', {}))).toBe('{}');
  });

  it('has its _meta and its own errors passed on', async () => {
    const { call } = await proxy(faulty());
    expect((await call('echo', {}))._meta).toEqual({ 'example.com/seen': true });
  });
});

it('leaves no process behind after many losses', async () => {
  const { upstream, call } = await proxy(faulty());
  const pids: number[] = [];
  for (let round = 0; round < 3; round++) {
    const answer = await call('pid');
    if (answer.isError !== true) pids.push(Number(textOf(answer)));
    await call('die');
  }
  await upstream.close();
  await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([]);
});

it.each([
  [{ command: 'a', url: 'https://example.com' }, 'must be { command'],
  [{ command: '' }, 'command'],
  [{ command: 'a', arguments: [] }, 'no option "arguments"'],
  [{ url: 'ftp://example.com' }, 'https or http'],
  [{ url: 'https://user:secret@example.com' }, 'without credentials'],
  [{ url: 'http://example.com', headers: { authorization: 'x' } }, 'https'],
  [{ url: 'https://example.com', headers: { a: 1 } }, 'headers'],
])('rejects an invalid target: %j', (target, reason) => {
  expect(() => fromMcpServer(target as never)).toThrow(reason);
});

it.each([
  [{ prefix: 'a b' }, 'prefix'],
  [{ timeout: 5 }, 'Did you mean "timeoutMs"'],
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ protocol: '2024' }, 'protocol'],
])('rejects invalid options: %j', (options, reason) => {
  expect(() => fromMcpServer(everything, options as never)).toThrow(reason);
});
