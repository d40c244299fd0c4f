import { describe, expect, it } from 'vitest';
import {
  describeDurations,
  describeRate,
  describeShown,
  shiftSeconds,
  tabulate,
  topOf,
  writeTime,
} from './figures.js';

describe('calls per second', () => {
  it('move on while the server sends nothing, because no calls arrive', () => {
    const perSecond = Array.from({ length: 60 }, (_, second) => second);
    expect(shiftSeconds(perSecond, 0, 10_000, 10_400)).toEqual(perSecond);
    expect(shiftSeconds(perSecond, 0, 10_000, 12_400).slice(-4)).toEqual([58, 59, 0, 0]);
    expect(shiftSeconds(perSecond, 0, 10_000, 500_000)).toEqual(Array.from({ length: 60 }, () => 0));
    expect(shiftSeconds([5], 0, 10_000, 11_000).slice(-3)).toEqual([0, 5, 0]);
    expect(shiftSeconds<number | null>([5], null, 10_000, 11_000).slice(-3)).toEqual([null, 5, null]);
    expect(shiftSeconds([], 0, 10_000, 5_000)).toHaveLength(60);
  });

  it('are described in words', () => {
    const perSecond = [...Array.from({ length: 57 }, () => 0), 1_000, 20, 3];
    expect(describeRate(perSecond)).toBe(
      '1,023 calls in the last minute, at most 1,000 in a second, 20 in the second before this one.',
    );
    expect(describeRate([0, 0])).toBe('No calls in the last minute.');
  });
});

describe('the axis of a chart', () => {
  it('ends at a round number that is not below the values, and not far above them', () => {
    expect([4, 5, 9, 10, 290, 1_000, 1_001].map(topOf)).toEqual([4, 6, 10, 10, 400, 1_000, 2_000]);
    expect(topOf(0.1)).toBeCloseTo(0.1);
    expect(topOf(0.05)).toBeCloseTo(0.06);
  });
});

describe('the figures as text', () => {
  it('say how many of all calls are shown, and why the others are not', () => {
    const since = Date.UTC(2026, 0, 1, 7, 37, 37);
    const none = { total: 0, seen: 0, received: 0, kept: 0, away: 0, cleared: 0 };
    const counts = (given: Partial<typeof none>) => ({ ...none, ...given });
    const time = writeTime(since);
    const all = counts({ total: 1, seen: 1, received: 1, kept: 1 });
    expect(describeShown(1, all, since)).toBe(`Showing 1 of 1 call since ${time}.`);
    expect(describeShown(1, all, undefined)).toBe('Showing 1 of 1 call.');
    const late = counts({ total: 303, seen: 275, received: 275, kept: 275, away: 28 });
    expect(describeShown(275, late, since)).toBe(
      `Showing 275 of 303 calls since ${time}. Not shown: 28 made while this tab was not connected.`,
    );
    const busy = counts({ total: 60_040, seen: 60_000, received: 4_100, kept: 2_000, cleared: 40 });
    expect(describeShown(12, busy, since)).toBe(
      `Showing 12 of 60,040 calls since ${time}. Not shown: 1,988 hidden by the filters, ` +
        '2,100 older than the latest 2,000, 55,900 left out of the sample, 40 cleared.',
    );
  });

  it('describe the durations of the last minute', () => {
    expect(describeDurations([null, 10, 7], [null, 19, 7])).toBe(
      'In the last minute, half of the calls took at most about 10 ms. The highest p95 of a second was 19 ms.',
    );
    expect(describeDurations([null], [null])).toBe('No durations in the last minute.');
  });

  it('have a row for each ten seconds', () => {
    const seconds = Array.from({ length: 60 }, (_, second) => second);
    const rows = tabulate(seconds, seconds, seconds);
    expect(rows).toHaveLength(6);
    expect(rows[0]).toEqual({ ago: 'last 10 s', calls: 545, p50: 55, p95: 59 });
    expect(rows[5]?.calls).toBe(45);
  });
});
