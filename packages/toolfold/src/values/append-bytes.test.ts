import { expect, it } from 'vitest';
import { appendBytes, noBytes } from './append-bytes.js';

it('appends chunks of any size in order, without writing into them', () => {
  const chunks = [[1], [], [2, 3], [4, 5, 6, 7, 8], [9]].map((bytes) => Uint8Array.from(bytes));
  const whole = new Uint8Array([0, 0, 0]);
  let buffer: Uint8Array = noBytes;
  let size = 0;
  for (const chunk of [whole.subarray(0, 1), ...chunks]) {
    buffer = appendBytes(buffer, size, chunk);
    size += chunk.length;
  }
  expect(Array.from(buffer.subarray(0, size))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(chunks.map((chunk) => chunk.length)).toEqual([1, 0, 2, 5, 1]);
  expect(Array.from(whole)).toEqual([0, 0, 0]);
});
