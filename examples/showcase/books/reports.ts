import type { Queryable } from '../database/database.js';
import { lastDay, monthOf, monthsBetween } from '../dates.js';
import type { Period } from './periods.js';

export interface Spending {
  readonly name: string;
  readonly count: number;
  readonly spent: bigint;
}

/** SQL that selects income and spending: transfers and opening balances are neither. */
const isFlow = 't.transfer_id is null and not t.is_opening';

/** SQL that tells income from spending. Without a category, the sign decides. */
const isIncome = 'coalesce(c.is_income, t.amount > 0)';

/** Spending minus refunds, highest first. Transfers, income and opening balances do not count. */
export async function readSpending(
  q: Queryable,
  budgetId: number,
  { from, to }: Partial<Period>,
  by: 'category' | 'section' | 'payee',
): Promise<Spending[]> {
  const column = { category: 'c.name', section: 'c.section', payee: 'p.name' }[by];
  return q.query<Spending>(
    `select coalesce(${column}, $4) as name, count(*)::integer as count, (-sum(t.amount))::bigint as spent
     from transactions t join accounts a on a.id = t.account_id
     left join categories c on c.id = t.category_id left join payees p on p.id = t.payee_id
     where a.budget_id = $1 and t.date between coalesce($2::date, '-infinity') and coalesce($3::date, 'infinity')
       and ${isFlow} and not ${isIncome}
     group by 1 order by 3 desc, 1`,
    [budgetId, from ?? null, to ?? null, by === 'payee' ? 'No payee' : 'Uncategorized'],
  );
}

export interface Flow {
  readonly income: bigint;
  readonly spent: bigint;
  readonly net: bigint;
}

export interface MonthFlow extends Flow {
  readonly month: string;
}

/** Income and spending in each month of a period, which may begin and end within a month. */
export async function readCashFlow(
  q: Queryable,
  budgetId: number,
  { from, to }: Period,
): Promise<MonthFlow[]> {
  const rows = await q.query<MonthFlow>(
    `select to_char(t.date, 'YYYY-MM') as month,
            coalesce(sum(t.amount) filter (where ${isIncome}), 0)::bigint as income,
            coalesce(-sum(t.amount) filter (where not ${isIncome}), 0)::bigint as spent,
            sum(t.amount)::bigint as net
     from transactions t join accounts a on a.id = t.account_id left join categories c on c.id = t.category_id
     where a.budget_id = $1 and t.date between $2 and $3 and ${isFlow} group by 1`,
    [budgetId, from, to],
  );
  const known = new Map(rows.map((row) => [row.month, row]));
  return monthsBetween(monthOf(from), monthOf(to)).map(
    (month) => known.get(month) ?? { month, income: 0n, spent: 0n, net: 0n },
  );
}

export function addFlows(flows: readonly Flow[]): Flow {
  return flows.reduce(
    (sum, { income, spent, net }) => ({
      income: sum.income + income,
      spent: sum.spent + spent,
      net: sum.net + net,
    }),
    { income: 0n, spent: 0n, net: 0n },
  );
}

export interface Worth {
  readonly month: string;
  readonly assets: bigint;
  readonly debts: bigint;
  readonly net: bigint;
}

/** The total of all balances at the end of each month. */
export async function readNetWorth(
  q: Queryable,
  budgetId: number,
  from: string,
  to: string,
): Promise<Worth[]> {
  return q.query<Worth>(
    `select m.month, coalesce(sum(b.balance) filter (where b.balance > 0), 0)::bigint as assets,
            coalesce(-sum(b.balance) filter (where b.balance < 0), 0)::bigint as debts,
            coalesce(sum(b.balance), 0)::bigint as net
     from unnest($2::text[], $3::date[]) as m(month, last)
     left join lateral (
       select sum(t.amount) as balance from transactions t join accounts a on a.id = t.account_id
       where a.budget_id = $1 and t.date <= m.last group by a.id
     ) b on true
     group by m.month order by m.month`,
    [budgetId, monthsBetween(from, to), monthsBetween(from, to).map(lastDay)],
  );
}

/** The sum of the opening balances of a period. */
export async function readOpenings(q: Queryable, budgetId: number, { from, to }: Period): Promise<bigint> {
  const [row] = await q.query<{ total: bigint }>(
    `select coalesce(sum(t.amount), 0)::bigint as total from transactions t join accounts a on a.id = t.account_id
     where a.budget_id = $1 and t.is_opening and t.date between $2 and $3`,
    [budgetId, from, to],
  );
  return row?.total ?? 0n;
}

/** The day of the first transaction. */
export async function readFirstDay(q: Queryable, budgetId: number): Promise<string | undefined> {
  const [row] = await q.query<{ first: string | null }>(
    'select min(t.date) as first from transactions t join accounts a on a.id = t.account_id where a.budget_id = $1',
    [budgetId],
  );
  return row?.first ?? undefined;
}

/** Monthly spending of one category. */
export async function readTrend(q: Queryable, categoryId: number, from: string, to: string) {
  return q.query<{ month: string; spent: bigint }>(
    `select m.month, coalesce(-sum(t.amount), 0)::bigint as spent
     from unnest($2::text[]) as m(month)
     left join transactions t on t.category_id = $1 and to_char(t.date, 'YYYY-MM') = m.month
     group by m.month order by m.month`,
    [categoryId, monthsBetween(from, to)],
  );
}

export interface Duplicate {
  readonly account: string;
  readonly payee: string | null;
  readonly amount: bigint;
  readonly first_id: number;
  readonly first_date: string;
  readonly first_category: string | null;
  readonly first_memo: string;
  readonly first_is_cleared: boolean;
  readonly second_id: number;
  readonly second_date: string;
  readonly second_category: string | null;
  readonly second_memo: string;
  readonly second_is_cleared: boolean;
  /** The id of the uncleared one, else of the one that was entered by hand, else of the later one. */
  readonly safer_to_delete: number;
}

/** Pairs of transactions with the same account, payee and amount, at most some days apart; the closest first. */
export async function readDuplicates(
  q: Queryable,
  budgetId: number,
  { from, to, days, limit }: Period & { readonly days: number; readonly limit: number },
): Promise<Duplicate[]> {
  return q.query<Duplicate>(
    `select a.name as account, p.name as payee, t.amount, t.id as first_id, t.date as first_date,
            c.name as first_category, t.memo as first_memo, t.is_cleared as first_is_cleared,
            u.id as second_id, u.date as second_date,
            d.name as second_category, u.memo as second_memo, u.is_cleared as second_is_cleared,
            case when t.is_cleared <> u.is_cleared then case when u.is_cleared then t.id else u.id end
                 when t.import_id is null and u.import_id is not null then t.id
                 else u.id end as safer_to_delete
     from transactions t join accounts a on a.id = t.account_id
     join transactions u on u.account_id = t.account_id and u.amount = t.amount
       and u.payee_id is not distinct from t.payee_id and (u.date, u.id) > (t.date, t.id)
       and u.date <= t.date + $4::integer and u.transfer_id is null and not u.is_opening
     left join payees p on p.id = t.payee_id
     left join categories c on c.id = t.category_id left join categories d on d.id = u.category_id
     where a.budget_id = $1 and t.date between $2 and $3 and ${isFlow}
     order by u.date - t.date, abs(t.amount) desc, t.date desc, t.id, u.id limit $5`,
    [budgetId, from, to, days, limit],
  );
}
