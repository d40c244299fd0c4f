import { describe, expect, it, vi } from 'vitest';
import type { EventSink } from './request-response.js';
import { defaultJsonLimits } from '@toolfold/schema/internal';
import { ArrivingBodies } from './request-body.js';
import { EventStream } from './event-stream.js';
import { Capacity } from './capacity.js';
import { toResponse, WebConnection } from './web-connection.js';

const MEBIBYTE = 1024 * 1024;

describe('an answer as a response', () => {
  it('has status, headers and text', async () => {
    const response = toResponse({ status: 404, headers: { 'x-a': '1' }, body: '{"a":"ä"}' });
    expect([response.status, response.headers.get('content-type'), response.headers.get('x-a')]).toEqual([
      404,
      'application/json',
      '1',
    ]);
    expect(await response.json()).toEqual({ a: 'ä' });
  });

  it('may have several parts, or none', async () => {
    const parts = toResponse({ status: 200, body: ['{"ä":', new TextEncoder().encode('"€"'), '}'] });
    expect(await parts.json()).toEqual({ ä: '€' });
    const empty = toResponse({ status: 202, headers: { 'x-a': '1' }, body: undefined });
    expect([empty.status, empty.body, empty.headers.get('x-a')]).toEqual([202, null, '1']);
  });
});

describe('events as a response', () => {
  function open(onStreamEnd: () => void = () => {}) {
    let sink!: EventSink;
    const answer = { status: 200, headers: {}, body: (given: EventSink) => void (sink = given) };
    const response = toResponse(answer, { onStreamEnd });
    return { sink, response };
  }

  it('arrive as they are written, until the end', async () => {
    const { sink, response } = open();
    expect(sink.write('a')).toBe(true);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('a');
    sink.write('ä');
    expect((await reader.read()).value).toBe('ä');
    sink.end();
    expect((await reader.read()).done).toBe(true);
    expect(sink.write('late')).toBe(false);
  });

  it('may be large: the size of one event does not make a client slow', async () => {
    const { sink, response } = open();
    const large = 'x'.repeat(3 * MEBIBYTE);
    expect(sink.write(large)).toBe(true);
    sink.end();
    expect((await response.text()).length).toBe(large.length);
  });

  it('end if a client does not read the queued events', () => {
    const { sink } = open();
    const event = 'x'.repeat(100_000);
    let written = 0;
    while (sink.write(event) && written < 1_000) written++;
    expect(written * event.length).toBeGreaterThanOrEqual(MEBIBYTE - event.length);
    expect(written * event.length).toBeLessThanOrEqual(MEBIBYTE + event.length);
  });

  it('continue for a client that reads', async () => {
    const { sink, response } = open();
    const reader = response.body!.getReader();
    const event = 'x'.repeat(300_000);
    for (let count = 0; count < 50; count++) {
      expect(sink.write(event)).toBe(true);
      await reader.read();
    }
  });

  it('count the queue in bytes', () => {
    const { sink } = open();
    const event = '€'.repeat(100_000);
    let written = 0;
    while (sink.write(event) && written < 1_000) written++;
    expect(written).toBeLessThanOrEqual(5);
  });

  it.each([
    ['by the server', ({ sink }: ReturnType<typeof open>) => sink.end()],
    ['by the client', ({ response }: ReturnType<typeof open>) => void response.body?.cancel()],
    [
      'by both',
      ({ sink, response }: ReturnType<typeof open>) => {
        void response.body?.cancel();
        sink.end();
        sink.end();
      },
    ],
  ])('end only once if they are ended %s', (_who, end) => {
    const [onEnd, onClose] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const opened = open(onEnd);
    opened.sink.onClose(onClose);
    end(opened);
    expect([onEnd.mock.calls.length, onClose.mock.calls.length]).toEqual([1, 1]);
    expect(opened.sink.write('late')).toBe(false);
  });

  it('of a stream that is cut can be resumed', async () => {
    const stream = new EventStream('s');
    toResponse({ status: 200, body: stream.connect() });
    const event = JSON.stringify('x'.repeat(200_000));
    for (let count = 0; count < 8; count++) stream.send(event);
    expect(stream.isConnected).toBe(false);
    stream.send('"last"');
    expect(stream.has(6)).toBe(true);
    const again = toResponse({ status: 200, body: stream.connect(6) });
    stream.end();
    const text = await again.text();
    expect(text.match(/^id: s_\d+$/gm)).toEqual(['id: s_7', 'id: s_8', 'id: s_9']);
  });
});

describe('the body of a request', () => {
  const bodiesUpTo = (maxBodyBytes: number): ArrivingBodies =>
    new ArrivingBodies(new Capacity({ maxRequests: 1, maxStreams: 1, maxBodyBytes }), {
      maxBodyBytes,
      bodyTimeoutMs: 10_000,
    });
  const read = (body: string | null, maxBytes = 1_000, headers: Record<string, string> = {}) =>
    new WebConnection(new Request('http://localhost', { method: 'POST', body, headers })).readBody({
      bodies: bodiesUpTo(maxBytes),
      jsonLimits: defaultJsonLimits,
    });
  const bytes = (...chunks: (readonly number[])[]): ReadableStream<Uint8Array> =>
    ReadableStream.from(chunks.map((chunk) => Uint8Array.from(chunk))) as never;
  const readStream = (body: ReadableStream<Uint8Array>, maxBytes = 1_000) =>
    new WebConnection(
      new Request('http://localhost', { method: 'POST', body, duplex: 'half' } as RequestInit),
    ).readBody({ bodies: bodiesUpTo(maxBytes), jsonLimits: defaultJsonLimits });

  it.each([['{"a":1}'], ['[]'], ['null'], ['"ä€😀"'], [' 5 ']])('is parsed as JSON: %s', async (text) => {
    expect(await read(text)).toEqual({ body: JSON.parse(text) as unknown });
  });

  it.each([[''], ['{'], ['{"a":1}}'], ["{'a':1}"], ['undefined'], [null]])(
    'is rejected: %j',
    async (text) => {
      expect(await read(text)).toMatchObject({ rejected: { status: 400 } });
    },
  );

  it('may arrive in chunks of any size', async () => {
    const whole = [...new TextEncoder().encode('{"a":"€😀"}')];
    for (let at = 1; at < whole.length; at++)
      expect(await readStream(bytes(whole.slice(0, at), whole.slice(at)))).toEqual({ body: { a: '€😀' } });
  });

  it('is rejected if it is not UTF-8, or is incomplete', async () => {
    for (const wrong of [
      [0x22, 0xff, 0x22],
      [0x22, 0xe2, 0x82, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0xe2, 0x82],
    ])
      expect(await readStream(bytes(wrong))).toMatchObject({ rejected: { status: 400 } });
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('gone')),
    });
    expect(await readStream(broken)).toMatchObject({ rejected: { status: 400 } });
  });

  it('is rejected if it is too large, for any declared length', async () => {
    const exact = JSON.stringify('x'.repeat(998));
    expect(await read(exact, 1_000)).toHaveProperty('body');
    expect(await read(`${exact} `, 1_000)).toMatchObject({ rejected: { status: 413 } });
    expect(
      await readStream(
        bytes(
          [0x22],
          Array.from({ length: 999 }, () => 0x78),
          [0x22],
        ),
      ),
    ).toMatchObject({
      rejected: { status: 413 },
    });
    expect(await read('{}', 1_000, { 'content-length': '5000' })).toMatchObject({
      rejected: { status: 413 },
    });
    expect(await read('{}', 1_000, { 'content-length': 'many' })).toEqual({ body: {} });
  });

  it('is cancelled if it never ends', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled++;
        controller.enqueue(new Uint8Array(100).fill(0x20));
      },
    });
    expect(await readStream(endless, 1_000)).toMatchObject({ rejected: { status: 413 } });
    expect(pulled).toBeLessThan(20);
  });

  it('keeps prototype keys as plain keys', async () => {
    const found = await read('{"__proto__":{"polluted":1}}');
    expect(Object.keys(found?.body as object)).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });
});
