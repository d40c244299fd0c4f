import * as z from 'zod';
import { lockAccounts, post } from '../books/postings.js';
import { findAccount, findBudget, findOwned } from '../books/references.js';
import type { Account, Budget } from '../books/references.js';
import { only } from '../database/database.js';
import type { Queryable } from '../database/database.js';
import { dateSchema } from '../dates.js';
import { Refused } from '../errors.js';
import type { Finance } from '../finance.js';
import { amountSchema, formatAmount, parseAmount } from '../money.js';
import { adds, lists, nameField, reads, removes, sets, toolInBudget } from './actions.js';

const reference = { account: z.string().describe('Name or id of the account') };

export function accountsTool(finance: Finance) {
  const { db, today } = finance;
  return toolInBudget('accounts', finance)
    .description('Bank accounts, cards and cash')
    .action({
      ...lists,
      name: 'list',
      description: 'Lists accounts with their balances.',
      inputSchema: z.object({ include_closed: z.boolean().default(false) }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const accounts = await db.query<Account>(
          'select * from accounts where budget_id = $1 and (closed_on is null or $2) order by id',
          [budget.id, input.include_closed],
        );
        return { currency: budget.currency, accounts: accounts.map((account) => show(account, budget)) };
      },
    })
    .action({
      ...reads,
      name: 'get',
      description: 'Shows an account: balance, what of it is cleared, and when it was last used.',
      inputSchema: z.object(reference),
      outputSchema: z.object({
        id: z.int(),
        name: z.string(),
        kind: z.string(),
        currency: z.string(),
        balance: z.string(),
        cleared: z.string(),
        transactions: z.int(),
        last_used: z.string().nullable(),
        closed_on: z.string().nullable(),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const account = await findAccount(db, budget.id, input.account);
        const sums = only(
          await db.query<{ cleared: bigint; transactions: number; last_used: string | null }>(
            `select coalesce(sum(amount) filter (where is_cleared), 0)::bigint as cleared,
                    count(*)::integer as transactions, max(date) as last_used
             from transactions where account_id = $1`,
            [account.id],
          ),
        );
        return {
          ...show(account, budget),
          ...sums,
          currency: budget.currency,
          cleared: formatAmount(sums.cleared, budget.currency),
        };
      },
    })
    .action({
      ...adds,
      name: 'open',
      description: 'Opens an account.',
      inputSchema: z.object({
        name: nameField,
        kind: z.enum(['checking', 'savings', 'card', 'cash']),
        opening_balance: amountSchema.optional(),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const opening = parseAmount(input.opening_balance ?? '0', budget.currency);
        const date = await today();
        const opened = await db.transaction(async (tx) => {
          const { id } = only(
            await tx.query<Account>(
              'insert into accounts (budget_id, name, kind) values ($1, $2, $3) returning id',
              [budget.id, input.name, input.kind],
            ),
          );
          if (opening !== 0n)
            await post(tx, [{ accountId: id, date, amount: opening, memo: 'Opening balance' }]);
          return showNow(tx, id, budget);
        });
        finance.changed(opened.id);
        return opened;
      },
    })
    .action({
      ...sets,
      name: 'rename',
      description: 'Renames an account.',
      inputSchema: z.object({ ...reference, name: nameField }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const { id } = await findAccount(db, budget.id, input.account);
        await db.query('update accounts set name = $2 where id = $1', [id, input.name]);
        finance.changed(id);
        return showNow(db, id, budget);
      },
    })
    .action({
      ...adds,
      name: 'reconcile',
      description:
        'Marks everything up to a date as cleared, and adds what is missing to the balance of the bank.',
      inputSchema: z.object({ ...reference, bank_balance: amountSchema, date: dateSchema.optional() }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const target = parseAmount(input.bank_balance, budget.currency);
        const { id } = await findAccount(db, budget.id, input.account);
        const date = input.date ?? (await today());
        const adjustment = await db.transaction(async (tx) => {
          await lockAccounts(tx, [id]);
          const { total } = only(
            await tx.query<{ total: bigint }>(
              'select coalesce(sum(amount), 0)::bigint as total from transactions where account_id = $1 and date <= $2',
              [id, date],
            ),
          );
          const missing = target - total;
          if (missing !== 0n)
            await post(tx, [{ accountId: id, date, amount: missing, memo: 'Reconciliation' }]);
          await tx.query('update transactions set is_cleared = true where account_id = $1 and date <= $2', [
            id,
            date,
          ]);
          return missing;
        });
        finance.changed(id);
        return { ...(await showNow(db, id, budget)), adjustment: formatAmount(adjustment, budget.currency) };
      },
    })
    .action({
      ...removes,
      name: 'close',
      description: 'Closes an account whose balance is zero. Its transactions stay.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const date = await today();
        return db.transaction(async (tx) => {
          const account = await findOwned<Account>(tx, 'account', budget.id, input.account, true);
          if (account.balance !== 0n)
            throw new Refused(
              `"${account.name}" still holds ${formatAmount(account.balance, budget.currency)}. Transfer it first.`,
            );
          await tx.query('update accounts set closed_on = coalesce(closed_on, $2) where id = $1', [
            account.id,
            date,
          ]);
          return showNow(tx, account.id, budget);
        });
      },
    })
    .action({
      ...sets,
      name: 'reopen',
      description: 'Opens an account again that was closed.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const { id } = await findAccount(db, budget.id, input.account);
        await db.query('update accounts set closed_on = null where id = $1', [id]);
        return showNow(db, id, budget);
      },
    });
}

function show({ id, name, kind, balance, closed_on }: Account, { currency }: Budget) {
  return { id, name, kind, balance: formatAmount(balance, currency), closed_on };
}

async function showNow(q: Queryable, id: number, budget: Budget) {
  return show(only(await q.query<Account>('select * from accounts where id = $1', [id])), budget);
}
