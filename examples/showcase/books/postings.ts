/**
 * The only file that changes balances. The balance of an account changes together with its transactions, in one
 * database transaction that has locked the account's row.
 */
import { ErrToolFailed } from 'toolfold/errors';
import type { Queryable } from '../database/database.js';
import { only } from '../database/database.js';
import type { Account } from './references.js';

export interface Posting {
  readonly accountId: number;
  readonly date: string;
  readonly amount: bigint;
  readonly payeeId?: number | null;
  readonly categoryId?: number | null;
  readonly memo?: string;
  readonly isCleared?: boolean;
  readonly isOpening?: boolean;
  readonly transferId?: number;
  readonly importId?: number;
  readonly importKey?: string;
}

export interface Entry {
  readonly id: number;
  readonly account_id: number;
  readonly date: string;
  readonly amount: bigint;
  readonly payee_id: number | null;
  readonly category_id: number | null;
  readonly memo: string;
  readonly is_cleared: boolean;
  readonly transfer_id: number | null;
}

/**
 * Locks accounts in the order of their ids, so that two writers cannot deadlock. The lock allows references to the
 * account, because a stronger one would deadlock with writers that hold a key lock on it.
 */
export async function lockAccounts(tx: Queryable, ids: readonly number[]): Promise<Account[]> {
  return tx.query<Account>('select * from accounts where id = any($1) order by id for no key update', [ids]);
}

/** Locks accounts, and throws if one is closed, because the balance of a closed account cannot change. */
async function lockOpenAccounts(tx: Queryable, ids: readonly number[]): Promise<void> {
  const accounts = await lockAccounts(tx, [...new Set(ids)]);
  for (const { name, closed_on: closedOn } of accounts)
    if (closedOn !== null)
      throw new ErrToolFailed(`The account "${name}" was closed on ${closedOn}. Reopen it first.`);
}

/** Adds transactions. */
export async function post(tx: Queryable, postings: readonly Posting[]): Promise<number[]> {
  await lockOpenAccounts(
    tx,
    postings.map(({ accountId }) => accountId),
  );
  const ids = [];
  for (const posting of postings) {
    const { id } = only(await tx.query<{ id: number }>(insertion, valuesOf(posting)));
    await move(tx, posting.accountId, posting.amount);
    ids.push(id);
  }
  return ids;
}

const insertion = `insert into transactions
  (account_id, date, amount, payee_id, category_id, memo, is_cleared, transfer_id, import_id, import_key, is_opening)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`;

function valuesOf(posting: Posting): unknown[] {
  const { accountId, date, amount, payeeId, categoryId, memo, isCleared } = posting;
  const { transferId, importId, importKey, isOpening } = posting;
  return [
    accountId,
    date,
    amount,
    payeeId ?? null,
    categoryId ?? null,
    memo ?? '',
    isCleared ?? false,
    transferId ?? null,
    importId ?? null,
    importKey ?? null,
    isOpening ?? false,
  ];
}

/** Reads a posted transaction and locks it until the end of the database transaction, after its account. */
export async function lockEntry(tx: Queryable, budgetId: number, id: number): Promise<Entry> {
  const [place] = await tx.query<{ account_id: number }>(
    `select t.account_id from transactions t join accounts a on a.id = t.account_id
     where t.id = $1 and a.budget_id = $2`,
    [id, budgetId],
  );
  if (place) await lockAccounts(tx, [place.account_id]);
  const [entry] = await tx.query<Entry>('select * from transactions where id = $1 for no key update', [id]);
  if (!place || !entry) throw new ErrToolFailed(`There is no transaction ${id} in this budget.`);
  return entry;
}

/** Removes transactions and reverts their effect on the balances. */
export async function unpost(tx: Queryable, entries: readonly Entry[]): Promise<void> {
  await lockOpenAccounts(
    tx,
    entries.map((entry) => entry.account_id),
  );
  for (const { id } of entries) {
    const [gone] = await tx.query<Entry>('delete from transactions where id = $1 returning *', [id]);
    if (gone) await move(tx, gone.account_id, -gone.amount);
  }
}

export type Amendment = Partial<Pick<Posting, 'date' | 'amount' | 'payeeId' | 'categoryId' | 'memo'>>;

/** Changes a posted transaction. One side of a transfer keeps its date, amount and category, because both sides must match. */
export async function amend(tx: Queryable, entry: Entry, changes: Amendment): Promise<void> {
  const { date = entry.date, amount = entry.amount, payeeId = entry.payee_id, memo = entry.memo } = changes;
  const { categoryId = entry.category_id } = changes;
  if (entry.transfer_id !== null && (amount !== entry.amount || date !== entry.date || categoryId !== null))
    throw new ErrToolFailed(
      `Transaction ${entry.id} is one side of transfer ${entry.transfer_id}. Change both sides with transfers/update.`,
    );
  await lockOpenAccounts(tx, [entry.account_id]);
  await tx.query(
    'update transactions set date = $2, amount = $3, payee_id = $4, category_id = $5, memo = $6 where id = $1',
    [entry.id, date, amount, payeeId, categoryId, memo],
  );
  if (amount !== entry.amount) await move(tx, entry.account_id, amount - entry.amount);
}

/** Changes both sides of a transfer. `amount` is positive. */
export async function amendSides(
  tx: Queryable,
  sides: readonly Entry[],
  { amount, date, memo }: { readonly amount: bigint; readonly date: string; readonly memo: string },
): Promise<void> {
  await lockOpenAccounts(
    tx,
    sides.map((side) => side.account_id),
  );
  for (const side of sides) {
    const signed = side.amount < 0n ? -amount : amount;
    await tx.query('update transactions set date = $2, amount = $3, memo = $4 where id = $1', [
      side.id,
      date,
      signed,
      memo,
    ]);
    await move(tx, side.account_id, signed - side.amount);
  }
}

async function move(tx: Queryable, accountId: number, amount: bigint): Promise<void> {
  await tx.query('update accounts set balance = balance + $2 where id = $1', [accountId, amount]);
}
