import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import type { Logger, RateLimit, Shared } from 'toolfold';
import { describeWithRedis } from '../stores/with-redis.js';
import { readEvents } from './events.js';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { openSession, Session } from './session-requests.js';

interface Node {
  readonly shared: Shared;
  readonly registry: ToolRegistry;
  readonly face: Face;
}

/** The effects of all nodes together. */
function createLedger() {
  const paid: { node: string; token: number | undefined }[] = [];
  const cancelled: string[] = [];
  /** Each function lets a call continue. */
  const steps: (() => void)[] = [];
  return { paid, cancelled, steps };
}

function createRegistry(
  node: string,
  shared: Shared,
  { paid, cancelled, steps }: ReturnType<typeof createLedger>,
  options: { rateLimiter?: RateLimit | false; logger?: Logger } = {},
): ToolRegistry {
  return new ToolRegistry({
    name: 'acme',
    version: '1',
    shared,
    rateLimiter: false,
    ...options,
  })
    .register(
      {
        name: 'pay',
        description: 'Pays',
        inputSchema: z.object({ key: z.string() }),
        idempotency: { field: 'key' },
        handler: async ({ context: { fencingToken } }) => {
          paid.push({ node, token: fencingToken });
          await new Promise((resolve) => setTimeout(resolve, 20));
          return `paid by ${node}`;
        },
      },
      {
        name: 'greet',
        description: 'Asks for a name',
        inputSchema: {},
        handler: async ({ context }) => {
          const { who } = await context.requestInput({
            who: { message: 'Who?', schema: z.object({ name: z.string() }) },
          });
          return `Hello ${who.content?.name} from ${node}`;
        },
      },
      {
        name: 'wait',
        description: 'Waits until it is cancelled',
        inputSchema: {},
        handler: async ({ context }) => {
          await context.progress(0, 1);
          await new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()));
          cancelled.push(node);
        },
      },
      {
        name: 'long',
        description: 'Asks, and takes a while',
        inputSchema: {},
        task: {},
        handler: async ({ context }) => {
          const { who } = await context.requestInput({
            who: { message: 'Who?', schema: z.object({ name: z.string() }) },
          });
          return `${who.content?.name} by ${node}`;
        },
      },
      {
        name: 'count',
        description: 'Says a number whenever it is told to, and ends with the third',
        inputSchema: {},
        handler: async ({ context }) => {
          for (let number = 1; number <= 3; number++) {
            await context.log('info', number);
            await new Promise<void>((resolve) => steps.push(resolve));
          }
          return `counted by ${node}`;
        },
      },
      { name: 'who', description: 'Says who serves', inputSchema: {}, handler: () => node },
    )
    .registerResource({ name: 'memo', uri: 'memo://1', handler: () => 'text' });
}

await describeWithRedis('nodes with one Redis', ({ server, client, createNode, createPrefix, listening }) => {
  const start = async (options: { rateLimiter?: RateLimit; logger?: Logger; timeoutMs?: number } = {}) => {
    const prefix = createPrefix();
    const ledger = createLedger();
    const { timeoutMs = 1_000, ...rest } = options;
    const nodes: Node[] = [];
    for (const [index, name] of ['one', 'two'].entries()) {
      const shared = createNode({ prefix, timeoutMs });
      const registry = createRegistry(name, shared, ledger, rest);
      const open = faces[index]?.[1];
      if (open) nodes.push({ shared, registry, face: await open(registry) });
    }
    const [one, two] = nodes as [Node, Node];
    await listening(prefix, 2);
    const close = async (): Promise<void> => {
      for (const { face, shared } of nodes) {
        await face.close();
        await shared.close();
      }
    };
    return { one, two, ...ledger, prefix, close };
  };

  it('serve a session that one of them opened to its caller only', async () => {
    const { one, two, close } = await start();
    const here = await openSession(one.face, { user: 'ada' });
    const there = new Session(two.face, here.id, { user: 'ada' });
    expect(await there.call('who')).toMatchObject({ result: { content: [{ text: 'two' }] } });
    expect((await new Session(two.face, here.id, { user: 'eve' }).send('ping')).status).toBe(404);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? here : there).request('resources/subscribe', { uri: `memo://${index}` }),
      ),
    );
    expect((await one.shared.sessions.get(here.id))?.subscriptions).toHaveLength(20);
    await close();
  });

  it('end calls and streams of a session that another node ends', async () => {
    const { one, two, close } = await start();
    const here = await openSession(one.face);
    const stream = await here.listen();
    expect(await new Session(two.face, here.id).remove()).toBe(200);
    expect(await stream.rest()).toEqual([]);
    expect((await here.send('ping')).status).toBe(404);
    await close();
  });

  it('watch the resources of a session in the node that holds its stream, wherever it subscribes', async () => {
    const { one, two, close } = await start();
    const watched: string[] = [];
    for (const [node, { registry }] of Object.entries({ one, two }))
      registry.registerResource({
        name: 'live',
        uriTemplate: 'live://{id}',
        subscribe: ({ uri }) => {
          watched.push(`${node} +${uri}`);
          return () => void watched.push(`${node} -${uri}`);
        },
        handler: () => 'text',
      });
    const here = await openSession(one.face);
    const there = new Session(two.face, here.id);
    await there.request('resources/subscribe', { uri: 'live://1' });
    const stream = await here.listen();
    await expect.poll(() => watched).toEqual(['one +live://1']);
    await there.request('resources/subscribe', { uri: 'live://2' });
    await there.request('resources/unsubscribe', { uri: 'live://1' });
    await expect.poll(() => watched.toSorted()).toEqual(['one +live://1', 'one +live://2', 'one -live://1']);
    expect(await there.remove()).toBe(200);
    await expect.poll(() => watched.at(-1)).toBe('one -live://2');
    await stream.rest();
    await close();
  });

  it('notify the clients of all nodes of a change at one, 2025 and 2026 clients', async () => {
    const { one, two, close } = await start();
    const session = await openSession(one.face);
    await session.request('resources/subscribe', { uri: 'memo://1' });
    const old = await session.listen();
    const modern = createModernClient(one.face);
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['memo://1'] };
    const fresh = readEvents(await modern.send('subscriptions/listen', { notifications }));
    expect(await fresh.nextMessage()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    two.registry.notifyResourceUpdated('memo://2');
    two.registry.notifyResourceUpdated('memo://1');
    for (const events of [old, fresh])
      expect(await events.nextMessage()).toMatchObject({
        method: 'notifications/resources/updated',
        params: { uri: 'memo://1' },
      });
    two.registry.register({ name: 'more', description: 'More', inputSchema: {}, handler: () => 'more' });
    two.registry.register({ name: 'most', description: 'Most', inputSchema: {}, handler: () => 'most' });
    two.registry.notifyResourceUpdated('memo://1');
    for (const events of [old, fresh]) {
      // List changes are announced after a short delay, together.
      const methods = [await events.nextMessage(), await events.nextMessage()].map(
        (each) => each?.['method'],
      );
      expect(methods).toEqual(['notifications/resources/updated', 'notifications/tools/list_changed']);
    }
    await old.leave();
    await fresh.leave();
    await close();
  });

  it('deliver answers to questions and cancellations that any node receives', async () => {
    const { one, two, cancelled, close } = await start();
    const here = await openSession(one.face, { capabilities: { elicitation: {} } });
    const there = new Session(two.face, here.id);
    const asking = readEvents(await here.send('tools/call', { name: 'greet', arguments: {} }, 1));
    const question = await asking.nextMessage();
    expect(question).toMatchObject({ method: 'elicitation/create' });
    await there.answer(question?.['id'], { result: { action: 'accept', content: { name: 'Ada' } } });
    expect(await asking.nextMessage()).toMatchObject({
      id: 1,
      result: { content: [{ text: 'Hello Ada from one' }] },
    });
    const params = { name: 'wait', arguments: {}, _meta: { progressToken: 1 } };
    const waiting = readEvents(await here.send('tools/call', params, 2));
    await waiting.nextMessage();
    await there.notify('notifications/cancelled', { requestId: 2 });
    await vi.waitFor(() => expect(cancelled).toEqual(['one']));
    await close();
  });

  it('resume a stream that another node started', async () => {
    const { one, two, steps, close } = await start();
    const here = await openSession(one.face);
    const there = new Session(two.face, here.id);
    const begun = readEvents(await here.send('tools/call', { name: 'count', arguments: {} }, 7));
    const [first, second] = [await begun.next(), await begun.next()];
    expect(second?.message).toMatchObject({ params: { data: 1 } });
    await begun.leave();
    steps.shift()?.();
    await vi.waitFor(() => expect(steps).toHaveLength(1));
    const numbers = async (lastEventId: string | undefined): Promise<unknown[]> => {
      const events = await there.listen(lastEventId);
      const all: unknown[] = [];
      for (let event = await events.next(); event; event = await events.next()) {
        const { params, result } = (event.message ?? {}) as { params?: { data: number }; result?: unknown };
        all.push(params?.data ?? result);
        steps.shift()?.();
      }
      return all;
    };
    const answer = expect.objectContaining({
      content: [{ type: 'text', text: 'counted by one' }],
    }) as unknown;
    expect(await numbers(second?.id)).toEqual([2, 3, answer]);
    // The stream has ended, and can still be read again.
    expect(await numbers(first?.id)).toEqual([1, 2, 3, answer]);
    const stranger = await openSession(two.face);
    expect((await stranger.get({ 'last-event-id': first?.id ?? '' })).status).toBe(400);
    expect((await there.get({ 'last-event-id': `${first?.id}9` })).status).toBe(400);
    await close();
  });

  it('resume a standing stream of another node with the missed events', async () => {
    const { one, two, close } = await start();
    const here = await openSession(one.face);
    const there = new Session(two.face, here.id);
    for (const uri of ['memo://1', 'memo://2', 'memo://3'])
      await here.request('resources/subscribe', { uri });
    const begun = await here.listen();
    one.registry.notifyResourceUpdated('memo://1');
    const { id = '', message } = (await begun.next()) ?? {};
    expect(message).toMatchObject({ params: { uri: 'memo://1' } });
    await begun.leave();
    one.registry.notifyResourceUpdated('memo://2');
    const retried = async (): Promise<void> => {
      const again = await there.listen(id);
      try {
        expect(await Promise.race([again.nextMessage(), sleep(50)])).toMatchObject({
          params: { uri: 'memo://2' },
        });
        one.registry.notifyResourceUpdated('memo://3');
        expect(await again.nextMessage()).toMatchObject({ params: { uri: 'memo://3' } });
      } finally {
        // A stream that stays open would conflict with the next attempt.
        await again.leave();
      }
    };
    await vi.waitFor(retried, { timeout: 10_000 });
    await close();
  });

  it('continue a 2026-07-28 question that another node has asked', async () => {
    const { one, two, close } = await start();
    const capabilities = { elicitation: { form: {} } };
    const asked = await createModernClient(one.face, { capabilities }).request('tools/call', {
      name: 'greet',
      arguments: {},
    });
    expect(asked.result).toMatchObject({ resultType: 'input_required' });
    const { inputRequests = {}, requestState } = asked.result;
    const [key = ''] = Object.keys(inputRequests as object);
    const answered = await createModernClient(two.face, { capabilities }).request('tools/call', {
      name: 'greet',
      arguments: {},
      requestState,
      inputResponses: { [key]: { action: 'accept', content: { name: 'Ada' } } },
    });
    expect(answered.result).toMatchObject({ content: [{ text: 'Hello Ada from two' }] });
    await close();
  });

  it('make a payment once that all nodes receive, and number their payments', async () => {
    const { one, two, paid, close } = await start();
    const clients = [one, two].map(({ face }) => createModernClient(face, { user: 'ada' }));
    for (let key = 0; key < 10; key++) {
      const answers = await Promise.all(
        [...clients, ...clients].map((each) =>
          each.request('tools/call', { name: 'pay', arguments: { key: `k${key}` } }),
        ),
      );
      expect(new Set(answers.map(({ result }) => JSON.stringify(result['content']))).size).toBe(1);
    }
    expect(paid).toHaveLength(10);
    const tokens = paid.map(({ token }) => Number(token));
    expect(tokens).toEqual([...new Set(tokens)].toSorted((left, right) => left - right));
    await close();
  });

  it('share a task: one creates it, and another reports, answers and completes it', async () => {
    const { one, two, close } = await start();
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const capabilities = { elicitation: { form: {} }, extensions };
    const here = createModernClient(one.face, { user: 'ada', capabilities });
    const there = createModernClient(two.face, { user: 'ada', capabilities });
    const { result } = await here.request('tools/call', { name: 'long', arguments: {} });
    expect(result).toMatchObject({ resultType: 'task' });
    const { taskId } = result;
    const get = async () => (await there.request('tasks/get', { taskId })).result;
    await vi.waitFor(async () => expect(await get()).toMatchObject({ status: 'input_required' }));
    const [key = ''] = Object.keys((await get())['inputRequests'] as object);
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    await there.request('tasks/update', { taskId, inputResponses });
    await vi.waitFor(async () =>
      expect(await get()).toMatchObject({
        status: 'completed',
        result: { content: [{ text: 'Ada by one' }] },
      }),
    );
    const eve = createModernClient(two.face, { user: 'eve', capabilities });
    expect((await eve.request('tasks/get', { taskId })).error).toBeDefined();
    const { result: second } = await here.request('tools/call', { name: 'long', arguments: {} });
    await there.request('tasks/cancel', { taskId: second['taskId'] });
    expect((await there.request('tasks/get', { taskId: second['taskId'] })).result).toMatchObject({
      status: 'cancelled',
    });
    await close();
  });

  it('share one exact limit', async () => {
    const { one, two, close } = await start({ rateLimiter: { calls: 25, windowMs: 60_000 } });
    const clients = [one, two].map(({ face }) => createModernClient(face, { user: 'ada' }));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, call) => clients[call % 2]?.request('tools/call', { name: 'who' })),
    );
    expect(answers.filter((answer) => answer?.result['isError'] !== true)).toHaveLength(25);
    await close();
  });

  it('store nothing in Redis that identifies a caller, reveals an answer, or grants access', async () => {
    const { one, two, prefix, close } = await start({ rateLimiter: { calls: 100, windowMs: 60_000 } });
    const user = 'ada-at-acme';
    const session = await openSession(one.face, { user });
    await session.call('pay', { key: 'k1' });
    await createModernClient(two.face, { user }).request('tools/call', {
      name: 'pay',
      arguments: { key: 'k2' },
    });
    const found: string[] = [];
    for (const key of await client.keys(`${prefix}*`)) {
      const type = await client.type(key);
      found.push(key, String(type === 'zset' ? await client.zrange(key, '0', '-1') : await client.get(key)));
    }
    expect(found.length).toBeGreaterThan(10);
    for (const secret of [user, `token of ${user}`, session.id, 'paid by'])
      expect(found.filter((text) => text.includes(secret))).toEqual([]);
    await close();
  });

  it('need a key for the state that clients carry between nodes', () => {
    const shared = { ...createNode(), requestStateKey: undefined };
    expect(() => new ToolRegistry({ shared })).toThrow('needs a requestStateKey');
  });

  describe.skipIf(server.process === undefined)('without Redis', () => {
    it('reject sessions and calls with a key, serve the rest, report it, and recover', async () => {
      const lines: unknown[] = [];
      const log = (fields: object, message: string): void => void lines.push({ ...fields, message });
      const logger = { debug: log, info: log, warn: log, error: log };
      const { one, paid, close } = await start({
        rateLimiter: { calls: 3, windowMs: 60_000 },
        logger,
        timeoutMs: 200,
      });
      const session = await openSession(one.face, { user: 'ada' });
      const modern = createModernClient(one.face, { user: 'ada' });
      const request = (name: string, args = {}) => modern.request('tools/call', { name, arguments: args });
      await server.kill();
      const began = performance.now();
      expect((await session.send('ping')).status).toBe(503);
      expect((await request('pay', { key: 'k1' })).result).toMatchObject({
        isError: true,
        _meta: { 'toolfold/error': { code: 'ErrOverloaded' } },
      });
      const served = [];
      for (let call = 0; call < 5; call++) served.push((await request('who')).result['isError'] === true);
      expect(served).toEqual([false, false, false, true, true]);
      expect(performance.now() - began).toBeLessThan(10 * 300);
      expect(paid).toEqual([]);
      expect(lines).toContainEqual(expect.objectContaining({ message: 'shared state cannot be reached' }));
      for (const about of ['sessions', 'records'])
        expect(lines).toContainEqual(
          expect.objectContaining({ message: 'rejected because shared state cannot be reached', about }),
        );
      expect(lines).toContainEqual(
        expect.objectContaining({ message: 'done without shared state', about: 'rate limits', count: 1 }),
      );
      await server.restart();
      await vi.waitFor(() => expect(one.shared.isUp).toBe(true), { timeout: 5_000 });
      expect(lines).toContainEqual(expect.objectContaining({ message: 'shared state can be reached again' }));
      expect((await request('pay', { key: 'k1' })).result).toMatchObject({
        content: [{ text: 'paid by one' }],
      });
      await close();
    });
  });
});
