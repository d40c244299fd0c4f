import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { LineReader, readLine } from './stdio-messages.js';

const read = (line: unknown, protocolVersion?: string) =>
  readLine(typeof line === 'string' ? line : JSON.stringify(line), {
    protocolVersion,
    limits: { maxDepth: 5, maxValues: 20 },
    onError: () => {},
  });
const request = (id: unknown, params?: unknown) => ({ jsonrpc: '2.0', id, method: 'm', params });
const rejectionsOf = (line: unknown, protocolVersion?: string): unknown[] =>
  read(line, protocolVersion).rejections.map((text) => JSON.parse(text) as unknown);

describe('a line of standard input', () => {
  it('is a request, or another message', () => {
    const notification = { jsonrpc: '2.0', method: 'n' };
    expect(read(request(1))).toMatchObject({
      requests: [{ id: 1 }],
      others: [],
      rejections: [],
      isBatch: false,
    });
    expect(read(notification)).toMatchObject({ requests: [], others: [notification], rejections: [] });
    expect(read({ jsonrpc: '2.0', id: 1, result: {} })).toMatchObject({ others: [{ id: 1 }] });
  });

  it('is rejected with the id of its request, if it can be found', () => {
    expect(rejectionsOf(request('a', 5))).toMatchObject([{ id: 'a', error: { code: -32_600 } }]);
    expect(rejectionsOf(request(1.5))).toMatchObject([{ id: null, error: { code: -32_600 } }]);
    expect(rejectionsOf('5')).toMatchObject([{ id: null }]);
    expect(rejectionsOf('{')).toMatchObject([{ id: null, error: { code: -32_700 } }]);
  });

  it('is not rejected if it is an answer, so that two servers do not send each other errors without end', () => {
    const onError = vi.fn<(error: unknown) => void>();
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 5 });
    const limits = { maxDepth: 5, maxValues: 20 };
    expect(readLine(line, { protocolVersion: undefined, limits, onError })).toEqual({
      requests: [],
      others: [],
      rejections: [],
      isBatch: false,
    });
    expect(onError).toHaveBeenCalledTimes(1);
    expect(rejectionsOf({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'x' } })).toEqual([]);
  });

  it('is rejected if it is nested too deep or has too many values, with the id of its request', () => {
    const many = { list: Array.from({ length: 100 }, () => 'value') };
    const message = expect.stringContaining('maxValues') as string;
    const rejection = (id: unknown) => [{ jsonrpc: '2.0', id, error: { code: -32_600, message } }];
    expect(rejectionsOf({ jsonrpc: '2.0', id: 7, method: 'm', params: many })).toEqual(rejection(7));
    expect(rejectionsOf({ method: 'm', params: many, jsonrpc: '2.0', id: 'last' })).toEqual(
      rejection('last'),
    );
    expect(rejectionsOf({ jsonrpc: '2.0', method: 'm', id: 7, params: many })).toEqual(rejection(null));
    expect(rejectionsOf({ jsonrpc: '2.0', id: 7, result: many })).toEqual(rejection(null));
    expect(rejectionsOf(request(8, { a: { b: { c: { d: { e: {} } } } } }))).toMatchObject([
      { id: 8, error: { message: expect.stringContaining('maxDepth') as string } },
    ]);
  });

  it('is rejected without the id of another object in the request', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.option(fc.oneof(fc.nat(), fc.string()), { nil: undefined }),
        (params, id) => {
          const padding = Array.from({ length: 100 }, () => 0);
          for (const line of [
            { params, padding, method: 'm', id },
            { id, method: 'm', params, padding },
            { padding, method: 'm', params: { id: 'inner' } },
            { padding, text: '{"id":1}' },
          ]) {
            const [rejection] = rejectionsOf(line) as { id: unknown }[];
            expect([(line as { id?: unknown }).id ?? null, null]).toContainEqual(rejection?.id);
          }
        },
      ),
    );
  });
});

describe('a batch', () => {
  it('is accepted up to 2025-03-26, and rejected as a whole otherwise', () => {
    const batch = [request(1), { jsonrpc: '2.0', method: 'n' }, 5, request(2)];
    for (const version of ['2024-11-05', '2025-03-26'])
      expect(read(batch, version)).toMatchObject({
        requests: [{ id: 1 }, { id: 2 }],
        others: [{ method: 'n' }],
        rejections: [expect.stringContaining('-32600')],
        isBatch: true,
      });
    for (const version of [undefined, '2025-06-18', '2025-11-25', '2026-07-28'])
      expect(read(batch, version)).toMatchObject({ requests: [], others: [], isBatch: false });
  });
});

const readAll = (reader: LineReader, chunks: readonly Buffer[]): string[] => [
  ...chunks.flatMap((chunk) => reader.read(chunk)),
  reader.end(),
];

describe('LineReader', () => {
  it('returns the same lines for any chunks of bytes', () => {
    const byte = fc.oneof(fc.constant(0x0a), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(fc.array(byte)), (parts) => {
        const chunks = parts.map((part) => Buffer.from(part));
        const lines = Buffer.concat(chunks).toString().split('\n');
        expect(readAll(new LineReader(10_000), chunks)).toEqual(lines);
      }),
    );
  });

  it('drops a byte order mark at the start of the stream and nowhere else', () => {
    const bytes = Buffer.from('\uFEFF{"a":1}\n\uFEFF{"b":2}\n');
    expect(readAll(new LineReader(100), [bytes])).toEqual(['{"a":1}', '\uFEFF{"b":2}', '']);
    const each = [...bytes].map((byte) => Buffer.from([byte]));
    expect(readAll(new LineReader(100), each)).toEqual(['{"a":1}', '\uFEFF{"b":2}', '']);
  });

  it('accepts a line of the maximum length, and stops at a longer one', () => {
    const reader = new LineReader(5);
    expect(reader.read(Buffer.from('12345\n12'))).toEqual(['12345']);
    expect(reader.isTooLong).toBe(false);
    expect(reader.read(Buffer.from('345'))).toEqual([]);
    expect(reader.isTooLong).toBe(false);
    expect(reader.read(Buffer.from('6'))).toEqual([]);
    expect(reader.isTooLong).toBe(true);
  });

  it('returns the lines before one that is too long, and none after it', () => {
    const reader = new LineReader(5);
    expect(reader.read(Buffer.from('a\nb\n123456\nc\n'))).toEqual(['a', 'b']);
    expect(reader.isTooLong).toBe(true);
  });
});
