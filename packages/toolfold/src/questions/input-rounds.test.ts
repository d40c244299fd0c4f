import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { RequestInput } from '../define/input-question.js';
import type { WireQuestions } from '../protocol/input-required.js';
import { ErrInvalidRequestState } from '@toolfold/schema/errors';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { Store } from '../stores/contracts.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { internalsOf } from '../registry/any-registry.js';

interface Round {
  readonly inputResponses?: unknown;
  readonly requestState?: unknown;
}
interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly sub?: string;
  readonly method?: string;
}
interface Asked {
  readonly inputRequests: WireQuestions;
  readonly requestState: string;
}

const CALL: Call = { name: 'book', arguments: {} };
const schema = z.object({ value: z.string() });
const question = (message: string) => ({ message, schema });
const answer = (value: string) => ({ action: 'accept', content: { value } });

/** A tool with the handler under test, called like a 2026-07-28 server does. */
function setUp(
  handler: (ask: RequestInput) => unknown,
  { clock, key = 'k'.repeat(32), store }: { clock?: () => number; key?: string; store?: Store } = {},
) {
  const ran = vi.fn<(ask: RequestInput) => unknown>(handler);
  const registry = new ToolRegistry({
    requestStateKey: key,
    rateLimiter: false,
    ...(clock ? { clock } : {}),
    ...(store ? { store } : {}),
  });
  for (const name of ['book', 'other'])
    registry.register({
      name,
      description: 'Asks',
      inputSchema: z.object({ seat: z.unknown().optional() }),
      handler: ({ context }) => ran(context.requestInput),
    });
  const send = async (round: Round = {}, call: Call = CALL): Promise<CallToolResult> => {
    const caller = call.sub === undefined ? {} : { auth: { sub: call.sub } };
    const params = { name: call.name, arguments: call.arguments };
    const ask = internalsOf(registry).askInRounds(
      { method: call.method ?? 'tools/call', params, ...round },
      { caller },
    );
    return registry.executeTool({ ...params, caller, ask });
  };
  const ask = async (round?: Round, call?: Call): Promise<Asked> => {
    const result = await send(round, call);
    expect(result.resultType).toBe('input_required');
    return result as unknown as Asked;
  };
  return { registry, ran, send, ask };
}

const textOf = (result: CallToolResult): unknown =>
  (result.content[0] as { text?: unknown } | undefined)?.text;

/** Asks three questions in three rounds. */
const threeRounds = async (ask: RequestInput): Promise<string> => {
  const { what } = await ask({ what: question('What?') });
  const { where } = await ask({ where: question('Where?') });
  const { sure } = await ask({ sure: question('Sure?') });
  return [what, where, sure].map(({ content }) => String(content?.value)).join(' ');
};

describe('questions in rounds', () => {
  it('are asked one round after the other, and the handler restarts for each', async () => {
    const { ask, send, ran } = setUp(threeRounds);
    const first = await ask();
    expect(Object.keys(first.inputRequests)).toEqual(['what']);
    const second = await ask({ requestState: first.requestState, inputResponses: { what: answer('a') } });
    expect(Object.keys(second.inputRequests)).toEqual(['where']);
    const third = await ask({ requestState: second.requestState, inputResponses: { where: answer('b') } });
    expect(Object.keys(third.inputRequests)).toEqual(['sure']);
    const done = await send({ requestState: third.requestState, inputResponses: { sure: answer('c') } });
    expect(textOf(done)).toBe('a b c');
    expect(ran).toHaveBeenCalledTimes(4);
  });

  it('are repeated only if they are unanswered', async () => {
    const { ask, send } = setUp(async (ask) => {
      const answers = await ask({ a: question('A'), b: question('B'), c: question('C') });
      return Object.values(answers)
        .map(({ content }) => String(content?.value))
        .join(' ');
    });
    const first = await ask();
    expect(Object.keys(first.inputRequests)).toEqual(['a', 'b', 'c']);
    const second = await ask({ requestState: first.requestState, inputResponses: { b: answer('2') } });
    expect(Object.keys(second.inputRequests)).toEqual(['a', 'c']);
    const third = await ask({ requestState: second.requestState, inputResponses: { c: answer('3') } });
    expect(Object.keys(third.inputRequests)).toEqual(['a']);
    // A missing list of answers is no answer either.
    const again = await ask({ requestState: third.requestState });
    expect(Object.keys(again.inputRequests)).toEqual(['a']);
    const done = await send({ requestState: again.requestState, inputResponses: { a: answer('1') } });
    expect(textOf(done)).toBe('1 2 3');
  });

  it('may use one key in two rounds, with an answer for each', async () => {
    const { ask, send } = setUp(async (ask) => {
      const first = await ask({ name: question('Whose?') });
      const second = await ask({ name: question('And whose?') });
      return `${String(first.name.content?.value)} ${String(second.name.content?.value)}`;
    });
    const first = await ask();
    const second = await ask({ requestState: first.requestState, inputResponses: { name: answer('Ada') } });
    expect(second.inputRequests['name']?.params).toMatchObject({ message: 'And whose?' });
    const done = await send({ requestState: second.requestState, inputResponses: { name: answer('Bob') } });
    expect(textOf(done)).toBe('Ada Bob');
  });

  it('accept answers to the first round without a state', async () => {
    const { ask } = setUp(threeRounds);
    expect(Object.keys((await ask({ inputResponses: { what: answer('a') } })).inputRequests)).toEqual([
      'where',
    ]);
    expect(Object.keys((await ask({ inputResponses: { where: answer('b') } })).inputRequests)).toEqual([
      'what',
    ]);
  });

  it('accept no answer before they are asked', async () => {
    const { ask } = setUp(threeRounds);
    const first = await ask();
    const early = { what: answer('a'), where: answer('early'), sure: answer('early') };
    const second = await ask({ requestState: first.requestState, inputResponses: early });
    expect(Object.keys(second.inputRequests)).toEqual(['where']);
    const third = await ask({ requestState: second.requestState, inputResponses: { where: answer('b') } });
    expect(Object.keys(third.inputRequests)).toEqual(['sure']);
  });

  it.each([
    ['a text', 'yes'],
    ['nothing', null],
    ['a list', [answer('x')]],
    ['a number', 1],
  ])('are repeated if the answer is %s', async (_what, junk) => {
    const { ask } = setUp(threeRounds);
    const first = await ask();
    const second = await ask({ requestState: first.requestState, inputResponses: { what: junk } });
    expect(Object.keys(second.inputRequests)).toEqual(['what']);
  });

  it.each([['a text'], [null], [[]], [1], [{}]])('are repeated if the answers are %j', async (junk) => {
    const { ask } = setUp(threeRounds);
    const { requestState } = await ask();
    expect(Object.keys((await ask({ requestState, inputResponses: junk })).inputRequests)).toEqual(['what']);
  });

  it('are asked one after the other if a handler asks concurrently', async () => {
    const { ask, send } = setUp(async (ask) => {
      const answers = await Promise.all([ask({ left: question('L') }), ask({ right: question('R') })]);
      const [{ left }, { right }] = answers;
      return `${String(left.content?.value)} ${String(right.content?.value)}`;
    });
    const first = await ask();
    expect(Object.keys(first.inputRequests)).toEqual(['left']);
    const second = await ask({ requestState: first.requestState, inputResponses: { left: answer('1') } });
    expect(Object.keys(second.inputRequests)).toEqual(['right']);
    const done = await send({ requestState: second.requestState, inputResponses: { right: answer('2') } });
    expect(textOf(done)).toBe('1 2');
  });

  it('may be empty', async () => {
    const { ask, send } = setUp(async (ask) => {
      expect(await ask({})).toEqual({});
      const { what } = await ask({ what: question('What?') });
      return String(what.content?.value);
    });
    const { requestState } = await ask();
    expect(textOf(await send({ requestState, inputResponses: { what: answer('a') } }))).toBe('a');
  });

  it('may have the names of prototype properties', async () => {
    const keys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const { ask, send } = setUp(async (ask) => {
      const questions = Object.fromEntries(keys.map((key) => [key, question(key)]));
      const answers = await ask(questions);
      return keys.map((key) => String(answers[key]?.content?.value)).join(' ');
    });
    const first = await ask();
    expect(Object.keys(first.inputRequests)).toEqual(keys);
    // Inherited properties do not count as answers.
    expect(
      Object.keys((await ask({ requestState: first.requestState, inputResponses: {} })).inputRequests),
    ).toEqual(keys);
    const proto: unknown = JSON.parse('{"__proto__":{"action":"accept","content":{"value":"1"}}}');
    const second = await ask({ requestState: first.requestState, inputResponses: proto });
    expect(Object.keys(second.inputRequests)).toEqual(keys.slice(1));
    const rest = Object.fromEntries(keys.slice(1).map((key, index) => [key, answer(String(index + 2))]));
    expect(textOf(await send({ requestState: second.requestState, inputResponses: rest }))).toBe('1 2 3 4');
  });

  it('give the handler the same answers in every way to answer', async () => {
    const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
    const plan = fc.array(fc.uniqueArray(key, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4,
    });
    let rounds: readonly string[][] = [];
    const { send } = setUp(async (ask) => {
      const heard: unknown[] = [];
      for (const keys of rounds) {
        const questions = Object.fromEntries(keys.map((each) => [each, question(each)]));
        const answers = await ask(questions);
        heard.push(keys.map((each) => answers[each]?.content?.value));
      }
      return { content: [], structuredContent: { heard } };
    });
    await fc.assert(
      fc.asyncProperty(plan, fc.infiniteStream(fc.nat(0xff)), async (planned, dice) => {
        rounds = planned;
        const given: string[][] = [];
        let count = 0;
        let result = await send();
        for (let turn = 0; result.resultType === 'input_required' && turn < 100; turn++) {
          const { inputRequests, requestState } = result as unknown as Asked;
          const asked = Object.keys(inputRequests);
          // The responses contain some of the questions, sometimes none, and sometimes unknown ones.
          const rolled = dice.next().value as number;
          const chosen = asked.filter((_, index) => (rolled >> index) % 2 === 1);
          const answers = chosen.map((each) => [each, answer(String(count++))] as const);
          given.push(...answers.map(([each, { content }]) => [each, content.value]));
          const junk = rolled % 3 === 0 ? [['unasked', answer('junk')] as const] : [];
          result = await send({ requestState, inputResponses: Object.fromEntries([...junk, ...answers]) });
        }
        expect(result.structuredContent).toEqual({ heard: expectedAnswers(rounds, given) });
      }),
      { numRuns: 50 },
    );
  });
});

/** The expected answers: each question gets the answer for its key in its round, in order. */
function expectedAnswers(rounds: readonly string[][], given: readonly string[][]): unknown[] {
  const left = [...given];
  return rounds.map((keys) => {
    const own = left.splice(0, keys.length);
    return keys.map((key) => own.find(([each]) => each === key)?.[1]);
  });
}

describe('the state between two rounds', () => {
  const rejected = async (asked: Promise<unknown>): Promise<void> => {
    await expect(asked).rejects.toThrow(ErrInvalidRequestState);
  };
  const mine: Call = { name: 'book', arguments: { seat: 1 }, sub: 'ada' };

  it('is rejected for another caller, other arguments, another tool or another method', async () => {
    const { ask, send, ran } = setUp(threeRounds);
    const { requestState } = await ask({}, mine);
    const round = { requestState, inputResponses: { what: answer('a') } };
    ran.mockClear();
    const { sub: _, ...nobody } = mine;
    await rejected(send(round, { ...mine, sub: 'bob' }));
    await rejected(send(round, nobody));
    await rejected(send(round, { ...mine, arguments: { seat: 2 } }));
    await rejected(send(round, { ...mine, arguments: {} }));
    await rejected(send(round, { ...mine, arguments: { seat: '1' } }));
    await rejected(send(round, { ...mine, name: 'other' }));
    await rejected(send(round, { ...mine, method: 'prompts/get' }));
    expect(ran).not.toHaveBeenCalled();
    expect((await send(round, mine)).resultType).toBe('input_required');
  });

  it('is valid for any order of the arguments', async () => {
    const { ask } = setUp(threeRounds);
    const { requestState } = await ask({}, { ...mine, arguments: { seat: { a: 1, b: 2 } } });
    const round = { requestState, inputResponses: { what: answer('a') } };
    const again = await ask(round, { ...mine, arguments: { seat: { b: 2, a: 1 } } });
    expect(Object.keys(again.inputRequests)).toEqual(['where']);
  });

  it('is accepted by another process with the same key, and rejected with another key', async () => {
    const { ask } = setUp(threeRounds);
    const { requestState } = await ask();
    const round = { requestState, inputResponses: { what: answer('a') } };
    expect(Object.keys((await setUp(threeRounds).ask(round)).inputRequests)).toEqual(['where']);
    await rejected(setUp(threeRounds, { key: 'x'.repeat(32) }).send(round));
  });

  it('expires after an hour', async () => {
    let now = 0;
    const { ask, send } = setUp(threeRounds, { clock: () => now });
    const { requestState } = await ask();
    now = 60 * 60_000 - 1;
    expect((await send({ requestState })).resultType).toBe('input_required');
    now += 1;
    await rejected(send({ requestState }));
  });

  it.each(['', 'forged', 5, {}, []])('cannot be %j', async (requestState) => {
    const { send, ran } = setUp(threeRounds);
    await rejected(send({ requestState }));
    expect(ran).not.toHaveBeenCalled();
  });

  it('fails the call if the answers are too large for it', async () => {
    const { ask, send } = setUp(threeRounds);
    const { requestState } = await ask();
    const result = await send({ requestState, inputResponses: { what: answer('x'.repeat(300 * 1024)) } });
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'toolfold/error': { code: 'ErrInvalidRequestState' } },
    });
  });
});

describe('a call that has run with the answers of its state', () => {
  /** Asks twice, then writes. */
  function setUpWriter(options?: Parameters<typeof setUp>[1]) {
    const written: string[] = [];
    const write = async (ask: RequestInput): Promise<string> => {
      const { what } = await ask({ what: question('What?') });
      const { sure } = await ask({ sure: question('Sure?') });
      written.push(`${String(what.content?.value)} ${String(sure.content?.value)}`);
      return 'done';
    };
    return { ...setUp(write, options), written };
  }

  it('does not run again, however often its state is sent', async () => {
    const { ask, send, written } = setUpWriter();
    const first = await ask();
    const what = { requestState: first.requestState, inputResponses: { what: answer('a') } };
    const second = await ask(what);
    const sure = { requestState: second.requestState, inputResponses: { sure: answer('yes') } };
    const results = await Promise.all(Array.from({ length: 6 }, async () => send(sure)));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(written).toEqual(['a yes']);
    expect(textOf(await send(sure))).toContain('already run');
    // An earlier round leads to no second run either.
    expect(textOf(await send(what))).toContain('already run');
    expect(written).toEqual(['a yes']);
  });

  it('can be asked again after a round whose answer was lost', async () => {
    const { ask, send, written } = setUpWriter();
    const first = await ask();
    const what = { requestState: first.requestState, inputResponses: { what: answer('a') } };
    await ask(what);
    const second = await ask(what);
    await send({ requestState: second.requestState, inputResponses: { sure: answer('yes') } });
    expect(written).toEqual(['a yes']);
  });

  it('does not run again in a process that shares the store', async () => {
    const store = new MemoryStore({ evicts: false });
    const one = setUpWriter({ store });
    const other = setUpWriter({ store });
    const { requestState } = await one.ask();
    const round = { requestState, inputResponses: { what: answer('a'), sure: answer('yes') } };
    const second = await one.ask(round);
    const sure = { requestState: second.requestState, inputResponses: { sure: answer('yes') } };
    await Promise.all([one.send(sure), other.send(sure)]);
    expect([...one.written, ...other.written]).toEqual(['a yes']);
  });

  it('does not run while the store cannot be reached', async () => {
    const store = new MemoryStore({ evicts: false });
    const { ask, send, written } = setUpWriter({ store });
    const { requestState } = await ask();
    const second = await ask({ requestState, inputResponses: { what: answer('a') } });
    vi.spyOn(store, 'setIfAbsent').mockRejectedValue(new Error('down'));
    const result = await send({ requestState: second.requestState, inputResponses: { sure: answer('yes') } });
    expect(result.isError).toBe(true);
    expect(written).toEqual([]);
  });
});
