import * as z from 'zod';
import { findImbalances } from '../books/check.js';
import { readPlan } from '../books/plan.js';
import { findBudget, findCategory } from '../books/references.js';
import { readCashFlow, readNetWorth, readSpending, readTrend } from '../books/reports.js';
import { addMonths, assertInOrder, dateSchema, firstDay, lastDay, monthOf, monthSchema } from '../dates.js';
import type { Finance } from '../finance.js';
import { divideToEven, formatAmount } from '../money.js';
import { reads, sums, toolInBudget } from './actions.js';
import { writeYear } from './year-report.js';

const months = z.int().min(1).max(60).default(12).describe('How many months, up to this one');

export function reportsTool(finance: Finance) {
  const { db, today, thisMonth } = finance;
  return toolInBudget('reports', finance)
    .description('Sums over the books')
    .action({
      ...sums,
      name: 'spending',
      description:
        'Shows how much was spent in a month or another period on each category, such as groceries, or by section or payee.',
      inputSchema: z.object({
        month: monthSchema.optional(),
        from: dateSchema.optional(),
        to: dateSchema.optional(),
        by: z.enum(['category', 'section', 'payee']).default('category'),
      }),
      outputSchema: z.object({
        currency: z.string(),
        from: z.string(),
        to: z.string(),
        total: z.string(),
        rows: z.array(z.object({ name: z.string(), count: z.int(), spent: z.string() })),
      }),
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const month = input.month ?? (await thisMonth());
        const period = {
          from: input.from ?? firstDay(input.to === undefined ? month : monthOf(input.to)),
          to: input.to ?? lastDay(month),
        };
        assertInOrder(period);
        const rows = await readSpending(db, id, period, input.by);
        const total = rows.reduce((sum, { spent }) => sum + spent, 0n);
        return {
          currency,
          ...period,
          total: formatAmount(total, currency),
          rows: rows.map((row) => ({ ...row, spent: formatAmount(row.spent, currency) })),
        };
      },
    })
    .action({
      ...sums,
      name: 'cash_flow',
      description: 'Shows what came in and went out in each month.',
      inputSchema: z.object({ months }),
      textFormat: 'toon',
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const to = await thisMonth();
        const rows = await readCashFlow(db, id, addMonths(to, 1 - input.months), to);
        const text = (amount: bigint): string => formatAmount(amount, currency);
        return {
          currency,
          months: rows.map(({ month, income, spent, net }) => ({
            month,
            income: text(income),
            spent: text(spent),
            net: text(net),
          })),
        };
      },
    })
    .action({
      ...sums,
      name: 'net_worth',
      description: 'Shows what all accounts held at the end of each month.',
      inputSchema: z.object({ months }),
      textFormat: 'toon',
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const to = await thisMonth();
        const rows = await readNetWorth(db, id, addMonths(to, 1 - input.months), to);
        const text = (amount: bigint): string => formatAmount(amount, currency);
        return {
          currency,
          months: rows.map(({ month, assets, debts, net }) => ({
            month,
            assets: text(assets),
            debts: text(debts),
            net: text(net),
          })),
        };
      },
    })
    .action({
      ...sums,
      name: 'overspent',
      description: 'Shows each category that is over budget in a month: it has spent more than it had.',
      inputSchema: z.object({ month: monthSchema.optional() }),
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const month = input.month ?? (await thisMonth());
        const rows = (await readPlan(db, id, month)).filter(({ available }) => available < 0n);
        return {
          month,
          currency,
          categories: rows.map(({ category, available }) => ({
            category,
            over: formatAmount(-available, currency),
          })),
        };
      },
    })
    .action({
      ...sums,
      name: 'trend',
      description: 'Shows what a category has cost in each month, and on average.',
      inputSchema: z.object({ category: z.string().describe('Name or id'), months }),
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const category = await findCategory(db, id, input.category);
        const to = await thisMonth();
        const rows = await readTrend(db, category.id, addMonths(to, 1 - input.months), to);
        const total = rows.reduce((sum, { spent }) => sum + spent, 0n);
        return {
          category: category.name,
          currency,
          average: formatAmount(divideToEven(total, BigInt(rows.length)), currency),
          months: rows.map(({ month, spent }) => ({ month, spent: formatAmount(spent, currency) })),
        };
      },
    })
    .action({
      ...reads,
      name: 'check',
      description: 'Adds everything up again, and says whether the books balance.',
      cost: 5,
      outputSchema: z.object({ is_balanced: z.boolean(), problems: z.array(z.string()) }),
      handler: async () => {
        const problems = await findImbalances(db);
        return { is_balanced: problems.length === 0, problems };
      },
    })
    .action({
      ...reads,
      name: 'year',
      description:
        'Writes a report on twelve months, month by month. It takes a while and tells how far it is.',
      inputSchema: z.object({ until: monthSchema.optional() }),
      task: { ttlMs: 3_600_000 },
      cost: 20,
      timeoutMs: 120_000,
      outputBudget: { tokens: 12_000 },
      handler: async function* ({ input, context }) {
        const budget = await findBudget(db, input.budget);
        const until = input.until ?? (await thisMonth());
        return yield* writeYear(db, budget, { until, today: await today(), signal: context.signal });
      },
    });
}
