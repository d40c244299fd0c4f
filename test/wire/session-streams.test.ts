import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { MemorySessionStore } from 'toolfold/web';
import { readEvents } from './events.js';
import type { ServerEvent } from './events.js';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { answerOf, openSession } from './session-requests.js';
import type { Session } from './session-requests.js';

type Level = 'debug' | 'info' | 'warning' | 'error';
interface Step {
  readonly say: (text: string, level?: Level) => Promise<void>;
  readonly release: () => void;
  readonly finish: (text: string) => void;
}

/** A tool that a test controls step by step. */
function createRegistry() {
  const calls: Step[] = [];
  const registry = new ToolRegistry({ name: 'acme', version: '1', rateLimiter: false })
    .register({
      name: 'talk',
      description: 'Talks',
      inputSchema: {},
      handler: ({ context }) =>
        new Promise((finish) => {
          calls.push({
            say: (text, level = 'info') => context.log(level, text, 'talk'),
            release: () => context.releaseConnection(),
            finish,
          });
        }),
    })
    .register({
      name: 'count',
      description: 'Reports progress',
      inputSchema: z.object({ to: z.int() }),
      handler: async function* ({ input }) {
        for (let step = 1; step <= input.to; step++) yield step;
        return 'counted';
      },
    })
    .registerPrompt({ name: 'greet', handler: () => 'Hello' })
    .registerResource({ name: 'memo', uri: 'memo://1', handler: () => 'text' });
  return { registry, calls };
}

const tool = (name: string) => ({ name, description: 'd', inputSchema: {}, handler: () => name });
/** The text of each log message, and of the answer at the end. */
const textsOf = (events: readonly ServerEvent[]): unknown[] =>
  events.flatMap(({ message }) => {
    const { params, result } = (message ?? {}) as {
      params?: { data?: unknown };
      result?: { content: { text: string }[] };
    };
    return message ? [params?.data ?? result?.content[0]?.text] : [];
  });
const idsOf = (events: readonly ServerEvent[]): string[] =>
  events.flatMap(({ id }) => (id === undefined ? [] : [id]));

describe.each(faces)('over %s, a session', (_face, open) => {
  let face: Face | undefined;
  afterEach(async () => {
    await face?.close();
    face = undefined;
  });
  const setUp = async (version = '2025-11-25', options: Parameters<typeof open>[1] = {}) => {
    const { registry, calls } = createRegistry();
    face = await open(registry, options);
    const session = await openSession(face, { version });
    /** Starts a call and returns functions that control it. */
    const talk = async (id = 'call', as: Session = session) => {
      const count = calls.length;
      const response = as.send('tools/call', { name: 'talk', arguments: {} }, id);
      await vi.waitFor(() => expect(calls).toHaveLength(count + 1));
      return { response, ...calls[count]! };
    };
    return { registry, face, session, talk };
  };

  describe('receives from a call', () => {
    it('only its answer if the call sends nothing before', async () => {
      const { talk } = await setUp();
      const { response, finish } = await talk();
      finish('done');
      const answered = await response;
      expect(answered.headers.get('content-type')).toBe('application/json');
      expect(await answered.json()).toMatchObject({ id: 'call', result: { content: [{ text: 'done' }] } });
    });

    it('each notification at once, and then the answer', async () => {
      const { talk } = await setUp();
      const { response, say, finish } = await talk();
      await say('first');
      const events = readEvents(await response);
      expect(await events.next()).toMatchObject({
        retry: 1_000,
        id: expect.stringMatching(/^[\w-]{32}_1$/) as string,
      });
      expect(await events.nextMessage()).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'info', logger: 'talk', data: 'first' },
      });
      await say('second');
      expect(await events.nextMessage()).toMatchObject({ params: { data: 'second' } });
      finish('done');
      expect(textsOf(await events.rest())).toEqual(['done']);
    });

    it('progress if it requested it, with its token', async () => {
      const { session } = await setUp();
      const params = { name: 'count', arguments: { to: 3 } };
      const response = await session.send('tools/call', { ...params, _meta: { progressToken: 'token' } });
      const messages = (await readEvents(response).rest()).flatMap(({ message }) =>
        message ? [message] : [],
      );
      expect(messages.slice(0, 3).map((message) => message['params'])).toEqual(
        [1, 2, 3].map((progress) => ({ progressToken: 'token', progress })),
      );
      expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: 'counted' }] } });
      const quiet = await session.send('tools/call', params);
      expect(quiet.headers.get('content-type')).toBe('application/json');
      await quiet.text();
    });

    it('only messages of the requested level, separately for each session', async () => {
      const { face, session, talk } = await setUp();
      const other = await openSession(face);
      expect(await session.request('logging/setLevel', { level: 'warning' })).toMatchObject({ result: {} });
      const heard: unknown[] = [];
      for (const as of [session, other]) {
        const { response, say, finish } = await talk('call', as);
        for (const level of ['debug', 'info', 'warning', 'error'] as const) await say(level, level);
        finish('done');
        heard.push(textsOf(await readEvents(await response).rest()));
      }
      expect(heard).toEqual([
        ['warning', 'error', 'done'],
        ['debug', 'info', 'warning', 'error', 'done'],
      ]);
    });

    it.each(['2025-06-18', '2024-11-05'])(
      'events without ids in the revision %s, which cannot resume',
      async (version) => {
        const { talk } = await setUp(version);
        const { response, say, release, finish } = await talk();
        await say('first');
        release();
        finish('done');
        const events = await readEvents(await response).rest();
        expect(textsOf(events)).toEqual(['first', 'done']);
        expect(idsOf(events)).toEqual([]);
      },
    );

    it('a large answer too', async () => {
      const { talk } = await setUp();
      const { response, say, finish } = await talk();
      await say('first');
      finish('€'.repeat(2_000_000));
      expect(textsOf(await readEvents(await response).rest())).toEqual(['first', '€'.repeat(2_000_000)]);
    });
  });

  describe('resumes after losing a connection', () => {
    it('in the middle of a call, after any event, with exactly the missed events', async () => {
      const { session, talk } = await setUp();
      const { response, say, finish } = await talk();
      await say('1');
      const first = readEvents(await response);
      const [primed, one] = [await first.next(), await first.next()];
      await first.leave();
      for (const text of ['2', '3']) await say(text);
      const fromStart = await session.listen(primed?.id);
      expect(textsOf([(await fromStart.next())!, (await fromStart.next())!])).toEqual(['1', '2']);
      // A new connection takes over the stream.
      const again = await session.listen(one?.id);
      await say('4');
      finish('done');
      expect(textsOf(await again.rest())).toEqual(['2', '3', '4', 'done']);
    });

    it('after the end of a call, after any event, any number of times', async () => {
      const { session, talk } = await setUp();
      const { response, say, finish } = await talk();
      for (const text of ['1', '2', '3']) await say(text);
      finish('done');
      const events = await readEvents(await response).rest();
      const texts = textsOf(events);
      expect(texts).toEqual(['1', '2', '3', 'done']);
      for (const [index, id] of idsOf(events).entries()) {
        for (let time = 0; time < 2; time++) {
          const resumed = await (await session.listen(id)).rest();
          expect(textsOf(resumed)).toEqual(texts.slice(index));
          expect(idsOf(resumed)).toEqual(idsOf(events).slice(index + 1));
        }
      }
    });

    it('when the server released it, and gets the answer', async () => {
      const { session, talk } = await setUp();
      const { response, release, finish } = await talk();
      release();
      const [primed, ...more] = await readEvents(await response).rest();
      expect(more).toEqual([]);
      expect(primed).toMatchObject({ retry: 1_000 });
      const events = await session.listen(primed?.id);
      finish('done');
      expect(textsOf(await events.rest())).toEqual(['done']);
    });

    it('never with an unknown event id, or with that of another session', async () => {
      const { face, session, talk } = await setUp();
      const { response, say, finish } = await talk();
      await say('1');
      finish('done');
      const events = await readEvents(await response).rest();
      const last = idsOf(events).at(-1) ?? '';
      const stream = last.slice(0, last.lastIndexOf('_'));
      const wrong = [
        `${stream}_9`,
        `${stream}_x`,
        stream,
        'unknown_1',
        '__proto__',
        '',
        'a b',
        `${stream}_1_1`,
      ];
      for (const id of wrong) {
        const rejected = await session.get({ 'last-event-id': id });
        expect([id, rejected.status]).toEqual([id, id === '' ? 200 : 400]);
        await rejected.body?.cancel();
      }
      const other = await openSession(face);
      const foreign = await other.get({ 'last-event-id': last });
      expect(foreign.status).toBe(400);
      await foreign.text();
      const stranger = await session.get({ 'last-event-id': last, 'x-user': 'eve' });
      expect(stranger.status).toBe(404);
      await stranger.text();
    });

    it('its standing stream, with the missed changes', async () => {
      const { face, registry, session } = await setUp();
      const stream = await session.listen();
      registry.register(tool('first'));
      const first = await stream.next();
      expect(first?.id).toBeDefined();
      await stream.leave();
      // The server must first detect the disconnect.
      await vi.waitFor(() => expect(face.handler.edge.capacity.counts.streams).toBe(0));
      registry.registerPrompt({ name: 'second', handler: () => '' });
      const again = await session.listen(first?.id);
      registry.register(tool('third'));
      const heard = [await again.next(), await again.next()];
      expect(heard.map((event) => event?.message?.['method'])).toEqual([
        'notifications/prompts/list_changed',
        'notifications/tools/list_changed',
      ]);
      await again.leave();
    });

    it('with a new standing stream if its last event is forgotten', async () => {
      const { face, registry, session } = await setUp();
      const other = await openSession(face);
      const theirs = await other.listen();
      registry.register(tool('first'));
      const last = (await theirs.next())?.id;
      await theirs.leave();
      // A server does not know streams of another server.
      const stream = await session.listen(last);
      registry.register(tool('second'));
      expect(await stream.nextMessage()).toMatchObject({ method: 'notifications/tools/list_changed' });
      await stream.leave();
    });
  });

  describe('receives on its standing stream', () => {
    it('each change once, like all sessions', async () => {
      const { face, registry, session } = await setUp();
      const sessions = [session, await openSession(face), await openSession(face)];
      const streams = await Promise.all(sessions.map((each) => each.listen()));
      registry.register(tool('a'), tool('b'));
      registry.registerPrompt({ name: 'p', handler: () => '' });
      registry.registerResource({ name: 'r', uri: 'memo://r', handler: () => '' });
      registry.register(tool('last'));
      for (const stream of streams) {
        const heard: unknown[] = [];
        for (let count = 0; count < 4; count++) heard.push((await stream.nextMessage())?.['method']);
        expect(heard).toEqual(
          ['tools', 'prompts', 'resources', 'tools'].map((kind) => `notifications/${kind}/list_changed`),
        );
        await stream.leave();
      }
    });

    it('updates of the resources that it subscribed to, and of no others', async () => {
      const { face, registry, session } = await setUp();
      const other = await openSession(face);
      const [mine, theirs] = [await session.listen(), await other.listen()];
      for (const uri of ['memo://1', 'memo://2'])
        expect(await session.request('resources/subscribe', { uri })).toMatchObject({ result: {} });
      await session.request('resources/unsubscribe', { uri: 'memo://2' });
      for (const uri of ['memo://2', 'memo://1', 'memo://3']) registry.notifyResourceUpdated(uri);
      expect(await mine.nextMessage()).toMatchObject({
        method: 'notifications/resources/updated',
        params: { uri: 'memo://1' },
      });
      registry.register(tool('last'));
      for (const stream of [mine, theirs]) {
        expect(await stream.nextMessage()).toMatchObject({ method: 'notifications/tools/list_changed' });
        await stream.leave();
      }
    });

    it('all updates of its subscriptions made at once', async () => {
      const { registry, session } = await setUp();
      const stream = await session.listen();
      const uris = Array.from({ length: 10 }, (_, index) => `memo://${index}`);
      await Promise.all(uris.map((uri) => session.request('resources/subscribe', { uri })));
      for (const uri of uris) registry.notifyResourceUpdated(uri);
      const heard: unknown[] = [];
      for (const _ of uris) heard.push((await stream.nextMessage())?.['params']);
      expect(heard).toEqual(uris.map((uri) => ({ uri })));
      await stream.leave();
    });

    it('nothing that its calls send', async () => {
      const { registry, session, talk } = await setUp();
      const stream = await session.listen();
      const { response, say, finish } = await talk();
      await say('not here');
      finish('done');
      await answerOf(await response);
      registry.register(tool('last'));
      expect(await stream.nextMessage()).toMatchObject({ method: 'notifications/tools/list_changed' });
      await stream.leave();
    });

    it('events on only one of two concurrent streams', async () => {
      const { registry, session } = await setUp();
      const responses = await Promise.all([session.get(), session.get()]);
      registry.register(tool('a'));
      registry.register(tool('b'));
      const streams = responses.filter(({ status }) => status === 200).map(readEvents);
      const heard = await Promise.all(
        streams.map(async (stream) => [await stream.nextMessage(), await stream.nextMessage()]),
      );
      expect(heard.filter(([first, second]) => first && second)).toHaveLength(1);
      expect(heard.flat().filter(Boolean)).toHaveLength(2);
      await Promise.all([
        ...streams.map((stream) => stream.leave()),
        ...responses.map(({ body }) => body?.cancel().catch(() => undefined)),
      ]);
    });

    it('the end when the server closes', async () => {
      const { face, session } = await setUp();
      const stream = await session.listen();
      await face.handler.close();
      expect(await stream.rest()).toEqual([]);
    });
  });

  it('gets no stream beyond the limit, and loses none because of it', async () => {
    const { face, registry, session } = await setUp('2025-11-25', { maxStreams: 2 });
    const others = [await openSession(face), await openSession(face)];
    const streams = await Promise.all(others.map((each) => each.listen()));
    const rejected = await session.get();
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
    await rejected.text();
    registry.register(tool('a'));
    for (const stream of streams) {
      expect(await stream.nextMessage()).toMatchObject({ method: 'notifications/tools/list_changed' });
      await stream.leave();
    }
    await vi.waitFor(async () => {
      const stream = await session.get();
      await stream.body?.cancel();
      expect(stream.status).toBe(200);
    });
  });
});

describe('long calls and streams', () => {
  it('a call becomes a stream after two seconds, so that its client can resume it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { registry, calls } = createRegistry();
    const face = await faces[0]![1](registry);
    try {
      const session = await openSession(face);
      const response = session.send('tools/call', { name: 'talk', arguments: {} });
      while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(1_999);
      expect(await Promise.race([response, 'waiting'])).toBe('waiting');
      await vi.advanceTimersByTimeAsync(1);
      const events = readEvents(await response);
      expect(await events.next()).toMatchObject({ retry: 1_000 });
      calls[0]?.finish('done');
      expect(textsOf(await events.rest())).toEqual(['done']);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
      await face.close();
    }
  });

  it('streams get a keepalive comment, so that connections stay open', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { registry, calls } = createRegistry();
    const face = await faces[0]![1](registry);
    try {
      const session = await openSession(face);
      const standing = (await session.get()).body!.pipeThrough(new TextDecoderStream()).getReader();
      const call = session.send('tools/call', { name: 'talk', arguments: {} });
      await vi.waitFor(() => expect(calls).toHaveLength(1));
      await calls[0]?.say('hello');
      const talking = (await call).body!.pipeThrough(new TextDecoderStream()).getReader();
      for (let count = 0; count < 2; count++) expect((await talking.read()).value).toContain('data: ');
      vi.advanceTimersByTime(15_000);
      for (const reader of [standing, talking]) expect((await reader.read()).value).toBe(': keepalive\n\n');
      calls[0]?.finish('done');
    } finally {
      vi.useRealTimers();
      await face.close();
    }
  });
});

describe('a session with an open stream', () => {
  const setUp = async (tick: { now: number }) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { registry, calls } = createRegistry();
    const store = new MemorySessionStore({ ttlMs: 60_000, clock: () => tick.now });
    const face = await faces[0]![1](registry, { sessions: { store } });
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 15_000) {
        tick.now += 15_000;
        vi.advanceTimersByTime(15_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { registry, calls, store, face, pass };
  };
  afterEach(() => void vi.useRealTimers());

  it('does not expire, nor does one with a running call; others do', async () => {
    const { face, calls, pass } = await setUp({ now: 1 });
    const [listening, calling, idle] = await Promise.all([1, 2, 3].map(() => openSession(face)));
    const stream = await listening!.listen();
    const call = calling!.send('tools/call', { name: 'talk', arguments: {} });
    while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await pass(600_000);
    expect(await listening!.request('ping')).toMatchObject({ result: {} });
    expect(await calling!.request('ping')).toMatchObject({ result: {} });
    expect((await idle!.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
    calls[0]?.finish('done');
    expect(await answerOf(await call)).toMatchObject({ result: { content: [{ text: 'done' }] } });
    await stream.leave();
    await face.close();
  });

  it('ends if another process has ended it', async () => {
    const { face, store, pass } = await setUp({ now: 1 });
    const [session, other] = [await openSession(face), await openSession(face)];
    const [stream, theirs] = [await session.listen(), await other.listen()];
    store.delete(session.id);
    await pass(15_000);
    expect(await stream.rest()).toEqual([]);
    expect((await other.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200);
    await theirs.leave();
    await face.close();
  });

  it('receives its updates although the store fails for others', async () => {
    const { registry } = createRegistry();
    const near = new MemorySessionStore();
    const broken = new Set<string | undefined>();
    const onError = vi.fn<(error: unknown) => void>();
    const store = {
      create: near.create.bind(near),
      update: near.update.bind(near),
      delete: near.delete.bind(near),
      get: async (id: string) => {
        if (broken.has(id)) throw new Error('unreachable');
        return near.get(id);
      },
    };
    const face = await faces[0]![1](registry, { sessions: { store }, onError });
    const sessions = await Promise.all([1, 2, 3].map(() => openSession(face)));
    const streams = await Promise.all(sessions.map((session) => session.listen()));
    for (const session of sessions) await session.request('resources/subscribe', { uri: 'memo://1' });
    broken.add(sessions[0]?.id);
    registry.notifyResourceUpdated('memo://1');
    for (const stream of streams.slice(1)) {
      expect(await stream.nextMessage()).toMatchObject({ params: { uri: 'memo://1' } });
      await stream.leave();
    }
    expect(onError).toHaveBeenCalledTimes(1);
    await face.close();
  });
});

describe('a client that reads slowly', () => {
  it('is disconnected, while its call continues', async () => {
    const { registry, calls } = createRegistry();
    const face = await faces[1]![1](registry);
    const session = await openSession(face);
    const { port } = new URL((await session.post({ jsonrpc: '2.0', id: 0, method: 'ping' })).url);
    const request = httpRequest({
      port,
      path: '/mcp',
      method: 'POST',
      headers: { ...headers, ...session.headers },
    });
    request.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'talk', arguments: {} },
      }),
    );
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    const chunk = 'x'.repeat(12_000);
    await calls[0]?.say(chunk);
    const response = await new Promise<NodeJS.ReadableStream>((resolve) => {
      request.once('response', resolve);
    });
    response.pause();
    // Far more than socket buffers hold.
    for (let count = 0; count < 4_000; count++) {
      await calls[0]?.say(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    calls[0]?.finish('done');
    let received = 0;
    let text = '';
    for await (const part of response) {
      received += (part as Buffer).length;
      text = `${text}${String(part)}`.slice(-1_000);
    }
    expect(received).toBeLessThan(24_000_000);
    expect(text).not.toContain('done');
    expect(await session.request('ping')).toMatchObject({ result: {} });
    await face.close();
  });
});

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
