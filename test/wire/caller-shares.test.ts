/** One caller cannot use the whole capacity of a server. */
import { Agent, request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { apiKeys, createHandler } from 'toolfold/web';
import type { RunningServer, ServeHttpOptions } from 'toolfold/node';
import { initializeRequest, jsonRequest, modernRequest } from './raw-request.js';

const [ADA, BOB] = ['a'.repeat(32), 'b'.repeat(32)];
const auth = apiKeys({
  keys: [
    { key: ADA, clientId: 'ada' },
    { key: BOB, clientId: 'bob' },
  ],
});

type Headers = Readonly<Record<string, string>>;
const as = (key: string): Headers => ({ 'x-api-key': key });
const from = (address: string): Headers => ({ 'x-forwarded-for': address });

const waiting = new Set<() => void>();
let running: RunningServer | undefined;
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

afterEach(async () => {
  for (const finish of waiting) finish();
  waiting.clear();
  running?.server.closeAllConnections();
  await running?.close();
  running = undefined;
});

function createRegistry(): ToolRegistry {
  const wait = (): Promise<string> =>
    new Promise((resolve) => {
      waiting.add(() => resolve('done'));
    });
  const tool = { description: 'A tool', inputSchema: {} };
  return new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
    { ...tool, name: 'ping', handler: () => 'pong' },
    { ...tool, name: 'wait', handler: wait },
    {
      ...tool,
      name: 'steps',
      handler: async ({ context }) => {
        await context.progress(1);
        return wait();
      },
    },
  );
}

async function start(options: ServeHttpOptions = {}): Promise<RunningServer> {
  running = await serveHttp(createRegistry(), { port: 0, closeOnSignals: false, ...options });
  return running;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Resolves to the whole answer, or to the head of a stream, which stays open. */
function send(
  { url }: { url: string },
  { method, headers, body }: { method: string; headers: Headers; body?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent }, (response) => {
      const { statusCode: status = 0, headers: got } = response;
      let text = '';
      const done = (): void => resolve({ status, headers: got, text });
      if (got['content-type'] === 'text/event-stream') done();
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', done);
      response.on('error', () => {});
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function call(server: { url: string }, name: string, headers: Headers, meta: object = {}): Promise<Answer> {
  return send(server, modernRequest('tools/call', { name }, { headers, meta }));
}

function listen(server: RunningServer, headers: Headers): Promise<Answer> {
  const params = { notifications: { toolsListChanged: true } };
  return send(server, modernRequest('subscriptions/listen', params, { headers }));
}

async function stand(server: RunningServer, headers: Headers): Promise<Answer> {
  const opened = await send(server, initializeRequest(headers));
  const session = String(opened.headers['mcp-session-id']);
  return send(server, {
    method: 'GET',
    headers: { accept: 'text/event-stream', 'mcp-session-id': session, ...headers },
  });
}

function countStatus(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

describe('a caller with an API key', () => {
  it('gets a quarter of the requests with 1,000 slow calls, and all others are served', async () => {
    const server = await start({ auth });
    const rejected: Answer[] = [];
    const slow = Array.from({ length: 1_000 }, () =>
      call(server, 'wait', as(ADA)).then(
        (answer) => {
          if (answer.status !== 200) rejected.push(answer);
        },
        () => {},
      ),
    );
    await vi.waitFor(() => expect(rejected.length + waiting.size).toBe(1_000), { timeout: 30_000 });
    expect(waiting.size).toBe(250);
    expect(rejected[0]).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(rejected[0]?.text).toContain(
      'You have 250 requests in progress, the most that one caller may have',
    );
    expect((await call(server, 'ping', as(BOB))).status).toBe(200);
    expect((await call(server, 'ping', as(ADA))).status).toBe(429);
    for (const finish of waiting) finish();
    await Promise.all(slow);
    expect((await call(server, 'ping', as(ADA))).status).toBe(200);
  });

  it.each([
    ['streams for changes', listen],
    ['standing streams of sessions', stand],
    [
      'calls that report progress',
      (server: RunningServer, headers: Headers) => call(server, 'steps', headers, { progressToken: 1 }),
    ],
  ])('gets a quarter of the streams, and all others can open some: %s', async (name, open) => {
    const server = await start({ auth, maxStreams: 40, maxRequests: 4_000 });
    const first = await Promise.all(Array.from({ length: 10 }, () => open(server, as(ADA))));
    for (const answer of first) expect(answer.headers['content-type']).toBe('text/event-stream');
    if (name.startsWith('calls')) {
      // Without room for a stream, a call is answered on completion.
      const more = open(server, as(ADA));
      await vi.waitFor(() => expect(waiting.size).toBe(11));
      for (const finish of waiting) finish();
      expect((await more).headers['content-type']).toBe('application/json');
    } else {
      const more = await Promise.all(Array.from({ length: 20 }, () => open(server, as(ADA))));
      expect(countStatus(more, 429)).toBe(20);
      expect(more[0]?.text).toContain('10 streams open');
    }
    expect((await open(server, as(BOB))).headers['content-type']).toBe('text/event-stream');
  });

  it('gets a quarter of the calls that run behind streams', async () => {
    const server = await start({ auth, maxRequests: 8 });
    for (let count = 0; count < 2; count++)
      expect((await call(server, 'steps', as(ADA), { progressToken: 1 })).status).toBe(200);
    const rejected = await call(server, 'steps', as(ADA), { progressToken: 1 });
    expect([rejected.status, rejected.text]).toEqual([429, expect.stringContaining('2 calls in progress')]);
    expect((await call(server, 'steps', as(BOB), { progressToken: 1 })).status).toBe(200);
  });

  it('gains no calls by cancelling calls whose handlers continue', async () => {
    const server = await start({ auth, maxRequests: 40 });
    const opened = await send(server, initializeRequest(as(ADA)));
    const inSession = { ...as(ADA), 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const tell = (message: object) => send(server, jsonRequest({ jsonrpc: '2.0', ...message }, inSession));
    const callAndCancel = async (id: number): Promise<number> => {
      const calling = tell({ id, method: 'tools/call', params: { name: 'wait', arguments: {} } });
      const before = waiting.size;
      await Promise.race([calling, vi.waitFor(() => expect(waiting.size).toBeGreaterThan(before))]);
      await tell({ method: 'notifications/cancelled', params: { requestId: id } });
      return (await calling).status;
    };
    for (let id = 1; id <= 10; id++) expect(await callAndCancel(id)).toBe(200);
    expect(await callAndCancel(11)).toBe(429);
    expect(waiting.size).toBe(10);
    for (const finish of waiting) finish();
    waiting.clear();
    await vi.waitFor(async () => expect(await callAndCancel(12)).toBe(200));
  });

  it('gets the configured callerShare, and at least one request', async () => {
    const server = await start({ auth, maxRequests: 4, callerShare: 0.01 });
    void call(server, 'wait', as(ADA)).catch(() => {});
    await vi.waitFor(() => expect(waiting.size).toBe(1));
    expect((await call(server, 'ping', as(ADA))).status).toBe(429);
    expect((await call(server, 'ping', as(BOB))).status).toBe(200);
  });
});

describe('an anonymous caller', () => {
  it('is identified by its address behind trusted proxies', async () => {
    const server = await start({ maxRequests: 4, trustedProxies: 1 });
    void call(server, 'wait', from('203.0.113.1')).catch(() => {});
    await vi.waitFor(() => expect(waiting.size).toBe(1));
    expect((await call(server, 'ping', from('203.0.113.1'))).status).toBe(429);
    expect((await call(server, 'ping', from('203.0.113.2'))).status).toBe(200);
    // The client wrote the first entry itself.
    expect((await call(server, 'ping', from('203.0.113.2, 203.0.113.1'))).status).toBe(429);
  });

  it('on this machine may use everything', async () => {
    const server = await start({ maxRequests: 4 });
    for (let count = 0; count < 4; count++) void call(server, 'wait', {}).catch(() => {});
    await vi.waitFor(() => expect(waiting.size).toBe(4));
    expect((await call(server, 'ping', {})).status).toBe(503);
  });

  it('gets a share by the address that a web handler receives', async () => {
    const handler = createHandler(createRegistry(), { maxRequests: 4 });
    const ask = (name: string, address: string): Promise<Response> =>
      handler.fetch(new Request('http://localhost/mcp', modernRequest('tools/call', { name })), {
        address,
      });
    const slow = ask('wait', '203.0.113.1');
    await vi.waitFor(() => expect(waiting.size).toBe(1));
    expect((await ask('ping', '203.0.113.1')).status).toBe(429);
    expect((await ask('ping', '203.0.113.2')).status).toBe(200);
    for (const finish of waiting) finish();
    expect((await slow).status).toBe(200);
    expect(handler.edge.capacity.callers).toBe(0);
    await handler.close();
  });
});
