import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import { findAccount, findBudget } from '../books/references.js';
import { makeTransfer, undoTransfer, updateTransfer } from '../books/transfers.js';
import { assertInOrder, dateSchema, fromField, toField } from '../dates.js';
import type { Finance } from '../finance.js';
import { formatAmount, parsePositive, positiveAmountSchema } from '../money.js';
import type { Currency } from '../money.js';
import {
  adds,
  fitPage,
  pageFields,
  pages,
  reads,
  quote,
  removes,
  requestIdField,
  sets,
  toolInBudget,
} from './actions.js';

const idField = z.int32().min(1).describe('Id of the transfer');
const memoField = z.string().max(500);

export function transfersTool(finance: Finance) {
  const { db, today } = finance;
  return toolInBudget('transfers', finance)
    .description('Money that moves between own accounts of one budget')
    .action({
      ...pages,
      name: 'list',
      description: 'Lists transfers, the newest first, undone ones included.',
      inputSchema: z.object({
        account: z.string().optional().describe('Only transfers from or to this account, by name or id'),
        from_account: z.string().optional().describe('Only transfers from this account, by name or id'),
        to_account: z.string().optional().describe('Only transfers to this account, by name or id'),
        from: fromField,
        to: toField,
        ...pageFields,
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        assertInOrder(input);
        const idOf = async (account: string | undefined): Promise<number | null> =>
          account === undefined ? null : (await findAccount(db, budget.id, account)).id;
        const found = await read(
          budget,
          `and ($2::integer is null or $2 in (f.from_account_id, f.to_account_id))
           and f.date between coalesce($3::date, '-infinity') and coalesce($4::date, 'infinity')
           and f.from_account_id = coalesce($5::integer, f.from_account_id)
           and f.to_account_id = coalesce($6::integer, f.to_account_id)`,
          [
            await idOf(input.account),
            input.from ?? null,
            input.to ?? null,
            await idOf(input.from_account),
            await idOf(input.to_account),
          ],
          input,
        );
        const { rows, next_offset } = fitPage(found.transfers, { offset: input.offset, count: found.count });
        // An empty page beyond the end does not know the number.
        const count = rows.length === 0 && input.offset > 0 ? null : found.count;
        return { currency: budget.currency, count, next_offset, transfers: rows };
      },
    })
    .action({
      ...reads,
      name: 'get',
      description: 'Shows one transfer.',
      inputSchema: z.object({ transfer: idField }),
      handler: async ({ input }) => show(input.budget, input.transfer),
    })
    .action({
      ...adds,
      name: 'make',
      description:
        'Makes a transfer: moves money from one account to another, such as from checking to savings, and records it on both.',
      inputSchema: z.object({
        from_account: z.string().describe('Name or id of the account that pays'),
        to_account: z.string().describe('Name or id of the account that receives'),
        amount: positiveAmountSchema,
        date: dateSchema.optional().describe('Day of the transfer, such as 2026-03-01. Default: today'),
        memo: memoField.default('').describe('A note'),
        ...requestIdField,
      }),
      idempotency: { field: 'request_id' },
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const [from, to] = [
          await findAccount(db, budget.id, input.from_account),
          await findAccount(db, budget.id, input.to_account),
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
      ...sets,
      name: 'update',
      description:
        'Changes amount, day or note on both sides of a transfer; fields that are left out keep their value. For other accounts use transfers/undo and transfers/make.',
      inputSchema: z.object({
        transfer: idField,
        amount: positiveAmountSchema.optional(),
        date: dateSchema.optional().describe('New day'),
        memo: memoField.optional().describe('New note'),
      }),
      handler: async ({ input }) => {
        const { id, currency } = await findBudget(db, input.budget);
        const changed = await updateTransfer(db, id, input.transfer, {
          amount: input.amount === undefined ? undefined : parsePositive(input.amount, currency),
          date: input.date,
          memo: input.memo,
        });
        finance.changed(changed.from_account_id, changed.to_account_id);
        return show(input.budget, changed.id);
      },
    })
    .action({
      ...removes,
      name: 'undo',
      description: 'Undoes a transfer: removes both of its sides, so the money is back where it was.',
      inputSchema: z.object({ transfer: idField }),
      confirm: async ({ input }) => {
        const { date, amount, currency, from_account, to_account } = await show(input.budget, input.transfer);
        return `Undo the transfer of ${date} over ${amount} ${currency} from ${quote(from_account)} to ${quote(to_account)}?`;
      },
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const undone = await undoTransfer(db, id, input.transfer);
        finance.changed(undone.from_account_id, undone.to_account_id);
        return show(input.budget, undone.id);
      },
    });

  async function show(budgetReference: string, id: number) {
    const budget = await findBudget(db, budgetReference);
    const [transfer] = (await read(budget, 'and f.id = $2', [id], { limit: 1, offset: 0 })).transfers;
    if (!transfer) throw new ErrToolFailed(`There is no transfer ${id} in the budget "${budget.name}".`);
    const balanceOf = async (account: string): Promise<string> =>
      formatAmount((await findAccount(db, budget.id, account)).balance, budget.currency);
    return {
      currency: budget.currency,
      ...transfer,
      from_account_balance: await balanceOf(transfer.from_account),
      to_account_balance: await balanceOf(transfer.to_account),
    };
  }

  async function read(
    { id, currency }: { readonly id: number; readonly currency: Currency },
    condition: string,
    values: readonly unknown[],
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ) {
    const rows = await db.query<{
      id: number;
      date: string;
      from_account: string;
      to_account: string;
      amount: bigint;
      count: number;
    }>(
      `select f.id, f.date, a.name as from_account, b.name as to_account, f.amount, f.memo,
              f.undone_at is not null as is_undone, count(*) over ()::integer as count
       from transfers f join accounts a on a.id = f.from_account_id join accounts b on b.id = f.to_account_id
       where f.budget_id = $1 ${condition} order by f.date desc, f.id desc
       limit $${values.length + 2} offset $${values.length + 3}`,
      [id, ...values, limit, offset],
    );
    return {
      count: rows[0]?.count ?? 0,
      transfers: rows.map(({ count: _count, amount, ...row }) => ({
        ...row,
        amount: formatAmount(amount, currency),
      })),
    };
  }
}
