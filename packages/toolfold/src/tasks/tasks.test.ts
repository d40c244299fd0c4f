import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireQuestion } from '../protocol/input-required.js';
import type { TaskRule } from '../define/tool-definition.js';
import { ErrInputUnavailable, ErrOverloaded, ErrProtocol, ErrUnknownTask } from '@toolfold/schema/errors';
import { markResult } from '../engine/call-errors.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { callerKey } from '../callers/caller-key.js';
import { Tasks } from './tasks.js';

const TEN_MINUTES = 10 * 60_000;
const START = Date.parse('2026-07-28T00:00:00Z');
const done: CallToolResult = { content: [{ type: 'text', text: 'done' }] };
const form: WireQuestion = { method: 'elicitation/create', params: { mode: 'form', message: 'm' } };
const yes = { action: 'accept', content: {} };

function setUp(rule: TaskRule = {}, capabilities: Record<string, unknown> = { elicitation: { form: {} } }) {
  let now = START;
  const tasks = new Tasks(() => now);
  const create = (owner = 'ada') => tasks.create(owner, rule, capabilities);
  const advance = (ms: number): void => {
    now += ms;
  };
  return { tasks, create, advance };
}

describe('a task', () => {
  it('has a status, a creation time and a time to live', () => {
    const { tasks, create } = setUp();
    const task = create();
    expect(tasks.get('ada', task.id)).toEqual({
      taskId: task.id,
      status: 'working',
      createdAt: '2026-07-28T00:00:00.000Z',
      lastUpdatedAt: '2026-07-28T00:00:00.000Z',
      ttlMs: TEN_MINUTES,
      pollIntervalMs: 1_000,
    });
    expect(task.id).toMatch(/^[\w-]{32}$/);
  });

  it('has the times of its rule', () => {
    const { create } = setUp({ ttlMs: 5_000, pollIntervalMs: 50 });
    expect(create().announce()).toMatchObject({ ttlMs: 5_000, pollIntervalMs: 50 });
  });

  it('keeps its first result', () => {
    const { tasks, create, advance } = setUp();
    const task = create();
    advance(5);
    task.finish(done);
    advance(5);
    task.finish({ content: [] });
    tasks.cancel('ada', task.id);
    tasks.update('ada', task.id, { a: yes });
    expect(tasks.get('ada', task.id)).toMatchObject({
      status: 'completed',
      result: done,
      lastUpdatedAt: '2026-07-28T00:00:00.005Z',
    });
    expect(task.signal.aborted).toBe(false);
  });

  it('is completed by an error result, and failed by a protocol error', () => {
    const { tasks, create } = setUp();
    const [wrong, broken] = [create(), create()];
    const isError: CallToolResult = { content: [], isError: true };
    wrong.finish(isError);
    const details = { rpcCode: -32_050, data: { why: 'because' } };
    const report = { code: 'ErrProtocol', message: 'no', details };
    const failure = { content: [], isError: true, _meta: { 'toolfold/error': report } };
    broken.finish(markResult(failure, new ErrProtocol('no')));
    expect(tasks.get('ada', wrong.id)).toMatchObject({ status: 'completed', result: isError });
    const failed = tasks.get('ada', broken.id);
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: -32_050, message: 'no', data: { why: 'because' } },
    });
    expect(failed).not.toHaveProperty('result');
  });

  it('aborts its handler when it is cancelled, and ignores later results', () => {
    const { tasks, create } = setUp();
    const task = create();
    tasks.cancel('ada', task.id);
    expect(task.signal.aborted).toBe(true);
    task.finish(done);
    const cancelled = tasks.get('ada', task.id);
    expect(cancelled.status).toBe('cancelled');
    expect(cancelled).not.toHaveProperty('result');
    // Cancelling twice is not an error.
    expect(() => tasks.cancel('ada', task.id)).not.toThrow();
  });

  it('shows the progress message of the handler, or numbers without one', async () => {
    const { tasks, create, advance } = setUp();
    const task = create();
    const message = (): unknown => tasks.get('ada', task.id).statusMessage;
    expect(message()).toBeUndefined();
    advance(7);
    await task.progress(1);
    expect(message()).toBe('1');
    expect(tasks.get('ada', task.id).lastUpdatedAt).toBe('2026-07-28T00:00:00.007Z');
    await task.progress(2, 10);
    expect(message()).toBe('2/10');
    await task.progress(3, 10, 'nearly');
    expect(message()).toBe('nearly');
    task.finish(done);
    await task.progress(4, 10, 'too late');
    expect(message()).toBe('nearly');
  });

  it('is announced without outcome and questions', async () => {
    const { create } = setUp();
    const task = create();
    const asked = task.ask({ a: form });
    expect(task.announce()).not.toHaveProperty('inputRequests');
    task.answer({ a: yes });
    await asked;
    task.finish(done);
    expect(task.announce()).not.toHaveProperty('result');
  });
});

describe('the owner of a task', () => {
  it('is the only caller that can get, answer and cancel it', () => {
    const { tasks, create } = setUp();
    const task = create('ada');
    for (const touch of [
      () => tasks.get('bob', task.id),
      () => tasks.update('bob', task.id, {}),
      () => tasks.cancel('bob', task.id),
    ])
      expect(touch).toThrow(ErrUnknownTask);
    expect(tasks.get('ada', task.id).status).toBe('working');
  });

  it('gets the same error for unknown, foreign and expired tasks', () => {
    const { tasks, create, advance } = setUp();
    const [mine, theirs] = [create('ada'), create('bob')];
    mine.finish(done);
    advance(TEN_MINUTES);
    const messages = [mine.id, theirs.id, 'nothing', '', undefined, null, 5, {}, '__proto__'].map((id) => {
      try {
        return tasks.get('ada', id);
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(new Set(messages)).toEqual(new Set(['There is no such task, or its time is over.']));
  });
});

describe('the ttl of a task', () => {
  it('starts at its end, and is exact to the millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: TEN_MINUTES }), fc.nat(TEN_MINUTES), (ttlMs, runs) => {
        const { tasks, create, advance } = setUp({ ttlMs });
        const task = create();
        advance(runs);
        task.finish(done);
        advance(ttlMs - 1);
        create();
        expect(tasks.get('ada', task.id).status).toBe('completed');
        advance(1);
        expect(() => tasks.get('ada', task.id)).toThrow(ErrUnknownTask);
      }),
    );
  });

  it('does not run while the task works', () => {
    const { tasks, create, advance } = setUp();
    const task = create();
    advance(100 * TEN_MINUTES);
    create();
    expect(tasks.get('ada', task.id).status).toBe('working');
    expect(task.signal.aborted).toBe(false);
  });

  it('runs while the task waits for answers, so that abandoned tasks expire', async () => {
    const { tasks, create, advance } = setUp({ ttlMs: 1_000 });
    const task = create();
    const asked = task.ask({ a: form }).catch((error: unknown) => error);
    advance(999);
    expect(tasks.get('ada', task.id).status).toBe('input_required');
    advance(1);
    expect(() => tasks.get('ada', task.id)).toThrow(ErrUnknownTask);
    expect(() => tasks.update('ada', task.id, { a: yes })).toThrow(ErrUnknownTask);
    create();
    expect(tasks.size).toBe(1);
    expect(task.signal.aborted).toBe(true);
    expect(await asked).toBeInstanceOf(ErrInputUnavailable);
  });

  it('restarts with each answer', async () => {
    const { tasks, create, advance } = setUp({ ttlMs: 1_000 });
    const task = create();
    const asked = task.ask({ a: form, b: form });
    advance(999);
    tasks.update('ada', task.id, { a: yes });
    advance(999);
    tasks.update('ada', task.id, { b: yes });
    expect(await asked).toEqual({ a: yes, b: yes });
  });
});

describe('questions of a task', () => {
  it('are listed under their keys until all are answered, in any order', async () => {
    const { tasks, create } = setUp();
    const task = create();
    const asked = task.ask({ a: form, b: form });
    expect(tasks.get('ada', task.id)).toMatchObject({
      status: 'input_required',
      inputRequests: { a: form, b: form },
    });
    tasks.update('ada', task.id, { b: { ...yes, content: { n: 2 } } });
    expect(tasks.get('ada', task.id)).toMatchObject({ status: 'input_required' });
    expect(Object.keys(tasks.get('ada', task.id).inputRequests ?? {})).toEqual(['a']);
    tasks.update('ada', task.id, { a: { ...yes, content: { n: 1 } }, b: { action: 'cancel' } });
    expect(tasks.get('ada', task.id).status).toBe('working');
    expect(tasks.get('ada', task.id)).not.toHaveProperty('inputRequests');
    expect(await asked).toEqual({ a: { ...yes, content: { n: 1 } }, b: { ...yes, content: { n: 2 } } });
  });

  it('have a new key in each round, so that an old answer does not match a new question', async () => {
    const { tasks, create } = setUp();
    const task = create();
    const rounds: unknown[] = [];
    for (const [round, expected] of ['sure', 'sure-2', 'sure-3'].entries()) {
      const asked = task.ask({ sure: form });
      expect(Object.keys(tasks.get('ada', task.id).inputRequests ?? {})).toEqual([expected]);
      if (round > 0) tasks.update('ada', task.id, { sure: yes });
      expect(tasks.get('ada', task.id).status).toBe('input_required');
      tasks.update('ada', task.id, { [expected]: { ...yes, content: { round } } });
      rounds.push(await asked);
    }
    expect(rounds).toEqual([0, 1, 2].map((round) => ({ sure: { ...yes, content: { round } } })));
  });

  it('do not conflict if keys are similar', async () => {
    const { tasks, create } = setUp();
    const task = create();
    const asked = [task.ask({ a: form, 'a-2': form }), task.ask({ a: form })];
    const keys = Object.keys(tasks.get('ada', task.id).inputRequests ?? {});
    expect(keys).toEqual(['a', 'a-2', 'a-3']);
    tasks.update('ada', task.id, Object.fromEntries(keys.map((key) => [key, { ...yes, key }])));
    expect(await Promise.all(asked)).toEqual([
      { a: { ...yes, key: 'a' }, 'a-2': { ...yes, key: 'a-2' } },
      { a: { ...yes, key: 'a-3' } },
    ]);
  });

  it('stay open if the answer is invalid or has an unknown key', () => {
    const { tasks, create } = setUp();
    const task = create();
    void task.ask({ a: form });
    for (const junk of [{ a: 'yes' }, { a: null }, { a: [yes] }, { b: yes }, {}, null, 'a', [yes], undefined])
      tasks.update('ada', task.id, junk);
    expect(tasks.get('ada', task.id)).toMatchObject({ status: 'input_required', inputRequests: { a: form } });
  });

  it('may have the names of prototype properties', async () => {
    const { tasks, create } = setUp();
    const task = create();
    const questions = JSON.parse(
      `{"__proto__":${JSON.stringify(form)},"constructor":${JSON.stringify(form)}}`,
    ) as {
      constructor: WireQuestion;
    };
    const asked = task.ask(questions as never);
    expect(Object.keys(tasks.get('ada', task.id).inputRequests ?? {})).toEqual(['__proto__', 'constructor']);
    tasks.update('ada', task.id, JSON.parse(`{"__proto__":${JSON.stringify(yes)}}`));
    expect(Object.keys(tasks.get('ada', task.id).inputRequests ?? {})).toEqual(['constructor']);
    tasks.update('ada', task.id, { constructor: yes });
    expect(Object.keys((await asked) ?? {})).toEqual(['__proto__', 'constructor']);
  });

  it('may be empty, and then are answered at once', async () => {
    const { tasks, create } = setUp();
    const task = create();
    expect(await task.ask({})).toEqual({});
    expect(tasks.get('ada', task.id).status).toBe('working');
  });

  it('are not sent to a client that cannot answer them', async () => {
    const { tasks, create } = setUp({}, { elicitation: { url: {} } });
    const task = create();
    await expect(task.ask({ a: form })).rejects.toThrow(ErrInputUnavailable);
    await expect(task.ask({ a: { method: 'roots/list', params: {} } })).rejects.toThrow(/roots/);
    expect(tasks.get('ada', task.id).status).toBe('working');
  });

  it('end with the task, and the handler gets an error', async () => {
    const { tasks, create } = setUp();
    const [cancelled, finished] = [create(), create()];
    const asked = [cancelled.ask({ a: form }), finished.ask({ a: form })].map((each) =>
      each.catch((error: unknown) => error),
    );
    tasks.cancel('ada', cancelled.id);
    finished.finish(done);
    for (const outcome of await Promise.all(asked)) expect(outcome).toBeInstanceOf(ErrInputUnavailable);
    expect(tasks.get('ada', cancelled.id)).not.toHaveProperty('inputRequests');
  });

  it('fail after the end of the task', async () => {
    const { tasks, create } = setUp();
    const [cancelled, finished] = [create(), create()];
    tasks.cancel('ada', cancelled.id);
    finished.finish(done);
    for (const task of [cancelled, finished])
      await expect(task.ask({ a: form })).rejects.toThrow(ErrInputUnavailable);
    expect(tasks.get('ada', cancelled.id).status).toBe('cancelled');
    expect(tasks.get('ada', finished.id)).toMatchObject({ status: 'completed', result: done });
  });
});

describe('a task stores', () => {
  it('no result that cannot be sent: the task fails', () => {
    const { tasks, create } = setUp();
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const task = create();
    task.finish({ content: [], structuredContent: circle });
    expect(tasks.get('ada', task.id)).toMatchObject({ status: 'failed', error: { code: -32_603 } });
    expect(tasks.get('ada', task.id)).not.toHaveProperty('result');
  });

  it('nothing of its call once it is finished', async () => {
    const { create } = setUp();
    const task = create();
    const call = (() => {
      const held = { arguments: 'x'.repeat(1_000) };
      task.signal.addEventListener('abort', () => void held.arguments);
      return new WeakRef(held);
    })();
    task.finish(done);
    // A WeakRef keeps its target until the current turn has ended.
    await new Promise((resolve) => setTimeout(resolve, 0));
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(call.deref()).toBeUndefined();
    expect(task.announce().status).toBe('completed');
  });

  it('only the capabilities that decide which questions its client can answer', async () => {
    const declared = { elicitation: { form: { junk: [] } }, sampling: { tools: {} }, junk: {}, roots: null };
    const { create } = setUp({}, declared);
    const task = create();
    const asked = task.ask({
      a: form,
      b: { method: 'sampling/createMessage', params: { tools: [] } },
    });
    // The capabilities are read once.
    declared.sampling = null as never;
    expect(Object.keys(task.describe().inputRequests ?? {})).toEqual(['a', 'b']);
    task.answer({ a: yes, b: yes });
    await asked;
    const url: WireQuestion = { method: 'elicitation/create', params: { mode: 'url', message: 'm' } };
    await expect(task.ask({ url })).rejects.toThrow(ErrInputUnavailable);
    await expect(task.ask({ r: { method: 'roots/list', params: {} } })).rejects.toThrow(/roots/);
  });
});

describe('many tasks', () => {
  const MIB = 1024 * 1024;
  const large = (bytes: number): CallToolResult => ({
    content: [{ type: 'text', text: 'x'.repeat(bytes) }],
  });
  const owners = Array.from({ length: 10 }, (_, index) => `owner ${index}`);

  it('are rejected beyond the limit, and existing ones are kept', () => {
    const { tasks, create, advance } = setUp({ ttlMs: 1_000 });
    const all = owners.flatMap((owner) => Array.from({ length: 1_000 }, () => create(owner)));
    expect(() => create()).toThrow(ErrOverloaded);
    expect(tasks.size).toBe(10_000);
    all[0]?.finish(done);
    expect(() => create()).toThrow(ErrOverloaded);
    advance(1_000);
    // There is room for exactly one task again.
    expect(tasks.get('ada', create().id).status).toBe('working');
    expect(() => create()).toThrow(ErrOverloaded);
    for (const { id, owner } of all.slice(1)) expect(tasks.get(owner, id).status).toBe('working');
  });

  it('of one caller do not prevent those of another', () => {
    const { tasks, create } = setUp();
    const made = Array.from({ length: 1_000 }, () => create('mallory'));
    expect(() => create('mallory')).toThrow(/this caller/);
    expect(tasks.hasRoomFor('mallory')).toBe(false);
    expect(tasks.get('bob', create('bob').id).status).toBe('working');
    for (const { id } of made) expect(tasks.get('mallory', id).status).toBe('working');
  });

  it('of one caller with large results do not prevent those of another', () => {
    const { tasks, create } = setUp();
    const kept: string[] = [];
    while (tasks.hasRoomFor('mallory')) {
      const task = create('mallory');
      task.finish(large(MIB));
      kept.push(task.id);
    }
    expect(kept).toHaveLength(32);
    expect(() => create('mallory')).toThrow(ErrOverloaded);
    expect(tasks.get('bob', create('bob').id).status).toBe('working');
    for (const id of kept) expect(tasks.get('mallory', id).status).toBe('completed');
  });

  it('of anonymous callers leave room for verified callers', () => {
    const { create } = setUp();
    const nobody = callerKey(undefined);
    for (let count = 0; count < 9_000; count++) create(nobody);
    expect(() => create(nobody)).toThrow(ErrOverloaded);
    expect(create('bob').announce().status).toBe('working');
  });

  it('of anonymous callers at many addresses leave room for verified callers', () => {
    const { create } = setUp();
    const at = (address: string): string => callerKey({ address });
    for (let count = 0; count < 1_000; count++) create(at('10.0.0.1'));
    expect(() => create(at('10.0.0.1'))).toThrow(ErrOverloaded);
    for (let count = 0; count < 8_000; count++) create(at(`2001:db8:${(count % 5_000).toString(16)}::1`));
    expect(() => create(at('10.0.0.2'))).toThrow(ErrOverloaded);
    expect(create('bob').announce().status).toBe('working');
  });

  it('are rejected while the stored results are too large, and accepted again when they expire', () => {
    const { tasks, create, advance } = setUp({ ttlMs: 10_000 });
    const finishOne = (owner: string) => {
      const task = create(owner);
      task.finish(large(8 * MIB));
      return task;
    };
    const first = finishOne('owner 0');
    advance(5_000);
    const rest = Array.from({ length: 15 }, (_, index) => finishOne(`owner ${index + 1}`));
    expect(() => create('bob')).toThrow(/^Too many tasks are kept/);
    for (const { id, owner } of [first, ...rest]) expect(tasks.get(owner, id).status).toBe('completed');
    advance(5_000);
    expect(tasks.get('bob', finishOne('bob').id).status).toBe('completed');
    expect(() => create('bob')).toThrow(ErrOverloaded);
    advance(5_000);
    for (let count = 0; count < 3; count++) finishOne('bob');
    expect(tasks.size).toBe(4);
    // The counters are back at zero.
    advance(10_000);
    for (let index = 0; index < 16; index++) finishOne(`owner ${index}`);
    expect(() => create('eve')).toThrow(ErrOverloaded);
  });

  it('are rejected without a scan of all tasks', () => {
    let reads = 0;
    const tasks = new Tasks(() => {
      reads++;
      return START;
    });
    for (const owner of owners)
      for (let count = 0; count < 1_000; count++) tasks.create(owner, {}, {}).finish(done);
    reads = 0;
    for (let count = 0; count < 100; count++) expect(tasks.hasRoomFor('bob')).toBe(false);
    // The clock is read once per check, not once per task.
    expect(reads).toBe(100);
  });

  it('never share an id', () => {
    const { create } = setUp();
    expect(new Set(Array.from({ length: 1_000 }, () => create().id)).size).toBe(1_000);
  });
});
