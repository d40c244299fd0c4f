import type { Queryable } from '../database/database.js';
import type { Currency } from '../money.js';
import { formatAmount } from '../money.js';

/** Checks the invariants of one budget, or of all. Each returned text describes a violation. */
export async function findImbalances(q: Queryable, budgetId?: number): Promise<string[]> {
  const only = [budgetId ?? null];
  interface Sum {
    readonly name: string;
    readonly currency: Currency;
    readonly stored: bigint;
    readonly total: bigint;
  }
  const accounts = await q.query<Sum>(
    `select a.name, b.currency, a.balance as stored, coalesce(sum(t.amount), 0)::bigint as total
     from accounts a join budgets b on b.id = a.budget_id left join transactions t on t.account_id = a.id
     where b.id = coalesce($1::integer, b.id)
     group by a.id, b.id having a.balance <> coalesce(sum(t.amount), 0) order by a.id`,
    only,
  );
  const transfers = await q.query<{ id: number; currency: Currency; sides: number; total: bigint }>(
    `select f.id, b.currency, count(t.id)::integer as sides, coalesce(sum(t.amount), 0)::bigint as total
     from transfers f join budgets b on b.id = f.budget_id left join transactions t on t.transfer_id = f.id
     where b.id = coalesce($1::integer, b.id)
     group by f.id, b.id
     having coalesce(sum(t.amount), 0) <> 0
         or count(t.id) <> case when f.undone_at is null then 2 else 0 end order by f.id`,
    only,
  );
  const goals = await q.query<Sum>(
    `select g.name, b.currency, g.saved as stored, coalesce(sum(c.amount), 0)::bigint as total
     from goals g join budgets b on b.id = g.budget_id left join contributions c on c.goal_id = g.id
     where b.id = coalesce($1::integer, b.id)
     group by g.id, b.id having g.saved <> coalesce(sum(c.amount), 0) order by g.id`,
    only,
  );
  return [
    ...accounts.map(
      ({ name, currency, stored, total }) =>
        `account "${name}" has the balance ${formatAmount(stored, currency)}, but its transactions add up to ${formatAmount(total, currency)}`,
    ),
    ...transfers.map(
      ({ id, currency, sides, total }) =>
        `transfer ${id} has ${sides} sides that add up to ${formatAmount(total, currency)}`,
    ),
    ...goals.map(
      ({ name, currency, stored, total }) =>
        `goal "${name}" has ${formatAmount(stored, currency)} saved, but its contributions add up to ${formatAmount(total, currency)}`,
    ),
  ];
}
