import * as z from 'zod';
import { assign, moveAssigned, readPlan, readyToAssign } from '../books/plan.js';
import { findBudget, findCategory } from '../books/references.js';
import type { Category } from '../books/references.js';
import { only } from '../database/database.js';
import { monthSchema } from '../dates.js';
import type { Finance } from '../finance.js';
import { amountSchema, formatAmount, parseAmount, parsePositive, positiveAmountSchema } from '../money.js';
import { adds, lists, nameField, removes, sets, sums, toolInBudget } from './actions.js';

const reference = { category: z.string().describe('Name or id of the category') };
const month = monthSchema.optional();

export function categoriesTool(finance: Finance) {
  const { db, thisMonth } = finance;
  return toolInBudget('categories', finance)
    .description('What money is spent on, and how much of it is planned for each month')
    .group('names', 'The categories themselves', (names) =>
      names
        .action({
          ...lists,
          name: 'list',
          description: 'Lists categories.',
          inputSchema: z.object({ include_archived: z.boolean().default(false) }),
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
          description: 'Creates a category.',
          inputSchema: z.object({
            name: nameField,
            section: nameField,
            is_income: z.boolean().default(false),
          }),
          handler: async ({ input }) => {
            const { id } = await findBudget(db, input.budget);
            return only(
              await db.query<Category>(
                'insert into categories (budget_id, name, section, is_income) values ($1, $2, $3, $4) returning *',
                [id, input.name, input.section, input.is_income],
              ),
            );
          },
        })
        .action({
          ...sets,
          name: 'update',
          description: 'Renames a category, or moves it to another section.',
          inputSchema: z.object({ ...reference, name: nameField.optional(), section: nameField.optional() }),
          handler: async ({ input }) => {
            const budget = await findBudget(db, input.budget);
            const { id } = await findCategory(db, budget.id, input.category);
            return only(
              await db.query<Category>(
                'update categories set name = coalesce($2, name), section = coalesce($3, section) where id = $1 returning *',
                [id, input.name ?? null, input.section ?? null],
              ),
            );
          },
        })
        .action({
          ...removes,
          name: 'archive',
          description: 'Hides a category from plans. What was spent on it stays.',
          inputSchema: z.object({ ...reference, is_archived: z.boolean().default(true) }),
          handler: async ({ input }) => {
            const budget = await findBudget(db, input.budget);
            const { id } = await findCategory(db, budget.id, input.category);
            return only(
              await db.query<Category>('update categories set is_archived = $2 where id = $1 returning *', [
                id,
                input.is_archived,
              ]),
            );
          },
        }),
    )
    .group('plan', 'How much each category may spend in a month', (plan) =>
      plan
        .action({
          ...sums,
          name: 'month',
          description:
            'Shows what each category was assigned, has spent and has left, and what is left to assign.',
          inputSchema: z.object({ month }),
          textFormat: 'toon',
          handler: async ({ input }) => {
            const { id, currency } = await findBudget(db, input.budget);
            const chosen = input.month ?? (await thisMonth());
            const rows = await readPlan(db, id, chosen);
            const text = (amount: bigint): string => formatAmount(amount, currency);
            return {
              month: chosen,
              currency,
              ready_to_assign: text(await readyToAssign(db, id, chosen)),
              categories: rows.map(({ section, category, assigned, activity, available }) => ({
                section,
                category,
                assigned: text(assigned),
                activity: text(activity),
                available: text(available),
              })),
            };
          },
        })
        .action({
          ...sets,
          name: 'assign',
          description: 'Sets what a category is assigned in a month.',
          inputSchema: z.object({ ...reference, amount: amountSchema, month }),
          handler: async ({ input }) => {
            const { id, currency } = await findBudget(db, input.budget);
            const chosen = input.month ?? (await thisMonth());
            const amount = parseAmount(input.amount, currency);
            await assign(db, id, { category: input.category, month: chosen, amount });
            return { category: input.category, month: chosen, assigned: formatAmount(amount, currency) };
          },
        })
        .action({
          ...adds,
          name: 'move',
          description: 'Moves assigned money from one category to another.',
          inputSchema: z.object({ from: z.string(), to: z.string(), amount: positiveAmountSchema, month }),
          handler: async ({ input }) => {
            const { id, currency } = await findBudget(db, input.budget);
            const chosen = input.month ?? (await thisMonth());
            const amount = parsePositive(input.amount, currency);
            await moveAssigned(db, id, { from: input.from, to: input.to, month: chosen, amount });
            return { from: input.from, to: input.to, month: chosen, moved: formatAmount(amount, currency) };
          },
        }),
    );
}
