import type { Queryable } from '../database/database.js';

/** Checks the invariants of the books. Each returned text describes a violation. */
export async function findImbalances(q: Queryable): Promise<string[]> {
  const accounts = await q.query<{ name: string; balance: bigint; total: bigint }>(
    `select a.name, a.balance, coalesce(sum(t.amount), 0)::bigint as total
     from accounts a left join transactions t on t.account_id = a.id
     group by a.id having a.balance <> coalesce(sum(t.amount), 0) order by a.id`,
  );
  const transfers = await q.query<{ id: number; legs: number; total: bigint }>(
    `select f.id, count(t.id)::integer as legs, coalesce(sum(t.amount), 0)::bigint as total
     from transfers f left join transactions t on t.transfer_id = f.id
     group by f.id
     having coalesce(sum(t.amount), 0) <> 0
         or count(t.id) <> case when f.undone_at is null then 2 else 0 end order by f.id`,
  );
  const goals = await q.query<{ name: string; saved: bigint; total: bigint }>(
    `select g.name, g.saved, coalesce(sum(c.amount), 0)::bigint as total
     from goals g left join contributions c on c.goal_id = g.id
     group by g.id having g.saved <> coalesce(sum(c.amount), 0) order by g.id`,
  );
  return [
    ...accounts.map(
      ({ name, balance, total }) => `account "${name}" says ${balance}, its transactions ${total}`,
    ),
    ...transfers.map(({ id, legs, total }) => `transfer ${id} has ${legs} sides that add up to ${total}`),
    ...goals.map(({ name, saved, total }) => `goal "${name}" says ${saved}, its contributions ${total}`),
  ];
}
