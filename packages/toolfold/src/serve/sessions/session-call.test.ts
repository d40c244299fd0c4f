import { describe, expect, it } from 'vitest';
import type { WireQuestion } from '../../protocol/input-required.js';
import { ErrInputUnavailable } from '@toolfold/schema/errors';
import { EventStream } from '../http/event-stream.js';
import { JsonOrSseResponse } from '../http/json-or-sse-response.js';
import { LiveSession } from './live-sessions.js';
import { SessionCall } from './session-call.js';

const form: WireQuestion = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'm', requestedSchema: {} },
};
const page: WireQuestion = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'm', url: 'https://a.example' },
};
const roots: WireQuestion = { method: 'roots/list', params: {} };
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

function setUp(capabilities: Record<string, unknown> = ALL) {
  const live = new LiveSession();
  const sent: { id: string; method: string; params: Record<string, unknown> }[] = [];
  const response = new JsonOrSseResponse({
    createStream: () => {
      const stream = new EventStream();
      stream.connect()({
        write: (text) => {
          sent.push(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '') as never);
          return true;
        },
        end: () => {},
        onClose: () => {},
      });
      return stream;
    },
  });
  const call = new SessionCall(1, { capabilities }, live, response);
  return { live, sent, response, call };
}

describe('questions of a call in a session', () => {
  it('are sent at once, each with its own id, and are returned under their keys', async () => {
    const { call, live, sent } = setUp();
    const asked = call.ask({ a: form, b: page, c: roots });
    expect(sent.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: 'elicitation/create', params: { message: 'm', requestedSchema: {} } },
      page,
      roots,
    ]);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(3);
    for (const [index, { id }] of sent.toReversed().entries()) live.answer(id, { result: { index } });
    expect(await asked).toEqual({ a: { index: 2 }, b: { index: 1 }, c: { index: 0 } });
    live.calls.clear();
    expect(live.isIdle).toBe(true);
  });

  it('are not sent if the client cannot answer one of them', async () => {
    const { call, sent } = setUp({ elicitation: {} });
    await expect(call.ask({ a: form, b: roots })).rejects.toThrow(/it has no roots/);
    await expect(call.ask({ a: page })).rejects.toThrow(ErrInputUnavailable);
    expect(sent).toEqual([]);
  });

  it('fail if the client rejects one, and only the author sees the reason', async () => {
    const { call, live, sent } = setUp();
    const asked = call.ask({ a: form, b: form });
    live.answer(sent[0]?.id, { error: { code: -1, message: 'secret' } });
    await expect(asked).rejects.toMatchObject({
      message: 'The client did not take the question.',
      cause: { message: 'secret' },
    });
  });

  it('end when the call is cancelled, and accept no later answer', async () => {
    const { call, live, sent } = setUp();
    const asked = call.ask({ a: form, b: form });
    call.cancel();
    await expect(asked).rejects.toThrow(ErrInputUnavailable);
    expect(live.answer(sent[0]?.id, { result: {} })).toBe(false);
    live.calls.clear();
    expect(live.isIdle).toBe(true);
  });

  it('are withdrawn when the call ends without waiting for them', async () => {
    const { call, live, sent } = setUp();
    const asked = call.ask({ a: form, b: form });
    live.answer(sent[0]?.id, { result: {} });
    expect(live.isIdle).toBe(false);
    call.end();
    await expect(asked).rejects.toThrow(ErrInputUnavailable);
    expect(live.isIdle).toBe(true);
  });

  it.each(['end', 'cancel'] as const)('are not sent after the call has ended: %s', async (how) => {
    const { call, live, sent } = setUp();
    call[how]();
    live.calls.clear();
    await expect(call.ask({ a: form })).rejects.toThrow(ErrInputUnavailable);
    expect(sent).toEqual([]);
    expect(live.isIdle).toBe(true);
  });
});
