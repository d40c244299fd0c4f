import { GroupedToolBuilder } from 'toolfold';
import * as z from 'zod';
import { findBudget, readBudgets } from '../books/references.js';
import type { Budget } from '../books/references.js';
import { only } from '../database/database.js';
import type { Finance } from '../finance.js';
import { currencySchema, formatAmount } from '../money.js';
import { adds, lists, nameField, reads, removes, sets } from './actions.js';
import { explainErrors } from './explain-errors.js';

const reference = { budget: z.string().describe('Name or id') };

export function budgetsTool({ db }: Finance) {
  return new GroupedToolBuilder('budgets')
    .use(explainErrors)
    .description('Budgets: each has accounts, categories and a currency of its own')
    .action({
      ...lists,
      name: 'list',
      description: 'Lists budgets.',
      handler: async () => readBudgets(db),
    })
    .action({
      ...reads,
      name: 'get',
      description: 'Shows a budget: how much is in it and how many things.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const counts = only(
          await db.query<{ total: bigint }>(
            `select (select coalesce(sum(balance), 0) from accounts where budget_id = $1)::bigint as total,
                    (select count(*) from accounts where budget_id = $1)::integer as accounts,
                    (select count(*) from categories where budget_id = $1)::integer as categories,
                    (select count(*) from transactions t join accounts a on a.id = t.account_id
                     where a.budget_id = $1)::integer as transactions`,
            [budget.id],
          ),
        );
        return { ...budget, ...counts, total: formatAmount(counts.total, budget.currency) };
      },
    })
    .action({
      ...adds,
      name: 'create',
      description: 'Creates a budget without accounts, with a few categories.',
      inputSchema: z.object({ name: nameField, currency: currencySchema }),
      handler: async ({ input }) =>
        db.transaction(async (tx) => {
          const budget = only(
            await tx.query<Budget>('insert into budgets (name, currency) values ($1, $2) returning *', [
              input.name,
              input.currency,
            ]),
          );
          await tx.query(
            `insert into categories (budget_id, section, name, is_income) values
             ($1, 'Income', 'Income', true), ($1, 'Home', 'Rent', false), ($1, 'Everyday', 'Groceries', false),
             ($1, 'Everyday', 'Transport', false), ($1, 'Fun', 'Leisure', false)`,
            [budget.id],
          );
          return budget;
        }),
    })
    .action({
      ...sets,
      name: 'rename',
      description: 'Renames a budget.',
      inputSchema: z.object({ ...reference, name: nameField }),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        return only(
          await db.query<Budget>('update budgets set name = $2 where id = $1 returning *', [id, input.name]),
        );
      },
    })
    .action({
      ...sets,
      name: 'set_default',
      description: 'Makes a budget the one that is meant where none is named.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        await db.query('update settings set default_budget_id = $1', [budget.id]);
        return { default: budget };
      },
    })
    .action({
      ...removes,
      name: 'delete',
      description:
        'Deletes a budget with everything in it. It cannot be undone. Asks unless confirm has its name.',
      inputSchema: z.object({
        ...reference,
        confirm: z.string().optional().describe('The name of the budget'),
      }),
      handler: async ({ input, context }) => {
        const { id, name } = await findBudget(db, input.budget);
        if (input.confirm !== name) {
          const { sure } = await context.requestInput({
            sure: {
              message: `Delete the budget "${name}" and everything in it? Write its name to confirm.`,
              schema: z.object({ name: z.string() }),
            },
          });
          if (sure.action !== 'accept' || sure.content.name !== name) return `The budget "${name}" was kept.`;
        }
        await db.query('delete from budgets where id = $1', [id]);
        return `The budget "${name}" is gone.`;
      },
    });
}
