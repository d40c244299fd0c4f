import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from '../../src/index.js';
import { readEvents } from './events.js';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { createModernClient } from './modern-requests.js';

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

describe.each(faces)('over %s, a call of 2026-07-28', (_face, open) => {
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

  it('is answered with JSON where nothing is said before, asked for or not', async () => {
    const { client } = await setUp({ progressToken: 1, [LOG_LEVEL]: 'debug' });
    const response = await client.send('tools/call', { name: 'count', arguments: { to: 0 } });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({
      result: { content: [{ text: 'counted' }], resultType: 'complete' },
    });
  });

  it('is a stream where it reports progress that was asked for', async () => {
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
  ])('tells what is of the level %s or above', async (level, expected) => {
    const { client } = await setUp(level === undefined ? {} : { [LOG_LEVEL]: level });
    const { notifications, result } = await client.request('tools/call', { name: 'log', arguments: {} });
    expect(notifications.map(({ params }) => (params as { data: unknown }).data)).toEqual(expected);
    expect(result).toMatchObject({ content: [{ text: 'logged' }] });
  });

  it('has no ids on its stream, to which nobody comes back', async () => {
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

  it('ends when its client leaves the stream', async () => {
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
    'ends when its client leaves before anything was said, with %j',
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

  it('does not end with its client once it is answered', async () => {
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
