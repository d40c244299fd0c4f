import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { TaskRule, ToolContext } from '../define/tool-definition.js';
import { ErrMissingCapability, ErrProtocol, ErrUnknownTask } from '@toolfold/schema/errors';
import type { CallToolResult } from '../protocol/tool-result.js';
import { callAsTask } from './task-calls.js';
import { TASKS_EXTENSION, Tasks } from './tasks.js';
import type { Task } from '../stores/contracts.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { ToolRegistryOptions } from '../registry/registry-options.js';
import { internalsOf } from '../registry/any-registry.js';

const protocolVersion = '2026-07-28';
const TASKS = { extensions: { [TASKS_EXTENSION]: {} }, elicitation: { form: {} } };
const yes = (value = 'yes') => ({ action: 'accept', content: { value } });
const sure = { message: 'Sure?', schema: z.object({ value: z.string() }) };

type Run = (context: ToolContext, input: { readonly value?: string | undefined }) => unknown;

function setUp(run: Run, task: true | TaskRule = true, options: ToolRegistryOptions<unknown> = {}) {
  const ran = vi.fn<Run>(run);
  const registry = new ToolRegistry({ rateLimiter: false, ...options }).register({
    name: 'work',
    description: 'Takes long',
    inputSchema: z.object({ value: z.string().optional() }),
    task,
    handler: ({ input, context }) => ran(context, input),
  });
  return { registry, ran, ...clientOf(registry) };
}

/** Calls of one caller, as a 2026-07-28 server makes them. */
function clientOf(registry: ToolRegistry, sub = 'ada', capabilities: Record<string, unknown> = TASKS) {
  const caller = { auth: { sub }, capabilities };
  const call = async (
    args: Record<string, unknown> = {},
    {
      signal,
      name = 'work',
      ...round
    }: { signal?: AbortSignal; name?: string; inputResponses?: unknown; requestState?: unknown } = {},
  ): Promise<CallToolResult & Partial<Task>> => {
    const params = { name, arguments: args };
    const ask = internalsOf(registry).askInRounds({ method: 'tools/call', params, ...round }, { caller });
    return internalsOf(registry).callOrStartTask({
      ...params,
      protocolVersion,
      caller,
      ask,
      ...(signal ? { signal } : {}),
    }) as never;
  };
  const ask = async (method: string, params: Record<string, unknown>): Promise<Task> =>
    internalsOf(registry).taskMethods[method]?.({ method, params, protocolVersion, caller }) as Promise<Task>;
  const get = (taskId: unknown) => ask('tasks/get', { taskId });
  const update = (taskId: unknown, inputResponses: unknown) =>
    ask('tasks/update', { taskId, inputResponses });
  const cancel = (taskId: unknown) => ask('tasks/cancel', { taskId });
  const until = async (taskId: unknown, ...statuses: Task['status'][]): Promise<Task> => {
    for (let turn = 0; turn < 200; turn++) {
      const task = await get(taskId);
      if (statuses.includes(task.status)) return task;
      await settle();
    }
    throw new Error(`The task is not ${statuses.join(' or ')}: ${JSON.stringify(await get(taskId))}`);
  };
  return { call, get, update, cancel, until };
}

/** Lets pending promises settle, without waiting for timers. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function defer<T = void>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settled) => {
    resolve = settled;
  });
  return { promise, resolve };
}

const codeOf = (result: Partial<CallToolResult> | undefined): unknown =>
  (result?._meta?.['toolfold/error'] as { code?: unknown } | undefined)?.code;

describe('a call of an action declared long-running', () => {
  it('is answered with a task, and continues to run', async () => {
    const { promise, resolve } = defer<string>();
    const { call, get, until } = setUp(() => promise);
    const answer = await call();
    expect(answer).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 600_000 });
    expect(Object.keys(answer).toSorted()).toEqual(
      ['createdAt', 'lastUpdatedAt', 'pollIntervalMs', 'resultType', 'status', 'taskId', 'ttlMs'].toSorted(),
    );
    // The task exists as soon as its id is known.
    expect((await get(answer.taskId)).status).toBe('working');
    resolve('done');
    const task = await until(answer.taskId, 'completed');
    expect(task.result).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
  });

  it('is a task even if the handler returns at once', async () => {
    const { call, until } = setUp(() => 'quick');
    const { taskId } = await call();
    expect((await until(taskId, 'completed')).result?.content).toEqual([{ type: 'text', text: 'quick' }]);
  });

  it('is answered directly if it is rejected before the handler runs', async () => {
    const { call, ran } = setUp(() => 'done');
    const result = await call({ value: 5 });
    expect(result).toMatchObject({ isError: true });
    expect(result).not.toHaveProperty('taskId');
    expect(codeOf(result)).toBe('ErrValidationFailed');
    expect(ran).not.toHaveBeenCalled();
  });

  it('is answered directly if a scope is missing, or middleware answers', async () => {
    const registry = new ToolRegistry({ rateLimiter: false }).register({
      name: 'work',
      description: 'd',
      inputSchema: {},
      scopes: ['admin'],
      task: true,
      handler: () => 'done',
    });
    const rejected = await clientOf(registry).call();
    expect(codeOf(rejected)).toBe('ErrInsufficientScope');
    const answering = setUp(() => 'done');
    answering.registry.use(async () => ({ content: [{ type: 'text', text: 'kept' }] }));
    expect(await answering.call()).toEqual({ content: [{ type: 'text', text: 'kept' }] });
    expect(answering.ran).not.toHaveBeenCalled();
  });

  it('passes through middleware like any other call', async () => {
    const setup = setUp(() => 'done');
    const seen: unknown[] = [];
    setup.registry.use(async (request, next) => {
      const result = await next();
      seen.push([request.method, (result as CallToolResult).content]);
      return result;
    });
    const { taskId } = await setup.call();
    await setup.until(taskId, 'completed');
    expect(seen).toEqual([['tools/call', [{ type: 'text', text: 'done' }]]]);
  });

  it('is answered on completion if the client does not support tasks', async () => {
    const { registry } = setUp(() => 'done');
    for (const capabilities of [
      {},
      { extensions: {} },
      { extensions: { [TASKS_EXTENSION]: true } },
      { tasks: {} },
    ])
      expect(await clientOf(registry, 'ada', capabilities).call()).toMatchObject({
        content: [{ type: 'text', text: 'done' }],
      });
  });

  it('is rejected if the client does not support tasks and the action requires them', async () => {
    const { registry, ran } = setUp(() => 'done', { required: true });
    const rejected = clientOf(registry, 'ada', {}).call();
    await expect(rejected).rejects.toThrow(ErrMissingCapability);
    await expect(rejected).rejects.toMatchObject({
      details: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    });
    expect(ran).not.toHaveBeenCalled();
  });

  it('affects only that action of a grouped tool', async () => {
    const registry = new ToolRegistry({ rateLimiter: false }).register(
      new GroupedToolBuilder('jobs')
        .action({ name: 'run', task: true, handler: () => 'ran' })
        .action({ name: 'list', readOnly: true, handler: () => 'none' }),
    );
    const { call } = clientOf(registry);
    expect(await call({ action: 'run' }, { name: 'jobs' })).toMatchObject({ resultType: 'task' });
    expect(await call({ action: 'list' }, { name: 'jobs' })).toMatchObject({ content: [{ text: 'none' }] });
    for (const args of [{}, { action: 'nope' }, { action: '__proto__' }, { action: 5 }])
      expect(await call(args, { name: 'jobs' })).toMatchObject({ isError: true });
  });

  it('adds the task methods, which a registry without such an action lacks', () => {
    expect(Object.keys(internalsOf(setUp(() => '').registry).taskMethods)).toEqual([
      'tasks/get',
      'tasks/update',
      'tasks/cancel',
    ]);
    expect(internalsOf(new ToolRegistry()).taskMethods).toEqual({});
  });

  it('lets only clients with task support ask about a task', async () => {
    const { registry, call } = setUp(() => 'done');
    const { taskId } = await call();
    const other = clientOf(registry, 'ada', {});
    for (const asked of [other.get(taskId), other.update(taskId, {}), other.cancel(taskId)])
      await expect(asked).rejects.toThrow(ErrMissingCapability);
  });
});

describe('a task ends', () => {
  it('as completed with an error result if the handler throws', async () => {
    const { call, until } = setUp(() => {
      throw new Error('broken');
    });
    const { result } = await until((await call()).taskId, 'completed');
    expect(result).toMatchObject({ isError: true });
    expect(codeOf(result)).toBe('ErrToolFailed');
  });

  it('as failed if the handler throws a protocol error', async () => {
    const { call, until } = setUp(() => {
      throw new ErrProtocol('Not today', { rpcCode: -32_099, data: { day: 'monday' } });
    });
    const task = await until((await call()).taskId, 'failed');
    expect(task.error).toEqual({ code: -32_099, message: 'Not today', data: { day: 'monday' } });
    expect(task).not.toHaveProperty('result');
  });

  it('with an error result on timeout', async () => {
    const registry = new ToolRegistry({ rateLimiter: false }).register({
      name: 'work',
      description: 'd',
      inputSchema: {},
      task: true,
      timeoutMs: 10,
      handler: () => new Promise(() => {}),
    });
    const { call, until } = clientOf(registry);
    const { taskId } = await call();
    await new Promise((resolve) => setTimeout(resolve, 15));
    expect(codeOf((await until(taskId, 'completed')).result)).toBe('ErrTimeout');
  });

  it('when it is cancelled: the handler is aborted, and later results are ignored', async () => {
    const { promise, resolve } = defer<string>();
    let signal: AbortSignal | undefined;
    const { call, cancel, get } = setUp((context) => {
      signal = context.signal;
      return promise;
    });
    const { taskId } = await call();
    expect(signal?.aborted).toBe(false);
    expect(await cancel(taskId)).toEqual({});
    expect(signal?.aborted).toBe(true);
    resolve('too late');
    await settle();
    expect(await get(taskId)).toMatchObject({ status: 'cancelled' });
    expect(await get(taskId)).not.toHaveProperty('result');
  });

  it('once: cancelling it afterwards changes nothing', async () => {
    const { call, cancel, until } = setUp(() => 'done');
    const { taskId } = await call();
    await until(taskId, 'completed');
    expect(await cancel(taskId)).toEqual({});
    expect(await until(taskId, 'completed')).toMatchObject({ result: { content: [{ text: 'done' }] } });
  });

  it('and frees the concurrency slot of a handler that waited for answers', async () => {
    const { call, cancel, until } = setUp((context) => context.requestInput({ sure }), true, {
      concurrency: { max: 1, queue: 0 },
    });
    const first = await call();
    await until(first.taskId, 'input_required');
    const rejected = await call();
    expect(codeOf((await until(rejected.taskId, 'completed')).result)).toBe('ErrOverloaded');
    await cancel(first.taskId);
    await settle();
    await until((await call()).taskId, 'input_required');
  });

  it('for good: a handler that asks afterwards gets an error', async () => {
    const { promise, resolve } = defer();
    const asked = defer<unknown>();
    const { call, cancel, get } = setUp(async (context) => {
      await promise;
      asked.resolve(await context.requestInput({ sure }).catch((error: unknown) => error));
    });
    const { taskId } = await call();
    await cancel(taskId);
    resolve();
    expect(await asked.promise).toMatchObject({ code: 'ErrInputUnavailable' });
    expect((await get(taskId)).status).toBe('cancelled');
  });

  it('and is kept for the promised time', async () => {
    let now = 0;
    const { call, get, until } = setUp(() => 'done', { ttlMs: 1_000 }, { clock: () => now });
    const { taskId } = await call();
    now = 500;
    await until(taskId, 'completed');
    now = 999;
    expect((await get(taskId)).status).toBe('completed');
    now = 1_500;
    await expect(get(taskId)).rejects.toThrow(ErrUnknownTask);
  });
});

describe('while a task runs', () => {
  it('its message is the progress, whether reported or yielded', async () => {
    const { promise, resolve } = defer();
    const reporting = setUp(async (context) => {
      await context.progress(1, 4, 'a quarter');
      await promise;
    });
    const { taskId } = await reporting.call();
    await settle();
    expect((await reporting.get(taskId)).statusMessage).toBe('a quarter');
    const registry = new ToolRegistry({ rateLimiter: false }).register({
      name: 'work',
      description: 'd',
      inputSchema: {},
      task: true,
      handler: async function* () {
        yield 1;
        yield 2;
        await promise;
        return 'done';
      },
    });
    const yielding = clientOf(registry);
    const second = await yielding.call();
    await settle();
    expect((await yielding.get(second.taskId)).statusMessage).toBe('2');
    resolve();
    await yielding.until(second.taskId, 'completed');
    await reporting.until(taskId, 'completed');
  });

  it('questions come in two rounds, and unanswered ones are kept', async () => {
    const { call, until, update } = setUp(async (context) => {
      const first = await context.requestInput({ a: sure, b: sure });
      const second = await context.requestInput({ a: sure });
      return [first.a, first.b, second.a].map(({ content }) => content?.value).join(' ');
    });
    const { taskId } = await call();
    expect(Object.keys((await until(taskId, 'input_required')).inputRequests ?? {})).toEqual(['a', 'b']);
    expect(await update(taskId, { b: yes('2') })).toEqual({});
    expect(Object.keys((await until(taskId, 'input_required')).inputRequests ?? {})).toEqual(['a']);
    await update(taskId, { a: yes('1') });
    await settle();
    const again = await until(taskId, 'input_required');
    expect(Object.keys(again.inputRequests ?? {})).toEqual(['a-2']);
    await update(taskId, { 'a-2': yes('3') });
    expect((await until(taskId, 'completed')).result?.content).toEqual([{ type: 'text', text: '1 2 3' }]);
  });

  it('an invalid answer fails the call like an invalid argument', async () => {
    const { call, until, update } = setUp((context) => context.requestInput({ sure }));
    const { taskId } = await call();
    await until(taskId, 'input_required');
    await update(taskId, { sure: { action: 'accept', content: { value: 5 } } });
    expect(codeOf((await until(taskId, 'completed')).result)).toBe('ErrValidationFailed');
  });

  it('it can be cancelled while it waits for answers', async () => {
    const { call, until, cancel, update, get } = setUp((context) => context.requestInput({ sure }));
    const { taskId } = await call();
    await until(taskId, 'input_required');
    await cancel(taskId);
    expect(await get(taskId)).toMatchObject({ status: 'cancelled' });
    expect(await get(taskId)).not.toHaveProperty('inputRequests');
    expect(await update(taskId, { sure: yes() })).toEqual({});
    await settle();
    expect(await get(taskId)).toMatchObject({ status: 'cancelled' });
  });

  it('a disconnecting client does not affect it', async () => {
    const { promise, resolve } = defer<string>();
    const { call, until } = setUp(() => promise);
    const controller = new AbortController();
    const { taskId } = await call({}, { signal: controller.signal });
    controller.abort();
    await settle();
    resolve('done');
    expect((await until(taskId, 'completed')).result?.content).toEqual([{ type: 'text', text: 'done' }]);
  });

  it('a client that cancelled before gets no task, and no handler runs', async () => {
    const { call, ran } = setUp(() => 'done');
    const result = await call({}, { signal: AbortSignal.abort() });
    expect(codeOf(result)).toBe('ErrCancelled');
    expect(ran).not.toHaveBeenCalled();
  });
});

describe('an action that asks before it becomes a task', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  const before: TaskRule = { input: 'before' };
  const asking: Run = async (context) => {
    const { name } = await context.requestInput({ name: sure });
    return `hello ${String(name.content?.value)}`;
  };

  it('asks like any call, and becomes a task with the answers', async () => {
    const { call, until } = setUp(asking, before);
    const first = await call();
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    expect(first).not.toHaveProperty('taskId');
    const second = await call(
      {},
      {
        inputResponses: { name: yes('Ada') },
        requestState: (first as { requestState?: string }).requestState,
      },
    );
    expect(second).toMatchObject({ resultType: 'task' });
    expect(second).not.toHaveProperty('requestState');
    expect((await until(second.taskId, 'completed')).result?.content).toEqual([
      { type: 'text', text: 'hello Ada' },
    ]);
  });

  it('becomes a task after 100 ms without asking, and asks through the task afterwards', async () => {
    const { promise, resolve } = defer();
    const { call, until, update } = setUp(async (context) => {
      await promise;
      return asking(context, {});
    }, before);
    const calling = call();
    await vi.advanceTimersByTimeAsync(99);
    expect(await Promise.race([calling, 'waiting'])).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1);
    const { taskId } = await calling;
    resolve();
    await until(taskId, 'input_required');
    await update(taskId, { name: yes('Ada') });
    expect((await until(taskId, 'completed')).result?.content).toEqual([{ type: 'text', text: 'hello Ada' }]);
  });

  it('is answered like any call if it completes before that', async () => {
    const { call } = setUp(() => 'done', before);
    expect(await call()).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is cancelled with its request until it is a task, but not afterwards', async () => {
    const signals: AbortSignal[] = [];
    const { promise, resolve } = defer<string>();
    const { call, until } = setUp((context) => {
      signals.push(context.signal);
      return promise;
    }, before);
    const gone = new AbortController();
    const calling = call({}, { signal: gone.signal });
    await settle();
    gone.abort();
    expect(codeOf(await calling)).toBe('ErrCancelled');
    expect(signals[0]?.aborted).toBe(true);
    const late = new AbortController();
    const promoted = call({}, { signal: late.signal });
    await vi.advanceTimersByTimeAsync(100);
    const { taskId } = await promoted;
    late.abort();
    expect(signals[1]?.aborted).toBe(false);
    resolve('done');
    expect((await until(taskId, 'completed')).result?.content).toEqual([{ type: 'text', text: 'done' }]);
  });

  it('can be cancelled once it is a task', async () => {
    let signal: AbortSignal | undefined;
    const { call, cancel, get } = setUp((context) => {
      signal = context.signal;
      return new Promise(() => {});
    }, before);
    const calling = call();
    await vi.advanceTimersByTimeAsync(100);
    const { taskId } = await calling;
    await cancel(taskId);
    expect(signal?.aborted).toBe(true);
    expect((await get(taskId)).status).toBe('cancelled');
  });
});

describe('without room for another task', () => {
  const full = (): Tasks => {
    const tasks = new Tasks(() => 0);
    for (let count = 0; count < 10_000; count++) tasks.create(`other ${count % 10}`, {}, {});
    return tasks;
  };
  const callWith = (tasks: Tasks, rule: TaskRule, run: Run, inputResponses?: unknown) => {
    const { registry, ran } = setUp(run, rule);
    const request = { name: 'work', arguments: {}, protocolVersion, caller: { capabilities: TASKS } };
    const params = { name: 'work', arguments: {} };
    const ask = internalsOf(registry).askInRounds({ method: 'tools/call', params, inputResponses }, request);
    const calling = callAsTask(rule, { tasks, owner: 'ada' }, { ...request, ask }, (changed) =>
      registry.executeTool(changed),
    );
    return { calling, ran };
  };

  it('a call is rejected before its handler runs, and the other tasks are kept', async () => {
    const tasks = full();
    const { calling, ran } = callWith(tasks, {}, () => 'done');
    expect(codeOf(await calling)).toBe('ErrOverloaded');
    expect(ran).not.toHaveBeenCalled();
    expect(tasks.size).toBe(10_000);
  });

  it('a call that would become a task later is answered on completion', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { promise, resolve } = defer<string>();
      const { calling } = callWith(full(), { input: 'before' }, () => promise);
      await vi.advanceTimersByTimeAsync(200);
      resolve('done');
      expect(await calling).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    } finally {
      vi.useRealTimers();
    }
  });

  it('a call that brings its answers is answered on completion too', async () => {
    const run: Run = async (context) => (await context.requestInput({ name: sure })).name.content?.value;
    const { calling } = callWith(full(), { input: 'before' }, run, { name: yes('Ada') });
    expect(await calling).toMatchObject({ content: [{ type: 'text', text: 'Ada' }] });
  });
});

describe('concurrent callers', () => {
  it('have separate tasks, answers and results, in any order', async () => {
    const { registry } = setUp(async (context, { value }) => {
      const first = await context.requestInput({ q: sure });
      const second = await context.requestInput({ q: sure });
      return [value, first.q.content?.value, second.q.content?.value].join(' ');
    });
    const step = fc.record({
      who: fc.nat(2),
      whose: fc.nat(2),
      which: fc.nat(2),
      what: fc.constantFrom('call', 'update', 'update', 'get', 'cancel'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
        const clients = ['ada', 'bob', 'eve'].map((sub) => ({ sub, ...clientOf(registry, sub) }));
        const tasks: { id: string; owner: number; given: string[]; isCancelled: boolean }[][] = [[], [], []];
        let count = 0;
        const opening = [0, 1, 2].map((who) => ({ who, whose: who, which: 0, what: 'call' }));
        for (const { who, whose, which, what } of [...opening, ...steps]) {
          const client = clients[who]!;
          if (what === 'call') {
            const { taskId } = await client.call({ value: client.sub });
            tasks[who]!.push({ id: String(taskId), owner: who, given: [], isCancelled: false });
            await settle();
            continue;
          }
          const task = tasks[whose]![which];
          if (!task) continue;
          const value = `${client.sub}-${count++}`;
          const key = task.given.length === 0 ? 'q' : 'q-2';
          const asked =
            what === 'get'
              ? client.get(task.id)
              : what === 'cancel'
                ? client.cancel(task.id)
                : client.update(task.id, { [key]: yes(value) });
          if (who !== task.owner) {
            await expect(asked).rejects.toThrow(ErrUnknownTask);
            continue;
          }
          await asked;
          if (what === 'update' && task.given.length < 2 && !task.isCancelled) task.given.push(value);
          if (what === 'cancel' && task.given.length < 2) task.isCancelled = true;
          await settle();
        }
        for (const { id, owner, given, isCancelled } of tasks.flat()) {
          const client = clients[owner]!;
          const task = await client.get(id);
          const status = isCancelled ? 'cancelled' : given.length === 2 ? 'completed' : 'input_required';
          expect(task.status).toBe(status);
          if (status === 'completed')
            expect(task.result?.content).toEqual([{ type: 'text', text: [client.sub, ...given].join(' ') }]);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('a call whose task cannot be shared with other processes', () => {
  it('is answered on completion, and can be cancelled and report progress until then', async () => {
    const rejecting = {
      begin: async () => false,
      get: () => expect.unreachable(),
      update: () => expect.unreachable(),
      cancel: () => expect.unreachable(),
    };
    const tasks = new Tasks(Date.now, rejecting);
    const controller = new AbortController();
    const progress = vi.fn<(...report: unknown[]) => Promise<void>>(async () => undefined);
    const running = callAsTask(
      {},
      { tasks, owner: 'ada' },
      { name: 'work', caller: { capabilities: TASKS }, signal: controller.signal, progress, protocolVersion },
      async (request) => {
        request.emit?.({ kind: 'step', step: 'run' });
        await new Promise((resolve) => setTimeout(resolve, 20));
        await request.progress?.(1, 2);
        await new Promise((resolve) => request.signal?.addEventListener('abort', resolve));
        return { content: [{ type: 'text', text: 'given up' }] };
      },
    );
    await vi.waitFor(() => expect(progress).toHaveBeenCalledWith(1, 2));
    controller.abort();
    expect(await running).toEqual({ content: [{ type: 'text', text: 'given up' }] });
    expect(tasks.size).toBe(0);
  });
});
