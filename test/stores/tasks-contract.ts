import { describe, expect, it, vi } from 'vitest';
import type { CallToolResult } from 'toolfold';
import { SharedTasks, ownerDigest } from '../../packages/toolfold/src/tasks/shared-tasks.js';
import { Tasks } from '../../packages/toolfold/src/tasks/tasks.js';
import type { RunningTask } from '../../packages/toolfold/src/tasks/tasks.js';
import type { TaskStore } from 'toolfold/internal';

export interface TasksNode {
  readonly tasks: TaskStore;
  readonly now: () => number;
  /** Disconnects the process from the shared state. */
  readonly die: () => void | Promise<void>;
}

const LEASE = 600;
const form = { elicitation: { form: {} } };
const question = {
  who: {
    method: 'elicitation/create' as const,
    params: { mode: 'form', message: 'Who?', requestedSchema: {} },
  },
};
const result: CallToolResult = { content: [{ type: 'text', text: 'done ä€😀' }] };

/** A complete record. */
const whole = {
  owner: ownerDigest('ada'),
  aliveUntil: 9e15,
  task: { status: 'working', createdAt: '', lastUpdatedAt: '', ttlMs: 60_000, pollIntervalMs: 1_000 },
};

const caught = async (asked: () => unknown): Promise<unknown> =>
  (async () => asked())().then(
    (value) => expect.unreachable(`resolved to ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );

const toTasks = (node: TasksNode): Tasks =>
  new Tasks(() => node.now(), new SharedTasks(node, { leaseMs: LEASE }));

/** The contract of tasks in several processes. `create` returns two nodes with empty shared state. */
export function describeTasks(name: string, create: () => Promise<readonly [TasksNode, TasksNode]>): void {
  const start = async () => {
    const [one, two] = await create();
    const [here, there] = [toTasks(one), toTasks(two)];
    const begin = async (capabilities = form): Promise<RunningTask> => {
      const task = here.create('ada', { ttlMs: 60_000 }, capabilities);
      expect(await here.share(task)).toBe(true);
      return task;
    };
    const statusOf = async (id: string): Promise<string> => (await there.desk.get('ada', id)).status;
    return { one, two, here, there, begin, statusOf };
  };

  describe(`tasks over ${name}`, () => {
    it('are visible to every process as soon as they are returned, and completed through any process', async () => {
      const { here, there, begin } = await start();
      const task = await begin();
      for (const { desk } of [here, there])
        expect(await desk.get('ada', task.id)).toMatchObject({
          taskId: task.id,
          status: 'working',
          ttlMs: 60_000,
        });
      task.finish(result);
      await vi.waitFor(async () => {
        for (const { desk } of [here, there])
          expect(await desk.get('ada', task.id)).toMatchObject({ status: 'completed', result });
      });
    });

    it('exist only for their owner', async () => {
      const { there, begin } = await start();
      const { id } = await begin();
      for (const [owner, asked] of [
        ['eve', id],
        ['ada', `${id}x`],
        ['ada', undefined],
        ['ada', { id }],
      ] as const)
        for (const ask of [
          () => there.desk.get(owner, asked),
          () => there.desk.cancel(owner, asked),
          () => there.desk.update(owner, asked, {}),
        ])
          expect(await caught(ask)).toMatchObject({ code: 'ErrUnknownTask' });
      expect(await there.desk.get('ada', id)).toMatchObject({ status: 'working' });
    });

    it('are cancelled through any process, which confirms it at once', async () => {
      const { there, begin, statusOf } = await start();
      const task = await begin();
      await there.desk.cancel('ada', task.id);
      expect(await statusOf(task.id)).toBe('cancelled');
      await vi.waitFor(() => expect(task.signal.aborted).toBe(true));
      task.finish(result);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await statusOf(task.id)).toBe('cancelled');
    });

    it('accept answers to their questions through any process', async () => {
      const { there, begin, statusOf } = await start();
      const task = await begin();
      const answers = task.ask(question);
      await vi.waitFor(async () => expect(await statusOf(task.id)).toBe('input_required'));
      const { inputRequests = {} } = await there.desk.get('ada', task.id);
      expect(Object.keys(inputRequests)).toEqual(['who']);
      await there.desk.update('ada', task.id, { who: { action: 'accept', content: { name: 'Ada' } } });
      expect(await answers).toEqual({ who: { action: 'accept', content: { name: 'Ada' } } });
      await vi.waitFor(async () => expect(await statusOf(task.id)).toBe('working'));
    });

    it('report their progress', async () => {
      const { there, begin } = await start();
      const task = await begin();
      await task.progress(1, 2);
      await vi.waitFor(
        async () => expect(await there.desk.get('ada', task.id)).toMatchObject({ statusMessage: '1/2' }),
        { timeout: 3_000 },
      );
    });

    it('continue while their process is alive', async () => {
      const { begin, statusOf } = await start();
      const task = await begin();
      await new Promise((resolve) => setTimeout(resolve, 2.5 * LEASE));
      expect(await statusOf(task.id)).toBe('working');
      task.cancel();
    });

    it('fail when their process has died, and stay failed', async () => {
      const { one, there, begin, statusOf } = await start();
      const task = await begin();
      await one.die();
      await vi.waitFor(async () => expect(await statusOf(task.id)).toBe('failed'), { timeout: 3 * LEASE });
      expect(await there.desk.get('ada', task.id)).toMatchObject({
        error: { message: expect.stringContaining('has ended') as string },
      });
      await there.desk.cancel('ada', task.id);
      expect(await statusOf(task.id)).toBe('failed');
    });

    it('are not created if the store is unreachable', async () => {
      const { one, here } = await start();
      await one.die();
      const task = here.create('ada', {}, undefined);
      expect(await here.share(task)).toBe(false);
      expect(here.size).toBe(0);
    });

    it('are read only from complete records', async () => {
      const { two, there } = await start();
      await two.tasks.exchange('t', undefined, JSON.stringify(whole), 60_000);
      expect(await there.desk.get('ada', 't')).toMatchObject({ taskId: 't', status: 'working' });
    });

    it.each([
      'null',
      '{}',
      '{"owner":1,"aliveUntil":1,"task":{}}',
      '{"owner":"x","aliveUntil":1,"task":{"status":"odd"}}',
      JSON.stringify({ owner: ownerDigest('ada'), aliveUntil: 9e15, task: { status: 'working' } }),
      JSON.stringify({ ...whole, task: { ...whole.task, status: 'odd' } }),
      JSON.stringify({ ...whole, task: { ...whole.task, result: { content: 'text' } } }),
      JSON.stringify({ ...whole, task: { ...whole.task, taskId: 'another' } }),
      JSON.stringify({ ...whole, aliveUntil: 'for ever' }),
    ])('are not read from the invalid record %s', async (text) => {
      const { two, there } = await start();
      await two.tasks.exchange('t', undefined, text, 60_000);
      expect(await caught(() => there.desk.get('ada', 't'))).toMatchObject({ code: 'ErrUnknownTask' });
    });
  });
}
