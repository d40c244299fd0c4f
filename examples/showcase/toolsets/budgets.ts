import { GroupedToolBuilder } from 'toolfold';
import * as z from 'zod';
import { findBudget, readBudgets } from '../books/references.js';
import type { Budget } from '../books/references.js';
import { only } from '../database/database.js';
import type { Finance } from '../finance.js';
import { currencySchema, formatAmount } from '../money.js';
import { adds, lists, nameField, reads, quote, removes, sets } from './actions.js';
import { explainErrors } from './explain-errors.js';

const reference = { budget: z.string().describe('Name or id of the budget') };

export function budgetsTool({ db }: Finance) {
  return new GroupedToolBuilder('budgets')
    .use(explainErrors)
    .description('Budgets: separate books, each with its own accounts, categories and currency')
    .action({
      ...lists,
      name: 'list',
      description: 'Lists budgets, and which one is the default.',
      handler: async () => readBudgets(db),
    })
    .action({
      ...reads,
      name: 'get',
      description:
        'Shows a budget: the total balance of its accounts, and how many accounts, categories and transactions it has.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const counts = only(
          await db.query<{ total_balance: bigint }>(
            `select (select coalesce(sum(balance), 0) from accounts where budget_id = $1)::bigint as total_balance,
                    (select count(*) from accounts where budget_id = $1)::integer as account_count,
                    (select count(*) from categories where budget_id = $1)::integer as category_count,
                    (select count(*) from transactions t join accounts a on a.id = t.account_id
                     where a.budget_id = $1)::integer as transaction_count`,
            [budget.id],
          ),
        );
        return {
          ...budget,
          ...counts,
          total_balance: formatAmount(counts.total_balance, budget.currency),
        };
      },
    })
    .action({
      ...adds,
      name: 'create',
      description:
        'Creates a budget with a few categories and without accounts. It does not become the default.',
      inputSchema: z.object({
        name: nameField.describe('Name of the budget'),
        currency: currencySchema.describe('Currency of all its amounts. It cannot be changed later'),
      }),
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
      description: 'Renames a budget. Its id and contents stay.',
      inputSchema: z.object({ ...reference, name: nameField.describe('New name') }),
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
      description: 'Makes a budget the default, which calls use if they name none.',
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
      description: 'Deletes a budget with all its accounts and transactions. It cannot be undone.',
      inputSchema: z.object(reference),
      confirm: async ({ input }) => {
        const { id, name } = await findBudget(db, input.budget);
        const [found] = await db.query<{ accounts: number; transactions: number }>(
          `select count(distinct a.id)::integer as accounts, count(t.id)::integer as transactions
           from accounts a left join transactions t on t.account_id = a.id where a.budget_id = $1`,
          [id],
        );
        return `Delete the budget ${quote(name)} with ${found?.accounts} accounts and ${found?.transactions} transactions? It cannot be undone.`;
      },
      handler: async ({ input }) => {
        const { id, name } = await findBudget(db, input.budget);
        await db.query('delete from budgets where id = $1', [id]);
        return `The budget "${name}" was deleted.`;
      },
    });
}
