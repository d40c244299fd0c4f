import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { randomId } from '../../runtime/random-id.js';
import { EventStream, readEventId } from './event-stream.js';
import { Connection, connect, sendAll } from '../../../test/serve/event-stream-setup.js';

describe('an event stream', () => {
  it('sends events in order, and ends', () => {
    const stream = new EventStream('s');
    stream.send('1');
    const connection = connect(stream);
    sendAll(stream, 2, 4);
    expect(connection.numbers).toEqual([1, 2, 3, 4]);
    expect(connection.isEnded).toBe(false);
    stream.end();
    stream.send('5');
    expect(connection.numbers).toEqual([1, 2, 3, 4]);
    expect(connection.isEnded).toBe(true);
  });

  it('writes events in the SSE format', () => {
    const stream = new EventStream('s');
    const connection = connect(stream);
    stream.prime();
    stream.send('{"a":1}');
    stream.keepAlive();
    expect(connection.texts).toEqual([
      'id: s_1\nretry: 1000\ndata: \n\n',
      'id: s_2\nevent: message\ndata: {"a":1}\n\n',
      ': keepalive\n\n',
    ]);
  });

  it('writes no ids and no priming event if it cannot be resumed', () => {
    const stream = new EventStream();
    const connection = connect(stream);
    stream.prime();
    stream.send('1');
    expect(connection.texts).toEqual(['event: message\ndata: 1\n\n']);
  });

  it('sends a reconnecting client exactly the missed events, after any id', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.nat(30), fc.nat(10), (sent, seen, later) => {
        const after = Math.min(seen, sent);
        const stream = new EventStream('s');
        sendAll(stream, 1, sent);
        expect(stream.has(after)).toBe(true);
        const connection = connect(stream, after);
        sendAll(stream, sent + 1, sent + later);
        stream.end();
        const all = Array.from({ length: sent + later }, (_, index) => index + 1);
        expect(connection.numbers).toEqual(all.slice(after));
        expect(connection.isEnded).toBe(true);
      }),
    );
  });

  it('has one connection at a time: a new one ends the old', () => {
    const stream = new EventStream('s');
    const left = vi.fn<() => void>();
    stream.onDisconnect = left;
    const first = connect(stream);
    stream.send('1');
    const second = connect(stream, 1);
    stream.send('2');
    expect(first.isEnded).toBe(true);
    expect([first.numbers, second.numbers]).toEqual([[1], [2]]);
    // The end of the replaced connection is ignored.
    first.drop();
    expect(stream.isConnected).toBe(true);
    expect(left).not.toHaveBeenCalled();
    stream.send('3');
    expect(second.numbers).toEqual([2, 3]);
  });

  it('reports a disconnect before the end, and not after it', () => {
    const left = vi.fn<() => void>();
    const stream = new EventStream('s');
    stream.onDisconnect = left;
    connect(stream).drop();
    expect(left).toHaveBeenCalledTimes(1);
    expect(stream.isConnected).toBe(false);
    const second = connect(stream);
    stream.end();
    second.drop();
    expect(left).toHaveBeenCalledTimes(1);
  });

  it('disconnects a client that reads too slowly, and keeps the rest for its return', () => {
    const left = vi.fn<() => void>();
    const stream = new EventStream('s');
    stream.onDisconnect = left;
    const slow = connect(stream, 0, 2);
    sendAll(stream, 1, 5);
    expect(slow.numbers).toEqual([1, 2]);
    expect(slow.isEnded).toBe(true);
    expect(left).toHaveBeenCalledTimes(1);
    expect(connect(stream, 2).numbers).toEqual([3, 4, 5]);
  });

  it('disconnects a client that does not read the missed events', () => {
    const stream = new EventStream('s');
    sendAll(stream, 1, 5);
    const slow = connect(stream, 0, 2);
    expect(slow.isEnded).toBe(true);
    expect(stream.isConnected).toBe(false);
    expect(connect(stream, 2).numbers).toEqual([3, 4, 5]);
  });

  it('releases a connection, and continues for a client that reconnects', () => {
    const left = vi.fn<() => void>();
    const stream = new EventStream('s');
    stream.onDisconnect = left;
    const first = connect(stream);
    stream.send('1');
    stream.release();
    expect(first.isEnded).toBe(true);
    stream.send('2');
    const second = connect(stream, 1);
    stream.send('3');
    stream.end();
    expect(second.numbers).toEqual([2, 3]);
    expect(left).not.toHaveBeenCalled();
  });

  it('releases a future connection once it has received the pending events', () => {
    const stream = new EventStream('s');
    stream.prime();
    stream.release();
    const first = connect(stream);
    expect(first.lastId).toBe('s_1');
    expect(first.isEnded).toBe(true);
    const second = connect(stream, 1);
    expect(second.isEnded).toBe(false);
    stream.send('2');
    expect(second.numbers).toEqual([2]);
  });

  it('sends the missed events to a client that reconnects after the end', () => {
    const stream = new EventStream('s');
    sendAll(stream, 1, 3);
    stream.end();
    for (const after of [0, 1, 2, 3]) {
      const connection = connect(stream, after);
      expect(connection.numbers).toEqual([1, 2, 3].slice(after));
      expect(connection.isEnded).toBe(true);
    }
  });
});

describe('the buffer of a stream', () => {
  it('has at most the latest thousand events', () => {
    const stream = new EventStream('s');
    sendAll(stream, 1, 2_500);
    expect([0, 1_499].map((after) => stream.has(after))).toEqual([false, false]);
    expect([1_500, 2_499, 2_500].map((after) => stream.has(after))).toEqual([true, true, true]);
    expect(stream.has(2_501)).toBe(false);
    expect(connect(stream, 1_500).numbers).toHaveLength(1_000);
  });

  it('has at most one mebibyte, and the last event of any size', () => {
    const stream = new EventStream('s');
    for (let count = 0; count < 50; count++) {
      stream.send(JSON.stringify('x'.repeat(100_000)));
      expect(stream.keptLength).toBeLessThanOrEqual(1024 * 1024);
    }
    expect(stream.has(40)).toBe(true);
    expect(stream.has(10)).toBe(false);
    stream.send(JSON.stringify('x'.repeat(3_000_000)));
    expect(stream.has(50)).toBe(true);
    expect(stream.has(49)).toBe(false);
    stream.send('1');
    expect(stream.keptLength).toBeLessThan(1_000);
  });

  it('has the size that it reports, for any events', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 20 }), (sizes) => {
        const stream = new EventStream('s');
        for (const size of sizes) stream.send('x'.repeat(size));
        const connection = new Connection();
        stream.connect(0)(connection);
        expect(stream.keptLength).toBe(connection.texts.join('').length);
      }),
    );
  });

  it('is empty if the stream cannot be resumed, once a client has connected', () => {
    const stream = new EventStream();
    sendAll(stream, 1, 3);
    expect(stream.keptLength).toBeGreaterThan(0);
    const connection = connect(stream);
    expect(connection.numbers).toEqual([1, 2, 3]);
    expect(stream.keptLength).toBe(0);
    sendAll(stream, 4, 5);
    expect(stream.keptLength).toBe(0);
    connection.drop();
    sendAll(stream, 6, 9);
    expect(stream.keptLength).toBe(0);
  });
});

describe('the id of an event', () => {
  it('is parsed as it was written, for any stream id', () => {
    for (let count = 0; count < 200; count++) {
      const id = randomId();
      const stream = new EventStream(id);
      sendAll(stream, 1, 3);
      expect(readEventId(connect(stream).lastId ?? '')).toEqual({ stream: id, number: 3 });
    }
    for (const id of ['get', '_', 'a_1', '-_-', '1_2_3'])
      expect(readEventId(`${id}_7`)).toEqual({ stream: id, number: 7 });
  });

  it.each([
    '',
    'a',
    '_1',
    'a_',
    'a_x',
    'a_-1',
    'a_1.5',
    'a b_1',
    `${'a'.repeat(65)}_1`,
    'a_1234567890',
    'a_1\n',
    '../a_1',
  ])('cannot be %j', (text) => {
    expect(readEventId(text)).toBeUndefined();
  });
});
