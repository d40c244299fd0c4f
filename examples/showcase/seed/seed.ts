import type { Database, Queryable } from '../database/database.js';
import { only } from '../database/database.js';
import { addDays, addMonths, dayIn, firstDay, monthOf, monthsBetween } from '../dates.js';
import { household } from './household.js';
import { studio } from './studio.js';
import { makeYear } from './year.js';
import type { BudgetSeed, SeedEntry } from './year.js';

export interface SeedOptions {
  readonly now: Date;
  readonly timeZone: string;
  /** Called with the progress. */
  readonly onProgress?: (done: number, total: number, what: string) => void;
}

/** Fills new books with a year of generated data, once and in one transaction. Resolves to whether it did. */
export async function seedBooks(db: Database, options: SeedOptions): Promise<boolean> {
  const { now, timeZone, onProgress = () => {} } = options;
  return db.transaction(async (tx) => {
    await tx.query('insert into settings (time_zone) values ($1) on conflict do nothing', [timeZone]);
    // A concurrent process waits here for the row lock, and then finds `is_seeded`.
    const settings = only(
      await tx.query<{ is_seeded: boolean }>('select is_seeded from settings for update'),
    );
    if (settings.is_seeded) return false;
    const today = dayIn(timeZone, now);
    const months = monthsBetween(addMonths(monthOf(today), -12), monthOf(today));
    const seeds = [household, studio];
    const total = seeds.length * months.length;
    let done = 0;
    for (const seed of seeds) {
      const ids = await addBudget(tx, seed, today, months);
      const entries = makeYear(seed, today);
      for (const month of months) {
        await addEntries(
          tx,
          ids,
          entries.filter(({ date }) => monthOf(date) === month),
        );
        onProgress(++done, total, `${seed.name} ${month}`);
      }
      await tx.query(
        `update accounts a set balance = (select coalesce(sum(t.amount), 0) from transactions t where t.account_id = a.id)
         where a.budget_id = $1`,
        [ids.budget],
      );
      if (seed === seeds[0]) await tx.query('update settings set default_budget_id = $1', [ids.budget]);
    }
    await tx.query('update settings set is_seeded = true');
    return true;
  });
}

interface Ids {
  readonly budget: number;
  readonly accounts: ReadonlyMap<string, number>;
  readonly categories: ReadonlyMap<string, number>;
}

async function addBudget(
  tx: Queryable,
  seed: BudgetSeed,
  today: string,
  months: readonly string[],
): Promise<Ids> {
  const { id: budget } = only(
    await tx.query<{ id: number }>('insert into budgets (name, currency) values ($1, $2) returning id', [
      seed.name,
      seed.currency,
    ]),
  );
  const accounts = await addNamed(
    tx,
    'insert into accounts (budget_id, name, kind)',
    budget,
    seed.accounts.map(({ name, kind }) => [name, kind]),
  );
  const rows = Object.entries(seed.categories).flatMap(([section, names]) =>
    names.map((name) => [name, section]),
  );
  const categories = await addNamed(tx, 'insert into categories (budget_id, name, section)', budget, rows);
  await tx.query('update categories set is_income = true where budget_id = $1 and name = any($2)', [
    budget,
    seed.income,
  ]);
  const categoryOf = (name: string): number => categories.get(name) ?? missing(name);
  const payees = Object.entries(seed.payees).map(([name, category]) => [name, categoryOf(category)]);
  await addNamed(tx, 'insert into payees (budget_id, name, category_id)', budget, payees);
  await tx.query(
    `insert into assignments (category_id, month, amount)
     select c.id, m.month, c.amount from unnest($1::integer[], $2::bigint[]) as c(id, amount), unnest($3::date[]) as m(month)`,
    [Object.keys(seed.planned).map(categoryOf), Object.values(seed.planned), months.map(firstDay)],
  );
  for (const { name, contains, category } of seed.rules)
    await tx.query(
      'insert into rules (budget_id, name, payee_contains, category_id) values ($1, $2, $3, $4)',
      [budget, name, contains, categoryOf(category)],
    );
  for (const { name, target, saved, inDays } of seed.goals) {
    const goal = only(
      await tx.query<{ id: number }>(
        'insert into goals (budget_id, name, target, saved, due_on) values ($1, $2, $3, $4, $5) returning id',
        [budget, name, target, saved, addDays(today, inDays)],
      ),
    );
    await tx.query('insert into contributions (goal_id, date, amount) values ($1, $2, $3)', [
      goal.id,
      addDays(today, -30),
      saved,
    ]);
  }
  return { budget, accounts, categories };
}

async function addNamed(
  tx: Queryable,
  statement: string,
  budget: number,
  rows: readonly (readonly unknown[])[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const row of rows) {
    const { id, name } = only(
      await tx.query<{ id: number; name: string }>(`${statement} values ($1, $2, $3) returning id, name`, [
        budget,
        ...row,
      ]),
    );
    ids.set(name, id);
  }
  return ids;
}

async function addEntries(tx: Queryable, ids: Ids, entries: readonly SeedEntry[]): Promise<void> {
  const accountOf = (name: string): number => ids.accounts.get(name) ?? missing(name);
  const moves = entries.filter(({ transfer, amount }) => transfer !== undefined && amount < 0);
  const targets = new Map(
    entries.filter(({ amount }) => amount > 0).map((entry) => [entry.transfer, entry.account]),
  );
  await tx.query(
    `insert into transfers (budget_id, from_account_id, to_account_id, amount, date, memo, request_id)
     select $1, x.source, x.target, x.amount, x.date, x.memo, x.transfer
     from jsonb_to_recordset($2::jsonb) as x(source integer, target integer, amount bigint, date date, memo text, transfer text)`,
    [
      ids.budget,
      JSON.stringify(
        moves.map(({ account, amount, transfer, ...rest }) => ({
          ...rest,
          transfer,
          source: accountOf(account),
          target: accountOf(targets.get(transfer) ?? ''),
          amount: -amount,
        })),
      ),
    ],
  );
  await tx.query(
    `insert into payees (budget_id, name) select $1, name from unnest($2::text[]) as name on conflict do nothing`,
    [ids.budget, [...new Set(entries.flatMap(({ payee }) => payee ?? []))]],
  );
  await tx.query(
    `insert into transactions (account_id, date, amount, payee_id, category_id, memo, is_cleared, transfer_id, is_opening)
     select x.account, x.date, x.amount, p.id, x.category, coalesce(x.memo, ''), x.cleared, f.id, coalesce(x.opening, false)
     from jsonb_to_recordset($2::jsonb)
       as x(account integer, date date, amount bigint, payee text, category integer, memo text, cleared boolean, transfer text, opening boolean)
     left join payees p on p.budget_id = $1 and p.name = x.payee
     left join transfers f on f.budget_id = $1 and f.request_id = x.transfer`,
    [
      ids.budget,
      JSON.stringify(
        entries.map(({ account, category, isCleared, isOpening, ...rest }) => ({
          ...rest,
          opening: isOpening,
          account: accountOf(account),
          category: category === undefined ? undefined : ids.categories.get(category),
          cleared: isCleared,
        })),
      ),
    ],
  );
}

function missing(name: string): never {
  throw new Error(`The seed names "${name}", which it does not define.`);
}
