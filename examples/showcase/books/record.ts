import type { Database, Queryable } from '../database/database.js';
import type { Currency } from '../money.js';
import { formatAmount } from '../money.js';
import { Conflict } from '../errors.js';
import { lockAccounts, post } from './postings.js';
import { findCategory, findOrAddPayee } from './references.js';
import type { Payee } from './references.js';
import { categoryFor } from './rules.js';

export interface Line {
  readonly accountId: number;
  readonly date: string;
  readonly amount: bigint;
  readonly payee: string;
  /** Where it is left out, rules and the payee's usual category decide. */
  readonly category?: string | undefined;
  readonly memo?: string;
  readonly isCleared?: boolean;
  readonly requestId?: string | undefined;
  readonly importId?: number;
  readonly importKey?: string;
}

/** Adds what was paid or received, all lines or none. A line whose request id is known already is not added again. */
export async function record(db: Database, budgetId: number, lines: readonly Line[]): Promise<number[]> {
  return db.transaction((tx) => recordIn(tx, budgetId, lines));
}

export async function recordIn(tx: Queryable, budgetId: number, lines: readonly Line[]): Promise<number[]> {
  // Whoever adds the same at the same time waits here, and then finds it.
  await lockAccounts(tx, [...new Set(lines.map(({ accountId }) => accountId))]);
  const payees = new Map<string, Payee>();
  // In one order for all, so that two who add the same names do not wait for each other.
  for (const name of [...new Set(lines.map(({ payee }) => payee.toLowerCase()))].toSorted()) {
    const line = lines.find(({ payee }) => payee.toLowerCase() === name);
    payees.set(name, await findOrAddPayee(tx, budgetId, line?.payee ?? name));
  }
  const ids: number[] = [];
  for (const { payee: name, category, ...line } of lines) {
    const known = line.requestId === undefined ? undefined : await findRepeated(tx, line);
    if (known !== undefined) {
      ids.push(known);
      continue;
    }
    const payeeId = payees.get(name.toLowerCase())?.id ?? null;
    const categoryId =
      category !== undefined
        ? (await findCategory(tx, budgetId, category)).id
        : payeeId === null
          ? null
          : await categoryFor(tx, budgetId, payeeId);
    ids.push(...(await post(tx, [{ ...line, payeeId, categoryId }])));
  }
  return ids;
}

type RepeatedLine = Pick<Line, 'accountId' | 'amount' | 'requestId'>;

async function findRepeated(tx: Queryable, line: RepeatedLine): Promise<number | undefined> {
  const [known] = await tx.query<{ id: number; amount: bigint }>(
    'select id, amount from transactions where account_id = $1 and request_id = $2',
    [line.accountId, line.requestId],
  );
  if (known && known.amount !== line.amount)
    throw new Conflict(`The request id "${line.requestId}" was used for another transaction, ${known.id}.`);
  return known?.id;
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

/** Transactions as they are shown, the newest first, and how many there are. */
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
  return {
    total: rows[0]?.total ?? 0,
    entries: rows.map(({ total: _total, ...row }) => ({
      ...row,
      amount: formatAmount(row.amount, budget.currency),
    })),
  };
}
