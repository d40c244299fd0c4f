import { ErrToolFailed } from 'toolfold/errors';
import { firstDay, lastDay } from '../dates.js';
import type { Database, Queryable } from '../database/database.js';
import { findCategory } from './references.js';
import type { Category } from './references.js';

export interface PlannedCategory {
  readonly id: number;
  readonly section: string;
  readonly category: string;
  readonly assigned: bigint;
  /** The rest of all earlier months. Negative if they had spent more than they had. */
  readonly carried: bigint;
  /** Spending minus refunds. */
  readonly spent: bigint;
  /** assigned + carried - spent */
  readonly available: bigint;
}

/** The plan of each category in a month. Income and archived categories have none. */
export async function readPlan(q: Queryable, budgetId: number, month: string): Promise<PlannedCategory[]> {
  return q.query<PlannedCategory>(
    `with spent as (
       select t.category_id,
              sum(t.amount) as total,
              sum(t.amount) filter (where t.date >= $2::date) as activity
       from transactions t join accounts a on a.id = t.account_id
       where a.budget_id = $1 and t.date <= $3::date group by t.category_id
     ), given as (
       select g.category_id, sum(g.amount) as total, sum(g.amount) filter (where g.month = $2::date) as assigned
       from assignments g join categories c on c.id = g.category_id
       where c.budget_id = $1 and g.month <= $2::date group by g.category_id
     )
     select c.id, c.section, c.name as category,
            coalesce(g.assigned, 0)::bigint as assigned,
            (coalesce(g.total, 0) - coalesce(g.assigned, 0) + coalesce(s.total, 0) - coalesce(s.activity, 0))::bigint as carried,
            (-coalesce(s.activity, 0))::bigint as spent,
            (coalesce(g.total, 0) + coalesce(s.total, 0))::bigint as available
     from categories c
     left join spent s on s.category_id = c.id
     left join given g on g.category_id = c.id
     where c.budget_id = $1 and not c.is_income and not c.is_archived
     order by c.section, c.name`,
    [budgetId, firstDay(month), lastDay(month)],
  );
}

/** The spending of a month beyond its assigned amount and a surplus carried over. A deficit carried over does not count. */
export function overOf({ assigned, carried, spent }: PlannedCategory): bigint {
  const over = spent - assigned - (carried > 0n ? carried : 0n);
  return over > 0n ? over : 0n;
}

/** Income and uncategorised transactions until the end of a month, minus all amounts assigned to categories by then. */
export async function readyToAssign(q: Queryable, budgetId: number, month: string): Promise<bigint> {
  const [row] = await q.query<{ ready: bigint }>(
    `select (coalesce((select sum(t.amount) from transactions t join accounts a on a.id = t.account_id
                       left join categories c on c.id = t.category_id
                       where a.budget_id = $1 and t.date <= $3::date and t.transfer_id is null
                         and (c.is_income or t.category_id is null)), 0)
           - coalesce((select sum(g.amount) from assignments g join categories c on c.id = g.category_id
                       where c.budget_id = $1 and g.month <= $2::date), 0))::bigint as ready`,
    [budgetId, firstDay(month), lastDay(month)],
  );
  return row?.ready ?? 0n;
}

export interface Funds {
  /** Income, opening balances and uncategorised transactions, minus all assigned amounts. */
  readonly ready: bigint;
  /** The part of `ready` that is uncategorised. Negative for spending. */
  readonly uncategorized: bigint;
  /** The money of all spending categories, archived ones included. */
  readonly available: bigint;
  /** The part of `available` below zero. */
  readonly deficits: bigint;
  /** The sum of all accounts: `ready` + `available`. */
  readonly balance: bigint;
}

/** Divides the balance of all accounts at the end of a month into what is assigned to categories and what is not. */
export async function readFunds(q: Queryable, budgetId: number, month: string): Promise<Funds> {
  const ready = await readyToAssign(q, budgetId, month);
  const [sums] = await q.query<{ balance: bigint; uncategorized: bigint; deficits: bigint }>(
    `with entries as (
       select t.* from transactions t join accounts a on a.id = t.account_id where a.budget_id = $1 and t.date <= $3::date
     )
     select coalesce((select sum(amount) from entries), 0)::bigint as balance,
            coalesce((select sum(amount) from entries
                      where category_id is null and transfer_id is null and not is_opening), 0)::bigint as uncategorized,
            coalesce((select sum(least(0, coalesce((select sum(g.amount) from assignments g
                                                    where g.category_id = c.id and g.month <= $2::date), 0)
                                        + coalesce((select sum(e.amount) from entries e where e.category_id = c.id), 0)))
                      from categories c where c.budget_id = $1 and not c.is_income), 0)::bigint as deficits`,
    [budgetId, firstDay(month), lastDay(month)],
  );
  const { balance = 0n, uncategorized = 0n, deficits = 0n } = sums ?? {};
  return { ready, uncategorized, available: balance - ready, deficits, balance };
}

export interface Assignment {
  readonly category: string;
  readonly month: string;
  readonly amount: bigint;
}

/** Sets what categories are assigned, within a transaction. Returns the names of the categories. */
export async function assign(
  tx: Queryable,
  budgetId: number,
  orders: readonly Assignment[],
): Promise<readonly string[]> {
  const found: (Omit<Assignment, 'category'> & { readonly category: Category })[] = [];
  for (const order of orders)
    found.push({ ...order, category: await findSpending(tx, budgetId, order.category) });
  const twice = found.find(({ category }, index) =>
    found.slice(0, index).some((other) => other.category.id === category.id),
  );
  if (twice) throw new ErrToolFailed(`"${twice.category.name}" is given twice. Give each category once.`);
  // The order of the ids prevents deadlocks between concurrent calls.
  for (const { category, month, amount } of found.toSorted((a, b) => a.category.id - b.category.id))
    await tx.query(
      `insert into assignments (category_id, month, amount) values ($1, $2, $3)
       on conflict (category_id, month) do update set amount = excluded.amount`,
      [category.id, firstDay(month), amount],
    );
  return found.map(({ category }) => category.name);
}

/** Copies the assigned amounts of a month to categories that have none in another month, apart from some names. */
export async function copyAssigned(
  q: Queryable,
  budgetId: number,
  { from, to, except }: { readonly from: string; readonly to: string; readonly except: readonly string[] },
): Promise<readonly { readonly category: string; readonly amount: bigint }[]> {
  return q.query(
    `with added as (
       insert into assignments (category_id, month, amount)
       select g.category_id, $3::date, g.amount from assignments g join categories c on c.id = g.category_id
       where c.budget_id = $1 and not c.is_archived and not c.is_income and g.month = $2::date and g.amount <> 0
         and c.name <> all($4::text[])
       order by g.category_id
       on conflict (category_id, month) do update set amount = excluded.amount where assignments.amount = 0
       returning category_id, amount
     )
     select c.name as category, added.amount from added join categories c on c.id = added.category_id order by c.name`,
    [budgetId, firstDay(from), firstDay(to), except],
  );
}

/** Moves an assigned amount from one category to another, within one month. */
export async function moveAssigned(
  db: Database,
  budgetId: number,
  order: { readonly from: string; readonly to: string; readonly month: string; readonly amount: bigint },
): Promise<{ readonly from: Category; readonly to: Category }> {
  return db.transaction(async (tx) => {
    const from = await findSpending(tx, budgetId, order.from);
    const to = await findSpending(tx, budgetId, order.to);
    if (from.id === to.id) throw new ErrToolFailed('Money moves between two different categories.');
    const changes = [
      [from.id, -order.amount],
      [to.id, order.amount],
    ] as const;
    for (const [id, amount] of changes.toSorted(([a], [b]) => a - b))
      await tx.query(
        `insert into assignments as g (category_id, month, amount) values ($1, $2, $3)
         on conflict (category_id, month) do update set amount = g.amount + excluded.amount`,
        [id, firstDay(order.month), amount],
      );
    return { from, to };
  });
}

/** Finds a category and rejects income categories, because plans do not show them. */
async function findSpending(q: Queryable, budgetId: number, reference: string): Promise<Category> {
  const category = await findCategory(q, budgetId, reference);
  if (category.is_income)
    throw new ErrToolFailed(`"${category.name}" is income. Give money to categories that are spent from.`);
  return category;
}
