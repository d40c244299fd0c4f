import * as z from 'zod';
import { periodBefore } from '../books/periods.js';
import type { Period } from '../books/periods.js';
import type { Budget } from '../books/references.js';
import { readSpending } from '../books/reports.js';
import type { Queryable } from '../database/database.js';
import { addMonths, firstDay, lastDay, monthOf } from '../dates.js';
import { divideToEven, formatAmount } from '../money.js';

export const spendingSchema = z.object({
  currency: z.string(),
  from: z.string(),
  to: z.string(),
  total: z.string(),
  compared_with: z
    .object({
      from: z.string(),
      to: z.string(),
      total: z.string().describe('What was spent from from to to'),
      monthly_average: z
        .string()
        .nullable()
        .describe('total by month, if that is what rows are compared with'),
    })
    .nullable(),
  rows: z.array(
    z.object({
      name: z.string().describe('Uncategorized: those that transactions/list shows with uncategorized true'),
      count: z.int().describe('Number of transactions'),
      spent: z.string(),
      before: z
        .string()
        .nullable()
        .describe('What it is compared with: the period before, or the monthly average'),
      change: z.string().nullable().describe('spent minus before: positive if more was spent'),
    }),
  ),
});

interface Options {
  readonly period: Period;
  readonly by: 'category' | 'section' | 'payee';
  readonly compare_with: 'period_before' | 'average_of_6_months';
  readonly sort: 'spent' | 'change';
  readonly today: string;
}

const AVERAGED_MONTHS = 6;

/** Spending of a period beside that of another one. Rows of both periods are shown. */
export async function compareSpending(
  q: Queryable,
  { id, currency }: Budget,
  { period, by, compare_with: compared, sort, today }: Options,
): Promise<z.infer<typeof spendingSchema>> {
  const isAverage = compared === 'average_of_6_months';
  const other = isAverage ? monthsBefore(period) : periodBefore(period, today);
  const rows = await readSpending(q, id, period, by);
  const earlier = other ? await readSpending(q, id, other, by) : [];
  const share = (amount: bigint): bigint =>
    isAverage ? divideToEven(amount, BigInt(AVERAGED_MONTHS)) : amount;
  const text = (amount: bigint): string => formatAmount(amount, currency);
  const before = new Map(earlier.map(({ name, spent }) => [name, share(spent)]));
  const known = new Set(rows.map(({ name }) => name));
  const missing = earlier
    .filter(({ name }) => !known.has(name))
    .map(({ name }) => ({ name, count: 0, spent: 0n }));
  const sum = (spending: readonly { readonly spent: bigint }[]): bigint =>
    spending.reduce((total, { spent }) => total + spent, 0n);
  const all = [...rows, ...missing];
  const changeOf = ({ name, spent }: { readonly name: string; readonly spent: bigint }): bigint =>
    spent - (before.get(name) ?? 0n);
  return {
    currency,
    ...period,
    total: text(sum(rows)),
    compared_with: other
      ? {
          ...other,
          total: text(sum(earlier)),
          monthly_average: isAverage ? text(share(sum(earlier))) : null,
        }
      : null,
    rows: (sort === 'change' ? all.toSorted((a, b) => Number(changeOf(b) - changeOf(a))) : all).map(
      ({ name, count, spent }) => ({
        name,
        count,
        spent: text(spent),
        before: other ? text(before.get(name) ?? 0n) : null,
        change: other ? text(changeOf({ name, spent })) : null,
      }),
    ),
  };
}

/** The six calendar months before the one in which a period begins. */
function monthsBefore({ from }: Period): Period | undefined {
  const first = addMonths(monthOf(from), -AVERAGED_MONTHS);
  if (first < '1900') return undefined;
  return { from: firstDay(first), to: lastDay(addMonths(monthOf(from), -1)) };
}
