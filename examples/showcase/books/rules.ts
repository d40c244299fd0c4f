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

/** Sets the category of each match, unless it was set in the meantime. Returns the changed ones. */
export async function applyMatches(q: Queryable, matches: readonly Match[]): Promise<Match[]> {
  const rows = await q.query<{ id: number }>(
    `update transactions t set category_id = m.category_id
     from unnest($1::integer[], $2::integer[]) as m(id, category_id)
     where t.id = m.id and t.category_id is null returning t.id`,
    [matches.map(({ id }) => id), matches.map((match) => match.category_id)],
  );
  const changed = new Set(rows.map(({ id }) => id));
  return matches.filter(({ id }) => changed.has(id));
}

export interface Overlap {
  readonly rule: string;
  readonly payee_contains: string;
  readonly category: string;
  readonly position: number;
  /** Whether it is tried before the given rule. */
  readonly comes_first: boolean;
}

/** Finds other enabled rules that match a payee which the given rule matches, or whose text contains the other's. */
export async function findOverlaps(q: Queryable, budgetId: number, ruleId: number): Promise<Overlap[]> {
  return q.query<Overlap>(
    `select o.name as rule, o.payee_contains, c.name as category, o.position,
            (o.position, o.id) < (r.position, r.id) as comes_first
     from rules r join rules o on o.budget_id = r.budget_id and o.id <> r.id and o.is_enabled
     join categories c on c.id = o.category_id
     where r.budget_id = $1 and r.id = $2
       and (position(lower(o.payee_contains) in lower(r.payee_contains)) > 0
         or position(lower(r.payee_contains) in lower(o.payee_contains)) > 0
         or exists (select 1 from payees p where p.budget_id = $1 and ${isMatch('p', 'r')} and ${isMatch('p', 'o')}))
     order by o.position, o.id limit 20`,
    [budgetId, ruleId],
  );
}

/** The names of the payees that a rule matches. */
export async function findMatchedPayees(q: Queryable, budgetId: number, ruleId: number): Promise<string[]> {
  const rows = await q.query<{ name: string }>(
    `select p.name from payees p join rules r on r.id = $2 where p.budget_id = $1 and ${isMatch('p', 'r')} order by p.name`,
    [budgetId, ruleId],
  );
  return rows.map(({ name }) => name);
}

/** The names of the enabled rules that match the old name of a payee, but not the new one. */
export async function findLostRules(
  q: Queryable,
  budgetId: number,
  oldName: string,
  newName: string,
): Promise<string[]> {
  const rows = await q.query<{ name: string }>(
    `select r.name from rules r, (select $2::text as name) o, (select $3::text as name) n
     where r.budget_id = $1 and r.is_enabled and ${isMatch('o', 'r')} and not ${isMatch('n', 'r')} order by r.position, r.id`,
    [budgetId, oldName, newName],
  );
  return rows.map(({ name }) => name);
}

/** SQL that checks whether a payee's name contains the text of a rule. `position` has no wildcards, unlike `like`. */
function isMatch(payee: string, rule: string): string {
  return `position(lower(${rule}.payee_contains) in lower(${payee}.name)) > 0`;
}
