import { describe, expect, it } from 'vitest';
import type { EndedCall } from 'toolfold/internal';
import { CallStatistics } from './call-statistics.js';

const call = (at: number, ms: number): EndedCall =>
  ({
    kind: 'tool',
    address: 'users/get',
    at,
    ms,
    request: {},
    result: {},
    steps: [],
  }) as unknown as EndedCall;

describe('the figures of the last minute', () => {
  it('have the durations of all calls of each second, and null for a second without calls', () => {
    const statistics = new CallStatistics();
    // Of 1,000 calls the page gets a sample with the slow ones first, from which no median can be read.
    for (let count = 0; count < 1_000; count++) statistics.add(call(100_000, count < 40 ? 400 : 10), 1);
    statistics.add(call(102_000, 7), 1);
    const { perSecond, p50, p95 } = statistics.read(103_100);
    expect(perSecond.slice(-4)).toEqual([1_000, 0, 1, 0]);
    expect(p50).toHaveLength(60);
    const near = (ms: number) => expect.closeTo(ms, 0);
    expect(p50.slice(-4)).toEqual([near(10), null, near(7), null]);
    expect(p95.slice(-4)).toEqual([near(10), null, near(7), null]);
  });

  it('forget what is older than a minute', () => {
    const statistics = new CallStatistics();
    statistics.add(call(1_000, 5), 1);
    statistics.add(call(61_000, 9), 1);
    expect(statistics.read(61_500).perSecond.reduce((sum, each) => sum + each, 0)).toBe(1);
    expect(statistics.read(200_000).p50.every((value) => value === null)).toBe(true);
  });
});
