import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  addMonths,
  dayIn,
  firstDay,
  isTimeZone,
  lastDay,
  monthOf,
  monthsBetween,
  timeIn,
} from './dates.js';

const day = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((moment) => moment.toISOString().slice(0, 10));

describe('the day of the user', () => {
  it('is the day in the time zone of the user, not of the machine', () => {
    const moment = new Date('2026-03-15T23:30:00Z');
    expect(dayIn('UTC', moment)).toBe('2026-03-15');
    expect(dayIn('Europe/Berlin', moment)).toBe('2026-03-16');
    expect(dayIn('America/Los_Angeles', moment)).toBe('2026-03-15');
    expect(dayIn('Pacific/Kiritimati', moment)).toBe('2026-03-16');
    expect(timeIn('Europe/Berlin', moment)).toBe('2026-03-16 00:30');
  });

  it('changes at local midnight, also at daylight saving changes', () => {
    for (const [moment, expected] of [
      ['2026-03-28T22:59:59Z', '2026-03-28'],
      ['2026-03-28T23:00:00Z', '2026-03-29'],
      ['2026-03-29T21:59:59Z', '2026-03-29'],
      ['2026-03-29T22:00:00Z', '2026-03-30'],
      ['2026-10-25T22:59:59Z', '2026-10-25'],
      ['2026-10-25T23:00:00Z', '2026-10-26'],
    ] as const)
      expect(dayIn('Europe/Berlin', new Date(moment))).toBe(expected);
  });

  it('needs a time zone that exists', () => {
    expect(isTimeZone('Europe/Berlin')).toBe(true);
    expect(isTimeZone('Europe/Atlantis')).toBe(false);
    expect(isTimeZone('')).toBe(false);
  });
});

describe('days and months', () => {
  it('are unchanged after adding and subtracting the same number', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: -2_000, max: 2_000 }), (start, count) => {
        expect(addDays(addDays(start, count), -count)).toBe(start);
        expect(addMonths(addMonths(monthOf(start), count), -count)).toBe(monthOf(start));
      }),
    );
  });

  it('have a last day that the next month follows', () => {
    fc.assert(
      fc.property(day, (start) => {
        const month = monthOf(start);
        expect(addDays(lastDay(month), 1)).toBe(firstDay(addMonths(month, 1)));
        expect(firstDay(month) <= start && start <= lastDay(month)).toBe(true);
      }),
    );
    expect(lastDay('2028-02')).toBe('2028-02-29');
    expect(lastDay('2100-02')).toBe('2100-02-28');
  });

  it('are listed from one to another, both included', () => {
    expect(monthsBetween('2025-11', '2026-02')).toEqual(['2025-11', '2025-12', '2026-01', '2026-02']);
    expect(monthsBetween('2026-02', '2026-01')).toEqual([]);
  });
});
