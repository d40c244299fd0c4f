import { ErrToolFailed } from 'toolfold/errors';
import type { Database, Queryable } from '../database/database.js';
import { only } from '../database/database.js';
import type { Entry } from './postings.js';
import { amendSides, lockAccounts, post, unpost } from './postings.js';

export interface Transfer {
  readonly id: number;
  readonly from_account_id: number;
  readonly to_account_id: number;
  readonly amount: bigint;
  readonly date: string;
  readonly memo: string;
  readonly request_id: string | null;
  /** The amount of the request, if the transfer was changed later. */
  readonly requested_amount: bigint | null;
  readonly undone_at: Date | null;
}

export interface TransferOrder {
  readonly budgetId: number;
  readonly fromId: number;
  readonly toId: number;
  readonly amount: bigint;
  readonly date: string;
  readonly memo: string;
  /** Identifies the order, so that a repeated request does not transfer twice, also after a restart. */
  readonly requestId?: string | undefined;
}

/** Moves money between two accounts: creates two transactions that add up to zero. */
export async function makeTransfer(
  db: Database,
  order: TransferOrder,
): Promise<{ readonly transfer: Transfer; readonly isNew: boolean }> {
  if (order.fromId === order.toId) throw new ErrToolFailed('A transfer needs two different accounts.');
  return db.transaction(async (tx) => {
    const [transfer] = await tx.query<Transfer>(
      `insert into transfers (budget_id, from_account_id, to_account_id, amount, date, memo, request_id)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (budget_id, request_id) do nothing returning *`,
      [
        order.budgetId,
        order.fromId,
        order.toId,
        order.amount,
        order.date,
        order.memo,
        order.requestId ?? null,
      ],
    );
    if (!transfer) return { transfer: await findRepeated(tx, order), isNew: false };
    const side = { date: order.date, memo: order.memo, transferId: transfer.id };
    await post(tx, [
      { ...side, accountId: order.fromId, amount: -order.amount },
      { ...side, accountId: order.toId, amount: order.amount },
    ]);
    return { transfer, isNew: true };
  });
}

async function findRepeated(tx: Queryable, order: TransferOrder): Promise<Transfer> {
  const transfer = only(
    await tx.query<Transfer>('select * from transfers where budget_id = $1 and request_id = $2', [
      order.budgetId,
      order.requestId,
    ]),
  );
  const isSame =
    transfer.from_account_id === order.fromId &&
    transfer.to_account_id === order.toId &&
    (transfer.requested_amount ?? transfer.amount) === order.amount;
  if (!isSame)
    throw new ErrToolFailed(
      `The request id "${order.requestId}" was used for another transfer, ${transfer.id}.`,
    );
  return transfer;
}

/** Changes both sides of a transfer. */
export async function updateTransfer(
  db: Database,
  budgetId: number,
  id: number,
  changes: {
    readonly amount?: bigint | undefined;
    readonly date?: string | undefined;
    readonly memo?: string | undefined;
  },
): Promise<Transfer> {
  return db.transaction(async (tx) => {
    const transfer = await lockTransfer(tx, budgetId, id);
    if (transfer.undone_at !== null) throw new ErrToolFailed(`Transfer ${id} was undone. Make a new one.`);
    const { amount = transfer.amount, date = transfer.date, memo = transfer.memo } = changes;
    await lockAccounts(tx, [transfer.from_account_id, transfer.to_account_id]);
    const sides = await tx.query<Entry>('select * from transactions where transfer_id = $1 order by id', [
      id,
    ]);
    await amendSides(tx, sides, { amount, date, memo });
    return only(
      await tx.query<Transfer>(
        `update transfers set amount = $2, date = $3, memo = $4, requested_amount = coalesce(requested_amount, amount)
         where id = $1 returning *`,
        [id, amount, date, memo],
      ),
    );
  });
}

async function lockTransfer(tx: Queryable, budgetId: number, id: number): Promise<Transfer> {
  const [transfer] = await tx.query<Transfer>(
    'select * from transfers where id = $1 and budget_id = $2 for no key update',
    [id, budgetId],
  );
  if (!transfer) throw new ErrToolFailed(`There is no transfer ${id} in this budget.`);
  return transfer;
}

/** Removes both sides. The transfer record stays, so that its request id cannot create another one. */
export async function undoTransfer(db: Database, budgetId: number, id: number): Promise<Transfer> {
  return db.transaction(async (tx) => {
    const transfer = await lockTransfer(tx, budgetId, id);
    if (transfer.undone_at !== null) return transfer;
    await unpost(
      tx,
      await tx.query<Entry>('select * from transactions where transfer_id = $1 order by id', [id]),
    );
    return only(
      await tx.query<Transfer>('update transfers set undone_at = now() where id = $1 returning *', [id]),
    );
  });
}
