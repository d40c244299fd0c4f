import { addDays, addMonths, daysBetween, firstDay, lastDay, monthOf, monthsBetween } from '../dates.js';

/** A period of days, both ends included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/**
 * The period before, for a comparison: a period that begins with a month moves by whole months, another one by its days. If
 * the period is not over yet, the one before ends at the same point. Returns `undefined` if it would begin before 1900.
 */
export function periodBefore({ from, to }: Period, today: string): Period | undefined {
  const end = from <= today && today < to ? today : to;
  if (from !== firstDay(monthOf(from))) {
    const days = daysBetween(from, to) + 1;
    const start = addDays(from, -days);
    return start < '1900' ? undefined : { from: start, to: addDays(end, -days) };
  }
  const months = monthsBetween(monthOf(from), monthOf(to)).length;
  const start = addMonths(monthOf(from), -months);
  if (start < '1900') return undefined;
  return { from: firstDay(start), to: moveByMonths(end, -months) };
}

/** The same day of another month. The last day of a month becomes the last day of the other one. */
export function moveByMonths(day: string, count: number): string {
  const last = lastDay(addMonths(monthOf(day), count));
  if (day === lastDay(monthOf(day))) return last;
  const moved = `${monthOf(last)}${day.slice(7)}`;
  return moved < last ? moved : last;
}
