import type { Database, Queryable } from '../database/database.js';
import type { Currency } from '../money.js';
import { formatAmount } from '../money.js';
import { InvalidInput, Refused } from '../errors.js';
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
    throw new InvalidInput(`The request id "${requestId}" was used for another transaction.`);
  if (known.transaction_id === null)
    throw new Refused(`The transaction with the request id "${requestId}" was added and then deleted.`);
  return known.transaction_id;
}

export interface ShownEntry {
  readonly id: number;
  readonly date: string;
  readonly account: string;
  readonly payee: string | null;
  readonly category: string | null;
  readonly amount: string;
  readonly memo: string;
  readonly is_cleared: boolean;
  readonly transfer_id: number | null;
}

export interface EntryFilter {
  readonly ids?: readonly number[] | undefined;
  readonly accountId?: number | undefined;
  readonly categoryId?: number | undefined;
  readonly payeeId?: number | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly text?: string | undefined;
  readonly isUncategorized?: boolean | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
}

/** Transactions for display, newest first, and their total number. */
export async function readEntries(
  q: Queryable,
  budget: { readonly id: number; readonly currency: Currency },
  filter: EntryFilter,
): Promise<{ readonly total: number; readonly entries: ShownEntry[] }> {
  const { ids, accountId, categoryId, payeeId, from, to, text, isUncategorized, limit, offset = 0 } = filter;
  const rows = await q.query<Omit<ShownEntry, 'amount'> & { amount: bigint; total: number }>(
    `select t.id, t.date, a.name as account, p.name as payee, c.name as category, t.amount, t.memo, t.is_cleared,
            t.transfer_id, count(*) over ()::integer as total
     from transactions t join accounts a on a.id = t.account_id
     left join payees p on p.id = t.payee_id left join categories c on c.id = t.category_id
     where a.budget_id = $1
       and ($2::integer[] is null or t.id = any($2))
       and ($3::integer is null or t.account_id = $3)
       and ($4::integer is null or t.category_id = $4)
       and ($5::integer is null or t.payee_id = $5)
       and t.date between coalesce($6::date, '-infinity') and coalesce($7::date, 'infinity')
       and ($8::text is null or position(lower($8) in lower(coalesce(p.name, '') || ' ' || t.memo)) > 0)
       and (not $9::boolean or (t.category_id is null and t.transfer_id is null))
     order by t.date desc, t.id desc limit $10 offset $11`,
    [
      budget.id,
      ids ?? null,
      accountId ?? null,
      categoryId ?? null,
      payeeId ?? null,
      from ?? null,
      to ?? null,
      text ?? null,
      isUncategorized ?? false,
      limit,
      offset,
    ],
  );
  const isPastEnd = rows.length === 0 && offset > 0;
  return {
    total: isPastEnd
      ? (await readEntries(q, budget, { ...filter, limit: 1, offset: 0 })).total
      : (rows[0]?.total ?? 0),
    entries: rows.map(({ total: _total, ...row }) => ({
      ...row,
      amount: formatAmount(row.amount, budget.currency),
    })),
  };
}
