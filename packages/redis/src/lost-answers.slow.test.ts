import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startProxy } from '../../../test/stores/redis-proxy.js';
import type { RedisProxy } from '../../../test/stores/redis-proxy.js';
import { describeWithRedis } from '../../../test/stores/with-redis.js';
import { ErrOverloaded } from 'toolfold/errors';
import { Idempotency } from '../../toolfold/src/guards/idempotency/idempotency.js';
import type { IdempotentRequest } from '../../toolfold/src/guards/idempotency/key.js';
import { SharedTasks } from 'toolfold/internal';
import { Tasks } from '../../toolfold/src/tasks/tasks.js';
import type { Shared } from 'toolfold';

const TIMEOUT = 300;
/** Longer than Redis is away, also on a busy machine. */
const LEASE = 60_000;

const toIdempotency = (node: Shared, changedNothing?: (thrown: unknown) => boolean): Idempotency =>
  new Idempotency({
    store: node.records,
    results: node.cache,
    claims: node.claims,
    clock: () => node.now(),
    changedNothing,
  });

const pay = (key: string): IdempotentRequest => ({
  caller: 'ada',
  address: 'pay',
  key,
  input: { amount: 1 },
});

await describeWithRedis('lost answers of Redis', ({ server, createPrefix, createNode, listening }) => {
  describe.skipIf(server.process === undefined)('in transit', () => {
    let proxy: RedisProxy;
    let prefix: string;
    let here: Shared;
    let there: Shared;
    beforeEach(async () => {
      proxy = await startProxy(server.url);
      prefix = createPrefix();
      here = createNode({ url: proxy.url, prefix, timeoutMs: TIMEOUT });
      there = createNode({ prefix });
      await vi.waitFor(() => Promise.all([here.records.get('connected'), there.records.get('connected')]));
    });
    afterEach(() => proxy.close());
    const heal = async (): Promise<void> => {
      proxy.losesAnswers = false;
      proxy.mode = 'pass';
      proxy.cut();
      await vi.waitFor(() => here.records.get('connected'));
    };

    it('do not lose the result of a completed call once Redis answers again', async () => {
      const [one, two] = [toIdempotency(here), toIdempotency(there)];
      const done = one.run(pay('a'), async () => {
        proxy.mode = 'close';
        proxy.cut();
        return 'paid';
      });
      expect(await done).toBe('paid');
      await heal();
      const began = performance.now();
      expect(await two.run(pay('a'), async () => expect.unreachable())).toBe('paid');
      expect(performance.now() - began).toBeLessThan(5_000);
    });

    it('do not block a key whose call never ran', async () => {
      const [one, two] = [toIdempotency(here), toIdempotency(there)];
      proxy.losesAnswers = true;
      await expect(one.run(pay('a'), async () => expect.unreachable())).rejects.toBeInstanceOf(ErrOverloaded);
      await heal();
      expect(
        await Promise.all([one.run(pay('a'), async () => 'once'), two.run(pay('a'), async () => 'once')]),
      ).toEqual(['once', 'once']);
    });

    it('do not block a key that was requested again while Redis was down', async () => {
      const [one, two] = [toIdempotency(here), toIdempotency(there)];
      const ask = (input: unknown): Promise<unknown> =>
        one.run({ ...pay('a'), input }, async () => expect.unreachable());
      proxy.losesAnswers = true;
      // The second request is sent beside the first. The third is not sent.
      const both = [ask({ amount: 1 }), ask({ amount: 2 })];
      for (const each of both) await expect(each).rejects.toBeInstanceOf(ErrOverloaded);
      await expect(ask({ amount: 1 })).rejects.toBeInstanceOf(ErrOverloaded);
      await heal();
      const began = performance.now();
      expect(await two.run(pay('a'), async () => 'once')).toBe('once');
      expect(performance.now() - began).toBeLessThan(8_000);
    });

    it('do not lose the result of a completed call, even if 1,500 others are rejected meanwhile', async () => {
      const [one, two] = [toIdempotency(here), toIdempotency(there)];
      const done = one.run(pay('a'), async () => {
        proxy.mode = 'close';
        proxy.cut();
        return 'paid';
      });
      expect(await done).toBe('paid');
      await vi.waitFor(() => expect(here.isUp).toBe(false));
      for (let count = 0; count < 1_500; count++)
        await one.run(pay(`rejected ${count}`), async () => expect.unreachable()).catch(() => undefined);
      await heal();
      expect(await two.run(pay('a'), async () => expect.unreachable())).toBe('paid');
    });

    it('neither block a key whose call changed nothing, nor free the key of another call', async () => {
      class Question extends Error {}
      const [one, two] = [toIdempotency(here, (thrown) => thrown instanceof Question), toIdempotency(there)];
      const asked = one.run(pay('a'), async () => {
        // The key is freed, but the confirmation is lost.
        proxy.losesAnswers = true;
        throw new Question();
      });
      await expect(asked).rejects.toBeInstanceOf(Question);
      let end: (value: string) => void = () => undefined;
      const work = vi.fn<() => Promise<string>>(
        () =>
          new Promise((resolve) => {
            end = resolve;
          }),
      );
      const second = two.run(pay('a'), work);
      await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(1), { timeout: 5_000 });
      await heal();
      // The pending writes have been sent by now.
      await sleep(1_500);
      const third = toIdempotency(createNode({ prefix })).run(pay('a'), async () => expect.unreachable());
      await sleep(200);
      end('paid');
      expect(await Promise.all([second, third])).toEqual(['paid', 'paid']);
    });

    it('do not lose events of a stream for a client that reconnects to another node', async () => {
      const log = here.events;
      log.begin('s', '7', 60_000);
      log.append('s', 1, '1');
      await vi.waitFor(async () => expect((await there.events.read('s', 0))?.events).toHaveLength(1));
      proxy.mode = 'close';
      proxy.cut();
      log.append('s', 2, '2');
      await sleep(300);
      log.append('s', 3, '3');
      log.end('s');
      await sleep(300);
      expect((await there.events.read('s', 0))?.isOver).toBe(false);
      await heal();
      await vi.waitFor(async () =>
        expect(await there.events.read('s', 0)).toMatchObject({
          events: [{ json: '1' }, { json: '2' }, { json: '3' }],
          isOver: true,
        }),
      );
    });

    it('do not end a task whose process is alive', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const renew = (): Promise<unknown> => vi.advanceTimersByTimeAsync(LEASE / 3);
      const tasks = new Tasks(() => here.now(), new SharedTasks(here, { leaseMs: LEASE }));
      const elsewhere = new SharedTasks(there, { leaseMs: LEASE });
      const task = tasks.create('ada', { ttlMs: 60_000 }, undefined);
      expect(await tasks.share(task)).toBe(true);
      // One update and one renewal of the lease are written but not acknowledged, and one of each is not written.
      await sleep(1_100);
      proxy.losesAnswers = true;
      await task.progress(1, 3);
      await renew();
      await sleep(2 * TIMEOUT);
      proxy.mode = 'close';
      proxy.cut();
      await sleep(500);
      await task.progress(2, 3);
      await renew();
      await sleep(2 * TIMEOUT);
      await heal();
      await task.progress(3, 3);
      await vi.waitFor(async () =>
        expect(await elsewhere.get('ada', task.id)).toMatchObject({ statusMessage: '3/3' }),
      );
      expect(task.signal.aborted).toBe(false);
      task.finish({ content: [{ type: 'text', text: 'done' }] });
      await vi.waitFor(async () =>
        expect(await elsewhere.get('ada', task.id)).toMatchObject({ status: 'completed' }),
      );
    });
  });

  it('delivers messages as large as clients may send', async () => {
    const prefix = createPrefix();
    const [here, there] = [createNode({ prefix }), createNode({ prefix })];
    const heard: unknown[] = [];
    there.bus.subscribe('a', (message) => heard.push(message));
    await listening(prefix, 1);
    const large = 'x'.repeat(5 * 1024 * 1024);
    here.bus.publish('a', large);
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    expect(heard[0] === large).toBe(true);
    here.bus.publish('a', 'x'.repeat(25 * 1024 * 1024));
    expect(here.counts.get('degraded notifications')).toBe(1);
  });
});
