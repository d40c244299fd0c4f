import * as node from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as portable from './portable-crypto.js';

describe('the portable crypto functions', () => {
  it('make the digests of Node around the size of a block, as bytes', () => {
    for (let length = 0; length <= 130; length++) {
      const data = new Uint8Array(length).fill(length);
      expect(portable.createHash('sha256').update(data).digest()).toEqual(
        new Uint8Array(node.createHash('sha256').update(data).digest()),
      );
    }
  });

  it('compare bytes, and throw for different lengths as Node does', () => {
    const one = new Uint8Array([1, 2, 3]);
    expect(portable.timingSafeEqual(one, new Uint8Array([1, 2, 3]))).toBe(true);
    expect(portable.timingSafeEqual(one, new Uint8Array([1, 2, 4]))).toBe(false);
    expect(portable.timingSafeEqual(one, new Uint8Array([0, 2, 3]))).toBe(false);
    expect(() => portable.timingSafeEqual(one, new Uint8Array(2))).toThrow(RangeError);
    expect(() => node.timingSafeEqual(one, new Uint8Array(2))).toThrow(RangeError);
  });
});
