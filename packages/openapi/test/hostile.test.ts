import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isTransient } from '../../toolfold/src/guards/retry/retry.js';
import { assertPublicHost, isPrivateAddress, isPrivateHost } from '../src/send/addresses.js';
import { createSender } from '../src/send/sender.js';
import { readRequestSettings } from '../src/send/settings.js';
import type { SendOptions } from '@toolfold/openapi';
import { ApiServer, answerJson, headerOf } from './api-server.js';
import { bodyOf, contextOf, planOf, propertyOf, schemeOf, senderTo } from './plans.js';

let server: ApiServer;
let other: ApiServer;
beforeAll(async () => {
  [server, other] = await Promise.all([ApiServer.start(), ApiServer.start()]);
});
beforeEach(() => {
  server.received.length = 0;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const security = [[{ scheme: schemeOf('token'), scopes: [] }]];
const plan = planOf({ security });
const send = (options: SendOptions = {}, context = contextOf(), sent = plan, input = {}): Promise<unknown> =>
  senderTo(server.origin, { credentials: { token: 'secret-token' }, ...options })(sent, input, context);

describe('a redirect', () => {
  const redirect = (status: number, location: string): void => {
    server.answer = (request, response) =>
      void (request.target === '/things'
        ? response.writeHead(status, { location }).end()
        : answerJson(response, { target: request.target }));
  };

  it.each([301, 302, 303, 307, 308])(
    'with status %d within the origin is followed with the credentials',
    async (status) => {
      redirect(status, '/elsewhere?a=1#fragment');
      expect(await send()).toEqual({ target: '/elsewhere?a=1' });
      expect(headerOf(server.last, 'authorization')).toEqual(['Bearer secret-token']);
    },
  );

  it.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', '{"a":1}'],
    [308, 'POST', '{"a":1}'],
  ])('with status %d sends a POST request again as %s', async (status, method, body) => {
    redirect(status, '/elsewhere');
    const post = planOf({
      method: 'POST',
      security,
      body: bodyOf('json', 'application/json', { properties: [propertyOf('a')] }),
    });
    await send({}, contextOf(), post, { a: 1 });
    expect(server.last).toMatchObject({ method, target: '/elsewhere' });
    expect(server.last.body.toString()).toBe(body);
    expect(headerOf(server.last, 'content-type')).toEqual(body === '' ? [] : ['application/json']);
  });

  it.each([
    ['another port', () => `${other.origin}/x?token=secret`],
    ['another name of the same host', () => server.origin.replace('127.0.0.1', 'localhost')],
    ['another scheme', () => server.origin.replace('http:', 'https:')],
    ['another host without a scheme', () => '//evil.example/x'],
    ['a private address', () => 'http://169.254.169.254/latest/meta-data'],
    ['a file', () => 'file:///etc/passwd'],
    ['data', () => 'data:text/plain,x'],
    ['credentials', () => server.origin.replace('//', '//user:secret@')],
    ['an invalid address', () => 'http://[::1'],
  ])('to %s is rejected', async (_, location) => {
    redirect(302, location());
    const before = other.received.length;
    const sent = send();
    await expect(sent).rejects.toMatchObject({
      code: 'ErrToolFailed',
      message: expect.stringContaining('which is not allowed') as string,
    });
    await expect(sent).rejects.not.toThrow('secret');
    expect(server.received).toHaveLength(1);
    expect(other.received).toHaveLength(before);
  });

  it.each([
    '/admin',
    '/v1',
    '/v10/x',
    '../admin',
    '/v1/app/../../admin',
    '/v1/app/%2e%2e/admin',
    '/v1/app/..%2fadmin',
    '/v1/app/x%2F..%5C..%2Fadmin',
    '/v1/app/..;/admin',
    '/v1/app/..%3b/admin',
    '/v1/app/..%20/admin',
    '/v1/app/..%09/admin',
    '/v1/app/..%00/admin',
    '/v1/app/..%E3%85%A4/admin',
    '/v1/app/..%00x/admin',
    '/v1/app/%2e%2e%3bx/admin',
    '/v1/app/%252e%252e/admin',
    '/v1/app/%ff/..%3b/admin',
    '/v1/app/%ff',
    '//user@{host}/v1/app/x',
  ])('to %s, outside of the path of the base address, carries no credentials there', async (location) => {
    const { host } = new URL(server.origin);
    server.answer = (request, response) =>
      void (request.target === '/v1/app/things'
        ? response.writeHead(302, { location: location.replace('{host}', host) }).end()
        : answerJson(response, { target: request.target }));
    const sendTo = senderTo(`${server.origin}/v1/app/`, { credentials: { token: 'secret-token' } });
    await expect(sendTo(plan, {}, contextOf())).rejects.toMatchObject({
      code: 'ErrToolFailed',
      message: expect.stringContaining('which is not allowed') as string,
    });
    expect(server.received).toHaveLength(1);
  });

  it.each(['/v1/app', '/v1/app/', '/v1/app/other', 'other?next=/../x', './things/1'])(
    'to %s, below the path of the base address, is followed',
    async (location) => {
      server.answer = (request, response) =>
        void (request.target === '/v1/app/things'
          ? response.writeHead(302, { location }).end()
          : answerJson(response, {}));
      const sendTo = senderTo(`${server.origin}/v1/app`, { credentials: { token: 'secret-token' } });
      expect(await sendTo(plan, {}, contextOf())).toEqual({});
      expect(headerOf(server.last, 'authorization')).toEqual(['Bearer secret-token']);
    },
  );

  it('is followed at most five times', async () => {
    server.answer = (_, response) => void response.writeHead(302, { location: '/things' }).end();
    await expect(send()).rejects.toThrow('redirected the request more than 5 times');
    expect(server.received).toHaveLength(6);
  });

  it('without a location is an error of the API', async () => {
    server.answer = (_, response) => void response.writeHead(302).end();
    await expect(send()).rejects.toThrow('The API answered 302 Found.');
  });
});

describe('a server that misbehaves', () => {
  it('and answers endlessly is cut off at the limit, and its connection is closed', async () => {
    let isClosed = false;
    server.answer = (_, response, socket) => {
      socket.on('close', () => (isClosed = true));
      response.writeHead(200, { 'content-type': 'text/plain' });
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', write);
      };
      write();
    };
    await expect(send({ maxResponseBytes: 1_000_000 })).rejects.toMatchObject({
      code: 'ErrOutputTooLarge',
      message: expect.stringContaining('larger than 1000000 bytes') as string,
    });
    await expect.poll(() => isClosed).toBe(true);
  });

  it('and answers with a compressed bomb is cut off at the decompressed size', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(150_000);
    server.answer = (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(bomb);
    await expect(send()).rejects.toMatchObject({ code: 'ErrOutputTooLarge' });
  });

  it('and never answers ends with a clear error, and its connection is closed', async () => {
    const used = new Set<Socket>();
    await using silent = await ApiServer.start((_, __, socket) => void used.add(socket));
    const wait = (method: string): Promise<unknown> =>
      senderTo(silent.origin, { timeoutMs: 200 })(planOf({ method }), {}, contextOf());
    await expect(wait('GET')).rejects.toMatchObject({
      code: 'ErrTimeout',
      message: expect.stringMatching(
        /did not answer completely within 200 ms\. Ask for less, or try again later\.$/,
      ) as string,
    });
    await expect(wait('POST')).rejects.toThrow('may have taken effect');
    // `fetch` keeps a connection without a request open for 4 s after it has closed one, so only those with a request are counted.
    expect(used.size).toBeGreaterThan(0);
    await expect.poll(() => [...used].filter(({ destroyed }) => !destroyed).length).toBe(0);
  });

  it('and stops in the middle of its answer is cut off as well', async () => {
    server.answer = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/plain' }).write('half');
    await expect(send({ timeoutMs: 100 })).rejects.toMatchObject({ code: 'ErrTimeout' });
  });

  it('and closes the connection early is an error that a retry may fix', async () => {
    server.answer = (_, __, socket) => void socket.destroy();
    const early = await send().catch((error: unknown) => error);
    expect(early).toMatchObject({
      code: 'ErrUpstreamLost',
      message: expect.stringContaining('cannot be reached') as string,
    });
    expect(isTransient(early)).toBe(true);
    server.answer = (_, response, socket) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        .write('{"half":');
      socket.end();
    };
    const half = await send().catch((error: unknown) => error);
    expect(half).toMatchObject({
      code: 'ErrUpstreamLost',
      message: expect.stringContaining('broke off during its answer') as string,
    });
  });

  it('and speaks no HTTP is reported without its text', async () => {
    const strange = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.resume().end('SSH-2.0-secret-token\r\n');
    });
    await new Promise<void>((resolve) => strange.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(strange.address() as AddressInfo).port}`;
    const sent = senderTo(origin, { credentials: { token: 'secret-token' } })(plan, {}, contextOf());
    await expect(sent).rejects.toMatchObject({ code: 'ErrUpstreamLost' });
    await expect(sent).rejects.not.toThrow('secret-token');
    strange.close();
  });

  it('and is not there is an error that a retry may fix', async () => {
    const gone = await ApiServer.start();
    const { origin } = gone;
    await gone[Symbol.asyncDispose]();
    const error = await senderTo(origin)(planOf(), {}, contextOf()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'ErrUpstreamLost',
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
    expect(isTransient(error)).toBe(true);
  });
});

describe('a cancelled call', () => {
  it('aborts its request and frees the socket', async () => {
    let isClosed = false;
    const controller = new AbortController();
    server.answer = (_, __, socket) => {
      socket.on('close', () => (isClosed = true));
      controller.abort(new Error('The person pressed stop.'));
    };
    await expect(send({}, contextOf({ signal: controller.signal }))).rejects.toMatchObject({
      code: 'ErrCancelled',
    });
    await expect.poll(() => isClosed).toBe(true);
  });

  it('sends nothing if it was cancelled before', async () => {
    await expect(send({}, contextOf({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
      code: 'ErrCancelled',
    });
    expect(server.received).toEqual([]);
  });

  it('ends although the fetch of the operator ignores the signal', async () => {
    const controller = new AbortController();
    const never = (async () => {
      controller.abort();
      return new Promise<Response>(() => undefined);
    }) as typeof fetch;
    await expect(send({ fetch: never }, contextOf({ signal: controller.signal }))).rejects.toMatchObject({
      code: 'ErrCancelled',
    });
  });

  it('leaves no listener on the signal', async () => {
    server.answer = (_, response) => answerJson(response, {});
    const { signal } = new AbortController();
    const counts = { add: 0, remove: 0 };
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => (counts.add++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (counts.remove++, remove(...args));
    await send({}, contextOf({ signal }));
    expect(counts).toEqual({ add: 1, remove: 1 });
  });
});

describe('a base address', () => {
  const sender = (url: string, isBaseTrusted: boolean): unknown =>
    createSender(readRequestSettings({}, { isBaseTrusted }), new URL(url));

  it.each([
    'ftp://api.example',
    'file:///x',
    'https://user:pass@api.example',
    'https://api.example?x=1',
    'https://api.example#x',
  ])('cannot be %s', (url) => {
    expect(() => sender(url, true)).toThrow(expect.objectContaining({ code: 'ErrInvalidOptions' }) as Error);
  });

  /** The forms in which addresses are written to hide where they lead. */
  const hidden = [
    'http://127.0.0.1',
    'http://2130706433',
    'http://0x7f000001',
    'http://0177.0.0.1',
    'http://127.1',
    'http://0',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:10.0.0.1]',
    'http://[::ffff:a9fe:a9fe]',
    'http://[64:ff9b::10.0.0.1]',
    'http://[2002:7f00:1::]',
    'http://[fe80::1]',
    'http://[fc00::1]',
    'http://[fd12:3456::1]',
    'http://[ff02::1]',
    'http://10.1.2.3',
    'http://172.31.255.255',
    'http://192.168.0.1',
    'http://169.254.169.254',
    'http://100.64.0.1',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'http://localhost',
    'http://LOCALHOST.',
    'http://api.localhost',
    'http://printer.local',
    'http://metadata.google.internal',
    'http://intranet',
    'http://１２７.0.0.1',
  ];

  it.each(hidden)('that only the specification names cannot be %s', (url) => {
    expect(() => sender(url, false)).toThrow('is in a private network');
    expect(() => sender(url, true)).not.toThrow();
  });

  it.each([
    'https://api.github.com',
    'http://8.8.8.8',
    'https://172.32.0.1',
    'https://[2606:4700::1111]',
    'https://11.0.0.1',
    'https://[::ffff:8.8.8.8]',
  ])('may be %s', (url) => {
    expect(isPrivateHost(new URL(url).hostname)).toBe(false);
    expect(() => sender(url, false)).not.toThrow();
  });

  it.each(['127.0.0.1', '::1', 'fe80::1%eth0', '::ffff:192.168.1.1', '10.0.0.1', 'nonsense:::'])(
    'whose name leads to %s is private',
    (address) => {
      expect(isPrivateAddress(address)).toBe(true);
    },
  );

  it('that only the specification names is looked up before each request', async () => {
    await expect(assertPublicHost(new URL('http://localhost:1'))).rejects.toThrow(
      'The name localhost leads to an address in a private network.',
    );
    // The request itself reports a name that does not exist.
    await assertPublicHost(new URL('http://does-not-exist.invalid'));
    await assertPublicHost(new URL('http://8.8.8.8'));
  });
});
