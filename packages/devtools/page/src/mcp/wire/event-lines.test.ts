import { describe, expect, it } from 'vitest';
import { EventLines } from './event-lines.js';

function read(...pieces: string[]) {
  const events: string[] = [];
  const ids: string[] = [];
  const lines = new EventLines(
    (data) => {
      events.push(data);
      return data.toUpperCase();
    },
    (id) => ids.push(id),
  );
  const passed = pieces.map((piece) => lines.take(piece)).join('') + lines.end();
  return { events, ids, passed };
}

describe('the lines of an event stream', () => {
  it('end with a line feed, a carriage return, or both, also in two pieces', () => {
    for (const end of ['\n', '\r', '\r\n']) {
      const text = `id: 1${end}data: one${end}data:two${end}${end}event: x${end}data: three${end}${end}`;
      const expected = { events: ['one\ntwo', 'three'], ids: ['1'] };
      expect(read(text)).toMatchObject(expected);
      expect(read(...text)).toMatchObject(expected);
    }
  });

  it('are passed on with the replaced data', () => {
    expect(read('id: 1\ndata: one\n\n: note\n').passed).toBe('id: 1\ndata: ONE\n\n: note\n');
  });

  it('may begin with a byte order mark', () => {
    expect(read('\uFEFFdata: one\n\n').events).toEqual(['one']);
    expect(read('\uFEFF', 'data: one\n\n').events).toEqual(['one']);
    expect(read('data: one\n\n', '\uFEFFdata: two\n\n').events).toEqual(['one']);
  });

  it('are no event without an empty line at the end, so that a cut answer does not count as an answer', () => {
    for (const cut of ['data: two', 'data: two\n', 'data: two\r'])
      expect(read('data: one\n\n', cut)).toEqual({ events: ['one'], ids: [], passed: 'data: ONE\n\n' });
    expect(read('data: one\r', '\r').events).toEqual(['one']);
  });

  it('take time in proportion to their length, also if one of them has many pieces', () => {
    const piece = 'x'.repeat(4_000);
    const started = performance.now();
    const { events } = read('data: ', ...Array.from({ length: 2_000 }, () => piece), '\n\n');
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(events[0]).toHaveLength(8_000_000);
  });

  it('have the ids of finished events with data, as the official client reads them', () => {
    expect(read('id: a\ndata:\n\nid:b\n\ndata: one\n\nid: c\ndata: two\n').ids).toEqual(['a']);
  });
});
