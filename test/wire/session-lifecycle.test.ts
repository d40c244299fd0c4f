import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { MemorySessionStore } from 'toolfold/web';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { answerOf, initialize, openSession, post } from './session-requests.js';

type Json = Record<string, unknown>;

/** Tools that tests can keep running. */
function createRegistry() {
  const running: { signal: AbortSignal; finish: (text: string) => void }[] = [];
  const registry = new ToolRegistry({
    name: 'acme',
    version: '1.0.0',
    rateLimiter: false,
    instructions: 'Be kind.',
  })
    .register(
      {
        name: 'echo',
        description: 'Says it again',
        inputSchema: z.object({ text: z.string() }),
        handler: ({ input }) => input.text,
      },
      {
        name: 'hang',
        description: 'Waits',
        inputSchema: {},
        handler: ({ context }) =>
          new Promise((resolve) => {
            running.push({ signal: context.signal, finish: resolve });
          }),
      },
      {
        name: 'whoami',
        description: 'Says who calls',
        inputSchema: {},
        handler: ({ context }) => JSON.stringify(context.caller),
      },
    )
    .registerPrompt({ name: 'greet', handler: () => 'Hello' });
  return { registry, running };
}

const ping = (id: unknown = 1): Json => ({ jsonrpc: '2.0', id, method: 'ping' });
const bodyOf = async (response: Response): Promise<Json> => (await response.json()) as Json;

describe.each(faces)('a session over %s', (_face, open) => {
  let face: Face | undefined;
  afterEach(async () => {
    await face?.close();
    face = undefined;
  });
  const setUp = async (options: Parameters<typeof open>[1] = {}) => {
    const { registry, running } = createRegistry();
    face = await open(registry, options);
    return { registry, running, face };
  };

  describe('is opened', () => {
    it('with the revision of the client, or with the latest if it is unknown', async () => {
      const { face } = await setUp();
      for (const [asked, given] of [
        ['2025-11-25', '2025-11-25'],
        ['2025-06-18', '2025-06-18'],
        ['2025-03-26', '2025-03-26'],
        ['2024-11-05', '2024-11-05'],
        ['2030-01-01', '2025-11-25'],
        ['', '2025-11-25'],
      ] as const) {
        const response = await post(face, initialize({ version: asked }));
        expect(response.status).toBe(200);
        expect(response.headers.get('mcp-session-id')).toMatch(/^[\w-]{32}$/);
        expect(await bodyOf(response)).toEqual({
          jsonrpc: '2.0',
          id: 0,
          result: {
            protocolVersion: given,
            capabilities: {
              tools: { listChanged: true },
              logging: {},
              prompts: { listChanged: true },
              completions: {},
            },
            serverInfo: { name: 'acme', version: '1.0.0' },
            instructions: 'Be kind.',
          },
        });
      }
    });

    it('with a new id each time', async () => {
      const { face } = await setUp();
      const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(face)));
      expect(new Set(sessions.map(({ id }) => id)).size).toBe(20);
    });

    it('only by a valid request, and an invalid one stores nothing', async () => {
      const store = new MemorySessionStore();
      const { face } = await setUp({ sessions: { store } });
      const whole = initialize();
      const params = whole['params'] as Json;
      const wrong = [
        { ...whole, params: { ...params, clientInfo: undefined } },
        { ...whole, params: { ...params, clientInfo: { name: 'a' } } },
        { ...whole, params: { ...params, capabilities: 'all' } },
        { ...whole, params: { ...params, protocolVersion: 1 } },
        { ...whole, params: {} },
      ];
      for (const body of wrong) {
        const response = await post(face, body);
        expect(response.headers.get('mcp-session-id')).toBeNull();
        expect(await bodyOf(response)).toMatchObject({ id: 0, error: { code: -32_602 } });
      }
      expect(store.size).toBe(0);
    });

    it('with the name, the version and the capabilities of the client, and nothing else', async () => {
      const store = new MemorySessionStore();
      const { face } = await setUp({ sessions: { store } });
      const whole = initialize({ capabilities: { roots: {} } });
      const clientInfo = {
        name: 'client',
        version: '1',
        title: 'T',
        icons: [{ src: `data:,${'x'.repeat(100_000)}` }],
      };
      const response = await post(face, { ...whole, params: { ...(whole['params'] as Json), clientInfo } });
      await response.text();
      expect(store.get(response.headers.get('mcp-session-id') ?? '')).toMatchObject({
        client: { name: 'client', version: '1' },
        capabilities: { roots: {} },
      });
      expect(JSON.stringify(store.get(response.headers.get('mcp-session-id') ?? '')).length).toBeLessThan(
        1_000,
      );
      const large = initialize({ capabilities: { experimental: { a: 'x'.repeat(100_000) } } });
      expect(await bodyOf(await post(face, large))).toMatchObject({ error: { code: -32_602 } });
      expect(store.size).toBe(1);
    });

    it('by a single request, and once', async () => {
      const store = new MemorySessionStore();
      const { face } = await setUp({ sessions: { store } });
      const many = await post(face, [initialize(), ping()]);
      expect([many.status, await bodyOf(many)]).toMatchObject([400, { error: { code: -32_600 } }]);
      expect(store.size).toBe(0);
      const session = await openSession(face);
      const again = await session.post(initialize());
      expect([again.status, await bodyOf(again)]).toMatchObject([
        400,
        { id: null, error: { code: -32_600 } },
      ]);
      expect(store.size).toBe(1);
      expect(await session.request('ping')).toMatchObject({ result: {} });
    });
  });

  describe('is rejected', () => {
    it.each([
      ['none', {}, 400],
      ['an empty id', { 'mcp-session-id': '' }, 400],
      ['an unknown id', { 'mcp-session-id': 'unknown' }, 404],
      ['a key of a prototype', { 'mcp-session-id': '__proto__' }, 404],
      ['a very long id', { 'mcp-session-id': 'x'.repeat(5_000) }, 404],
    ] as const)('for a request with %s', async (_what, headers, status) => {
      const { face } = await setUp();
      const response = await post(face, ping(), headers);
      expect(response.status).toBe(status);
      expect(await bodyOf(response)).toMatchObject({ jsonrpc: '2.0', error: {}, id: null });
    });

    it('[S003-43] with the message that it was not found or has expired', async () => {
      const { face } = await setUp();
      const response = await post(face, ping(), { 'mcp-session-id': 'unknown' });
      expect(await bodyOf(response)).toMatchObject({
        error: { code: -32_001, message: 'Session not found or expired' },
      });
    });

    it('with 405 and the allowed methods for GET and DELETE without a session', async () => {
      const { face } = await setUp();
      for (const method of ['GET', 'DELETE']) {
        const response = await face.send({ method, headers: { accept: 'text/event-stream' } });
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
        await response.text();
      }
      const put = await face.send({ method: 'PUT', headers: {}, body: '{}' });
      expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
      await put.text();
    });

    it('with 406 for a client that does not accept JSON and streams', async () => {
      const { face } = await setUp();
      const session = await openSession(face);
      for (const accept of ['application/json', 'text/event-stream', 'text/html', '*/*']) {
        const response = await session.post(ping(), { accept });
        expect(response.status).toBe(406);
        await response.text();
      }
      const get = await session.get({ accept: 'application/json' });
      expect(get.status).toBe(406);
      await get.text();
      const open = await post(face, initialize(), { accept: 'application/json' });
      expect([open.status, open.headers.get('mcp-session-id')]).toEqual([406, null]);
      await open.text();
    });

    it('with 409 for a second concurrent stream', async () => {
      const { face } = await setUp();
      const session = await openSession(face);
      const first = await session.listen();
      const second = await session.get();
      expect(second.status).toBe(409);
      await second.text();
      await first.leave();
      await vi.waitFor(async () => {
        const third = await session.get();
        await third.body?.cancel();
        expect(third.status).toBe(200);
      });
    });

    it('with 400 for an unknown revision', async () => {
      const { face } = await setUp();
      const session = await openSession(face);
      const response = await session.post(ping(), { 'mcp-protocol-version': '1999-01-01' });
      expect(response.status).toBe(400);
      expect(await bodyOf(response)).toMatchObject({
        error: { message: expect.stringContaining('1999-01-01') as string },
      });
      for (const version of ['2025-11-25', '2024-11-05'])
        expect((await session.post(ping(), { 'mcp-protocol-version': version })).status).toBe(200);
    });

    it.each([
      ['{', 400, -32_700],
      ['', 400, -32_700],
      ['5', 400, -32_600],
      ['[]', 400, -32_600],
      ['{"jsonrpc":"2.0"}', 400, -32_600],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32_600],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32_600],
      ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', 400, -32_600],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32_600],
      [
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
        400,
        -32_700,
      ],
    ])('with an error for the body %j', async (body, status, code) => {
      const { face } = await setUp();
      const session = await openSession(face);
      const response = await session.post(body);
      expect([response.status, await bodyOf(response)]).toMatchObject([status, { error: { code } }]);
    });
  });

  it('[S003-47] does not depend on the user agent of a client without an id', async () => {
    const { face } = await setUp();
    const session = await openSession(face);
    for (const headers of [{}, { 'user-agent': 'agent/1' }, { 'user-agent': 'agent/2' }]) {
      const response = await session.post({ ...ping(), id: headers['user-agent'] ?? 'none' }, headers);
      expect([response.status, await answerOf(response)]).toMatchObject([200, { result: {} }]);
    }
  });

  it('stores the client that opened it', async () => {
    const { face } = await setUp();
    const session = await openSession(face, { user: 'ada', capabilities: { roots: {} } });
    const { result } = (await session.call('whoami')) as { result: { content: { text: string }[] } };
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
      auth: { extra: { sub: 'ada' } },
      client: { name: 'client', version: '1' },
      capabilities: { roots: {} },
      sessionId: session.id,
    });
  });

  it('exists only for the caller that opened it', async () => {
    const { face, running } = await setUp();
    const session = await openSession(face, { user: 'ada' });
    const call = session.send('tools/call', { name: 'hang', arguments: {} });
    await vi.waitFor(() => expect(running).toHaveLength(1));
    for (const headers of [{ 'x-user': 'bob' }, { 'x-user': '' }]) {
      const posted = await session.post(ping(), headers);
      expect([posted.status, await bodyOf(posted)]).toMatchObject([404, { error: { code: -32_001 } }]);
      const got = await session.get(headers);
      expect(got.status).toBe(404);
      await got.text();
      expect(await session.remove(headers)).toBe(404);
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
      const cancelled = await session.post(cancel, headers);
      expect(cancelled.status).toBe(404);
      await cancelled.text();
    }
    expect(running[0]?.signal.aborted).toBe(false);
    running[0]?.finish('mine');
    expect(await answerOf(await call)).toMatchObject({ result: { content: [{ text: 'mine' }] } });
    const anonymous = await openSession(face);
    expect((await anonymous.post(ping(), { 'x-user': 'ada' })).status).toBe(404);
  });

  describe('serves', () => {
    it('requests with the appropriate error codes', async () => {
      const { face } = await setUp();
      const session = await openSession(face);
      expect(await session.request('nope')).toMatchObject({ error: { code: -32_601 } });
      for (const method of ['__proto__', 'constructor', 'resources/list', 'resources/subscribe', 'tasks/get'])
        expect(await session.request(method)).toMatchObject({ error: { code: -32_601 } });
      expect(await session.request('tools/call', {})).toMatchObject({ error: { code: -32_602 } });
      expect(await session.call('nobody')).toMatchObject({ error: { code: -32_602 } });
      expect(await session.call('echo', {})).toMatchObject({ result: { isError: true } });
      expect(await session.request('logging/setLevel', { level: 'loud' })).toMatchObject({
        error: { code: -32_602 },
      });
      expect(await session.call('echo', { text: 'hi' }, 'text-id')).toEqual({
        jsonrpc: '2.0',
        id: 'text-id',
        result: { content: [{ type: 'text', text: 'hi' }] },
      });
    });

    it('the calls of one body each in a turn of the event loop, so that a batch does not block others', async () => {
      const { face, registry } = await setUp();
      let turn = 0;
      const turns = new Set<number>();
      registry.register({
        name: 'note',
        description: 'Notes the turn',
        inputSchema: {},
        handler: () => void turns.add(turn),
      });
      const session = await openSession(face, { version: '2025-03-26' });
      const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'note', arguments: {} } };
      let isWatching = true;
      const watch = (): void => {
        turn++;
        if (isWatching) setImmediate(watch);
      };
      watch();
      const response = await session.post(Array.from({ length: 20 }, (_, id) => ({ ...call, id })));
      isWatching = false;
      expect(await response.json()).toHaveLength(20);
      expect(turns.size).toBe(20);
    });

    it('many messages in one body, and answers the requests among them', async () => {
      const { face } = await setUp();
      const session = await openSession(face, { version: '2025-03-26' });
      const call = (id: number | string, text: string): Json => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text } },
      });
      const notification = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
      const response = await session.post([
        call(1, 'a'),
        notification,
        call('1', 'b'),
        { jsonrpc: '2.0', id: 2, method: 'no' },
      ]);
      expect(await response.json()).toEqual([
        { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'a' }] } },
        { jsonrpc: '2.0', id: '1', result: { content: [{ type: 'text', text: 'b' }] } },
        { jsonrpc: '2.0', id: 2, error: { code: -32_601, message: 'Method not found' } },
      ]);
      const nothing = await session.post([notification, notification]);
      expect([nothing.status, await nothing.text()]).toEqual([202, '']);
      const one = await session.post([ping(7)]);
      expect(await one.json()).toEqual([{ jsonrpc: '2.0', id: 7, result: {} }]);
      const hundred = await session.post(Array.from({ length: 101 }, (_, id) => ping(id)));
      expect(hundred.status).toBe(400);
    });

    it('no batches in revisions after 2025-03-26', async () => {
      const { face } = await setUp();
      for (const version of ['2025-06-18', '2025-11-25']) {
        const session = await openSession(face, { version });
        const rejected = await session.post([ping(1)]);
        expect(rejected.status).toBe(400);
        expect(await bodyOf(rejected)).toMatchObject({
          error: { code: -32_600, message: `Invalid Request: there are no batches in ${version}` },
        });
      }
    });

    it('notifications and unexpected answers without an error', async () => {
      const { face } = await setUp();
      const session = await openSession(face);
      const listening = await session.listen();
      for (const method of ['notifications/initialized', 'notifications/progress', 'anything'])
        expect(await session.notify(method)).toBe(202);
      expect(await session.answer('nobody-asked', { result: {} })).toBe(202);
      expect(await session.answer(5, { result: {} })).toBe(202);
      for (const requestId of [undefined, null, {}, [], 'unknown', 99, { toString: 1, valueOf: 1 }])
        expect(await session.notify('notifications/cancelled', { requestId })).toBe(202);
      expect(await session.request('ping')).toMatchObject({ result: {} });
      await listening.leave();
    });
  });

  describe('ends', () => {
    it('on DELETE, with its calls and streams', async () => {
      const { face, running } = await setUp();
      const session = await openSession(face);
      const stream = await session.listen();
      const calls = [1, 2].map((id) => session.send('tools/call', { name: 'hang', arguments: {} }, id));
      await vi.waitFor(() => expect(running).toHaveLength(2));
      expect(await session.remove()).toBe(200);
      expect(running.map(({ signal }) => signal.aborted)).toEqual([true, true]);
      for (const response of await Promise.all(calls))
        expect([response.status, await response.text()]).toEqual([200, '']);
      expect(await stream.rest()).toEqual([]);
      for (const again of [await session.post(ping()), await session.get()]) {
        expect(again.status).toBe(404);
        await again.text();
      }
      expect(await session.remove()).toBe(404);
    });

    it('without affecting others', async () => {
      const { face, running } = await setUp();
      const [mine, other] = [await openSession(face), await openSession(face)];
      const call = other.send('tools/call', { name: 'hang', arguments: {} }, 1);
      await vi.waitFor(() => expect(running).toHaveLength(1));
      await mine.remove();
      running[0]?.finish('still there');
      expect(await answerOf(await call)).toMatchObject({ result: { content: [{ text: 'still there' }] } });
    });

    it('[S003-43] when it was not used for its ttl', async () => {
      let now = 1;
      const store = new MemorySessionStore({ ttlMs: 1_000, clock: () => now });
      const { face } = await setUp({ sessions: { store } });
      const session = await openSession(face);
      for (let count = 0; count < 3; count++) {
        now += 999;
        expect(await session.request('ping')).toMatchObject({ result: {} });
      }
      now += 1_001;
      const response = await session.post(ping());
      expect([response.status, await bodyOf(response)]).toMatchObject([
        404,
        { error: { message: 'Session not found or expired' } },
      ]);
    });

    it('when it is evicted by used sessions, with its calls, but not by sessions that are only opened', async () => {
      const { face, running } = await setUp({ sessions: { max: 3 } });
      const session = await openSession(face);
      const call = session.send('tools/call', { name: 'hang', arguments: {} });
      await vi.waitFor(() => expect(running).toHaveLength(1));
      for (let count = 0; count < 10; count++) await (await post(face, initialize())).text();
      expect(running[0]?.signal.aborted).toBe(false);
      for (let count = 0; count < 3; count++) await openSession(face);
      expect(running[0]?.signal.aborted).toBe(true);
      expect((await call).status).toBe(200);
      expect((await session.post(ping())).status).toBe(404);
    });
  });

  describe('a call in it', () => {
    const call = (session: Awaited<ReturnType<typeof openSession>>, id: string | number) =>
      session.send('tools/call', { name: 'hang', arguments: {} }, id);

    it('is cancelled by its id, and no other call is', async () => {
      const { face, running } = await setUp();
      const [mine, other] = [await openSession(face), await openSession(face)];
      const responses = [call(mine, 1), call(mine, '1'), call(other, 1)];
      await vi.waitFor(() => expect(running).toHaveLength(3));
      expect(await mine.notify('notifications/cancelled', { requestId: 1, reason: 'enough' })).toBe(202);
      expect(running.filter(({ signal }) => signal.aborted)).toHaveLength(1);
      for (const { finish } of running) finish('done');
      const bodies = await Promise.all(responses.map(async (response) => (await response).text()));
      expect(bodies.map((body) => body === '' || JSON.parse(body))).toMatchObject([
        true,
        { id: '1', result: {} },
        { id: 1, result: {} },
      ]);
    });

    it('continues when the client loses the connection', async () => {
      const { face, running } = await setUp();
      const session = await openSession(face);
      const controller = new AbortController();
      const sent = face.send({
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...session.headers,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'hang', arguments: {} },
        }),
        signal: controller.signal,
      });
      sent.catch(() => undefined);
      await vi.waitFor(() => expect(running).toHaveLength(1));
      controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(running[0]?.signal.aborted).toBe(false);
      running[0]?.finish('done');
      expect(await session.request('ping')).toMatchObject({ result: {} });
    });

    it('may log and report progress after its end, without an unhandled rejection', async () => {
      const { registry, face } = await setUp();
      let late: (() => Promise<void>) | undefined;
      registry.register({
        name: 'late',
        description: 'd',
        inputSchema: {},
        handler: ({ context }) => {
          late = async () => {
            await context.log('error', 'late');
            await context.progress(1);
            context.releaseConnection();
          };
          return 'done';
        },
      });
      const session = await openSession(face);
      const params = { name: 'late', arguments: {}, _meta: { progressToken: 1 } };
      expect(await session.request('tools/call', params)).toMatchObject({
        result: { content: [{ text: 'done' }] },
      });
      await late?.();
      expect(await session.request('ping')).toMatchObject({ result: {} });
    });
  });
});

describe('requests that open no session', () => {
  it('store nothing, for any number of requests', async () => {
    const { registry } = createRegistry();
    const store = new MemorySessionStore();
    const face = await faces[0]![1](registry, { sessions: { store } });
    const session = await openSession(face);
    const junk: (() => Promise<Response>)[] = [
      () => post(face, '{'),
      () => post(face, '{}'),
      () => post(face, ping()),
      () => post(face, [initialize(), initialize()]),
      () => post(face, { ...initialize(), params: { protocolVersion: 1 } }),
      () => post(face, ping(), { 'mcp-session-id': 'x'.repeat(100) }),
      () => post(face, initialize(), { 'mcp-session-id': 'unknown' }),
      () =>
        face.send({ method: 'GET', headers: { accept: 'text/event-stream', 'mcp-session-id': 'unknown' } }),
      () => face.send({ method: 'DELETE', headers: { 'mcp-session-id': 'unknown' } }),
      () => session.post({ jsonrpc: '2.0', id: 1, method: 'nope' }),
      () => session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nobody' } }),
      () => session.get({ 'last-event-id': 'unknown_1' }),
    ];
    const round = async (times: number): Promise<void> => {
      for (let count = 0; count < times; count++)
        for (const send of junk) expect((await (await send()).text()).length).toBeLessThan(1_000);
    };
    await round(20);
    expect(store.size).toBe(1);
    expect(await session.request('ping')).toMatchObject({ result: {} });
    await face.close();
  });
});
