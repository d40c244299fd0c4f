import type { Budget } from '../books/references.js';
import { addFlows, readCashFlow, readNetWorth, readOpenings, readSpending } from '../books/reports.js';
import type { Flow } from '../books/reports.js';
import type { Queryable } from '../database/database.js';
import { addMonths, firstDay, lastDay, monthOf, monthsBetween } from '../dates.js';
import { divideToEven, formatAmount } from '../money.js';

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
  const describe = ({ income, spent, net }: Flow): string =>
    `In ${text(income)}, out ${text(spent)}, net ${text(net)}.`;
  const describeAverage = ({ income, spent }: Flow, count: number): string => {
    if (count === 0) return '';
    const average = (amount: bigint): string => text(divideToEven(amount, BigInt(count)));
    return ` On average of ${count} whole months: in ${average(income)}, out ${average(spent)}.`;
  };
  const list = (rows: readonly { readonly name: string; readonly spent: bigint }[]): string[] =>
    rows.slice(0, 5).map((row) => `- ${row.name}: ${text(row.spent)}`);
  const lines: string[] = [];
  const flows: Flow[] = [];
  const current = monthOf(today);
  const past = months.filter((month) => month < current).length;
  let worthAtEnd = 0n;
  for (const [index, month] of months.entries()) {
    signal.throwIfAborted();
    const period = { from: firstDay(month), to: lastDay(month) };
    const flow = addFlows(await readCashFlow(q, id, period));
    const [worth] = await readNetWorth(q, id, month, month);
    worthAtEnd = worth?.net ?? 0n;
    const opened = await readOpenings(q, id, period);
    flows.push(flow);
    // A month to come has no bookings, apart from those that are entered in advance.
    if (month <= current || flow.income !== 0n || flow.spent !== 0n)
      lines.push(
        '',
        `## ${month}`,
        '',
        `${describe(flow)}${opened === 0n ? '' : ` Opening balances ${text(opened)}.`} Net worth at the end ${text(worthAtEnd)}.`,
        ...list(await readSpending(q, id, period, 'category')),
      );
    yield { progress: index + 1, total: months.length, message: month };
  }
  const year = { from: firstDay(from), to: lastDay(until) };
  const total = addFlows(flows);
  const [start] = await readNetWorth(q, id, addMonths(from, -1), addMonths(from, -1));
  return [
    `# ${name}, ${from} to ${until} (${currency})`,
    '',
    `Written on ${today}.${past < months.length ? ` ${current} is not over yet, so averages leave out all months from it on.` : ''} Transfers and opening balances are neither income nor spending.`,
    '',
    '## Total',
    '',
    `${describe(total)}${describeAverage(addFlows(flows.slice(0, past)), past)}`,
    `Net worth at the beginning ${text(start?.net ?? 0n)}, plus net ${text(total.net)}, plus opening balances ` +
      `${text(await readOpenings(q, id, year))}, is ${text(worthAtEnd)} at the end.`,
    '',
    'Largest categories:',
    ...list(await readSpending(q, id, year, 'category')),
    '',
    'Largest payees:',
    ...list(await readSpending(q, id, year, 'payee')),
    ...lines,
  ].join('\n');
}
