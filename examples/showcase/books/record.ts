import { ErrToolFailed } from 'toolfold/errors';
import type { Database, Queryable } from '../database/database.js';
import { lockAccounts, post } from './postings.js';
import { findCategory, findOrAddPayee } from './references.js';
import type { Payee } from './references.js';
import { categoryFor } from './rules.js';

export interface Line {
  readonly accountId: number;
  readonly date: string;
  readonly amount: bigint;
  readonly payee: string;
  /** Default: chosen by the rules or the payee's usual category. */
  readonly category?: string | undefined;
  readonly memo?: string;
  readonly isCleared?: boolean;
  readonly requestId?: string | undefined;
  readonly importId?: number;
  readonly importKey?: string;
}

/** Adds payments and receipts in one database transaction. A line with a known request id is not added again. */
export async function record(db: Database, budgetId: number, lines: readonly Line[]): Promise<number[]> {
  return db.transaction((tx) => recordIn(tx, budgetId, lines));
}

export async function recordIn(tx: Queryable, budgetId: number, lines: readonly Line[]): Promise<number[]> {
  // A concurrent call with the same request id waits here, and then finds the line that this call has added.
  await lockAccounts(tx, [...new Set(lines.map(({ accountId }) => accountId))]);
  const added: (Line | number)[] = [];
  for (const line of lines) added.push((await findRepeated(tx, line)) ?? line);
  const payees = await findPayees(
    tx,
    budgetId,
    added.flatMap((line) => (typeof line === 'number' ? [] : [line.payee])),
  );
  const ids: number[] = [];
  for (const line of added)
    ids.push(typeof line === 'number' ? line : await recordLine(tx, budgetId, line, payees));
  return ids;
}

/** Finds or adds payees in the order of their names, so that two calls with the same new names do not deadlock. */
async function findPayees(
  tx: Queryable,
  budgetId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, Payee>> {
  const wanted = new Map(names.toReversed().map((name) => [name.toLowerCase(), name]));
  const payees = new Map<string, Payee>();
  for (const [key, name] of [...wanted].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    payees.set(key, await findOrAddPayee(tx, budgetId, name));
  return payees;
}

async function recordLine(
  tx: Queryable,
  budgetId: number,
  { payee: name, category, requestId, ...line }: Line,
  payees: ReadonlyMap<string, Payee>,
): Promise<number> {
  const payeeId = payees.get(name.toLowerCase())?.id ?? null;
  const categoryId =
    category !== undefined
      ? (await findCategory(tx, budgetId, category)).id
      : payeeId === null
        ? null
        : await categoryFor(tx, budgetId, payeeId);
  const [id = 0] = await post(tx, [{ ...line, payeeId, categoryId }]);
  if (requestId !== undefined)
    await tx.query(
      'insert into requests (account_id, request_id, amount, transaction_id) values ($1, $2, $3, $4)',
      [line.accountId, requestId, line.amount, id],
    );
  return id;
}

/** Finds the transaction of a repeated request. Compares the requested amount, because the booked one may have changed. */
async function findRepeated(
  tx: Queryable,
  { accountId, requestId, amount }: Line,
): Promise<number | undefined> {
  if (requestId === undefined) return undefined;
  const [known] = await tx.query<{ transaction_id: number | null; amount: bigint }>(
    'select transaction_id, amount from requests where account_id = $1 and request_id = $2',
    [accountId, requestId],
  );
  if (!known) return undefined;
  if (known.amount !== amount)
    throw new ErrToolFailed(`The request id "${requestId}" was used for another transaction.`);
  if (known.transaction_id === null)
    throw new ErrToolFailed(`The transaction with the request id "${requestId}" was added and then deleted.`);
  return known.transaction_id;
}
