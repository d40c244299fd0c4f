import type { Queryable } from '../database/database.js';
import { firstDay, lastDay, monthsBetween } from '../dates.js';

export interface Period {
  readonly from: string;
  readonly to: string;
}

export interface Spending {
  readonly name: string;
  readonly count: number;
  readonly spent: bigint;
}

/** Spending minus refunds, by category or payee. Transfers and income do not count. */
export async function readSpending(
  q: Queryable,
  budgetId: number,
  { from, to }: Period,
  by: 'category' | 'section' | 'payee',
): Promise<Spending[]> {
  const column = { category: 'c.name', section: 'c.section', payee: 'p.name' }[by];
  return q.query<Spending>(
    `select coalesce(${column}, 'None') as name, count(*)::integer as count, (-sum(t.amount))::bigint as spent
     from transactions t join accounts a on a.id = t.account_id
     left join categories c on c.id = t.category_id left join payees p on p.id = t.payee_id
     where a.budget_id = $1 and t.date between $2 and $3 and t.transfer_id is null
       and not coalesce(c.is_income, t.amount > 0)
     group by 1 order by 3 desc, 1`,
    [budgetId, from, to],
  );
}

export interface MonthFlow {
  readonly month: string;
  readonly income: bigint;
  readonly spent: bigint;
  readonly net: bigint;
}

/** Income and spending of each month. */
export async function readCashFlow(
  q: Queryable,
  budgetId: number,
  from: string,
  to: string,
): Promise<MonthFlow[]> {
  const rows = await q.query<MonthFlow>(
    `select to_char(t.date, 'YYYY-MM') as month,
            coalesce(sum(t.amount) filter (where coalesce(c.is_income, t.amount > 0)), 0)::bigint as income,
            coalesce(-sum(t.amount) filter (where not coalesce(c.is_income, t.amount > 0)), 0)::bigint as spent,
            sum(t.amount)::bigint as net
     from transactions t join accounts a on a.id = t.account_id left join categories c on c.id = t.category_id
     where a.budget_id = $1 and t.date between $2 and $3 and t.transfer_id is null group by 1`,
    [budgetId, firstDay(from), lastDay(to)],
  );
  const known = new Map(rows.map((row) => [row.month, row]));
  return monthsBetween(from, to).map(
    (month) => known.get(month) ?? { month, income: 0n, spent: 0n, net: 0n },
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
