import { describe, expect, it } from 'vitest';
import { CallSample, ranks } from './call-sample.js';

describe('a sample of calls', () => {
  it('holds all calls if they fit', () => {
    const sample = new CallSample<number>(25);
    for (let id = 0; id < 20; id++) sample.add(ranks.other, id);
    expect(sample.take()).toHaveLength(20);
    expect(sample.take()).toEqual([]);
  });

  it('prefers errors, then slow calls', () => {
    const sample = new CallSample<string>(5);
    for (let id = 0; id < 500; id++) sample.add(ranks.other, 'other');
    for (let id = 0; id < 3; id++) sample.add(ranks.slow, 'slow');
    for (let id = 0; id < 2; id++) sample.add(ranks.failed, 'failed');
    for (let id = 0; id < 500; id++) sample.add(ranks.other, 'other');
    sample.add(ranks.failed, 'failed');
    expect(sample.take().toSorted()).toEqual(['failed', 'failed', 'failed', 'slow', 'slow']);
  });

  it('gives each call of a rank the same chance', () => {
    // A fixed sequence, so that the test has one outcome.
    let state = 1;
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const chosen = Array.from({ length: 100 }, () => 0);
    for (let round = 0; round < 1_000; round++) {
      const sample = new CallSample<number>(10, random);
      for (let id = 0; id < 100; id++) {
        sample.add(ranks.other, id);
        if (id === 50) sample.add(ranks.failed, -1);
      }
      for (const id of sample.take()) if (id >= 0) chosen[id] = (chosen[id] ?? 0) + 1;
    }
    // Nine places for 100 calls in 1,000 rounds: 90 each.
    expect(Math.min(...chosen)).toBeGreaterThan(55);
    expect(Math.max(...chosen)).toBeLessThan(125);
  });
});
