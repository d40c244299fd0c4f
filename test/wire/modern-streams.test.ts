import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import type { RunningServer, ServeHttpOptions } from 'toolfold/node';
import { readEvents } from './events.js';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { modernRequest } from './raw-request.js';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

function createRegistry() {
  const running: {
    signal: AbortSignal;
    say: (text: string) => Promise<void>;
    finish: (text: string) => void;
  }[] = [];
  const registry = new ToolRegistry({ name: 'acme', version: '1', rateLimiter: false }).register(
    {
      name: 'talk',
      description: 'Says what a test tells it to',
      inputSchema: {},
      handler: ({ context }) =>
        new Promise((finish) => {
          running.push({ signal: context.signal, say: (text) => context.log('info', text), finish });
        }),
    },
    {
      name: 'count',
      description: 'Counts',
      inputSchema: z.object({ to: z.int() }),
      handler: async function* ({ input }) {
        for (let step = 1; step <= input.to; step++) yield step;
        return 'counted';
      },
    },
    {
      name: 'log',
      description: 'Logs on all levels',
      inputSchema: {},
      handler: async ({ context }) => {
        for (const level of ['debug', 'info', 'warning', 'error'] as const)
          await context.log(level, level, 'log');
        return 'logged';
      },
    },
  );
  return { registry, running };
}

describe.each(faces)('over %s, a 2026-07-28 call', (_face, open) => {
  let face: Face | undefined;
  afterEach(async () => {
    await face?.close();
    face = undefined;
  });
  const setUp = async (meta: Record<string, unknown> = {}) => {
    const { registry, running } = createRegistry();
    face = await open(registry);
    return { face, running, client: createModernClient(face, { meta }) };
  };

  it('is answered with JSON if it sends no notification', async () => {
    const { client } = await setUp({ progressToken: 1, [LOG_LEVEL]: 'debug' });
    const response = await client.send('tools/call', { name: 'count', arguments: { to: 0 } });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({
      result: { content: [{ text: 'counted' }], resultType: 'complete' },
    });
  });

  it('is a stream if it reports requested progress', async () => {
    const { client } = await setUp({ progressToken: 'token' });
    const answer = await client.request('tools/call', { name: 'count', arguments: { to: 3 } });
    expect(answer.notifications).toEqual(
      [1, 2, 3].map((progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'token', progress },
      })),
    );
    expect(answer.result).toMatchObject({ content: [{ text: 'counted' }], resultType: 'complete' });
    const quiet = createModernClient(face!);
    expect(await quiet.request('tools/call', { name: 'count', arguments: { to: 3 } })).toMatchObject({
      notifications: [],
      result: { content: [{ text: 'counted' }] },
    });
  });

  it.each([
    ['debug', ['debug', 'info', 'warning', 'error']],
    ['warning', ['warning', 'error']],
    ['emergency', []],
    [undefined, []],
  ])('sends log messages of the level %s or above', async (level, expected) => {
    const { client } = await setUp(level === undefined ? {} : { [LOG_LEVEL]: level });
    const { notifications, result } = await client.request('tools/call', { name: 'log', arguments: {} });
    expect(notifications.map(({ params }) => (params as { data: unknown }).data)).toEqual(expected);
    expect(result).toMatchObject({ content: [{ text: 'logged' }] });
  });

  it('has no event ids on its stream, which cannot be resumed', async () => {
    const { client } = await setUp({ progressToken: 1 });
    const response = await client.send('tools/call', { name: 'count', arguments: { to: 2 } });
    const events = await readEvents(response).rest();
    expect(events).toHaveLength(3);
    expect(events.filter(({ id, retry }) => id !== undefined || retry !== undefined)).toEqual([]);
  });

  it('may have a large answer on its stream', async () => {
    const { client, running } = await setUp({ [LOG_LEVEL]: 'debug' });
    const sent = client.request('tools/call', { name: 'talk', arguments: {} });
    await vi.waitFor(() => expect(running).toHaveLength(1));
    await running[0]?.say('first');
    running[0]?.finish('€'.repeat(2_000_000));
    expect((await sent).result).toMatchObject({ content: [{ text: '€'.repeat(2_000_000) }] });
  });

  it('is cancelled when its client closes the stream', async () => {
    const { client, running } = await setUp({ [LOG_LEVEL]: 'debug' });
    const sent = client.send('tools/call', { name: 'talk', arguments: {} });
    await vi.waitFor(() => expect(running).toHaveLength(1));
    await running[0]?.say('first');
    const events = readEvents(await sent);
    expect(await events.nextMessage()).toMatchObject({ params: { data: 'first' } });
    expect(running[0]?.signal.aborted).toBe(false);
    await events.leave();
    await vi.waitFor(() => expect(running[0]?.signal.aborted).toBe(true));
    running[0]?.finish('too late');
  });

  it.each([{}, { [LOG_LEVEL]: 'debug' }])(
    'is cancelled when its client disconnects before the first event, with %j',
    async (meta) => {
      const { client, running } = await setUp(meta);
      const controller = new AbortController();
      const sent = client.send('tools/call', { name: 'talk', arguments: {} }, controller.signal);
      sent.catch(() => undefined);
      await vi.waitFor(() => expect(running).toHaveLength(1));
      controller.abort();
      await vi.waitFor(() => expect(running[0]?.signal.aborted).toBe(true));
      running[0]?.finish('too late');
    },
  );

  it('is not cancelled by its client after the answer', async () => {
    const { client, running } = await setUp({ [LOG_LEVEL]: 'debug' });
    const sent = client.send('tools/call', { name: 'talk', arguments: {} });
    await vi.waitFor(() => expect(running).toHaveLength(1));
    await running[0]?.say('first');
    running[0]?.finish('done');
    await readEvents(await sent).rest();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(running[0]?.signal.aborted).toBe(false);
  });
});

describe('streams of serveHttp', () => {
  let finish: (() => void)[] = [];
  let server: RunningServer | undefined;
  const start = async (options: ServeHttpOptions = {}): Promise<string> => {
    const registry = new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
      {
        name: 'steps',
        description: 'Reports without waiting',
        inputSchema: {},
        handler: async ({ context }) => {
          for (let step = 0; step < 20; step++) {
            void context.progress(step);
            void context.log('error', { rows: 1n });
            await new Promise((resolve) => {
              setTimeout(resolve, 10);
            });
          }
          return 'done';
        },
      },
      {
        name: 'hold',
        description: 'Waits',
        inputSchema: {},
        handler: async ({ context }) => {
          await context.progress(1);
          await new Promise<void>((resolve) => {
            finish.push(resolve);
          });
          return 'held';
        },
      },
    );
    server = await serveHttp(registry, { port: 0, ...options });
    return server.url;
  };
  afterEach(async () => {
    for (const each of finish) each();
    finish = [];
    await server?.close();
    server = undefined;
  });
  const hold = modernRequest('tools/call', { name: 'hold' }, { meta: { progressToken: 1 } });

  it('leave no unhandled rejection when handlers report after the client has gone, or report a bigint', async () => {
    const rejected = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', rejected);
    const url = await start();
    const meta = { progressToken: 1, [LOG_LEVEL]: 'debug' };
    const encoded = `=?base64?${Buffer.from('steps').toString('base64')}?=`;
    for (const name of ['steps', encoded]) {
      const controller = new AbortController();
      const headers = { 'mcp-name': name };
      const response = await fetch(url, {
        ...modernRequest('tools/call', { name: 'steps' }, { meta, headers }),
        signal: controller.signal,
      });
      await response.body?.getReader().read();
      controller.abort();
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    process.off('unhandledRejection', rejected);
    expect(rejected).not.toHaveBeenCalled();
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  });

  it('are replaced by JSON answers above maxStreams', async () => {
    const url = await start({ maxStreams: 1 });
    const first = await fetch(url, hold);
    expect(first.headers.get('content-type')).toBe('text/event-stream');
    const second = fetch(url, hold);
    await vi.waitFor(() => expect(finish).toHaveLength(2));
    for (const each of finish) each();
    const answer = await second;
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'held' }] } });
  });

  it('count as requests in flight for maxRequests', async () => {
    const url = await start({ maxRequests: 2 });
    await fetch(url, hold);
    await fetch(url, hold);
    const rejected = await fetch(url, hold);
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
    expect(finish).toHaveLength(2);
  });
});
