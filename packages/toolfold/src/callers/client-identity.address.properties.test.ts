import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOf } from './caller-key.js';
import { runs } from '../../../../test/runs.js';

describe('networkOf', () => {
  it('is the same for IPv6 addresses exactly if their first 64 bits are', () => {
    const group = fc.constantFrom(0, 1, 0xff_ff, 0x20_01);
    // The first group keeps the addresses out of the range of IPv4 in IPv6 form.
    const groups = fc.tuple(fc.constantFrom(1, 2), group, group, group, group, group, group, group);
    const write = (each: readonly number[]): string => each.map((number) => number.toString(16)).join(':');
    fc.assert(
      fc.property(groups, groups, (one, other) => {
        const isSame = one.slice(0, 4).join() === other.slice(0, 4).join();
        expect(networkOf(write(one)) === networkOf(write(other))).toBe(isSame);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
