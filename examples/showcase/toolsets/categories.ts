import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import { assign, copyAssigned, moveAssigned, overOf, readFunds, readPlan } from '../books/plan.js';
import { findBudget, findCategory } from '../books/references.js';
import type { Category } from '../books/references.js';
import { only } from '../database/database.js';
import { addMonths, monthSchema } from '../dates.js';
import type { Finance } from '../finance.js';
import { amountSchema, formatAmount, parseAmount, parsePositive, positiveAmountSchema } from '../money.js';
import { adds, lists, nameField, sets, sums, toolInBudget } from './actions.js';
import { showReady } from '../reports/ready.js';

const reference = { category: z.string().describe('Name or id of the category') };
const month = monthSchema.optional();
const assignedField = amountSchema.describe(
  'New assigned amount of the month, which replaces the old one. Decimal text such as "150.00", not cents',
);
const MOST = 100;

export function categoriesTool(finance: Finance) {
  const { db, thisMonth } = finance;
  return toolInBudget('categories', finance)
    .description('Categories, and their budgets, which move no money between accounts')
    .group('names', 'The categories themselves', (names) =>
      names
        .action({
          ...lists,
          name: 'list',
          description: 'Lists categories by section.',
          inputSchema: z.object({
            include_archived: z.boolean().default(false).describe('true also lists archived categories'),
          }),
          handler: async ({ input }) => {
            const { id } = await findBudget(db, input.budget);
            return db.query(
              `select id, section, name, is_income, is_archived from categories
               where budget_id = $1 and (not is_archived or $2) order by section, name`,
              [id, input.include_archived],
            );
          },
        })
        .action({
          ...adds,
          name: 'create',
          description: 'Creates a category of income or spending.',
          inputSchema: z.object({
            name: nameField.describe('Name of the category'),
            section: nameField.describe(
              'Heading under which it is listed, such as Home; a new one is created',
            ),
            is_income: z.boolean().default(false).describe('true for money that comes in, such as a salary'),
          }),
          handler: async ({ input }) => {
            const { id } = await findBudget(db, input.budget);
            return only(
              await db.query<Category>(
                `insert into categories (budget_id, name, section, is_income) values ($1, $2, $3, $4)
                 returning id, section, name, is_income, is_archived`,
                [id, input.name, input.section, input.is_income],
              ),
            );
          },
        })
        .action({
          ...sets,
          name: 'update',
          description: 'Renames a category or moves it to another section.',
          inputSchema: z.object({
            ...reference,
            name: nameField.optional().describe('New name'),
            section: nameField.optional().describe('New section'),
          }),
          handler: async ({ input }) => {
            const budget = await findBudget(db, input.budget);
            const { id } = await findCategory(db, budget.id, input.category);
            return only(
              await db.query<Category>(
                `update categories set name = coalesce($2, name), section = coalesce($3, section) where id = $1
                 returning id, section, name, is_income, is_archived`,
                [id, input.name ?? null, input.section ?? null],
              ),
            );
          },
        })
        .action({
          ...sets,
          name: 'archive',
          description: 'Hides a category from plans, or shows it again.',
          inputSchema: z.object({
            ...reference,
            is_archived: z.boolean().default(true).describe('false shows it again'),
          }),
          handler: async ({ input }) => {
            const budget = await findBudget(db, input.budget);
            const { id } = await findCategory(db, budget.id, input.category);
            return only(
              await db.query<Category>(
                `update categories set is_archived = $2 where id = $1
                 returning id, section, name, is_income, is_archived`,
                [id, input.is_archived],
              ),
            );
          },
        }),
    )
    .group('plan', 'The budget of a month', (plan) =>
      plan
        .action({
          ...sums,
          name: 'month',
          description: 'Shows budgets: available = assigned + carried_over - spent; over = overspent.',
          inputSchema: z.object({ month }),
          textFormat: 'toon',
          handler: async ({ input }) => {
            const { id, currency } = await findBudget(db, input.budget);
            const chosen = input.month ?? (await thisMonth());
            const rows = await readPlan(db, id, chosen);
            const text = (amount: bigint): string => formatAmount(amount, currency);
            const sum = (column: 'assigned' | 'carried' | 'spent' | 'available'): string =>
              text(rows.reduce((total, row) => total + row[column], 0n));
            const funds = await readFunds(db, id, chosen);
            const shown = rows.reduce((total, row) => total + row.available, 0n);
            return {
              month: chosen,
              currency,
              ...showReady(funds, currency),
              balance_of_accounts: text(funds.balance),
              available_of_archived_categories: text(funds.available - shown),
              total: {
                assigned: sum('assigned'),
                carried_over: sum('carried'),
                spent: sum('spent'),
                available: sum('available'),
              },
              categories: rows.map((row) => ({
                section: row.section,
                category: row.category,
                assigned: text(row.assigned),
                carried_over: text(row.carried),
                spent: text(row.spent),
                over: text(overOf(row)),
                available: text(row.available),
              })),
            };
          },
        })
        .action({
          ...sets,
          name: 'assign',
          description: 'Sets the budget of one category for a month.',
          inputSchema: z.object({ ...reference, amount: assignedField, month }),
          handler: async ({ input }) => setAssigned(input.budget, input.month, [input]),
        })
        .action({
          ...sets,
          name: 'assign_many',
          description: 'Sets the budgets of several categories.',
          inputSchema: z.object({
            assignments: z
              .array(z.object({ ...reference, amount: assignedField }))
              .min(1)
              .max(MOST)
              .describe('Categories and their new amounts: all of them are set or none'),
            month,
          }),
          handler: async ({ input }) => setAssigned(input.budget, input.month, input.assignments),
        })
        .action({
          ...sets,
          name: 'copy',
          description: 'Plans a month like another: fills categories with nothing assigned yet.',
          inputSchema: z.object({
            month: monthSchema.optional().describe('Month that is planned. Default: the next month'),
            source_month: monthSchema
              .optional()
              .describe('Month that is copied. Default: the month before the planned one'),
            changes: z
              .array(z.object({ ...reference, amount: assignedField }))
              .max(MOST)
              .default([])
              .describe('Categories that get this amount instead of the copied one'),
          }),
          handler: async ({ input }) => {
            const { id, currency } = await findBudget(db, input.budget);
            const to = input.month ?? addMonths(await thisMonth(), 1);
            const from = input.source_month ?? addMonths(to, -1);
            if (from === to) throw new ErrToolFailed(`The month ${to} cannot be copied to itself.`);
            const orders = input.changes.map(({ category, amount }) => ({
              category,
              month: to,
              amount: parseAmount(amount, currency),
            }));
            const rows = await db.transaction(async (tx) => {
              const names = await assign(tx, id, orders);
              const copied = await copyAssigned(tx, id, { from, to, except: names });
              return [
                ...names.map((category, index) => ({ category, amount: orders[index]?.amount ?? 0n })),
                ...copied,
              ];
            });
            const text = (amount: bigint): string => formatAmount(amount, currency);
            return {
              month: to,
              source_month: from,
              currency,
              count: rows.length,
              total: text(rows.reduce((sum, { amount }) => sum + amount, 0n)),
              assigned: rows.map(({ category, amount }) => ({ category, assigned: text(amount) })),
              ...showReady(await readFunds(db, id, to), currency),
            };
          },
        })
        .action({
          ...adds,
          name: 'move',
          description: 'Moves budgeted money between categories, such as to cover overspending.',
          inputSchema: z.object({
            from_category: z.string().describe('Name or id of the category that gives'),
            to_category: z.string().describe('Name or id of the category that gets'),
            amount: positiveAmountSchema.describe('Amount to move. Decimal text such as "12.50", not cents'),
            month,
          }),
          handler: async ({ input }) => {
            const { id, currency } = await findBudget(db, input.budget);
            const chosen = input.month ?? (await thisMonth());
            const amount = parsePositive(input.amount, currency);
            const { from, to } = await moveAssigned(db, id, {
              from: input.from_category,
              to: input.to_category,
              month: chosen,
              amount,
            });
            const planned = await readPlan(db, id, chosen);
            const text = (value: bigint): string => formatAmount(value, currency);
            const show = ({ id: category, name }: Category) => {
              const row = planned.find((each) => each.id === category);
              if (!row) return { name, available: null };
              return {
                name,
                assigned: text(row.assigned),
                carried_over: text(row.carried),
                spent: text(row.spent),
                over: text(overOf(row)),
                available: text(row.available),
              };
            };
            return {
              month: chosen,
              currency,
              moved: text(amount),
              what_counts:
                'over is left of the overspending of this month. A deficit of earlier months (carried_over below zero) still lowers available.',
              from_category: show(from),
              to_category: show(to),
            };
          },
        }),
    );

  async function setAssigned(
    budget: string,
    given: string | undefined,
    wanted: readonly { readonly category: string; readonly amount: string }[],
  ) {
    const { id, currency } = await findBudget(db, budget);
    const chosen = given ?? (await thisMonth());
    const orders = wanted.map(({ category, amount }) => ({
      category,
      month: chosen,
      amount: parseAmount(amount, currency),
    }));
    const names = await db.transaction((tx) => assign(tx, id, orders));
    return {
      month: chosen,
      currency,
      assigned: orders.map(({ amount }, index) => ({
        category: names[index] ?? '',
        assigned: formatAmount(amount, currency),
      })),
      ...showReady(await readFunds(db, id, chosen), currency),
    };
  }
}
