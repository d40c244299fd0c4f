import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startRedis } from '../stores/redis-server.js';
import type { RedisServer } from '../stores/redis-server.js';
import { askTask, connect, startFleet, startTask } from './fleet.js';
import { startLoad } from './load.js';
import type { Load } from './load.js';

type Fleet = Awaited<ReturnType<typeof startFleet>>;

const users = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4', 'eve', 'worker', 'counter'];
const canStop = process.env['REDIS_URL'] === undefined;
const redis = canStop ? await startRedis(['--appendonly', 'yes']) : undefined;
const isSkipped = redis === undefined && process.env['CI'] !== 'true';
if (isSkipped)
  process.stderr.write('\n!!! SKIPPED: three nodes as processes, for want of a redis-server. !!!\n\n');

describe.skipIf(isSkipped)('three nodes as processes', () => {
  let fleet: Fleet;
  let server: RedisServer;
  beforeAll(async () => {
    if (!redis) throw new Error('CI must have a redis-server on the PATH.');
    server = redis;
    fleet = await startFleet(server, users);
  });
  afterAll(async () => {
    await fleet?.close();
    await redis?.stop();
  });

  const startLoads = (prefix: string): Promise<Load[]> =>
    Promise.all(
      (['auto', 'legacy', 'auto', 'legacy'] as const).map((mode, index) =>
        startLoad(fleet.front.url, `${prefix}${index + 1}`, mode),
      ),
    );
  /** Checks that every confirmed payment was made once, and every other one at most once. */
  const judge = async (name: string, loads: readonly Load[]): Promise<void> => {
    await Promise.all(loads.map((load) => load.stop()));
    const sum = (of: (load: Load) => number): number => loads.reduce((total, load) => total + of(load), 0);
    const count = (outcome: string): number =>
      sum(({ outcomes }) => [...outcomes.values()].filter((each) => each === outcome).length);
    const longest = Math.max(...loads.map(({ longestGap }) => longestGap));
    process.stdout.write(
      `${name}: ${count('paid')} paid, ${count('unknown')} unknown, ${count('failed')} failed; ` +
        `${sum(({ errors }) => errors)} errors in ${sum(({ tries }) => tries)} tries; ` +
        `longest time without an answer ${Math.round(longest)} ms\n`,
    );
    expect(count('paid')).toBeGreaterThan(100);
    expect(count('failed')).toBe(0);
    // The longest wait is that for a dead node.
    expect(longest).toBeLessThan(25_000);
    for (const { user, outcomes, wrong, isSameSession } of loads) {
      expect(wrong).toEqual([]);
      expect(isSameSession).toBe(true);
      const written = fleet.ledger.writes.filter(({ account }) => account === user).map(({ key }) => key);
      expect(written).toHaveLength(new Set(written).size);
      const paid = [...outcomes].filter(([, outcome]) => outcome === 'paid').map(([key]) => key);
      expect(paid.filter((key) => !written.includes(key))).toEqual([]);
      expect(written.filter((key) => outcomes.get(key) === undefined)).toEqual([]);
    }
  };

  it('lose and repeat nothing, and keep all sessions, when one is killed under load', async () => {
    const loads = await startLoads('a');
    await sleep(1_500);
    fleet.nodes[0]?.process.kill('SIGKILL');
    await sleep(1_500);
    await fleet.replace(0);
    await sleep(1_000);
    await judge('a node was killed', loads);
  });

  it('lose and repeat nothing, and keep all sessions, when Redis is killed and started under load', async () => {
    const loads = await startLoads('b');
    await sleep(1_500);
    await server.kill();
    await sleep(1_000);
    await server.restart();
    await sleep(2_500);
    await judge('Redis was killed', loads);
  });

  it('reject writes of a paused node after another has taken its place', async () => {
    const held = fleet.nodes[1];
    const direct = await connect(held?.url ?? '', 'eve', 'auto');
    const { client } = await connect(fleet.front.url, 'eve', 'auto');
    const pay = (through: typeof client, key: string, ms: number) =>
      through.callTool({ name: 'pay', arguments: { key, ms } }, { timeout: 60_000 });
    const first = pay(direct.client, 'first', 2_000).catch((error: unknown) => error);
    await sleep(500);
    held?.process.kill('SIGSTOP');
    try {
      // The front must first detect that the node does not answer.
      await sleep(1_500);
      const unknown = await pay(client, 'first', 2_000);
      expect(unknown).toMatchObject({
        isError: true,
        _meta: { 'toolfold/error': { code: 'ErrOutcomeUnknown' } },
      });
      expect(await pay(client, 'second', 0)).toMatchObject({ content: [{ text: 'eve second' }] });
    } finally {
      held?.process.kill('SIGCONT');
    }
    expect(await first).toMatchObject({ isError: true });
    expect(fleet.ledger.rejected).toContain('first');
    expect(fleet.ledger.writes.filter(({ account }) => account === 'eve').map(({ key }) => key)).toEqual([
      'second',
    ]);
    await direct.client.close();
    await client.close();
  });

  it('take over the stream and the task of a killed node, and of no other', async () => {
    const { client } = await connect(fleet.front.url, 'worker', 'legacy');
    client.onerror = () => undefined;
    let seen: (process: number) => void = () => undefined;
    const pid = new Promise<number>((resolve) => {
      seen = resolve;
    });
    const call = client
      .callTool(
        { name: 'work', arguments: {} },
        { timeout: 60_000, onprogress: ({ message }) => seen(Number(message)) },
      )
      .catch((error: unknown) => error);
    const victim = await pid;
    const index = fleet.nodes.findIndex((node) => node.process.pid === victim);
    const [killed, spared] = [fleet.nodes[index], fleet.nodes[(index + 1) % 3]];
    const [lost, kept] = await Promise.all(
      [killed, spared].map((node) => startTask(node?.url ?? '', 'worker')),
    );
    const statusOf = async (id: string | undefined, user = 'worker'): Promise<unknown> =>
      askTask(fleet.front.url, user, 'tasks/get', { taskId: id });
    for (let count = 0; count < 3; count++)
      expect(await statusOf(lost)).toMatchObject({ result: { status: 'working' } });
    killed?.process.kill('SIGKILL');
    await fleet.replace(index);
    expect(String(await call)).toContain('The process that ran the call has ended');
    await vi.waitFor(
      async () => expect(await statusOf(lost)).toMatchObject({ result: { status: 'failed' } }),
      { timeout: 20_000, interval: 500 },
    );
    expect(await statusOf(kept)).toMatchObject({ result: { status: 'working' } });
    // Neither exists for another caller, on any node.
    for (let count = 0; count < 3; count++) {
      expect(await statusOf(kept, 'eve')).toMatchObject({ error: { code: -32_602 } });
      expect(await askTask(fleet.front.url, 'eve', 'tasks/cancel', { taskId: kept })).toHaveProperty('error');
    }
    expect(await statusOf(kept)).toMatchObject({ result: { status: 'working' } });
    await askTask(fleet.front.url, 'worker', 'tasks/cancel', { taskId: kept });
    for (let count = 0; count < 3; count++)
      expect(await statusOf(kept)).toMatchObject({ result: { status: 'cancelled' } });
    // The session that the killed node served is still open.
    expect((await client.listTools()).tools).not.toEqual([]);
    await client.close();
  });

  it('share one exact limit', async () => {
    const { client } = await connect(fleet.front.url, 'counter', 'auto');
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => client.callTool({ name: 'count', arguments: {} })),
    );
    expect(answers.filter(({ isError }) => isError !== true)).toHaveLength(50);
    await client.close();
  });
});
