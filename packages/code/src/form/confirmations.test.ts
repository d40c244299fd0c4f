import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AskClient, Caller, RequestOptions, Shared } from 'toolfold';
import { ErrCancelled, ErrCodeFailed, ErrInputUnavailable, ErrOutcomeUnknown } from 'toolfold/errors';
import { internalsOf, isInputRequired } from 'toolfold/internal';
import type { InputRequired } from 'toolfold/internal';
import { ToolRegistry } from 'toolfold';
import { describeWithRedis } from '../../../../test/stores/with-redis.js';
import { createConfirmations } from './confirmations.js';
import { savedRunsOf } from './saved-runs.js';
import type { Confirmations, Confirmed } from './confirmations.js';
import type { PausedRun, WaitingCall } from './paused-run.js';
import type { GuestError } from '../sandbox/sandbox.js';

const FORMS: Caller['capabilities'] = { elicitation: { form: {} } };
const KEY = 'k'.repeat(32);
const never = new AbortController().signal;

const waiting = (id: number, over: Partial<WaitingCall> = {}): WaitingCall => ({
  id,
  path: 'payments.remove',
  address: 'payments.remove',
  destructive: true,
  input: `{"id":${id}}`,
  ...over,
});

const pause = (over: Partial<PausedRun> = {}): PausedRun => ({
  runId: 'r',
  snapshot: Uint8Array.from([1, 2, 3]),
  waiting: [waiting(2)],
  notes: [
    { id: 1, address: 'payments.list', outcome: 'ok', ms: 1 },
    { id: 2, address: 'payments.remove', outcome: 'waiting', ms: 0 },
  ],
  keys: {},
  logs: ['before'],
  hasLostLogs: false,
  cpuMs: 1,
  wallMs: 2,
  rounds: 1,
  ...over,
});

interface Round {
  readonly code?: string;
  readonly sub?: string;
  readonly hash?: string;
  readonly requestState?: string | undefined;
  readonly inputResponses?: unknown;
}

/** Opens a request of a 2026 client. */
function open(
  registry: ToolRegistry,
  { code = 'code', sub = 'ada', hash, requestState, inputResponses }: Round = {},
): Confirmations {
  const options: RequestOptions = {
    caller: { auth: { sub }, capabilities: FORMS },
    ...(hash === undefined ? {} : { session: { hash, context: {} } as RequestOptions['session'] }),
  };
  const params = { name: 'run_code', arguments: { code } };
  const asked = { method: 'tools/call', params, requestState, inputResponses };
  return createConfirmations(
    registry,
    { ...options, ...params, ask: internalsOf(registry).askInRounds(asked, options) },
    never,
  );
}

async function ask(confirmations: Confirmations, paused: PausedRun = pause()): Promise<InputRequired> {
  const thrown: unknown = await confirmations.confirm(paused).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isInputRequired(thrown)) throw new Error('The client was not asked.', { cause: thrown });
  return thrown;
}

const here = (path: string): string => path;
const allow = { action: 'accept', content: { allow: true } };
const errorOf = (confirmed: Confirmed | undefined, id: number): GuestError | undefined => {
  const decision = confirmed?.get(id);
  return decision && 'error' in decision ? decision.error : undefined;
};
const codes = (confirmed: Confirmed): unknown[] =>
  Array.from(confirmed.keys(), (id) => [id, errorOf(confirmed, id)?.code ?? 'allowed']);

type CreateNode = () => ToolRegistry;

/** The same tests over runs in memory and in Redis. `createNode` returns another process that shares the runs, if there can be one. */
function testSavedRuns(setUp: () => { readonly createNode: CreateNode }): void {
  it('continues a run once, with the decision about each call', async () => {
    const { createNode } = setUp();
    const one = createNode();
    const two = createNode();
    const first = open(one);
    expect(first.rejection).toBeUndefined();
    expect(await first.resume(here)).toBeUndefined();
    const paused = pause({ waiting: [2, 3, 4, 5, 6].map((id) => waiting(id)) });
    const { requestState, inputRequests } = await ask(first, paused);
    expect(Object.keys(inputRequests)).toEqual(['call_2', 'call_3', 'call_4', 'call_5', 'call_6']);
    const inputResponses = {
      call_2: allow,
      call_3: { action: 'decline' },
      call_4: { action: 'cancel' },
      call_5: { action: 'accept', content: { allow: 'true' } },
      call_7: allow,
    };
    const round = { requestState, inputResponses };
    const resumed = await open(two, round).resume(here);
    expect(resumed?.paused).toEqual({ ...paused, snapshot: undefined });
    expect([...(resumed?.snapshot ?? [])]).toEqual([1, 2, 3]);
    expect(codes(resumed?.confirmed ?? new Map())).toEqual([
      [2, 'allowed'],
      [3, 'ErrCallNotAllowed'],
      [4, 'ErrCallNotAllowed'],
      [5, 'ErrCallNotAllowed'],
      [6, 'ErrCallNotAllowed'],
    ]);
    const again = open(one, round).resume(here);
    await expect(again).rejects.toThrow(ErrOutcomeUnknown);
    await expect(open(one, round).resume(here)).rejects.toThrow(
      'Calls known so far: payments.list (ok), payments.remove (confirmed, outcome unknown).',
    );
    const notes = [
      { id: 1, address: 'payments.list', outcome: 'ok', ms: 1 },
      { id: 2, address: 'payments.remove', outcome: 'unfinished', ms: 0 },
    ];
    resumed?.note(notes);
    await expect(open(two, round).resume(here)).rejects.toThrow('payments.remove (unfinished).');
    await resumed?.end([{ id: 2, address: 'payments.remove', outcome: 'ok', ms: 1 }]);
    const ended = open(one, round).resume(here);
    await expect(ended).rejects.toThrow(ErrCodeFailed);
    await expect(open(two, round).resume(here)).rejects.toThrow('Calls made by then: payments.remove (ok).');
  });

  it('continues a run once if twenty equal answers arrive at once', async () => {
    const { createNode } = setUp();
    const nodes = [createNode(), createNode()];
    const { requestState } = await ask(open(nodes[0] as ToolRegistry));
    const round = { requestState, inputResponses: { call_2: allow } };
    const ends = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => open(nodes[index % 2] as ToolRegistry, round).resume(here)),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(ErrOutcomeUnknown);
  });

  it('can be continued by another request after a release', async () => {
    const { createNode } = setUp();
    const { requestState } = await ask(open(createNode()));
    const round = { requestState, inputResponses: { call_2: allow } };
    const failed = await open(createNode(), round).resume(here);
    await expect(open(createNode(), round).resume(here)).rejects.toThrow(ErrOutcomeUnknown);
    await failed?.release();
    await failed?.end([]);
    const resumed = await open(createNode(), round).resume(here);
    expect(codes(resumed?.confirmed ?? new Map())).toEqual([[2, 'allowed']]);
    await resumed?.end([]);
    await expect(open(createNode(), round).resume(here)).rejects.toThrow(ErrCodeFailed);
  });

  it('refuses all calls if the client sends the state without answers', async () => {
    const registry = setUp().createNode();
    const { requestState } = await ask(open(registry));
    const resumed = await open(registry, { requestState }).resume(here);
    expect(codes(resumed?.confirmed ?? new Map())).toEqual([[2, 'ErrCallNotAllowed']]);
    expect(errorOf(resumed?.confirmed, 2)?.message).toContain('Nobody answered');
  });

  it('does not allow a call whose path has become that of another tool', async () => {
    const registry = setUp().createNode();
    const { requestState } = await ask(open(registry));
    const round = { requestState, inputResponses: { call_2: allow } };
    const resumed = await open(registry, round).resume(() => 'payments.remove_all');
    expect(errorOf(resumed?.confirmed, 2)?.message).toContain('has changed since');
  });

  it('belongs to one caller, one session context and one code', async () => {
    const registry = setUp().createNode();
    const { requestState } = await ask(open(registry, { hash: 'h' }));
    const round = { hash: 'h', requestState, inputResponses: { call_2: allow } };
    for (const other of [{ sub: 'eve' }, { hash: 'other' }, { code: 'other' }])
      expect(() => open(registry, { ...round, ...other })).toThrow('The request state is not one of this');
    expect(await open(registry, round).resume(here)).toBeDefined();
  });

  it('keeps the last eight runs of a caller, and those of others', async () => {
    const registry = setUp().createNode();
    const others = await ask(open(registry, { sub: 'eve' }));
    const asked: InputRequired[] = [];
    for (let count = 0; count < 10; count++) asked.push(await ask(open(registry)));
    const answer = (round: Round) =>
      open(registry, { ...round, inputResponses: { call_2: allow } }).resume(here);
    for (const { requestState } of asked.slice(0, 2))
      await expect(answer({ requestState })).rejects.toThrow('its state has expired or was deleted');
    for (const { requestState } of asked.slice(2)) expect(await answer({ requestState })).toBeDefined();
    expect(await answer({ sub: 'eve', requestState: others.requestState })).toBeDefined();
  });

  it('refuses the call if the state of the code is too large', async () => {
    const registry = setUp().createNode();
    const snapshot = new Uint8Array(5 * 1024 * 1024);
    for (let at = 0; at < snapshot.length; at += 65_536)
      crypto.getRandomValues(snapshot.subarray(at, at + 65_536));
    const confirmed = await open(registry).confirm(pause({ snapshot }));
    expect(codes(confirmed)).toEqual([[2, 'ErrCallNotAllowed']]);
    expect(errorOf(confirmed, 2)).toMatchObject({
      message: expect.stringContaining('holds too much data'),
      suggestions: ['call_write_tool'],
    });
  });
}

describe('a run in memory', () => {
  testSavedRuns(() => {
    const registry = new ToolRegistry({ requestStateKey: KEY });
    return { createNode: () => registry };
  });

  it('is lost in another process', async () => {
    const { requestState } = await ask(open(new ToolRegistry({ requestStateKey: KEY })));
    const other = new ToolRegistry({ requestStateKey: KEY });
    const round = { requestState, inputResponses: { call_2: allow } };
    await expect(open(other, round).resume(here)).rejects.toThrow(ErrCodeFailed);
  });

  it('is not saved if the sandbox has no snapshots', async () => {
    const confirmed = await open(new ToolRegistry()).confirm(pause({ snapshot: undefined }));
    expect(errorOf(confirmed, 2)?.message).toContain('the sandbox of this server cannot wait for one');
  });

  it('is asked about in at most eight requests', async () => {
    const registry = new ToolRegistry({ requestStateKey: KEY });
    await ask(open(registry), pause({ rounds: 8 }));
    const confirmed = await open(registry).confirm(pause({ rounds: 9 }));
    expect(errorOf(confirmed, 2)?.message).toContain('a run can ask only 8 times');
  });

  it('is asked about with at most twenty questions', async () => {
    const registry = new ToolRegistry();
    const paused = pause({ waiting: Array.from({ length: 25 }, (_, index) => waiting(index + 1)) });
    const { requestState, inputRequests } = await ask(open(registry), paused);
    expect(Object.keys(inputRequests)).toHaveLength(20);
    const inputResponses = Object.fromEntries(paused.waiting.map(({ id }) => [`call_${id}`, allow]));
    const resumed = await open(registry, { requestState, inputResponses }).resume(here);
    const allowed = codes(resumed?.confirmed ?? new Map()).filter((each) => String(each).includes('allowed'));
    expect(allowed).toHaveLength(20);
    expect(errorOf(resumed?.confirmed, 21)?.message).toContain('At most 20 calls');
  });
});

await describeWithRedis('a run in Redis', ({ createNode, createPrefix, client, advance }) => {
  const setUp = () => {
    const prefix = createPrefix();
    return { prefix, createNode: () => new ToolRegistry({ shared: createNode({ prefix }) }) };
  };
  testSavedRuns(setUp);

  it('leaves only a claim after its use, which expires', async () => {
    const { prefix, createNode: create } = setUp();
    const registry = create();
    const { requestState } = await ask(open(registry));
    expect(await client.keys(`${prefix}:records:*`)).toHaveLength(2);
    const resumed = await open(registry, { requestState, inputResponses: {} }).resume(here);
    await resumed?.end([]);
    expect(await client.keys(`${prefix}:records:*`)).toHaveLength(1);
    await advance(prefix, 60 * 60_000);
    expect(await client.keys(`${prefix}:records:*`)).toEqual([]);
  });

  it('cannot be continued after an hour', async () => {
    const { prefix, createNode: create } = setUp();
    const registry = create();
    const { requestState } = await ask(open(registry));
    await advance(prefix, 60 * 60_000);
    await expect(open(registry, { requestState }).resume(here)).rejects.toThrow('has expired');
  });

  it('is not readable in Redis, and not usable after any change there', async () => {
    const { prefix, createNode: create } = setUp();
    const registry = create();
    const secret = 'a sentence that the code has read';
    const one = await ask(open(registry), pause({ logs: [secret] }));
    const two = await ask(
      open(registry),
      pause({ logs: [secret], waiting: [waiting(2, { address: 'other' })] }),
    );
    const keys = await client.keys(`${prefix}:records:*`);
    const values = await Promise.all(keys.map(async (key) => (await client.get(key)) ?? ''));
    for (const value of values) expect(Buffer.from(value, 'base64url').toString()).not.toContain(secret);
    // The largest two values are the texts of the two runs.
    const [a, b] = keys.toSorted(
      (x, y) => (values[keys.indexOf(y)] ?? '').length - (values[keys.indexOf(x)] ?? '').length,
    );
    await client.rename(a as string, `${prefix}:swap`);
    await client.rename(b as string, a as string);
    await client.rename(`${prefix}:swap`, b as string);
    for (const { requestState } of [one, two])
      await expect(
        open(registry, { requestState, inputResponses: { call_2: allow } }).resume(here),
      ).rejects.toThrow('has expired or was deleted');
  });

  it('is refused while Redis cannot be reached', async () => {
    const shared = createNode();
    const registry = new ToolRegistry({ shared });
    await ask(open(registry));
    await shared.close();
    const confirmed = await open(registry).confirm(pause());
    expect(errorOf(confirmed, 2)?.message).toContain('the server cannot save the run');
  });
});

describe('a call that nobody can review', () => {
  it('is refused without a question, also if the client sends an answer to it', async () => {
    const registry = new ToolRegistry();
    const long = waiting(3, { input: JSON.stringify({ id: 'x'.repeat(70_000) }) });
    const alone = await open(registry).confirm(pause({ waiting: [long] }));
    expect(errorOf(alone, 3)).toMatchObject({
      message: expect.stringContaining('can read at most 16000 characters'),
      suggestions: ['call_write_tool'],
    });
    const { requestState, inputRequests } = await ask(open(registry), pause({ waiting: [waiting(2), long] }));
    expect(Object.keys(inputRequests)).toEqual(['call_2']);
    const inputResponses = { call_2: allow, call_3: allow };
    const resumed = await open(registry, { requestState, inputResponses }).resume(here);
    expect(codes(resumed?.confirmed ?? new Map())).toEqual([
      [2, 'allowed'],
      [3, 'ErrCallNotAllowed'],
    ]);
  });

  it('is one of several in a round that together are more than a person can read', async () => {
    const registry = new ToolRegistry();
    const long = (id: number) => waiting(id, { input: JSON.stringify({ id: 'x'.repeat(7_000) }) });
    const paused = pause({ waiting: [long(2), long(3), long(4), waiting(5)] });
    const { requestState, inputRequests } = await ask(open(registry), paused);
    expect(Object.keys(inputRequests)).toEqual(['call_2', 'call_3', 'call_5']);
    const inputResponses = { call_2: allow, call_3: allow, call_4: allow, call_5: allow };
    const resumed = await open(registry, { requestState, inputResponses }).resume(here);
    expect(codes(resumed?.confirmed ?? new Map())).toContainEqual([4, 'ErrCallNotAllowed']);
  });

  it('is refused at once after three runs of a request that could not be saved', async () => {
    const confirmations = open(new ToolRegistry());
    const messages: unknown[] = [];
    for (let count = 0; count < 5; count++)
      messages.push(errorOf(await confirmations.confirm(pause({ snapshot: undefined })), 2)?.message);
    expect(messages.map((message) => String(message).includes('the sandbox of this server'))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('a saved run', () => {
  it('belongs to its owner, even if its memo reaches another caller', async () => {
    const saved = savedRunsOf(new ToolRegistry());
    const requestOf = (sub: string, hash?: string): RequestOptions => ({
      caller: { auth: { sub } },
      ...(hash === undefined ? {} : { session: { hash, context: {} } as RequestOptions['session'] }),
    });
    const none = (): ReadonlySet<number> => new Set();
    const memo = await saved.save(pause(), requestOf('ada', 'h'));
    for (const other of [requestOf('eve', 'h'), requestOf('ada'), requestOf('ada', 'x')])
      await expect(saved.claim(memo, other, none)).rejects.toThrow(ErrCodeFailed);
    expect((await saved.claim(memo, requestOf('ada', 'h'), none)).paused.runId).toBe('r');
    for (const wrong of [undefined, 1, {}, { run: 'r' }, { ...memo, texts: '1' }])
      await expect(saved.claim(wrong, requestOf('ada', 'h'), none)).rejects.toThrow(ErrCodeFailed);
  });
});

describe('a store with the text of another run', () => {
  it('does not turn an approval into the approval of another call', async () => {
    const texts = new Map<string, string>();
    const records = {
      get: async (key: string) => texts.get(key),
      set: async (key: string, value: string) => void texts.set(key, value),
      setIfAbsent: async (key: string, value: string) => {
        const found = texts.get(key);
        if (found === undefined) texts.set(key, value);
        return found;
      },
      delete: async (key: string) => void texts.delete(key),
    };
    const registry = new ToolRegistry({ requestStateKey: KEY });
    Object.defineProperty(registry, 'shared', { value: { records, now: Date.now } as unknown as Shared });
    const harmless = await ask(open(registry), pause({ waiting: [waiting(2, { input: '{"id":"one"}' })] }));
    const harmlessKey = [...texts.keys()].find((key) => key.startsWith('code run '));
    await ask(open(registry), pause({ waiting: [waiting(2, { input: '{"id":"all"}' })] }));
    const [, otherKey] = [...texts.keys()].filter((key) => key.startsWith('code run '));
    texts.set(harmlessKey as string, texts.get(otherKey as string) as string);
    const round = { requestState: harmless.requestState, inputResponses: { call_2: allow } };
    await expect(open(registry, round).resume(here)).rejects.toThrow(ErrCodeFailed);
  });
});

/** A request of a client that answers while the request waits. */
function openWaiting(
  answer: AskClient,
  { signal = never, registry = new ToolRegistry(), sub = 'ada' } = {},
): Confirmations {
  const caller = { auth: { sub }, capabilities: FORMS };
  return createConfirmations(registry, { name: 'run_code', caller, ask: answer }, signal);
}

describe('a run that waits for the answer', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('continues without being saved, also without a snapshot', async () => {
    const answer: AskClient = async (questions) =>
      Object.fromEntries(Object.keys(questions).map((key) => [key, allow]));
    for (const snapshot of [undefined, new Uint8Array(10)])
      expect(codes(await openWaiting(answer).confirm(pause({ snapshot })))).toEqual([[2, 'allowed']]);
  });

  it.each([
    ['rejects the question', () => Promise.reject(new ErrInputUnavailable('no'))],
    ['gives no answers', async () => undefined],
    ['answers another question', async () => ({ call_3: allow })],
    ['sends text', async () => ({ call_2: 'yes' })],
    [
      'sends a flag of the prototype',
      async () => ({ call_2: { action: 'accept', content: Object.create({ allow: true }) as object } }),
    ],
  ] as [string, AskClient][])('is refused if the client %s', async (_case, answer) => {
    expect(codes(await openWaiting(answer).confirm(pause()))).toEqual([[2, 'ErrCallNotAllowed']]);
  });

  it('passes on errors of the program', async () => {
    const answer: AskClient = () => Promise.reject(new TypeError('a mistake'));
    await expect(openWaiting(answer).confirm(pause())).rejects.toThrow('a mistake');
  });

  it('ends when the request is cancelled', async () => {
    const controller = new AbortController();
    const confirming = openWaiting(() => new Promise(() => undefined), { signal: controller.signal }).confirm(
      pause(),
    );
    controller.abort();
    await expect(confirming).rejects.toThrow(ErrCancelled);
    await expect(
      openWaiting(() => new Promise(() => undefined), { signal: controller.signal }).confirm(pause()),
    ).rejects.toThrow(ErrCancelled);
  });

  it('is refused after an hour', async () => {
    const confirming = openWaiting(() => new Promise(() => undefined)).confirm(pause());
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect(codes(await confirming)).toEqual([[2, 'ErrCallNotAllowed']]);
  });

  it('is one of at most eight of a caller, and frees its place when it ends in any way', async () => {
    const registry = new ToolRegistry();
    const controller = new AbortController();
    const hang: AskClient = () => new Promise(() => undefined);
    const open8 = Array.from({ length: 8 }, () =>
      openWaiting(hang, { registry, signal: controller.signal }).confirm(pause()),
    );
    const ninth = await openWaiting(hang, { registry }).confirm(pause());
    expect(errorOf(ninth, 2)?.message).toContain('too many runs of this caller wait');
    const yes: AskClient = async () => ({ call_2: allow });
    expect(codes(await openWaiting(yes, { registry, sub: 'eve' }).confirm(pause()))).toEqual([
      [2, 'allowed'],
    ]);
    controller.abort();
    await Promise.allSettled(open8);
    expect(codes(await openWaiting(yes, { registry }).confirm(pause()))).toEqual([[2, 'allowed']]);
  });

  it('takes at most 64 MiB of a caller and 256 MiB of all', async () => {
    const registry = new ToolRegistry();
    const controller = new AbortController();
    const hang: AskClient = () => new Promise(() => undefined);
    const large = pause({ snapshot: new Uint8Array(33 * 1024 * 1024) });
    const { signal } = controller;
    const held = Array.from({ length: 7 }, (_, index) =>
      openWaiting(hang, { registry, signal, sub: `user ${index}` }).confirm(large),
    );
    const own = await openWaiting(hang, { registry, sub: 'user 1' }).confirm(large);
    expect(errorOf(own, 2)?.message).toContain('too many runs of this caller');
    const other = await openWaiting(hang, { registry, sub: 'user 8' }).confirm(large);
    expect(errorOf(other, 2)?.message).toContain('the server cannot save the run');
    controller.abort();
    await Promise.allSettled(held);
  });
});

describe('a client that cannot be asked', () => {
  it.each([undefined, {}, { elicitation: { url: {} } }, { sampling: {} }])(
    'gets a refusal with the capabilities %j that suggests the direct call',
    async (capabilities) => {
      const answer = vi.fn<AskClient>();
      const caller = capabilities ? { capabilities } : {};
      const confirmations = createConfirmations(
        new ToolRegistry(),
        { name: 'run_code', caller, ask: answer },
        never,
      );
      expect(confirmations.rejection).toMatchObject({
        code: 'ErrCallNotAllowed',
        suggestions: ['call_write_tool'],
      });
      expect(codes(await confirmations.confirm(pause()))).toEqual([[2, 'ErrCallNotAllowed']]);
      expect(answer).not.toHaveBeenCalled();
    },
  );

  it('is also one that sends a request without a way to ask', () => {
    const request = { name: 'run_code', caller: { capabilities: FORMS } };
    expect(createConfirmations(new ToolRegistry(), request, never).rejection).toBeDefined();
  });
});
