import { describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../../registry/tool-registry.js';
import type { EdgeAnswer, EventSink } from './request-response.js';
import { EventStream } from './event-stream.js';
import { JsonOrSseResponse } from './json-or-sse-response.js';
import { textOf, writeResult } from './write-message.js';

/** Reads an answer in JSON or SSE. */
function read({ body }: EdgeAnswer): string[] {
  if (typeof body !== 'function') return [String(body)];
  const texts: string[] = [];
  let isEnded = false;
  const sink: EventSink = {
    write: (text) => {
      if (!isEnded) texts.push(text);
      return !isEnded;
    },
    end: () => {
      isEnded = true;
      texts.push('end');
    },
    onClose: () => {},
  };
  body(sink);
  return texts;
}
const event = (json: string): string => `event: message\ndata: ${json}\n\n`;
const isPending = async (answer: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([answer, Promise.resolve('pending')])) === 'pending';

describe('the answer to a request', () => {
  it('is JSON if no notification was sent before', async () => {
    const response = new JsonOrSseResponse({ headers: { 'x-one': '1', 'x-two': '2' } });
    expect(await isPending(response.answer)).toBe(true);
    response.finish({ status: 400, headers: { 'x-two': 'other' }, body: '{}' });
    expect(await response.answer).toEqual({
      status: 400,
      headers: { 'x-one': '1', 'x-two': 'other' },
      body: '{}',
    });
    expect(response.stream).toBeUndefined();
  });

  it('is a stream that starts with the first notification', async () => {
    const response = new JsonOrSseResponse({ headers: { 'x-one': '1' } });
    response.notify('notifications/progress', { progress: 1 });
    const answer = await response.answer;
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-one': '1',
      },
    });
    response.ask('{"q":1}');
    response.finish({ status: 400, body: '{"a":1}' });
    expect(read(answer)).toEqual([
      event('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}'),
      event('{"q":1}'),
      event('{"a":1}'),
      'end',
    ]);
  });

  it('is a custom stream, created once and primed', async () => {
    const createStream = vi.fn<() => EventStream>(() => new EventStream('s'));
    const response = new JsonOrSseResponse({ createStream });
    expect(createStream).not.toHaveBeenCalled();
    response.open();
    response.open();
    response.notify('n', {});
    expect(createStream).toHaveBeenCalledTimes(1);
    expect(read(await response.answer)[0]).toBe('id: s_1\nretry: 1000\ndata: \n\n');
  });

  it('contains the answers to all requests of a body, in order', async () => {
    const batch = new JsonOrSseResponse();
    batch.finishAll(['{"id":1}', '{"id":2}'], true);
    expect(await batch.answer).toMatchObject({ status: 200, body: '[{"id":1},{"id":2}]' });
    const listOfOne = new JsonOrSseResponse();
    listOfOne.finishAll(['{"id":1}'], true);
    expect(await listOfOne.answer).toMatchObject({ body: '[{"id":1}]' });
    const single = new JsonOrSseResponse();
    single.finishAll(['{"id":1}'], false);
    expect(await single.answer).toMatchObject({ body: '{"id":1}' });
    const streamed = new JsonOrSseResponse();
    streamed.open();
    streamed.finishAll(['{"id":1}', '{"id":2}'], true);
    expect(read(await streamed.answer)).toEqual([event('{"id":1}'), event('{"id":2}'), 'end']);
  });

  it('is empty if all requests were cancelled', async () => {
    const response = new JsonOrSseResponse({ headers: { 'x-one': '1' } });
    response.finishAll([], false);
    const answer = await response.answer;
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-one': '1' },
    });
    expect(read(answer)).toEqual(['end']);
    const streamed = new JsonOrSseResponse();
    streamed.open();
    streamed.finishAll([], false);
    expect(read(await streamed.answer)).toEqual(['end']);
  });
});

describe('without room for a stream', () => {
  it('the call is answered without its earlier notifications', async () => {
    const response = new JsonOrSseResponse({ hasRoom: () => false });
    response.notify('n', {});
    expect(response.open()).toBeUndefined();
    response.finish({ status: 200, body: '{"id":1}' });
    expect(await response.answer).toMatchObject({ status: 200, body: '{"id":1}' });
  });

  it('questions are rejected', () => {
    expect(() => new JsonOrSseResponse({ hasRoom: () => false }).ask('{}')).toThrow('too many streams');
  });
});

describe('a message after the answer', () => {
  it('opens no stream', async () => {
    const createStream = vi.fn<() => EventStream>(() => new EventStream('s'));
    for (const finish of [
      (response: JsonOrSseResponse) => response.finish({ status: 200, body: '{}' }),
      (response: JsonOrSseResponse) => response.finishAll(['{}'], false),
    ]) {
      const response = new JsonOrSseResponse({ createStream });
      finish(response);
      response.notify('n', {});
      response.ask('{}');
      expect(response.open()).toBeUndefined();
      expect(typeof (await response.answer).body).not.toBe('function');
    }
    expect(createStream).not.toHaveBeenCalled();
  });

  it('is not sent on the stream', async () => {
    const response = new JsonOrSseResponse();
    response.open();
    response.finish({ status: 200, body: '{}' });
    response.notify('n', {});
    expect(read(await response.answer)).toEqual([event('{}'), 'end']);
  });
});

describe('a result with a list of tools', () => {
  const registry = new ToolRegistry({ name: 'acme' });
  for (const name of ['one', 'two'])
    registry.register({
      name,
      description: `Does ${name}: "ü", \u2028`,
      inputSchema: {},
      handler: () => name,
    });
  const fail = (error: unknown): never => {
    throw error;
  };

  it.each(['2025-11-25', '2026-07-28'] as const)('equals the plain JSON of the result: %s', (version) => {
    const tools = registry.view().listTools(version);
    for (const result of [
      { tools },
      { tools, nextCursor: '1.x' },
      { tools, ttlMs: 0, cacheScope: 'private', _meta: { a: [1] } },
      { tools: tools.slice(0, 1) },
      { tools: [...tools] },
    ])
      for (const id of [1, 'a"b'])
        expect(textOf(writeResult(id, result, fail))).toBe(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });

  it('shares the bytes of the list with other results, and is text in a batch and on a stream', async () => {
    const tools = registry.view().listTools('2025-11-25');
    const [first, second] = [writeResult(1, { tools }, fail), writeResult(2, { tools }, fail)];
    expect(first[1]).toBe(second[1]);
    const whole = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } });
    const batch = new JsonOrSseResponse();
    batch.finishAll([first], true);
    expect(await batch.answer).toMatchObject({ body: `[${whole}]` });
    const stream = new JsonOrSseResponse();
    stream.open();
    stream.finishAll([first], false);
    expect(read(await stream.answer)).toContain(event(whole));
  });

  it('is an error if JSON cannot represent its other fields', () => {
    const errors: unknown[] = [];
    const result = { tools: registry.view().listTools(), count: 1n };
    expect(writeResult(1, result, (error) => errors.push(error))).toContain('"code":-32603');
    expect(errors).toHaveLength(1);
  });
});
