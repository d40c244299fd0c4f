import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import { findImbalances } from '../books/check.js';
import { periodBefore } from '../books/periods.js';
import { findRecurring } from '../books/recurring.js';
import { findBudget, findCategory, readBudgets } from '../books/references.js';
import type { Flow } from '../books/reports.js';
import {
  addFlows,
  readCashFlow,
  readDuplicates,
  readFirstDay,
  readNetWorth,
  readTrend,
} from '../books/reports.js';
import {
  addDays,
  addMonths,
  assertInOrder,
  firstDay,
  fromField,
  lastDay,
  monthOf,
  monthsBetween,
  monthSchema,
  toField,
} from '../dates.js';
import type { Finance } from '../finance.js';
import { divideToEven, formatAmount } from '../money.js';
import type { Currency } from '../money.js';
import { reads, sums, toolInBudget } from './actions.js';
import { readOverspending } from '../reports/overspent-report.js';
import { compareSpending, spendingSchema } from '../reports/spending-report.js';
import { writeYear } from '../reports/year-report.js';

const MAX_MONTHS = 60;
const months = z
  .int()
  .min(1)
  .max(MAX_MONTHS)
  .default(12)
  .describe('Number of months, the last one included. Averages leave out the current month');

const untilField = monthSchema.optional();
const yearField = z
  .int()
  .min(1901)
  .max(8998)
  .optional()
  .describe('Calendar year such as 2026, also the current one, instead of until');

export function reportsTool(finance: Finance) {
  const { db, today, thisMonth } = finance;
  return toolInBudget('reports', finance)
    .description('Sums over one budget. Transfers and opening balances are neither income nor spending')
    .action({
      ...sums,
      name: 'spending',
      description:
        'Shows how much was spent by category (such as groceries), section or payee, beside the period before or an average.',
      inputSchema: z.object({
        month: monthSchema
          .optional()
          .describe('Month such as 2026-03, instead of from and to. Default: the current month'),
        from: fromField,
        to: toField,
        by: z
          .enum(['category', 'section', 'payee'])
          .default('category')
          .describe('Rows by category, section of categories, or payee'),
        compare_with: z
          .enum(['period_before', 'average_of_6_months'])
          .default('period_before')
          .describe(
            'period_before: as long, just before; up to the same day if the period is not over. average_of_6_months: the monthly average of the six calendar months before',
          ),
        sort: z
          .enum(['spent', 'change'])
          .default('spent')
          .describe('change: the largest increase first, the largest decrease last'),
      }),
      outputSchema: spendingSchema,
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        if (input.month !== undefined && (input.from !== undefined || input.to !== undefined))
          throw new ErrToolFailed('Give either month, or from and to.');
        const month = input.month ?? (await thisMonth());
        const period = {
          from: input.from ?? firstDay(input.to === undefined ? month : monthOf(input.to)),
          to: input.to ?? lastDay(month),
        };
        assertInOrder(period);
        return compareSpending(db, budget, { ...input, period, today: await today() });
      },
    })
    .action({
      ...sums,
      name: 'cash_flow',
      description: 'Shows income, spending and net by month, beside the period before.',
      inputSchema: z.object({
        months,
        from: fromField.describe('First day, such as 2026-03-01. Default: chosen by months'),
        to: toField.describe('Last day, itself included. Default: the end of the current month'),
      }),
      textFormat: 'toon',
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const to = input.to ?? lastDay(await thisMonth());
        const from = input.from ?? firstDay(addMonths(monthOf(to), 1 - input.months));
        assertInOrder({ from, to });
        if (monthsBetween(monthOf(from), monthOf(to)).length > MAX_MONTHS)
          throw new ErrToolFailed(
            `A period may have up to ${MAX_MONTHS} months. Use reports/spending for longer ones.`,
          );
        const rows = await readCashFlow(db, id, { from, to });
        const before = periodBefore({ from, to }, await today());
        const earlier = before ? addFlows(await readCashFlow(db, id, before)) : undefined;
        return {
          currency,
          from,
          to,
          total: showFlow(addFlows(rows), currency),
          period_before: before && earlier ? { ...before, ...showFlow(earlier, currency) } : null,
          months: rows.map(({ month, ...flow }) => ({ month, ...showFlow(flow, currency) })),
        };
      },
    })
    .action({
      ...sums,
      name: 'net_worth',
      description: 'Shows assets, debts and net worth at the end of each month, and each change.',
      inputSchema: z.object({ months, until: untilField.describe('Last month. Default: the current month') }),
      textFormat: 'toon',
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const to = input.until ?? (await thisMonth());
        // One more month, for the change of the first one.
        const [first, ...rows] = await readNetWorth(db, id, addMonths(to, -input.months), to);
        const text = (amount: bigint): string => formatAmount(amount, currency);
        const all = first ? [first, ...rows] : rows;
        return {
          currency,
          first_month_to_last: {
            from: rows[0]?.month ?? to,
            to,
            change: text((rows.at(-1)?.net ?? 0n) - (rows[0]?.net ?? 0n)),
          },
          months: rows.map(({ month, assets, debts, net }, index) => ({
            month,
            assets: text(assets),
            debts: text(debts),
            net: text(net),
            change: text(net - (all[index]?.net ?? 0n)),
          })),
        };
      },
    })
    .action({
      ...sums,
      name: 'overspent',
      description:
        'Shows where a month spent more than its budget: over = spent - assigned - surplus carried over (a deficit is ignored).',
      inputSchema: z.object({ month: monthSchema.optional() }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        return readOverspending(db, budget, input.month ?? (await thisMonth()));
      },
    })
    .action({
      ...sums,
      name: 'trend',
      description: 'Shows one category by month, and its average.',
      inputSchema: z.object({ category: z.string().describe('Name or id of the category'), months }),
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const category = await findCategory(db, id, input.category);
        const to = await thisMonth();
        const rows = await readTrend(db, category.id, addMonths(to, 1 - input.months), to);
        const past = rows.filter(({ month }) => month < to);
        const total = past.reduce((sum, { spent }) => sum + spent, 0n);
        return {
          category: category.name,
          currency,
          average_of_past_months:
            past.length === 0 ? null : formatAmount(divideToEven(total, BigInt(past.length)), currency),
          months: rows.map(({ month, spent }) => ({ month, spent: formatAmount(spent, currency) })),
        };
      },
    })
    .action({
      ...sums,
      name: 'recurring',
      description: 'Finds recurring payments, such as bills and subscriptions, and their yearly cost.',
      inputSchema: z.object({
        direction: z
          .enum(['out', 'in'])
          .default('out')
          .describe('out: what is paid; in: what is received, such as a salary'),
      }),
      textFormat: 'toon',
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const day = await today();
        const earliest = firstDay(addMonths(monthOf(day), -25));
        const begin = await readFirstDay(db, id);
        const from = begin !== undefined && begin > earliest ? begin : earliest;
        const found = await findRecurring(db, id, { from, today: day, direction: input.direction });
        const text = (amount: bigint): string => formatAmount(amount, currency);
        const active = found
          .filter(({ isActive }) => isActive)
          .reduce((sum, { perYear }) => sum + perYear, 0n);
        return {
          currency,
          from,
          to: day,
          what_counts:
            'per_year = usual_amount (the median) x payments a year: weekly 52, fortnightly 26, monthly 12, quarterly 4, yearly 1. ' +
            'The totals count active ones only; one whose next payment is overdue by half an interval is not active.',
          per_year: text(active),
          per_month: text(divideToEven(active, 12n)),
          recurring: found.map((each) => ({
            payee: each.payee,
            category: each.category ?? 'Uncategorized',
            interval: each.interval,
            usual_amount: text(each.usual),
            last_amount: text(each.last.amount),
            last_date: each.last.date,
            next_expected: each.next,
            is_active: each.isActive,
            per_year: text(each.perYear),
            payments: each.count,
          })),
        };
      },
    })
    .action({
      ...sums,
      name: 'duplicates',
      description: 'Finds payments that may be entered twice, and which one is safer to delete.',
      inputSchema: z.object({
        from: fromField.describe('First day. Default: 90 days ago'),
        to: toField.describe('Last day, itself included. Default: today'),
        days: z.int().min(0).max(31).default(3).describe('How many days apart they may be'),
      }),
      textFormat: 'toon',
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const to = input.to ?? (await today());
        const period = { from: input.from ?? addDays(to, -90), to };
        assertInOrder(period);
        const pairs = await readDuplicates(db, id, { ...period, days: input.days, limit: 25 });
        return {
          currency,
          ...period,
          safer_to_delete_is:
            'the one that is uncleared (the bank does not show it), else the one entered by hand, else the later one. transactions/delete cannot be undone.',
          pairs: pairs.map((pair) => ({ ...pair, amount: formatAmount(pair.amount, currency) })),
        };
      },
    })
    .action({
      ...reads,
      name: 'check',
      description: 'Checks that the books balance.',
      inputSchema: z.object({
        all_budgets: z
          .boolean()
          .default(false)
          .describe(
            'true checks every budget: accounts equal their transactions, transfers cancel out, goals equal their contributions',
          ),
      }),
      cost: 5,
      outputSchema: z.object({
        budgets: z.array(z.string()).describe('The names of the checked budgets'),
        is_balanced: z.boolean(),
        problems: z.array(z.string()),
      }),
      handler: async ({ input }) => {
        const checked = input.all_budgets ? await readBudgets(db) : [await findBudget(db, input.budget)];
        const problems = await findImbalances(db, input.all_budgets ? undefined : checked[0]?.id);
        return { budgets: checked.map(({ name }) => name), is_balanced: problems.length === 0, problems };
      },
    })
    .action({
      ...reads,
      name: 'year',
      description: 'Writes a yearly report with totals and each month.',
      inputSchema: z.object({
        until: monthSchema
          .optional()
          .describe('Last of the twelve months, such as 2025-06. Default: the current month'),
        year: yearField,
      }),
      task: { ttlMs: 3_600_000 },
      cost: 20,
      timeoutMs: 120_000,
      outputBudget: { tokens: 12_000 },
      handler: async function* ({ input, context }) {
        const budget = await findBudget(db, input.budget);
        if (input.year !== undefined && input.until !== undefined)
          throw new ErrToolFailed('Give either year or until.');
        const until = input.year === undefined ? (input.until ?? (await thisMonth())) : `${input.year}-12`;
        return yield* writeYear(db, budget, { until, today: await today(), signal: context.signal });
      },
    });
}

function showFlow({ income, spent, net }: Flow, currency: Currency) {
  const text = (amount: bigint): string => formatAmount(amount, currency);
  return { income: text(income), spent: text(spent), net: text(net) };
}
