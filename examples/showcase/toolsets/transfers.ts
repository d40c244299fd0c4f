import * as z from 'zod';
import { findAccount, findBudget } from '../books/references.js';
import { makeTransfer, undoTransfer } from '../books/transfers.js';
import { dateSchema } from '../dates.js';
import { NotFound } from '../errors.js';
import type { Finance } from '../finance.js';
import { formatAmount, parsePositive, positiveAmountSchema } from '../money.js';
import type { Currency } from '../money.js';
import { adds, lists, reads, removes, requestIdField, toolInBudget } from './actions.js';

const idField = z.int32().min(1).describe('Id of the transfer');
const accountField = z.string().describe('Name or id of an account');

export function transfersTool(finance: Finance) {
  const { db, today } = finance;
  return toolInBudget('transfers', finance)
    .description('Money that moves between own accounts')
    .action({
      ...lists,
      name: 'list',
      description: 'Lists transfers, the newest first.',
      inputSchema: z.object({
        account: accountField.optional(),
        from_date: dateSchema.optional(),
        limit: z.int().min(1).max(200).default(25),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const account =
          input.account === undefined ? undefined : await findAccount(db, budget.id, input.account);
        return read(
          budget,
          "and ($2::integer is null or $2 in (f.from_account_id, f.to_account_id)) and f.date >= coalesce($3::date, '-infinity')",
          [account?.id ?? null, input.from_date ?? null],
          input.limit,
        );
      },
    })
    .action({
      ...reads,
      name: 'get',
      description: 'Shows a transfer.',
      inputSchema: z.object({ transfer: idField }),
      handler: async ({ input }) => show(input.budget, input.transfer),
    })
    .action({
      ...adds,
      name: 'make',
      description:
        'Moves money from one account to another, such as from checking to savings. Send a request_id, so that a repeat moves nothing twice.',
      inputSchema: z.object({
        from: accountField,
        to: accountField,
        amount: positiveAmountSchema,
        date: dateSchema.optional(),
        memo: z.string().max(500).default(''),
        ...requestIdField,
      }),
      idempotency: { field: 'request_id' },
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const [from, to] = [
          await findAccount(db, budget.id, input.from),
          await findAccount(db, budget.id, input.to),
        ];
        const { transfer, isNew } = await makeTransfer(db, {
          budgetId: budget.id,
          fromId: from.id,
          toId: to.id,
          amount: parsePositive(input.amount, budget.currency),
          date: input.date ?? (await today()),
          memo: input.memo,
          requestId: input.request_id,
        });
        if (isNew) finance.changed(from.id, to.id);
        return show(input.budget, transfer.id);
      },
    })
    .action({
      ...removes,
      name: 'undo',
      description: 'Takes both sides of a transfer back.',
      inputSchema: z.object({ transfer: idField }),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const undone = await undoTransfer(db, id, input.transfer);
        finance.changed(undone.from_account_id, undone.to_account_id);
        return show(input.budget, undone.id);
      },
    });

  async function show(budgetReference: string, id: number) {
    const budget = await findBudget(db, budgetReference);
    const [transfer] = (await read(budget, 'and f.id = $2', [id], 1)).transfers;
    if (!transfer) throw new NotFound(`There is no transfer ${id}.`);
    return { currency: budget.currency, ...transfer };
  }

  async function read(
    { id, currency }: { readonly id: number; readonly currency: Currency },
    condition: string,
    values: readonly unknown[],
    limit: number,
  ) {
    const rows = await db.query<{ id: number; amount: bigint }>(
      `select f.id, f.date, a.name as from, b.name as to, f.amount, f.memo, f.undone_at is not null as is_undone
       from transfers f join accounts a on a.id = f.from_account_id join accounts b on b.id = f.to_account_id
       where f.budget_id = $1 ${condition} order by f.date desc, f.id desc limit $${values.length + 2}`,
      [id, ...values, limit],
    );
    return {
      currency,
      transfers: rows.map((row) => ({ ...row, amount: formatAmount(row.amount, currency) })),
    };
  }
}
