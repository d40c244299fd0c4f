import { describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../../registry/tool-registry.js';
import { writeResult } from './json-or-sse-response.js';
import type { EdgeAnswer, EventSink } from './request-response.js';
import { EventStream } from './event-stream.js';
import { JsonOrSseResponse } from './json-or-sse-response.js';

/** Reads what an answer says, whatever its form. */
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
  it('is JSON where nothing was said before', async () => {
    const exchange = new JsonOrSseResponse({ headers: { 'x-one': '1', 'x-two': '2' } });
    expect(await isPending(exchange.answer)).toBe(true);
    exchange.finish({ status: 400, headers: { 'x-two': 'other' }, body: '{}' });
    expect(await exchange.answer).toEqual({
      status: 400,
      headers: { 'x-one': '1', 'x-two': 'other' },
      body: '{}',
    });
    expect(exchange.stream).toBeUndefined();
  });

  it('is a stream that begins at once where something was', async () => {
    const exchange = new JsonOrSseResponse({ headers: { 'x-one': '1' } });
    exchange.notify('notifications/progress', { progress: 1 });
    const answer = await exchange.answer;
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-one': '1',
      },
    });
    exchange.ask('{"q":1}');
    exchange.finish({ status: 400, body: '{"a":1}' });
    expect(read(answer)).toEqual([
      event('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}'),
      event('{"q":1}'),
      event('{"a":1}'),
      'end',
    ]);
  });

  it('is a stream of its own kind, made once and primed', async () => {
    const createStream = vi.fn<() => EventStream>(() => new EventStream('s'));
    const exchange = new JsonOrSseResponse({ createStream });
    expect(createStream).not.toHaveBeenCalled();
    exchange.open();
    exchange.open();
    exchange.notify('n', {});
    expect(createStream).toHaveBeenCalledTimes(1);
    expect(read(await exchange.answer)[0]).toBe('id: s_1\nretry: 1000\ndata: \n\n');
  });

  it('has the answers to all requests of a body, in order', async () => {
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

  it('is empty where all requests were cancelled', async () => {
    const exchange = new JsonOrSseResponse({ headers: { 'x-one': '1' } });
    exchange.finishAll([], false);
    const answer = await exchange.answer;
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

describe('where there is no room for a stream', () => {
  it('a call is answered all the same, without what was said before', async () => {
    const exchange = new JsonOrSseResponse({ hasRoom: () => false });
    exchange.notify('n', {});
    expect(exchange.open()).toBeUndefined();
    exchange.finish({ status: 200, body: '{"id":1}' });
    expect(await exchange.answer).toMatchObject({ status: 200, body: '{"id":1}' });
  });

  it('nobody can be asked', () => {
    expect(() => new JsonOrSseResponse({ hasRoom: () => false }).ask('{}')).toThrow('too many streams');
  });
});

describe('what comes after the answer', () => {
  it('opens no stream that nobody would ever read', async () => {
    const createStream = vi.fn<() => EventStream>(() => new EventStream('s'));
    for (const finish of [
      (exchange: JsonOrSseResponse) => exchange.finish({ status: 200, body: '{}' }),
      (exchange: JsonOrSseResponse) => exchange.finishAll(['{}'], false),
    ]) {
      const exchange = new JsonOrSseResponse({ createStream });
      finish(exchange);
      exchange.notify('n', {});
      exchange.ask('{}');
      expect(exchange.open()).toBeUndefined();
      expect(typeof (await exchange.answer).body).not.toBe('function');
    }
    expect(createStream).not.toHaveBeenCalled();
  });

  it('is not sent on the stream', async () => {
    const exchange = new JsonOrSseResponse();
    exchange.open();
    exchange.finish({ status: 200, body: '{}' });
    exchange.notify('n', {});
    expect(read(await exchange.answer)).toEqual([event('{}'), 'end']);
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

  it.each(['2025-11-25', '2026-07-28'] as const)('is the JSON that it would be otherwise: %s', (version) => {
    const tools = registry.view().listTools(version);
    for (const result of [
      { tools },
      { tools, nextCursor: '1.x' },
      { tools, ttlMs: 0, cacheScope: 'private', _meta: { a: [1] } },
      { tools: tools.slice(0, 1) },
      { tools: [...tools] },
    ])
      for (const id of [1, 'a"b'])
        expect(writeResult(id, result, fail)).toBe(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });

  it('is rejected where JSON cannot say what else is in it', () => {
    const errors: unknown[] = [];
    const result = { tools: registry.view().listTools(), count: 1n };
    expect(writeResult(1, result, (error) => errors.push(error))).toContain('"code":-32603');
    expect(errors).toHaveLength(1);
  });
});
