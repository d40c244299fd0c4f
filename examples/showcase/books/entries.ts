import type { Queryable } from '../database/database.js';
import type { Currency } from '../money.js';
import { formatAmount } from '../money.js';

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

/** The orders of a list. Amounts are compared by size, regardless of their sign. */
const orders = {
  newest: 't.date desc, t.id desc',
  oldest: 't.date, t.id',
  largest: 'abs(t.amount) desc, t.date desc, t.id desc',
  smallest: 'abs(t.amount), t.date desc, t.id desc',
} as const;

export type Order = keyof typeof orders;
export const orderNames = Object.keys(orders) as [Order, ...Order[]];

export interface EntryFilter {
  readonly ids?: readonly number[] | undefined;
  readonly accountId?: number | undefined;
  readonly categoryId?: number | undefined;
  readonly payeeId?: number | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Part of the payee's name or of the memo. */
  readonly text?: string | undefined;
  readonly isUncategorized?: boolean | undefined;
  readonly isCleared?: boolean | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  /** Limits of the size, regardless of the sign. */
  readonly least?: bigint | undefined;
  readonly most?: bigint | undefined;
  readonly withoutTransfers?: boolean | undefined;
  readonly order?: Order | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
}

export interface Entries {
  /** The number of all matches, also of those beyond the limit. */
  readonly count: number;
  /** The sum of all matches. */
  readonly sum: bigint;
  readonly entries: ShownEntry[];
}

const source = `from transactions t join accounts a on a.id = t.account_id
     left join payees p on p.id = t.payee_id left join categories c on c.id = t.category_id
     where a.budget_id = $1
       and ($2::integer[] is null or t.id = any($2))
       and ($3::integer is null or t.account_id = $3)
       and ($4::integer is null or t.category_id = $4)
       and ($5::integer is null or t.payee_id = $5)
       and t.date between coalesce($6::date, '-infinity') and coalesce($7::date, 'infinity')
       and ($8::text is null or position(lower($8) in lower(coalesce(p.name, '') || ' ' || t.memo)) > 0)
       and (not $9::boolean or (t.category_id is null and t.transfer_id is null and not t.is_opening))
       and ($10::boolean is null or t.is_cleared = $10)
       and ($11::integer is null or sign(t.amount) = $11)
       and abs(t.amount) between coalesce($12::bigint, 0) and coalesce($13::bigint, abs(t.amount))
       and (not $14::boolean or t.transfer_id is null)`;

/** Transactions for display, with the number and the sum of all that match. */
export async function readEntries(
  q: Queryable,
  budget: { readonly id: number; readonly currency: Currency },
  filter: EntryFilter,
): Promise<Entries> {
  const { limit, offset = 0, order = 'newest' } = filter;
  const values = [
    budget.id,
    filter.ids ?? null,
    filter.accountId ?? null,
    filter.categoryId ?? null,
    filter.payeeId ?? null,
    filter.from ?? null,
    filter.to ?? null,
    filter.text ?? null,
    filter.isUncategorized ?? false,
    filter.isCleared ?? null,
    filter.direction === undefined ? null : filter.direction === 'in' ? 1 : -1,
    filter.least ?? null,
    filter.most ?? null,
    filter.withoutTransfers ?? false,
  ];
  type Row = Omit<ShownEntry, 'amount'> & { amount: bigint; count: number; sum: bigint };
  const rows = await q.query<Row>(
    `select t.id, t.date, a.name as account, p.name as payee, c.name as category, t.amount, t.memo, t.is_cleared,
            t.transfer_id, count(*) over ()::integer as count, sum(t.amount) over ()::bigint as sum
     ${source} order by ${orders[order]} limit $15 offset $16`,
    [...values, limit, offset],
  );
  // A page beyond the end has no row that tells the number.
  const [all] =
    rows.length === 0 && offset > 0
      ? await q.query<Row>(
          `select count(*)::integer as count, coalesce(sum(t.amount), 0)::bigint as sum ${source}`,
          values,
        )
      : rows;
  return {
    count: all?.count ?? 0,
    sum: all?.sum ?? 0n,
    entries: rows.map(({ count: _count, sum: _sum, ...row }) => ({
      ...row,
      amount: formatAmount(row.amount, budget.currency),
    })),
  };
}
