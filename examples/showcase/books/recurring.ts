import type { Queryable } from '../database/database.js';
import { addDays, daysBetween } from '../dates.js';
import { divideToEven } from '../money.js';
import { moveByMonths } from './periods.js';

/** An interval of payments: `least` payments whose gaps are between `low` and `high` days are regular. */
const intervals = [
  { name: 'weekly', low: 6, high: 8, least: 4, perYear: 52n, next: (day: string) => addDays(day, 7) },
  { name: 'fortnightly', low: 13, high: 15, least: 4, perYear: 26n, next: (day: string) => addDays(day, 14) },
  { name: 'monthly', low: 26, high: 35, least: 3, perYear: 12n, next: (day: string) => moveByMonths(day, 1) },
  {
    name: 'quarterly',
    low: 84,
    high: 98,
    least: 3,
    perYear: 4n,
    next: (day: string) => moveByMonths(day, 3),
  },
  {
    name: 'yearly',
    low: 355,
    high: 375,
    least: 2,
    perYear: 1n,
    next: (day: string) => moveByMonths(day, 12),
  },
] as const;

interface Payment {
  readonly payee: string;
  readonly category: string | null;
  readonly date: string;
  /** Always positive. */
  readonly amount: bigint;
}

export interface Recurring {
  readonly payee: string;
  readonly category: string | null;
  readonly interval: (typeof intervals)[number]['name'];
  readonly count: number;
  /** The median of the amounts. */
  readonly usual: bigint;
  readonly last: Payment;
  readonly next: string;
  /** False if the next payment is overdue by more than half an interval. */
  readonly isActive: boolean;
  readonly perYear: bigint;
}

/** Finds payees that are paid (or pay, with the direction `in`) about the same amount at regular intervals. */
export async function findRecurring(
  q: Queryable,
  budgetId: number,
  {
    from,
    today,
    direction,
  }: { readonly from: string; readonly today: string; readonly direction: 'in' | 'out' },
): Promise<Recurring[]> {
  const payments = await q.query<Payment>(
    `select p.name as payee, c.name as category, t.date, abs(t.amount)::bigint as amount
     from transactions t join payees p on p.id = t.payee_id left join categories c on c.id = t.category_id
     where p.budget_id = $1 and t.date between $2 and $3 and t.transfer_id is null and not t.is_opening
       and sign(t.amount) = $4 order by t.date, t.id`,
    [budgetId, from, today, direction === 'in' ? 1 : -1],
  );
  const found: Recurring[] = [];
  for (const all of groupBy(payments, ({ payee }) => payee)) {
    const whole = judge(all, today);
    // A payee may have several subscriptions, or one beside other purchases.
    const parts = whole
      ? [whole]
      : groupBy(all, ({ amount }) => String(amount)).map((part) => judge(part, today));
    found.push(...parts.filter((each) => each !== undefined));
  }
  return found.toSorted((a, b) => Number(b.perYear - a.perYear) || (a.payee < b.payee ? -1 : 1));
}

/** Payments are recurring if four of five gaps fit one interval, and three of four amounts are near their median. */
function judge(payments: readonly Payment[], today: string): Recurring | undefined {
  const last = payments.at(-1);
  if (!last) return undefined;
  const gaps = payments.slice(1).map(({ date }, index) => daysBetween(payments[index]?.date ?? date, date));
  const interval = intervals.find(
    ({ low, high, least }) =>
      payments.length >= least && isMost(gaps, 0.8, (gap) => gap >= low && gap <= high),
  );
  if (!interval) return undefined;
  const usual = medianOf(payments.map(({ amount }) => amount));
  if (!isMost(payments, 0.75, ({ amount }) => amount * 4n >= usual * 3n && amount * 4n <= usual * 5n))
    return undefined;
  const next = interval.next(last.date);
  return {
    payee: last.payee,
    category: last.category,
    interval: interval.name,
    count: payments.length,
    usual,
    last,
    next,
    isActive: addDays(next, Math.floor(interval.high / 2)) >= today,
    perYear: usual * interval.perYear,
  };
}

function isMost<T>(items: readonly T[], share: number, test: (item: T) => boolean): boolean {
  return items.length > 0 && items.filter(test).length >= items.length * share;
}

function medianOf(amounts: readonly bigint[]): bigint {
  const sorted = amounts.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n;
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0n;
  return divideToEven(low + high, 2n);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}
