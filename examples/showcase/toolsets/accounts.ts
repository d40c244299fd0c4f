import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import { lockAccounts, post } from '../books/postings.js';
import { readEntries } from '../books/entries.js';
import { findAccount, findBudget, findCategory, findOwned } from '../books/references.js';
import type { Account, Budget } from '../books/references.js';
import { only } from '../database/database.js';
import type { Queryable } from '../database/database.js';
import { dateSchema } from '../dates.js';
import type { Finance } from '../finance.js';
import { amountSchema, formatAmount, parseAmount } from '../money.js';
import { adds, lists, nameField, reads, sets, toolInBudget } from './actions.js';

const reference = { account: z.string().describe('Name or id of the account') };

/** At most this many transactions are listed by a reconciliation; the count covers all. */
const MAX_LISTED = 50;

export function accountsTool(finance: Finance) {
  const { db, today } = finance;
  return toolInBudget('accounts', finance)
    .description('Bank accounts, cards and cash. Balances include uncleared transactions; debts are negative')
    .action({
      ...lists,
      name: 'list',
      description: 'Lists bank accounts, cards and cash with their balance, and the total.',
      inputSchema: z.object({
        include_closed: z.boolean().default(false).describe('true also lists closed accounts'),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const accounts = await db.query<Account>(
          'select * from accounts where budget_id = $1 and (closed_on is null or $2) order by id',
          [budget.id, input.include_closed],
        );
        const total = accounts.reduce((sum, { balance }) => sum + balance, 0n);
        return {
          currency: budget.currency,
          total: formatAmount(total, budget.currency),
          accounts: accounts.map((account) => show(account, budget)),
        };
      },
    })
    .action({
      ...reads,
      name: 'get',
      description:
        'Shows an account: balance, cleared balance, number of transactions, and the day of the last one.',
      inputSchema: z.object(reference),
      outputSchema: z.object({
        id: z.int(),
        name: z.string(),
        kind: z.string(),
        currency: z.string(),
        balance: z.string(),
        cleared_balance: z.string().describe('Sum of the cleared transactions'),
        transaction_count: z.int(),
        uncleared_count: z.int(),
        last_used: z.string().nullable().describe('Day of the latest transaction'),
        closed_on: z.string().nullable(),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const account = await findAccount(db, budget.id, input.account);
        const sums = only(
          await db.query<{
            cleared_balance: bigint;
            transaction_count: number;
            uncleared_count: number;
            last_used: string | null;
          }>(
            `select coalesce(sum(amount) filter (where is_cleared), 0)::bigint as cleared_balance,
                    count(*)::integer as transaction_count, max(date) as last_used,
                    count(*) filter (where not is_cleared)::integer as uncleared_count
             from transactions where account_id = $1`,
            [account.id],
          ),
        );
        return {
          ...show(account, budget),
          ...sums,
          currency: budget.currency,
          cleared_balance: formatAmount(sums.cleared_balance, budget.currency),
        };
      },
    })
    .action({
      ...adds,
      name: 'open',
      description: 'Opens an account. The opening balance is neither income nor spending.',
      inputSchema: z.object({
        name: nameField.describe('Name of the account'),
        kind: z.enum(['checking', 'savings', 'card', 'cash']).describe('card is a credit card'),
        opening_balance: amountSchema
          .optional()
          .describe(
            'Balance today. Decimal text such as "250.00", not cents; a debt is negative. Default: 0',
          ),
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
            await post(tx, [
              { accountId: id, date, amount: opening, memo: 'Opening balance', isOpening: true },
            ]);
          return showNow(tx, id, budget);
        });
        finance.changed(opened.id);
        return opened;
      },
    })
    .action({
      ...sets,
      name: 'rename',
      description: 'Renames an account. Its id and transactions stay.',
      inputSchema: z.object({ ...reference, name: nameField.describe('New name') }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const { id } = await findAccount(db, budget.id, input.account);
        await db.query('update accounts set name = $2 where id = $1', [id, input.name]);
        finance.changed(id);
        return showNow(db, id, budget);
      },
    })
    .action({
      ...sets,
      name: 'reconcile',
      description:
        'Compares an account with the balance that the bank shows, marks its transactions as cleared, and books the difference as an adjustment without a payee, which counts as income or spending.',
      inputSchema: z.object({
        ...reference,
        bank_balance: amountSchema.describe(
          'Balance that the bank shows. Decimal text such as "250.00", not cents; a debt is negative',
        ),
        date: dateSchema
          .optional()
          .describe('Day of that balance; later transactions do not count. Default: today'),
        category: z
          .string()
          .optional()
          .describe('Category of the adjustment, by name or id. Default: none, so it is uncategorized'),
        preview: z.boolean().default(false).describe('true only shows the difference and changes nothing'),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const target = parseAmount(input.bank_balance, budget.currency);
        const { id } = await findAccount(db, budget.id, input.account);
        const date = input.date ?? (await today());
        const text = (amount: bigint): string => formatAmount(amount, budget.currency);
        const category =
          input.category === undefined ? undefined : await findCategory(db, budget.id, input.category);
        const result = await db.transaction(async (tx) => {
          await lockAccounts(tx, [id]);
          const uncleared = await readEntries(tx, budget, {
            accountId: id,
            to: date,
            isCleared: false,
            limit: MAX_LISTED,
          });
          const { total } = only(
            await tx.query<{ total: bigint }>(
              'select coalesce(sum(amount), 0)::bigint as total from transactions where account_id = $1 and date <= $2',
              [id, date],
            ),
          );
          const missing = target - total;
          if (input.preview) return { total, missing, uncleared, adjustmentId: null };
          const [adjustmentId = null] =
            missing === 0n
              ? []
              : await post(tx, [
                  {
                    accountId: id,
                    date,
                    amount: missing,
                    memo: 'Reconciliation',
                    categoryId: category?.id ?? null,
                  },
                ]);
          await tx.query('update transactions set is_cleared = true where account_id = $1 and date <= $2', [
            id,
            date,
          ]);
          return { total, missing, uncleared, adjustmentId };
        });
        if (!input.preview) finance.changed(id);
        return {
          ...(await showNow(db, id, budget)),
          date,
          is_preview: input.preview,
          balance_on_date_before: text(result.total),
          bank_balance: text(target),
          adjustment: text(result.missing),
          adjustment_id: result.adjustmentId,
          adjustment_category: category?.name ?? null,
          ...(result.adjustmentId !== null && category === undefined
            ? { hint: 'The adjustment has no category. Set one with transactions/categorize.' }
            : {}),
          [input.preview ? 'would_be_cleared_count' : 'cleared_now_count']: result.uncleared.count,
          [input.preview ? 'would_be_cleared' : 'cleared_now']: result.uncleared.entries.map(
            ({ id: entry, date: day, payee, amount }) => ({ id: entry, date: day, payee, amount }),
          ),
        };
      },
    })
    .action({
      ...sets,
      name: 'close',
      description: 'Closes an account whose balance is zero. Its transactions stay.',
      inputSchema: z.object(reference),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const date = await today();
        return db.transaction(async (tx) => {
          const account = await findOwned<Account>(tx, 'account', budget.id, input.account, true);
          if (account.balance !== 0n)
            throw new ErrToolFailed(
              `"${account.name}" still holds ${formatAmount(account.balance, budget.currency)}. Move it to another account with transfers/make first.`,
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
      description: 'Opens a closed account again.',
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
