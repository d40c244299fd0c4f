import * as z from 'zod';
import { amend, lockEntry, unpost } from '../books/postings.js';
import { readEntries, record } from '../books/record.js';
import { findAccount, findBudget, findCategory, findOrAddPayee, findPayee } from '../books/references.js';
import { assertInOrder, dateSchema } from '../dates.js';
import { Refused, NotFound } from '../errors.js';
import type { Finance } from '../finance.js';
import { amountSchema, parseAmount } from '../money.js';
import { adds, lists, reads, removes, requestIdField, sets, toolInBudget } from './actions.js';

const idField = z.int32().min(1).describe('Id of the transaction');
const lineFields = {
  amount: amountSchema,
  payee: z.string().trim().min(1).max(120).describe('Who is paid or pays; new names are added'),
  date: dateSchema.optional().describe('Date such as 2026-03-01; today where it is left out'),
  category: z.string().optional().describe('Name or id; rules and the payee decide where it is left out'),
  memo: z.string().max(500).default(''),
};
const accountField = z.string().describe('Name or id of the account');

export function transactionsTool(finance: Finance) {
  const { db, today } = finance;
  return toolInBudget('transactions', finance)
    .description('What was paid and received')
    .action({
      ...lists,
      name: 'list',
      description:
        'Lists transactions, the newest first. Filters narrow it; text is looked for in payee and memo.',
      inputSchema: z.object({
        account: z.string().optional(),
        category: z.string().optional(),
        payee: z.string().optional(),
        text: z.string().optional(),
        from: dateSchema.optional(),
        to: dateSchema.optional(),
        uncategorized: z.boolean().default(false).describe('Only those without a category'),
        limit: z.int().min(1).max(500).default(50),
        offset: z.int().min(0).default(0),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        assertInOrder(input);
        const { account, category, payee, uncategorized, ...rest } = input;
        const found = await readEntries(db, budget, {
          ...rest,
          isUncategorized: uncategorized,
          accountId: account === undefined ? undefined : (await findAccount(db, budget.id, account)).id,
          categoryId: category === undefined ? undefined : (await findCategory(db, budget.id, category)).id,
          payeeId: payee === undefined ? undefined : (await findPayee(db, budget.id, payee)).id,
        });
        return { currency: budget.currency, total: found.total, transactions: found.entries };
      },
    })
    .action({
      ...reads,
      name: 'get',
      description: 'Shows a transaction.',
      inputSchema: z.object({ transaction: idField }),
      handler: async ({ input }) => show(input.budget, input.transaction),
    })
    .action({
      ...adds,
      name: 'add',
      description: 'Adds a transaction: what was bought, paid or received.',
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
      description: 'Adds up to 200 transactions of one account, all of them or none.',
      inputSchema: z.object({
        account: accountField,
        transactions: z.array(z.object(lineFields)).min(1).max(200),
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
      description: 'Changes a transaction. What is left out stays as it is.',
      inputSchema: z.object({
        transaction: idField,
        amount: amountSchema.optional(),
        payee: lineFields.payee.optional(),
        date: dateSchema.optional(),
        memo: z.string().max(500).optional(),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const accountId = await db.transaction(async (tx) => {
          const entry = await lockEntry(tx, budget.id, input.transaction);
          const payee =
            input.payee === undefined ? undefined : await findOrAddPayee(tx, budget.id, input.payee);
          await amend(tx, entry, {
            ...(input.amount === undefined ? {} : { amount: parseAmount(input.amount, budget.currency) }),
            ...(input.date === undefined ? {} : { date: input.date }),
            ...(input.memo === undefined ? {} : { memo: input.memo }),
            ...(payee ? { payeeId: payee.id } : {}),
          });
          return entry.account_id;
        });
        finance.changed(accountId);
        return show(input.budget, input.transaction);
      },
    })
    .action({
      ...sets,
      name: 'categorize',
      description: 'Gives transactions a category.',
      inputSchema: z.object({
        transactions: z.array(idField).min(1).max(500),
        category: z.string().nullable().describe('Name or id; null for none'),
      }),
      handler: async ({ input }) => change(input.budget, input.transactions, 'category_id', input.category),
    })
    .action({
      ...sets,
      name: 'clear',
      description: 'Says that the bank knows of transactions, or does not.',
      inputSchema: z.object({
        transactions: z.array(idField).min(1).max(500),
        is_cleared: z.boolean().default(true),
      }),
      handler: async ({ input }) => change(input.budget, input.transactions, 'is_cleared', input.is_cleared),
    })
    .action({
      ...removes,
      name: 'delete',
      description: 'Deletes a transaction, and what it did to its account. It cannot be undone.',
      inputSchema: z.object({ transaction: idField }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const accountId = await db.transaction(async (tx) => {
          const entry = await lockEntry(tx, budget.id, input.transaction);
          if (entry.transfer_id !== null)
            throw new Refused(
              `It is one side of transfer ${entry.transfer_id}. Undo that with transfers undo.`,
            );
          await unpost(tx, [entry]);
          return entry.account_id;
        });
        finance.changed(accountId);
        return `Transaction ${input.transaction} is gone.`;
      },
    });

  async function show(budgetReference: string, id: number) {
    const budget = await findBudget(db, budgetReference);
    const { entries } = await readEntries(db, budget, { ids: [id], limit: 1 });
    if (!entries[0]) throw new NotFound(`There is no transaction ${id}.`);
    return { currency: budget.currency, ...entries[0] };
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
    budgetReference: string,
    ids: readonly number[],
    column: 'category_id' | 'is_cleared',
    value: string | boolean | null,
  ) {
    const budget = await findBudget(db, budgetReference);
    const wanted = [...new Set(ids)];
    const category = typeof value === 'string' ? await findCategory(db, budget.id, value) : undefined;
    await db.transaction(async (tx) => {
      const changed = await tx.query<{ id: number }>(
        `update transactions t set ${column} = $3 from accounts a
         where a.id = t.account_id and a.budget_id = $1 and t.id = any($2)
           ${column === 'category_id' ? 'and t.transfer_id is null' : ''} returning t.id`,
        [budget.id, wanted, category ? category.id : value],
      );
      const missing = wanted.filter((id) => !changed.some((row) => row.id === id));
      if (missing.length > 0)
        throw new NotFound(
          `There are no such transactions${column === 'category_id' ? ', or they are sides of transfers' : ''}: ${missing.join(', ')}.`,
        );
    });
    return { changed: wanted.length };
  }
}
