import type { Queryable } from '../database/database.js';

export interface Rule {
  readonly id: number;
  readonly name: string;
  readonly position: number;
  readonly payee_contains: string;
  readonly category_id: number;
  readonly is_enabled: boolean;
}

/** The category of a payment: that of the first matching rule, else the payee's usual one. */
export async function categoryFor(q: Queryable, budgetId: number, payeeId: number): Promise<number | null> {
  const [found] = await q.query<{ category_id: number | null }>(
    `select coalesce(
       (select r.category_id from rules r
        where r.budget_id = $1 and r.is_enabled and ${isMatch('p', 'r')} order by r.position, r.id limit 1),
       p.category_id) as category_id
     from payees p where p.id = $2`,
    [budgetId, payeeId],
  );
  return found?.category_id ?? null;
}

export interface Match {
  readonly id: number;
  readonly date: string;
  readonly amount: bigint;
  readonly account: string;
  readonly payee: string;
  readonly rule: string;
  readonly category: string;
  readonly category_id: number;
}

/** Finds the transactions without a category that a rule matches, each with its first matching rule. */
export async function findMatches(q: Queryable, budgetId: number, ruleId?: number): Promise<Match[]> {
  return q.query<Match>(
    `select distinct on (t.date, t.id) t.id, t.date, t.amount, a.name as account, p.name as payee,
            r.name as rule, c.name as category, c.id as category_id
     from transactions t
     join accounts a on a.id = t.account_id
     join payees p on p.id = t.payee_id
     join rules r on r.budget_id = a.budget_id and r.is_enabled and ${isMatch('p', 'r')}
     join categories c on c.id = r.category_id
     where a.budget_id = $1 and t.category_id is null and t.transfer_id is null
       and ($2::integer is null or r.id = $2)
     order by t.date desc, t.id desc, r.position, r.id`,
    [budgetId, ruleId ?? null],
  );
}

/** Sets the category of each match, unless it was set in the meantime. */
export async function applyMatches(q: Queryable, matches: readonly Match[]): Promise<number> {
  const rows = await q.query(
    `update transactions t set category_id = m.category_id
     from unnest($1::integer[], $2::integer[]) as m(id, category_id)
     where t.id = m.id and t.category_id is null returning t.id`,
    [matches.map(({ id }) => id), matches.map((match) => match.category_id)],
  );
  return rows.length;
}

/** SQL that checks whether a payee's name contains the text of a rule. `position` has no wildcards, unlike `like`. */
function isMatch(payee: string, rule: string): string {
  return `position(lower(${rule}.payee_contains) in lower(${payee}.name)) > 0`;
}
