import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DurationHistogram } from './duration-histogram.js';

describe('quantiles of durations', () => {
  it('are at most 5 % away from the exact ones, for any durations', () => {
    const duration = fc.oneof(
      fc.double({ min: 0.001, max: 10, noNaN: true }),
      fc.double({ min: 1, max: 10_000_000, noNaN: true }),
      fc.constantFrom(0.5, 1, 2, 1_000),
    );
    const shares = fc.constantFrom([0.5, 0.95], [0, 1], [0.01, 0.99]);
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 400 }), shares, (durations, asked) => {
        const histogram = new DurationHistogram();
        for (const ms of durations) histogram.add(ms);
        const sorted = durations.toSorted((one, other) => one - other);
        const estimated = histogram.quantiles(asked);
        for (const [index, share] of asked.entries()) {
          const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
          expect(Math.abs((estimated[index] ?? 0) - exact)).toBeLessThanOrEqual(exact * 0.05);
        }
      }),
    );
  });

  it('are 0 without durations, and finite for durations that no clock returns', () => {
    const histogram = new DurationHistogram();
    expect(histogram.quantiles([0.5, 0.95])).toEqual([0, 0]);
    for (const ms of [0, -1, 1e300]) histogram.add(ms);
    expect(histogram.quantiles([0, 1]).every(Number.isFinite)).toBe(true);
    expect(histogram.count).toBe(3);
  });
});
