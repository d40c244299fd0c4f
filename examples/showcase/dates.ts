/** A date is a day in the user's calendar, `2026-03-01`, independent of other time zones. */
import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';

/** In this range the calendars of the database and of JavaScript agree, with some years to spare for arithmetic. */
const isInRange = (text: string): boolean => text >= '1900' && text < '9000';
const range = 'must be in the years 1900 to 8999';

export const dateSchema = z.iso.date().refine(isInRange, range).describe('Date such as 2026-03-01');
export const monthSchema = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-03')
  .refine(isInRange, range)
  .describe('Month such as 2026-03. Default: the current month');

/** The first and the last day of a period, for reports and lists. */
export const fromField = dateSchema.optional().describe('First day, such as 2026-03-01');
export const toField = dateSchema.optional().describe('Last day, such as 2026-03-31, itself included');

/** Rejects a period that ends before it begins, because it would be empty. */
export function assertInOrder({ from, to }: { from?: string | undefined; to?: string | undefined }): void {
  if (from !== undefined && to !== undefined && from > to)
    throw new ErrToolFailed(`The period from ${from} to ${to} ends before it begins.`);
}

/** The day of a moment in a time zone. */
export function dayIn(timeZone: string, moment: Date): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(moment);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/** A moment in local time: `2026-03-01 14:05`. */
export function timeIn(timeZone: string, moment: Date): string {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return `${dayIn(timeZone, moment)} ${clock.format(moment)}`;
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export function addDays(day: string, count: number): string {
  const moment = new Date(`${day}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + count);
  return moment.toISOString().slice(0, 10);
}

/** The number of days from one day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}

export function monthOf(day: string): string {
  return day.slice(0, 7);
}

export function addMonths(month: string, count: number): string {
  const [year = 0, index = 1] = month.split('-').map(Number);
  const total = year * 12 + index - 1 + count;
  return `${String(Math.floor(total / 12)).padStart(4, '0')}-${String((total % 12) + 1).padStart(2, '0')}`;
}

export function firstDay(month: string): string {
  return `${month}-01`;
}

export function lastDay(month: string): string {
  return addDays(firstDay(addMonths(month, 1)), -1);
}

/** Completes a month: the last twelve months that begin with the typed text, latest first. */
export function completeMonth(typed: string, last: string): string[] {
  return Array.from({ length: 12 }, (_, index) => addMonths(last, -index)).filter((month) =>
    month.startsWith(typed),
  );
}

/** The months from one to another, both included. */
export function monthsBetween(from: string, to: string): string[] {
  const months = [];
  for (let month = from; month <= to; month = addMonths(month, 1)) months.push(month);
  return months;
}
