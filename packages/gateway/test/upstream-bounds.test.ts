import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { speedUpTime } from '../../../test/fast-clock.js';
import { fromMcpServer } from '@toolfold/gateway';
import type { FromMcpServerOptions } from '@toolfold/gateway';
import { codeOf, proxy, faulty, textOf } from './upstream-servers.js';

const MiB = 1024 * 1024;

const hostile = (mode: string) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('../../../test/wire/programs/hostile-upstream.mjs', import.meta.url)), mode],
});

/** A server with given answers. Reports the number of bytes that it could send on each closed connection. */
async function serve(answer: (message: Message, response: ServerResponse, request: IncomingMessage) => void) {
  const sent: number[] = [];
  const server = createServer((request, response) => {
    void read(request).then((message) => answer(message, response, request));
  });
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.once('close', () => sent.push(socket.bytesWritten));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, sent };
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly cursor?: string };
}

async function read(request: IncomingMessage): Promise<Message> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Message);
}

/** Sends as fast as the client reads, at most 300 MiB. */
function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(1 << 16, 'x');
  let left = (300 * MiB) / chunk.length;
  const write = (): void => {
    while (left-- > 0 && !response.destroyed) if (!response.write(chunk)) break;
    if (left > 0) response.once('drain', write);
    else response.end();
  };
  write();
}

const json = (response: ServerResponse, message: object): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
};
const tool = { name: 'good', description: 'good', inputSchema: { type: 'object' } };

/** The answers of a 2025 server before the first call. */
function greet({ id, method, params }: Message, response: ServerResponse): boolean {
  if (method === 'initialize') {
    const { protocolVersion } = params ?? {};
    const serverInfo = { name: 'http', version: '1' };
    json(response, {
      jsonrpc: '2.0',
      id,
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo },
    });
  } else if (method === 'tools/list') json(response, { jsonrpc: '2.0', id, result: { tools: [tool] } });
  else if (method === undefined) response.writeHead(405).end();
  else if (id === undefined) response.writeHead(202).end();
  else return false;
  return true;
}

const load = (target: Parameters<typeof fromMcpServer>[0], options: FromMcpServerOptions = {}) => {
  const upstream = fromMcpServer(target, options);
  onTestFinished(() => upstream.close());
  return upstream();
};

describe('an HTTP answer that does not end', () => {
  it.each([
    ['an error', 500, 'text/plain'],
    ['a refusal', 400, 'application/json'],
    ['a missing page', 404, 'text/event-stream'],
    ['a message', 200, 'application/json'],
    ['a stream', 200, 'text/event-stream'],
    ['something else', 200, 'text/html'],
  ])('is not read beyond maxMessageBytes: %s', async (_, status, type) => {
    speedUpTime();
    const { url, sent } = await serve((message, response) => {
      if (greet(message, response)) return;
      response.writeHead(status, { 'content-type': type });
      flood(response);
    });
    const before = process.memoryUsage().rss;
    const { call } = await proxy({ url }, { protocol: '2025', maxMessageBytes: MiB });
    expect((await call('good')).isError).toBe(true);
    // Socket buffers on both sides hold some megabytes.
    await expect.poll(() => Math.max(0, ...sent), { timeout: 20_000 }).toBeGreaterThan(MiB);
    expect(Math.max(...sent)).toBeLessThan(50 * MiB);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MiB);
  });

  it('is not read beyond maxMessageBytes while the server is being connected to', async () => {
    const { url, sent } = await serve((_, response) => {
      response.writeHead(503);
      flood(response);
    });
    await expect(load({ url }, { maxMessageBytes: MiB })).rejects.toThrow('cannot be reached');
    await expect.poll(() => Math.max(0, ...sent), { timeout: 20_000 }).toBeGreaterThan(0);
    expect(Math.max(...sent)).toBeLessThan(50 * MiB);
  });
});

it('drops endless output of a process, and ends the process', async () => {
  const before = process.memoryUsage().rss;
  const { call } = await proxy(hostile('flood'), { protocol: '2025', maxMessageBytes: MiB });
  expect(codeOf(await call('good'))).toBe('ErrUpstreamLost');
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * MiB);
});

describe('a server that keeps asking questions', () => {
  it('is ended if it is a process that reads no answer', async () => {
    const before = process.memoryUsage().rss;
    const { call } = await proxy(hostile('deaf'), { protocol: '2025' });
    expect(codeOf(await call('good'))).toBe('ErrUpstreamLost');
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MiB);
  });

  it('gets at most 200 answers at once over HTTP', async () => {
    let open = 0;
    const { url } = await serve((message, response) => {
      // The server receives the answers to its questions and never confirms them.
      if (message.method === undefined && message.id !== undefined) open++;
      else if (!greet(message, response)) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let id = 0; id < 2_000; id++)
          response.write(`data: {"jsonrpc":"2.0","id":"q${id}","method":"ping"}\n\n`);
      }
    });
    const { call } = await proxy({ url }, { protocol: '2025' });
    expect(codeOf(await call('good'))).toBe('ErrUpstreamLost');
    expect(open).toBeLessThanOrEqual(200);
  });

  it('may have 20 questions of one call waiting for the caller', async () => {
    let rejected = 0;
    const { url } = await serve((message, response) => {
      if (message.method === undefined && message.id !== undefined) {
        rejected++;
        response.writeHead(202).end();
      } else if (!greet(message, response)) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const params = { messages: [], maxTokens: 1 };
        for (let id = 0; id < 50; id++) {
          const question = { jsonrpc: '2.0', id: `q${id}`, method: 'sampling/createMessage', params };
          response.write(`data: ${JSON.stringify(question)}\n\n`);
        }
      }
    });
    const { call } = await proxy({ url }, { protocol: '2025' });
    const controller = new AbortController();
    const ask = vi.fn<() => Promise<never>>(() => new Promise(() => {}));
    const calling = call('good', {}, { ask, signal: controller.signal });
    await expect.poll(() => rejected).toBe(30);
    expect(ask).toHaveBeenCalledTimes(20);
    controller.abort();
    await calling;
  });
});

describe('a list of tools', () => {
  it.each([
    ['many pages', 'its list of tools is larger than 5242880 bytes'],
    ['long cursor', 'a cursor of more than 8192 characters'],
    ['many tools', 'it lists more than 2000 tools'],
  ])('is rejected over stdio when it has %s', async (mode, reason) => {
    const loading = load(hostile(mode), { protocol: '2025', maxMessageBytes: 5 * MiB, onSkipped: () => {} });
    await expect(loading).rejects.toThrow(reason);
  });

  it('is rejected over HTTP when all pages together are too large', async () => {
    let pages = 0;
    const { url } = await serve((message, response) => {
      if (message.method !== 'tools/list') return void greet(message, response);
      pages++;
      const tools = [{ ...tool, name: `tool-${pages}`, _meta: { filler: 'x'.repeat(MiB) } }];
      json(response, { jsonrpc: '2.0', id: message.id, result: { tools, nextCursor: String(pages) } });
    });
    const loading = load({ url }, { protocol: '2025', maxMessageBytes: 4 * MiB });
    await expect(loading).rejects.toThrow('its list of tools is larger than');
    expect(pages).toBeLessThan(6);
  });

  it.each([
    ['deep schema', 'nested more than 200 levels deep'],
    ['deep meta', 'nested more than 200 levels deep'],
  ])('loses only the tool that cannot be read: %s', async (mode, reason) => {
    const skipped = new Map<string, string>();
    const definitions = await load(hostile(mode), {
      protocol: '2025',
      onSkipped: (name, why) => skipped.set(name, why),
    });
    expect(definitions.map(({ name }) => name)).toEqual(['good']);
    expect([...skipped.keys()]).toEqual(['deep']);
    expect(skipped.get('deep')).toContain(reason);
  });
});

it('shortens the description that a server gives of itself', async () => {
  const { upstream } = await proxy(hostile('plain'), { protocol: '2025' });
  expect(upstream.server?.name).toHaveLength(200);
  expect(upstream.server?.instructions).toHaveLength(20_000);
});

it('reports a result that is nested too deep', async () => {
  const { call } = await proxy(hostile('deep result'), { protocol: '2025', name: 'abyss' });
  const result = await call('good');
  expect(codeOf(result)).toBe('ErrToolFailed');
  expect(textOf(result)).toContain(
    'The server "abyss" answered with a result nested more than 500 levels deep',
  );
});

describe('a message whose many values are all wrong does not block the process', () => {
  const many = <T>(value: T, length = 60_000): T[] => Array.from({ length }, () => value);
  const fields = Object.fromEntries(many(0, 150_000).map((_, at) => [`f${at}`, 0]));
  const forms = Object.fromEntries(many(0).map((_, at) => [`f${at}`, {}]));

  it.each([
    ['content', { content: many(null) }, 'did not answer with a valid result'],
    ['_meta', { content: [], _meta: fields }, 'f7'],
  ])('in the %s of a result', async (_, result, expected) => {
    const { url } = await serve((message, response) => {
      if (greet(message, response)) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    });
    const { call } = await proxy({ url }, { protocol: '2025' });
    const work = watchWork();
    expect(JSON.stringify(await call('good'))).toContain(expected);
    // The official client took up to 15 seconds.
    expect(work()).toBeLessThan(0.7);
  });

  it('in a question, which is rejected', async () => {
    const rejected: string[] = [];
    const { url } = await serve((message, response) => {
      if (message.method === undefined && message.id !== undefined) {
        rejected.push(JSON.stringify(message));
        return void response.writeHead(202).end();
      }
      if (greet(message, response)) return;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const params = { message: 'a', requestedSchema: { type: 'object', properties: forms } };
      const question = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params };
      response.write(`data: ${JSON.stringify(question)}\n\n`);
      response.end(
        `data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [] } })}\n\n`,
      );
    });
    const { call } = await proxy({ url }, { protocol: '2025' });
    const work = watchWork();
    await call('good');
    await expect.poll(() => rejected).toEqual([expect.stringContaining('-32602')]);
    expect(work()).toBeLessThan(0.7);
  });
});

/** Returns a function that gives the CPU seconds of this process since now, which other processes do not change. */
function watchWork(): () => number {
  const before = process.cpuUsage();
  return () => process.cpuUsage(before).user / 1e6;
}

describe('an answer with more than 200,000 values', () => {
  it('is rejected over stdio before it is parsed, and the next call works', async () => {
    const { call } = await proxy(hostile('brackets'), { protocol: '2025', name: 'wide' });
    for (let round = 0; round < 2; round++) {
      const result = await call('good');
      expect(codeOf(result)).toBe('ErrToolFailed');
      // Parsing this text would fail, and its caller would wait until the call times out.
      expect(textOf(result)).toContain('no valid answer: its answer has more than 200000 values');
    }
  });

  it.each(['application/json', 'text/event-stream'])(
    'is rejected over HTTP before it is parsed, as %s',
    async (type) => {
      const { url } = await serve((message, response) => {
        if (greet(message, response)) return;
        const answer = `{"result":{"content":[${'['.repeat(8e6)},"jsonrpc":"2.0","id":${message.id}}`;
        response.writeHead(200, { 'content-type': type });
        response.end(type === 'application/json' ? answer : `data: ${answer}\n\n`);
      });
      const { call } = await proxy({ url }, { protocol: '2025', name: 'wide' });
      expect(textOf(await call('good'))).toContain('no valid answer: its answer has more than 200000 values');
    },
  );

  const wide = '['.repeat(4e6);
  it.each([
    ['in several lines of data', `${`data: ${'['.repeat(150_000)}\n`.repeat(40)}\n`],
    ['after a carriage return', `event: message\rdata: ${wide}\n\n`],
    ['after a byte order mark', `\uFEFFdata: ${wide}\n\n`],
    ['after two byte order marks', `\uFEFF\uFEFFdata: ${wide}\n\n`],
  ])('is not passed on by a stream %s', async (_, events) => {
    speedUpTime();
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const { url } = await serve((message, response) => {
      if (!greet(message, response))
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
    });
    const { call } = await proxy({ url }, { protocol: '2025', name: 'wide' });
    expect((await call('good')).isError).toBe(true);
    expect(parse.mock.calls.filter(([text]) => String(text).length > 400_000)).toEqual([]);
  });

  it.each([
    ['the error 400 to the first request', 400, 'POST'],
    ['a stream without its type', 200, 'GET'],
  ])('is not passed on in %s', async (_, status, method) => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    let isRead = false;
    const { url } = await serve((message, response, request) => {
      if (request.method === method && (method === 'GET' || message.method === 'server/discover')) {
        response.once('close', () => (isRead = true));
        response.writeHead(status, { 'content-type': 'text/plain' });
        response.end(status === 200 ? `data: ${wide}\n\n` : wide);
      } else if (!greet(message, response)) json(response, { jsonrpc: '2.0', id: message.id, result: {} });
    });
    const { call } = await proxy({ url }, { name: 'wide' });
    await call('good');
    await expect.poll(() => isRead).toBe(true);
    expect(parse.mock.calls.filter(([text]) => String(text).length > 400_000)).toEqual([]);
  });

  it('is rejected over HTTP if it does not say which request it answers', async () => {
    const { url } = await serve((message, response) => {
      if (!greet(message, response))
        response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(8e6));
    });
    const { call } = await proxy({ url }, { protocol: '2025', name: 'wide' });
    expect((await call('good')).isError).toBe(true);
  });
});

describe('a pattern that a server chose', () => {
  const withPattern = (name: string, pattern: string) => ({
    name,
    description: name,
    inputSchema: { type: 'object', properties: { text: { type: 'string', pattern } } },
  });

  it('does not block the process, in either engine', async () => {
    const patterns = ['^(a+)+$', '^(a|a)*$', '(x+x+)+y', '^(?=(a+)+$)', '^(([a-z])+.)+[A-Z]([a-z])+$'];
    const tools = patterns.map((pattern, index) => withPattern(`t${index}`, pattern));
    const keys = { type: 'object', patternProperties: { '^(k+)+$': { type: 'number' } } };
    const { call } = await proxy(
      faulty('plain', [...tools, { name: 'keys', description: 'k', inputSchema: keys }]),
    );
    const begun = performance.now();
    // More calls than are needed to generate code for the schema.
    for (let round = 0; round < 120; round++) {
      for (const { name } of tools) await call(name, { text: `${'a'.repeat(40)}!` });
      await call('keys', { [`${'k'.repeat(40)}!`]: 'x' });
    }
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(codeOf(await call('t0', { text: 'aab' }))).toBe('ErrValidationFailed');
    expect(codeOf(await call('keys', { kkk: 'x' }))).toBe('ErrValidationFailed');
  });

  it('makes its tool unavailable if it cannot be matched in linear time', async () => {
    const skipped = new Map<string, string>();
    const tools = [withPattern('back', '^(a*)*\\1$'), withPattern('ahead', '^(?!admin)[a-z]+$')];
    const { call, registry } = await proxy(faulty('plain', tools), {
      onSkipped: (name, reason) => skipped.set(name, reason),
    });
    expect([...skipped]).toEqual([['back', 'its pattern "^(a*)*\\\\1$" has a backreference']]);
    expect(registry.has('back')).toBe(false);
    expect(textOf(await call('ahead', { text: 'administrator' }))).toContain('must match the pattern');
  });
});

describe('an answer whose result is null', () => {
  it('fails at once over stdio, and the next call works', async () => {
    const { call } = await proxy(hostile('plain'), { protocol: '2025', name: 'void' });
    for (let round = 0; round < 2; round++) {
      const result = await call('good');
      expect(codeOf(result)).toBe('ErrToolFailed');
      expect(textOf(result)).toContain(
        'The server "void" gave no valid answer: its result is null, not an object',
      );
    }
  });

  it.each(['application/json', 'text/event-stream'])('fails at once over HTTP as %s', async (type) => {
    const { url } = await serve((message, response) => {
      if (greet(message, response)) return;
      const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: null });
      response.writeHead(200, { 'content-type': type });
      // The stream may stay open.
      if (type === 'application/json') response.end(answer);
      else response.write(`id: 1\nevent: message\ndata: ${answer}\n\n`);
    });
    const { call } = await proxy({ url }, { protocol: '2025', name: 'void' });
    expect(textOf(await call('good'))).toContain(
      'The server "void" gave no valid answer: its result is null, not an object',
    );
  });
});
