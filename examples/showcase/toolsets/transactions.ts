import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import { orderNames, readEntries } from '../books/entries.js';
import { readyToAssign } from '../books/plan.js';
import { amend, lockEntry, post, unpost } from '../books/postings.js';
import { record } from '../books/record.js';
import { findAccount, findBudget, findCategory, findOrAddPayee, findPayee } from '../books/references.js';
import { assertInOrder, dateSchema, fromField, toField } from '../dates.js';
import type { Finance } from '../finance.js';
import { amountSchema, formatAmount, parseAmount, sizeSchema } from '../money.js';
import {
  adds,
  fitPage,
  pageFields,
  pages,
  quote,
  reads,
  removes,
  requestIdField,
  sets,
  toolInBudget,
} from './actions.js';

const idField = z.int32().min(1).describe('Id of the transaction');
const idsField = z
  .array(z.int32().min(1))
  .min(1)
  .max(500)
  .describe('Ids of up to 500 transactions. If one does not exist, none changes');
const memoField = z.string().max(500);
const accountField = z.string().describe('Name or id of the account');
const categoryOrNone = z.string().nullable().describe('Name or id of the new category; null for none');
const lineFields = {
  amount: amountSchema,
  payee: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .describe('Who is paid or who pays. A new name becomes a new payee'),
  date: dateSchema.optional().describe('Day of the transaction, such as 2026-03-01. Default: today'),
  category: z
    .string()
    .optional()
    .describe(
      'Name or id. Default: that of the first matching rule, else the usual one of the payee, else none',
    ),
  memo: memoField.default('').describe('A note'),
};

export function transactionsTool(finance: Finance) {
  const { db, today, thisMonth } = finance;
  return toolInBudget('transactions', finance)
    .description('Single payments and receipts, and both sides of transfers')
    .action({
      ...pages,
      name: 'list',
      description: 'Lists matching transactions by page; count and sum cover all matches.',
      inputSchema: z.object({
        account: z.string().optional().describe('Only this account, by name or id'),
        category: z
          .string()
          .nullable()
          .optional()
          .describe('Only this category, by name or id; null is the same as uncategorized: true'),
        payee: z
          .string()
          .optional()
          .describe('Only this payee, by its whole name or id. For a part of it use text'),
        text: z.string().optional().describe('Part of the name of the payee or of the memo, in any case'),
        from: fromField,
        to: toField,
        min_amount: sizeSchema
          .optional()
          .describe('Smallest size without sign: "50" finds "-50.00" and "50.00"'),
        max_amount: sizeSchema.optional().describe('Largest size without sign'),
        direction: z.enum(['in', 'out']).optional().describe('in: only money received; out: only money paid'),
        uncategorized: z
          .boolean()
          .default(false)
          .describe('Only those that need a category: no transfers, no opening balances'),
        status: z
          .enum(['cleared', 'uncleared'])
          .optional()
          .describe('Only those that the bank shows too (cleared), or does not show yet (uncleared)'),
        include_transfers: z
          .boolean()
          .optional()
          .describe(
            'Transfers between own accounts are neither income nor spending. Default: true, but false with direction or a sort by size',
          ),
        sort: z
          .enum(orderNames)
          .default('newest')
          .describe('largest and smallest compare sizes, regardless of the sign'),
        ...pageFields,
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        assertInOrder(input);
        const { account, category, payee, min_amount: least, max_amount: most } = input;
        const isBySize = input.sort === 'largest' || input.sort === 'smallest';
        const includesTransfers = input.include_transfers ?? (input.direction === undefined && !isBySize);
        const found = await readEntries(db, budget, {
          accountId: account === undefined ? undefined : (await findAccount(db, budget.id, account)).id,
          categoryId:
            typeof category === 'string' ? (await findCategory(db, budget.id, category)).id : undefined,
          payeeId: payee === undefined ? undefined : (await findPayee(db, budget.id, payee)).id,
          from: input.from,
          to: input.to,
          text: input.text,
          isUncategorized: input.uncategorized || category === null,
          isCleared: input.status === undefined ? undefined : input.status === 'cleared',
          direction: input.direction,
          least: least === undefined ? undefined : parseAmount(least, budget.currency),
          most: most === undefined ? undefined : parseAmount(most, budget.currency),
          withoutTransfers: !includesTransfers,
          order: input.sort,
          limit: input.limit,
          offset: input.offset,
        });
        const { rows, next_offset } = fitPage(found.entries, { offset: input.offset, count: found.count });
        return {
          currency: budget.currency,
          count: found.count,
          sum: formatAmount(found.sum, budget.currency),
          next_offset,
          transfers: includesTransfers ? 'included' : 'left out',
          transactions: rows,
        };
      },
    })
    .action({
      ...reads,
      name: 'get',
      description: 'Shows one transaction.',
      inputSchema: z.object({ transaction: idField }),
      handler: async ({ input }) => show(input.budget, input.transaction),
    })
    .action({
      ...adds,
      name: 'add',
      description: 'Adds something bought, paid or received. Between own accounts: transfers/make.',
      inputSchema: z.object({ account: accountField, ...lineFields, ...requestIdField }),
      idempotency: { field: 'request_id' },
      handler: async ({ input }) => {
        const { account, request_id: requestId, ...line } = input;
        const [id = 0] = await addLines(input.budget, account, [{ ...line, requestId }]);
        return show(input.budget, id);
      },
    })
    .action({
      ...adds,
      name: 'add_many',
      description: 'Adds up to 200 transactions to one account.',
      inputSchema: z.object({
        account: accountField,
        transactions: z
          .array(z.object(lineFields))
          .min(1)
          .max(200)
          .describe('The transactions to add: all of them or none'),
        ...requestIdField,
      }),
      idempotency: { field: 'request_id' },
      handler: async ({ input }) => {
        const lines = input.transactions.map((line, index) => ({
          ...line,
          requestId: input.request_id === undefined ? undefined : `${input.request_id}#${index}`,
        }));
        const ids = await addLines(input.budget, input.account, lines);
        return { added: ids.length, ids };
      },
    })
    .action({
      ...sets,
      name: 'update',
      description: 'Changes the given fields of one transaction.',
      inputSchema: z.object({
        transaction: idField,
        amount: amountSchema.optional(),
        payee: lineFields.payee.optional(),
        date: dateSchema.optional().describe('New day'),
        category: categoryOrNone.optional(),
        memo: memoField.optional().describe('New note'),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const accountId = await db.transaction(async (tx) => {
          const entry = await lockEntry(tx, budget.id, input.transaction);
          const { amount, date, memo, payee, category } = input;
          await amend(tx, entry, {
            ...(amount === undefined ? {} : { amount: parseAmount(amount, budget.currency) }),
            ...(date === undefined ? {} : { date }),
            ...(memo === undefined ? {} : { memo }),
            ...(payee === undefined ? {} : { payeeId: (await findOrAddPayee(tx, budget.id, payee)).id }),
            ...(category === undefined
              ? {}
              : { categoryId: category === null ? null : (await findCategory(tx, budget.id, category)).id }),
          });
          return entry.account_id;
        });
        finance.changed(accountId);
        return show(input.budget, input.transaction);
      },
    })
    .action({
      ...adds,
      name: 'split',
      description: 'Divides a transaction among categories.',
      inputSchema: z.object({
        transaction: idField,
        parts: z
          .array(
            z.object({
              amount: amountSchema,
              category: z.string().describe('Name or id of the category'),
              memo: memoField.optional().describe('A note. Default: that of the transaction'),
            }),
          )
          .min(2)
          .max(20)
          .describe('The parts, which add up to the amount, with its sign. The first one keeps the id'),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const result = await db.transaction(async (tx) => {
          const entry = await lockEntry(tx, budget.id, input.transaction);
          if (entry.transfer_id !== null)
            throw new ErrToolFailed(
              `Transaction ${entry.id} is one side of a transfer, which has no category.`,
            );
          const parts = [];
          for (const { amount, category, memo = entry.memo } of input.parts)
            parts.push({
              amount: parseAmount(amount, budget.currency),
              categoryId: (await findCategory(tx, budget.id, category)).id,
              memo,
            });
          const total = parts.reduce((sum, { amount }) => sum + amount, 0n);
          const text = (amount: bigint): string => formatAmount(amount, budget.currency);
          if (total !== entry.amount)
            throw new ErrToolFailed(
              `The parts add up to ${text(total)}, but the amount is ${text(entry.amount)}. Mind the signs.`,
            );
          const [first, ...others] = parts;
          if (first) await amend(tx, entry, first);
          const same = { accountId: entry.account_id, date: entry.date, payeeId: entry.payee_id };
          const added = await post(
            tx,
            others.map((part) => ({ ...same, ...part, isCleared: entry.is_cleared })),
          );
          return { accountId: entry.account_id, ids: [entry.id, ...added] };
        });
        finance.changed(result.accountId);
        const { entries } = await readEntries(db, budget, { ids: result.ids, order: 'oldest', limit: 20 });
        return { currency: budget.currency, transactions: entries };
      },
    })
    .action({
      ...sets,
      name: 'categorize',
      description: 'Sets the category of up to 500 transactions.',
      inputSchema: z.object({ transaction_ids: idsField, category: categoryOrNone }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const category =
          input.category === null ? undefined : await findCategory(db, budget.id, input.category);
        const ids = await change(budget.id, input.transaction_ids, 'category_id', category?.id ?? null);
        const ready = await readyToAssign(db, budget.id, await thisMonth());
        return {
          category: category?.name ?? null,
          count: ids.length,
          ids,
          ready_to_assign: formatAmount(ready, budget.currency),
        };
      },
    })
    .action({
      ...sets,
      name: 'mark_cleared',
      description:
        'Marks transactions as cleared (the bank shows them) or uncleared. Whole account: accounts/reconcile.',
      inputSchema: z.object({
        transaction_ids: idsField,
        is_cleared: z.boolean().default(true).describe('false marks them as uncleared'),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const ids = await change(budget.id, input.transaction_ids, 'is_cleared', input.is_cleared);
        return { is_cleared: input.is_cleared, count: ids.length, ids };
      },
    })
    .action({
      ...removes,
      name: 'delete',
      description: 'Deletes a transaction, such as a wrong payment, for good.',
      inputSchema: z.object({ transaction: idField }),
      confirm: async ({ input }) => {
        const { date, payee, amount, currency, account } = await show(input.budget, input.transaction);
        return `Delete the transaction of ${date} over ${amount} ${currency} with ${quote(payee)} from the account ${quote(account)}?`;
      },
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const accountId = await db.transaction(async (tx) => {
          const entry = await lockEntry(tx, budget.id, input.transaction);
          if (entry.transfer_id !== null)
            throw new ErrToolFailed(
              `It is one side of transfer ${entry.transfer_id}. Undo that with transfers/undo.`,
            );
          await unpost(tx, [entry]);
          return entry.account_id;
        });
        finance.changed(accountId);
        const account = await findAccount(db, budget.id, String(accountId));
        return {
          id: input.transaction,
          is_deleted: true,
          account: account.name,
          account_balance: formatAmount(account.balance, budget.currency),
        };
      },
    });

  async function show(budgetReference: string, id: number) {
    const budget = await findBudget(db, budgetReference);
    const { entries } = await readEntries(db, budget, { ids: [id], limit: 1 });
    if (!entries[0]) throw new ErrToolFailed(`There is no transaction ${id} in the budget "${budget.name}".`);
    const account = await findAccount(db, budget.id, entries[0].account);
    const balance = formatAmount(account.balance, budget.currency);
    return { currency: budget.currency, ...entries[0], account_balance: balance };
  }

  async function addLines(
    budgetReference: string,
    accountReference: string,
    lines: readonly {
      amount: string;
      payee: string;
      date?: string | undefined;
      category?: string | undefined;
      memo: string;
      requestId: string | undefined;
    }[],
  ): Promise<number[]> {
    const budget = await findBudget(db, budgetReference);
    const account = await findAccount(db, budget.id, accountReference);
    const date = await today();
    const ids = await record(
      db,
      budget.id,
      lines.map((line) => ({
        accountId: account.id,
        date: line.date ?? date,
        amount: parseAmount(line.amount, budget.currency),
        payee: line.payee,
        category: line.category,
        memo: line.memo,
        requestId: line.requestId,
      })),
    );
    finance.changed(account.id);
    return ids;
  }

  /** Changes a column of several transactions, all or none. Throws if one of them does not exist. */
  async function change(
    budgetId: number,
    ids: readonly number[],
    column: 'category_id' | 'is_cleared',
    value: number | boolean | null,
  ): Promise<readonly number[]> {
    const wanted = [...new Set(ids)];
    await db.transaction(async (tx) => {
      const changed = await tx.query<{ id: number }>(
        `update transactions t set ${column} = $3 from accounts a
         where a.id = t.account_id and a.budget_id = $1 and t.id = any($2)
           ${column === 'category_id' ? 'and t.transfer_id is null' : ''} returning t.id`,
        [budgetId, wanted, value],
      );
      const missing = wanted.filter((id) => !changed.some((row) => row.id === id));
      if (missing.length > 0)
        throw new ErrToolFailed(
          `Nothing was changed. These transactions do not exist in this budget${column === 'category_id' ? ', or are sides of transfers' : ''}: ${missing.join(', ')}.`,
        );
    });
    return wanted;
  }
}
