import { setTimeout as sleep } from 'node:timers/promises';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { modernMeta } from './raw-request.js';
import { call, command, initialize, initialized, request, startProgram } from './stdio-program.js';
import type { Program } from './stdio-program.js';

const patience = { timeout: 30_000 };

async function open(server: Program, protocolVersion?: string, capabilities?: object): Promise<void> {
  server.read();
  server.send(initialize(protocolVersion, capabilities));
  server.send(initialized);
  await expect.poll(() => server.answerTo('init'), patience).toBeDefined();
}

async function end(server: Program): Promise<void> {
  server.child.stdin.end();
  expect(await server.exit).toBe(0);
}

const textOf = (answer: unknown): unknown =>
  (answer as { result?: { content?: { text?: unknown }[] } } | undefined)?.result?.content?.[0]?.text;

describe('input over stdio', () => {
  it('may begin with a byte order mark', async () => {
    const server = startProgram();
    server.write('\uFEFF');
    await open(server);
    expect(server.answerTo('init')).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    await end(server);
  }, 40_000);

  it('may end without a newline', async () => {
    const server = startProgram();
    await open(server);
    server.write(JSON.stringify(call(1, 'ping')));
    await end(server);
    expect(textOf(server.answerTo(1))).toBe('pong');
  }, 40_000);

  it('that is not a message is answered with an error, and later messages are served', async () => {
    const server = startProgram();
    await open(server);
    server.write('not json\n\r\n   \n{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}\n"text"\n');
    server.write('{"jsonrpc":"2.0","id":2,"result":5}\n');
    server.send(call(3, 'ping'));
    await end(server);
    expect(server.answers.slice(1)).toMatchObject([
      { id: null, error: { code: -32_700 } },
      { id: 1, error: { code: -32_600 } },
      { id: null, error: { code: -32_600 } },
      { id: 3, result: {} },
    ]);
  }, 40_000);
});

describe('a batch over stdio', () => {
  it.each(['2025-03-26', '2024-11-05'])(
    'of a %s client is answered as one array, for slow and fast calls',
    async (version) => {
      const server = startProgram();
      await open(server, version);
      server.send([call(1, 'wait', { ms: 100 }), initialized, { nonsense: true }, call('two', 'ping')]);
      server.send(request(3, 'ping'));
      await end(server);
      const [, ping, batch] = server.answers;
      expect(ping).toMatchObject({ id: 3, result: {} });
      expect(batch).toHaveLength(3);
      expect(batch).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) }),
          expect.objectContaining({ id: 1, result: expect.anything() }),
          expect.objectContaining({ id: 'two', result: expect.anything() }),
        ]),
      );
    },
    40_000,
  );

  it('is answered even right after the handshake', async () => {
    const server = startProgram();
    server.read();
    const messages = [initialize('2025-03-26'), initialized, [request(1, 'ping'), call(2, 'ping')]];
    server.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    await end(server);
    expect(server.answers).toHaveLength(2);
    expect(server.answerTo('init')).toMatchObject({ result: { protocolVersion: '2025-03-26' } });
    expect(server.answerTo(1)).toMatchObject({ result: {} });
    expect(textOf(server.answerTo(2))).toBe('pong');
  }, 40_000);

  it('of notifications only is not answered', async () => {
    const server = startProgram();
    await open(server, '2025-03-26');
    server.send([initialized, initialized]);
    await end(server);
    expect(server.answers).toHaveLength(1);
  }, 40_000);

  it('leaves out a cancelled request', async () => {
    const server = startProgram();
    await open(server, '2025-03-26');
    server.send([call(1, 'wait', { ms: 60_000 }), call(2, 'ping')]);
    await expect.poll(() => server.reports, patience).toContainEqual({ call: 'started' });
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await expect.poll(() => server.answers, patience).toHaveLength(2);
    expect(server.answers[1]).toMatchObject([{ id: 2 }]);
    await end(server);
  }, 40_000);

  it('is answered with an error and advice to a client of another version', async () => {
    const server = startProgram();
    server.read();
    server.send([initialize('2025-03-26')]);
    await open(server, '2025-11-25');
    server.send([call(1, 'ping')]);
    await end(server);
    const rejection = {
      id: null,
      error: { code: -32_600, message: expect.stringContaining('line of its own') },
    };
    expect(server.answers).toMatchObject([rejection, { id: 'init' }, rejection]);
  }, 40_000);

  it('that is empty, too long or has a second handshake is answered with an error', async () => {
    const server = startProgram();
    await open(server, '2025-03-26');
    server.send([]);
    server.send(Array.from({ length: 101 }, (_, id) => request(id, 'ping')));
    server.send([initialize('2025-03-26')]);
    await end(server);
    const rejection = { id: null, error: { code: -32_600 } };
    expect(server.answers.slice(1)).toMatchObject([rejection, rejection, rejection]);
  }, 40_000);
});

describe('the end of the input over stdio', () => {
  it('waits for every answer when two requests in flight share an id', async () => {
    const server = startProgram();
    await open(server);
    server.send(call(7, 'wait', { ms: 10 }));
    server.send(call(7, 'wait', { ms: 300 }));
    await end(server);
    expect(server.answers.slice(1).map(textOf)).toEqual(['waited 10', 'waited 300']);
  }, 40_000);

  it('waits for every answer when two requests of a batch share an id', async () => {
    const server = startProgram();
    await open(server, '2025-03-26');
    server.send([call(7, 'wait', { ms: 10 }), call(7, 'wait', { ms: 300 })]);
    await end(server);
    expect((server.answers[1] as unknown[]).map(textOf)).toEqual(['waited 10', 'waited 300']);
  }, 40_000);

  it('answers a 2026 client that listens for changes, after its calls', async () => {
    const _meta = modernMeta();
    const server = startProgram();
    server.read();
    server.send(request(1, 'subscriptions/listen', { _meta, notifications: { toolsListChanged: true } }));
    server.send(request(2, 'tools/call', { _meta, name: 'wait', arguments: { ms: 200 } }));
    await end(server);
    expect(server.answers.flat().map(({ id }) => id)).toEqual([undefined, 2, 1]);
  }, 40_000);

  it('answers queued requests, and rejects those without enough time', async () => {
    const server = startProgram({ maxRequests: 1, graceMs: 1_000 });
    await open(server);
    server.send(call(1, 'wait', { ms: 50 }));
    server.send(call(2, 'wait', { ms: 50 }));
    server.send(call(3, 'wait', { ms: 60_000 }));
    server.send(call(4, 'ping'));
    await end(server);
    expect([1, 2].map((id) => textOf(server.answerTo(id)))).toEqual(['waited 50', 'waited 50']);
    for (const id of [3, 4])
      expect(server.answerTo(id)).toMatchObject({
        error: { code: -32_000, message: expect.stringContaining('ended') },
      });
    expect(server.answers).toHaveLength(5);
  }, 40_000);
});

describe('a client over stdio that does not read', () => {
  /** The number of reports once no more arrive. */
  const settled = async (server: Program, isCounted: (report: object) => boolean): Promise<number> => {
    let last = 0;
    for (;;) {
      await sleep(1_000);
      const count = server.reports.filter(isCounted).length;
      if (count > 0 && count === last) return count;
      last = count;
    }
  };

  it('blocks only its own requests, and gets every answer once it reads', async () => {
    const server = startProgram();
    server.send(initialize());
    server.send(initialized);
    for (let id = 0; id < 1_000; id++) server.send(call(id, 'repeat', { length: 200_000 }));
    const started = await settled(server, (report) => 'call' in report);
    expect(started).toBeLessThan(150);
    server.read();
    await expect.poll(() => server.answers.length, { timeout: 60_000 }).toBe(1_001);
    expect(new Set(server.answers.flat().map(({ id }) => id)).size).toBe(1_001);
    await end(server);
    expect(server.peakMb()).toBeLessThan(700);
  }, 120_000);

  it('does not fill the memory with error responses either', async () => {
    const server = startProgram();
    server.send(initialize());
    server.send(initialized);
    const line = `${'x'.repeat(99)}\n`;
    server.write(line.repeat(40_000));
    expect(await settled(server, (report) => 'error' in report)).toBeLessThan(20_000);
    server.read();
    await expect.poll(() => server.answers.length, { timeout: 60_000 }).toBe(40_001);
    await end(server);
  }, 120_000);
});

describe('requests beyond maxRequests over stdio', () => {
  it('wait, while cancellations and answers to questions pass them', async () => {
    const server = startProgram({ maxRequests: 2 });
    await open(server, '2025-11-25', { elicitation: {} });
    server.send(call('ask', 'ask'));
    server.send(call('stuck', 'wait', { ms: 60_000 }));
    server.send(call('waiting', 'ping'));
    server.send(call('dropped', 'ping'));
    const question = (): { id?: unknown } | undefined =>
      server.answers.flat().find((message) => message['method'] === 'elicitation/create');
    await expect.poll(question, patience).toBeDefined();
    const cancel = (requestId: string): void =>
      server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    cancel('dropped');
    server.send({
      jsonrpc: '2.0',
      id: question()?.id,
      result: { action: 'accept', content: { name: 'Ada' } },
    });
    await expect.poll(() => textOf(server.answerTo('ask')), patience).toBe('Hello Ada');
    await expect.poll(() => textOf(server.answerTo('waiting')), patience).toBe('pong');
    cancel('stuck');
    await end(server);
    expect(server.answerTo('dropped')).toBeUndefined();
    expect(server.reports).toContainEqual({ call: 'aborted' });
  }, 60_000);
});

describe.each([
  [
    'first SDK',
    async () => {
      const client = new FirstClient({ name: 'c', version: '1' });
      await client.connect(new FirstTransport({ ...command(), stderr: 'ignore' }) as never);
      return client as unknown as Client;
    },
  ],
  [
    'second SDK, 2025-11-25',
    async () => {
      const client = new Client({ name: 'c', version: '1' });
      await client.connect(new StdioClientTransport({ ...command(), stderr: 'ignore' }));
      return client;
    },
  ],
  [
    'second SDK, 2026-07-28',
    async () => {
      const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new StdioClientTransport({ ...command(), stderr: 'ignore' }));
      return client;
    },
  ],
])('a client of the %s', (_what, connect) => {
  it('gets the answers to many large calls at once', async () => {
    const client = await connect();
    const lengths = Array.from({ length: 300 }, (_, index) => 100_000 + index);
    const results = await Promise.all(
      lengths.map((length) => client.callTool({ name: 'repeat', arguments: { length } })),
    );
    expect(results.map(({ content }) => (content as { text: string }[])[0]?.text.length)).toEqual(lengths);
    await client.close();
  }, 60_000);
});
