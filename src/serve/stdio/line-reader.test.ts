import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from './line-reader.js';

const readAll = (reader: LineReader, chunks: readonly Buffer[]): string[] => [
  ...chunks.flatMap((chunk) => reader.read(chunk)),
  reader.end(),
];

describe('LineReader', () => {
  it('gives the same lines however the bytes are cut into chunks', () => {
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

  it('takes a line of the greatest length, and stops at a longer one', () => {
    const reader = new LineReader(5);
    expect(reader.read(Buffer.from('12345\n12'))).toEqual(['12345']);
    expect(reader.isTooLong).toBe(false);
    expect(reader.read(Buffer.from('345'))).toEqual([]);
    expect(reader.isTooLong).toBe(false);
    expect(reader.read(Buffer.from('6'))).toEqual([]);
    expect(reader.isTooLong).toBe(true);
  });

  it('gives the lines before one that is too long, and none after it', () => {
    const reader = new LineReader(5);
    expect(reader.read(Buffer.from('a\nb\n123456\nc\n'))).toEqual(['a', 'b']);
    expect(reader.isTooLong).toBe(true);
  });
});
