import { describe, expect, it } from 'vitest';
import { isInputRequired } from '../protocol/input-required.js';
import type { InputRequired, WireQuestions } from '../protocol/input-required.js';
import { ErrInvalidRequestState } from '@toolfold/schema/errors';
import { createRoundAsker, RequestState } from './input-rounds.js';
import type { AskClient } from './request-input.js';
import { MemoryStore } from '../stores/memory/memory-store.js';

const states = new RequestState({ key: 'k'.repeat(32), clock: () => 0 });
const questions = (...keys: string[]): WireQuestions =>
  Object.fromEntries(keys.map((key) => [key, { method: 'roots/list', params: {} }]));

interface Round {
  readonly requestState?: string | undefined;
  readonly inputResponses?: unknown;
  readonly code?: string;
  readonly caller?: string;
}

function open({ requestState, inputResponses, code = 'a', caller = 'ada' }: Round = {}): AskClient {
  const request = {
    method: 'tools/call',
    params: { name: 'run_code', arguments: { code } },
    holder: () => caller,
    requestState,
    inputResponses,
  };
  return createRoundAsker(states, request, new MemoryStore());
}

async function asked(asking: Promise<unknown>): Promise<InputRequired> {
  const thrown: unknown = await asking.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isInputRequired(thrown)) throw new Error('The client was not asked.');
  return thrown;
}

describe('a memo', () => {
  it('returns with the answers to its questions', async () => {
    const first = open();
    expect(first.earlier).toBeUndefined();
    const { requestState, inputRequests } = await asked(
      first(questions('call_1', 'call_2'), async () => ({ run: 'r' })),
    );
    expect(Object.keys(inputRequests)).toEqual(['call_1', 'call_2']);
    const answers = { call_1: { action: 'accept' }, other: { roots: [] }, call_2: 'no object' };
    expect(open({ requestState, inputResponses: answers }).earlier).toEqual({
      memo: { run: 'r' },
      answers: { call_1: { action: 'accept' }, other: { roots: [] } },
    });
    expect(open({ requestState }).earlier).toEqual({ memo: { run: 'r' }, answers: {} });
  });

  it('leaves the state of questions without a memo as a list of rounds', async () => {
    const { requestState } = await asked(open()(questions('a')));
    expect(JSON.parse(requestState?.slice(43) ?? '')).toEqual([60 * 60_000, [{}], expect.any(String)]);
    expect(open({ requestState }).earlier).toBeUndefined();
  });

  it('does not use up answers that were sent before its questions were asked', async () => {
    const early = open({ inputResponses: { call_1: { action: 'accept' } } });
    const { requestState } = await asked(early(questions('call_1'), async () => 1));
    expect(open({ requestState }).earlier).toEqual({ memo: 1, answers: {} });
    const later = open({ requestState, inputResponses: { call_2: { action: 'accept' } } });
    const again = await asked(later(questions('call_2'), async () => 2));
    expect(open({ requestState: again.requestState }).earlier).toEqual({ memo: 2, answers: {} });
  });

  it('keeps the answers of earlier rounds, which other questions of the same call get', async () => {
    const first = await asked(open()(questions('who')));
    const second = open({ requestState: first.requestState, inputResponses: { who: { roots: [] } } });
    expect(await second(questions('who'))).toEqual({ who: { roots: [] } });
    const { requestState } = await asked(second(questions('call_1'), async () => 'memo'));
    const third = open({ requestState, inputResponses: { call_1: { action: 'accept' } } });
    expect(await third(questions('who'))).toEqual({ who: { roots: [] } });
    expect(third.earlier).toEqual({ memo: 'memo', answers: { call_1: { action: 'accept' } } });
  });

  it('is made only when the client is asked, and its failure asks nothing', async () => {
    const failing = open()(questions('call_1'), async () => Promise.reject(new Error('full')));
    await expect(failing).rejects.toThrow('full');
  });

  it('belongs to one call of one caller', async () => {
    const { requestState } = await asked(open()(questions('call_1'), async () => 'memo'));
    expect(() => open({ requestState, code: 'b' })).toThrow(ErrInvalidRequestState);
    expect(() => open({ requestState, caller: 'eve' })).toThrow(ErrInvalidRequestState);
    expect(() => open({ requestState: requestState?.replace('memo', 'nemo') })).toThrow(
      ErrInvalidRequestState,
    );
  });
});
