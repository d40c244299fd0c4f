import { expect, test } from 'vitest';
import { createSseParser } from './sse.js';

function parseChunks(...chunks: string[]) {
  const events: { event: string; data: string }[] = [];
  const parse = createSseParser((event) => events.push(event));
  for (const chunk of chunks) parse(chunk);
  return events;
}

test('splits a stream into events at empty lines', () => {
  expect(parseChunks('event: change\ndata: {"revision":2}\n\nevent: calls\ndata: {}\n\n')).toEqual([
    { event: 'change', data: '{"revision":2}' },
    { event: 'calls', data: '{}' },
  ]);
});

test('joins the lines of an event that arrive in pieces, also within a line end', () => {
  expect(parseChunks('event: ch', 'ange\r', '\ndata: 1\r\nda', 'ta: 2\r\n', '\r\n')).toEqual([
    { event: 'change', data: '1\n2' },
  ]);
});

test('ignores comments and events without data', () => {
  expect(parseChunks(': ping\n\nevent: change\n\ndata: x\n\n')).toEqual([{ event: 'message', data: 'x' }]);
});
