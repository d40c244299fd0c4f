import type { Budget } from '../books/references.js';
import { readCashFlow, readNetWorth, readSpending } from '../books/reports.js';
import type { Queryable } from '../database/database.js';
import { addMonths, firstDay, lastDay, monthsBetween } from '../dates.js';
import { formatAmount } from '../money.js';

interface Step {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

/** Writes a report in Markdown. Yields its progress, and stops when the call is cancelled. */
export async function* writeYear(
  q: Queryable,
  { id, name, currency }: Budget,
  { until, today, signal }: { readonly until: string; readonly today: string; readonly signal: AbortSignal },
): AsyncGenerator<Step, string> {
  const from = addMonths(until, -11);
  const months = monthsBetween(from, until);
  const text = (amount: bigint): string => formatAmount(amount, currency);
  const lines = [`# ${name}, ${from} to ${until} (${currency})`, '', `Written on ${today}.`];
  for (const [index, month] of months.entries()) {
    signal.throwIfAborted();
    const period = { from: firstDay(month), to: lastDay(month) };
    const [flow] = await readCashFlow(q, id, month, month);
    const [worth] = await readNetWorth(q, id, month, month);
    const top = (await readSpending(q, id, period, 'category')).slice(0, 5);
    lines.push(
      '',
      `## ${month}`,
      '',
      `In ${text(flow?.income ?? 0n)}, out ${text(flow?.spent ?? 0n)}, net ${text(flow?.net ?? 0n)}. ` +
        `Net worth at the end ${text(worth?.net ?? 0n)}.`,
      ...top.map((row) => `- ${row.name}: ${text(row.spent)}`),
    );
    yield { progress: index + 1, total: months.length, message: month };
  }
  return lines.join('\n');
}
