import { countOf, formatCount, formatMs } from '../../ui/figures.js';
import type { LiveCounts } from './store/live-store.js';

const SECONDS = 60;

/** Shifts the last 60 seconds. The server only sends statistics while calls arrive, so quiet seconds are appended. */
export function shiftSeconds<T>(sent: readonly T[], quiet: T, sentAt: number, now: number): T[] {
  const passed = Math.max(0, Math.floor(now / 1_000) - Math.floor(sentAt / 1_000));
  const minute = Array.from({ length: SECONDS }, () => quiet);
  return [...minute, ...sent, ...minute.slice(0, passed)].slice(-SECONDS);
}

/** Rounds the end of an axis up to one digit and zeros, so that its half is readable. */
export function topOf(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8].find((digit) => digit * unit >= value) ?? 10) * unit;
}

/** Formats a duration that may be very short: 40 µs, 0.4 ms, 3.2 s. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0 ms';
  return ms < 0.0995 ? `${Math.max(1, Math.round(ms * 1_000))} µs` : formatMs(ms);
}

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const shortClock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** Formats the time of day with milliseconds. */
export function writeClock(at: number): string {
  return clock.format(at);
}

export function writeTime(at: number): string {
  return shortClock.format(at);
}

/** Describes how many of all calls the list shows, and what happened to the others. */
export function describeShown(shown: number, counts: LiveCounts, since: number | undefined): string {
  const { total, seen, received, kept, away, cleared } = counts;
  const reasons: [number, string][] = [
    [kept - shown, 'hidden by the filters'],
    [received - kept, `older than the latest ${formatCount(kept)}`],
    [seen - received, 'left out of the sample'],
    [cleared, 'cleared'],
    [away, 'made while this tab was not connected'],
  ];
  const others = reasons.filter(([count]) => count > 0);
  const when = since === undefined ? '' : ` since ${writeTime(since)}`;
  const rest = others.map(([count, reason]) => `${formatCount(count)} ${reason}`).join(', ');
  return `Showing ${formatCount(shown)} of ${countOf(total, 'call')}${when}.${rest === '' ? '' : ` Not shown: ${rest}.`}`;
}

/** Describes the chart of calls per second for screen readers. */
export function describeRate(perSecond: readonly number[]): string {
  const total = perSecond.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 'No calls in the last minute.';
  const most = Math.max(...perSecond);
  const now = perSecond.at(-2) ?? 0;
  return `${formatCount(total)} ${total === 1 ? 'call' : 'calls'} in the last minute, at most ${formatCount(most)} in a second, ${formatCount(now)} in the second before this one.`;
}

/** Describes the chart of durations for screen readers. */
export function describeDurations(p50: readonly (number | null)[], p95: readonly (number | null)[]): string {
  const medians = p50.filter((value) => value !== null);
  if (medians.length === 0) return 'No durations in the last minute.';
  const highest = Math.max(...p95.filter((value) => value !== null));
  const middle = medians.toSorted((one, other) => one - other)[Math.floor(medians.length / 2)] ?? 0;
  return `In the last minute, half of the calls took at most about ${formatDuration(middle)}. The highest p95 of a second was ${formatDuration(highest)}.`;
}

interface RateRow {
  readonly ago: string;
  readonly calls: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

/** Converts both charts to a table with rows of ten seconds, the latest first. */
export function tabulate(
  perSecond: readonly number[],
  p50: readonly (number | null)[],
  p95: readonly (number | null)[],
): RateRow[] {
  return Array.from({ length: 6 }, (_, part) => {
    const end = SECONDS - part * 10;
    const of = (values: readonly (number | null)[]): number[] =>
      values.slice(end - 10, end).filter((value) => value !== null);
    const medians = of(p50).toSorted((one, other) => one - other);
    const highs = of(p95);
    return {
      ago: part === 0 ? 'last 10 s' : `${part * 10} to ${part * 10 + 10} s ago`,
      calls: perSecond.slice(end - 10, end).reduce((sum, count) => sum + count, 0),
      p50: medians[Math.floor(medians.length / 2)] ?? null,
      p95: highs.length === 0 ? null : Math.max(...highs),
    };
  });
}
