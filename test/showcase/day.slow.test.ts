/** A short run of `npm run soak:showcase`. */
import { describe, expect, it } from 'vitest';
import { findGrowth, MAX_HEAP_GROWTH, MAX_RSS_GROWTH } from '../../scripts/soak/showcase/memory.js';
import type { Sample } from '../../scripts/soak/showcase/memory.js';
import { liveADay } from '../../scripts/soak/showcase/run.js';

describe('a day of the showcase', () => {
  it('passes in seconds without an error, with books that balance', async () => {
    const { calls, callsByTool, errors } = await liveADay({ minutes: 0.1, people: 6 });
    expect(errors).toEqual([]);
    expect(calls).toBeGreaterThan(20);
    expect(Object.values(callsByTool).reduce((sum, count) => sum + count, 0)).toBe(calls);
  });
});

describe('memory', () => {
  const samplesOf = (values: readonly number[], of: 'heap' | 'rss'): Sample[] =>
    values.map((value, minute) => ({ minute, heap: 0, rss: 0, [of]: value }));

  it.each([
    ['heap', MAX_HEAP_GROWTH, 'The heap has grown by'],
    ['rss', MAX_RSS_GROWTH, 'The process has grown by'],
  ] as const)('that grows (%s) is detected, despite a warm-up and occasional peaks', (of, max, problem) => {
    const flat = [10, 90, 100, 100, 400, 100, 100, 100 + max, 100];
    expect(findGrowth(samplesOf(flat, of))).toEqual([]);
    const growing = flat.map((value, index) => value + index * max);
    expect(findGrowth(samplesOf(growing, of))[0]).toContain(problem);
  });
});
