import { describe, expect, it, vi } from 'vitest';
import type { Id } from '../../protocol/messages.js';
import { EventStream } from '../http/event-stream.js';
import { JsonOrSseResponse } from '../http/json-or-sse-response.js';
import { LiveSession } from './live-sessions.js';
import { SessionCall } from './session-call.js';

describe('calls of a session', () => {
  it('are cancelled by their ids, and 1 differs from "1"', () => {
    const session = new LiveSession();
    const [number, text] = [vi.fn<() => void>(), vi.fn<() => void>()];
    session.calls.set(1, { cancel: number });
    session.calls.set('1', { cancel: text });
    session.cancel('1');
    expect([number.mock.calls.length, text.mock.calls.length]).toEqual([0, 1]);
    session.cancel(1);
    expect(number).toHaveBeenCalledTimes(1);
  });

  it('are not cancelled by invalid ids', () => {
    const session = new LiveSession();
    const cancel = vi.fn<() => void>();
    session.calls.set(1, { cancel });
    const junk = [undefined, null, true, {}, [1], 1.5, JSON.parse('{"toString":1,"valueOf":1}')];
    for (const id of junk) expect(() => session.cancel(id as Id)).not.toThrow();
    expect(cancel).not.toHaveBeenCalled();
  });

  it('may share an id: the end of the first keeps the second', () => {
    const session = new LiveSession();
    const first = new SessionCall(1, { capabilities: {} }, session, new JsonOrSseResponse());
    const second = new SessionCall(1, { capabilities: {} }, session, new JsonOrSseResponse());
    first.end();
    expect(session.isIdle).toBe(false);
    session.cancel(1);
    expect([first.signal().aborted, second.signal().aborted]).toEqual([false, true]);
    second.end();
    expect(session.isIdle).toBe(true);
  });
});

describe('questions of a session', () => {
  it('are answered by their ids, once', async () => {
    const session = new LiveSession();
    const send = vi.fn<() => void>();
    const asked = session.ask('q', send);
    expect(send).toHaveBeenCalledTimes(1);
    session.answer('other', { result: { wrong: true } });
    session.answer(undefined, { result: { wrong: true } });
    session.answer('q', { result: { right: true } });
    session.answer('q', { result: { wrong: true } });
    expect(await asked).toEqual({ result: { right: true } });
    expect(session.isIdle).toBe(true);
  });

  it('may be answered while they are sent', async () => {
    const session = new LiveSession();
    const asked = session.ask('q', () => session.answer('q', { result: {} }));
    expect(await asked).toEqual({ result: {} });
  });
});

describe('the standing stream of a session', () => {
  const connectTo = (stream: EventStream): (() => void) => {
    let close!: () => void;
    stream.connect()({ write: () => true, end: () => {}, onClose: (listener) => (close = listener) });
    return close;
  };

  it('is found by its id, like the streams of calls', () => {
    const session = new LiveSession();
    const [call, standing] = [new EventStream('call'), new EventStream('get-1')];
    session.streams.add(call);
    session.openStandingStream(standing);
    expect(['call', 'get-1', 'get-2', ''].map((id) => session.findStream(id))).toEqual([
      call,
      standing,
      undefined,
      undefined,
    ]);
  });

  it('is replaced by a new one', () => {
    const session = new LiveSession();
    const [first, second] = [new EventStream('get-1'), new EventStream('get-2')];
    session.openStandingStream(first);
    connectTo(first);
    session.openStandingStream(second);
    expect(first.isConnected).toBe(false);
    expect(session.standing).toBe(second);
  });

  it('is kept for a while after its client left, if the client received an event', () => {
    const session = new LiveSession();
    const [quiet, heard] = [new EventStream('get-1'), new EventStream('get-2')];
    session.openStandingStream(quiet);
    connectTo(quiet)();
    session.leave(quiet);
    expect(session.isIdle).toBe(true);
    session.openStandingStream(heard);
    const close = connectTo(heard);
    heard.send('1');
    for (let count = 0; count < 100; count++) session.keepAlive();
    close();
    session.leave(heard);
    for (let count = 0; count < 20; count++) session.keepAlive();
    expect(session.standing).toBe(heard);
    // A client that reconnects starts the time again.
    const again = connectTo(heard);
    session.keepAlive();
    again();
    for (let count = 0; count < 20; count++) session.keepAlive();
    expect(session.isIdle).toBe(false);
    session.keepAlive();
    expect(session.isIdle).toBe(true);
  });
});

describe('the end of a session', () => {
  it('cancels its calls, and closes its streams', () => {
    const session = new LiveSession();
    const cancel = vi.fn<() => void>();
    session.calls.set(1, { cancel });
    const [call, standing] = [new EventStream('call'), new EventStream('get')];
    session.streams.add(call);
    session.openStandingStream(standing);
    const ended: string[] = [];
    for (const [name, stream] of [
      ['call', call],
      ['standing', standing],
    ] as const)
      stream.connect()({ write: () => true, end: () => ended.push(name), onClose: () => {} });
    session.end();
    expect(cancel).toHaveBeenCalledTimes(1);
    expect(ended.toSorted()).toEqual(['call', 'standing']);
    expect(session.streams.size).toBe(0);
    expect(session.standing).toBeUndefined();
  });

  it('by its connection answers its questions with an error and keeps its calls', async () => {
    const session = new LiveSession();
    const cancel = vi.fn<() => void>();
    session.calls.set(1, { cancel });
    const stream = new EventStream('call');
    session.streams.add(stream);
    const asked = [session.ask('a', () => {}), session.ask('b', () => {})];
    session.close();
    for (const answer of await Promise.all(asked)) expect(answer).toHaveProperty('error');
    expect(cancel).not.toHaveBeenCalled();
    expect(session.streams.has(stream)).toBe(true);
    session.calls.clear();
    session.streams.clear();
    expect(session.isIdle).toBe(true);
  });
});

describe('the standing streams of a session in several processes', () => {
  it('end if another process opened a newer one, and are announced again to a process with an older one', () => {
    const [here, there] = [new LiveSession(), new LiveSession()];
    const announce = vi.fn<() => void>();
    there.openStandingStream(new EventStream('_b'), 2, announce);
    // The process with the older stream missed the first announcement.
    here.openStandingStream(new EventStream('_a'), 1);
    expect(there.replaceIfNewer(1)).toBe(false);
    expect(announce).toHaveBeenCalledTimes(2);
    expect(here.replaceIfNewer(2)).toBe(true);
    expect([here.standing, there.standing?.id]).toEqual([undefined, '_b']);
    expect(there.replaceIfNewer(2)).toBe(false);
    expect(announce).toHaveBeenCalledTimes(2);
  });
});
