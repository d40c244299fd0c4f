/** Finds records by name or id. */
import { ErrToolFailed } from 'toolfold/errors';
import type { Queryable } from '../database/database.js';
import type { Currency } from '../money.js';

export interface Budget {
  readonly id: number;
  readonly name: string;
  readonly currency: Currency;
}

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly kind: 'checking' | 'savings' | 'card' | 'cash';
  readonly balance: bigint;
  readonly closed_on: string | null;
}

export interface Category {
  readonly id: number;
  readonly section: string;
  readonly name: string;
  readonly is_income: boolean;
  readonly is_archived: boolean;
}

export interface Payee {
  readonly id: number;
  readonly name: string;
  readonly category_id: number | null;
}

export async function findBudget(q: Queryable, reference: string): Promise<Budget> {
  const [budget] = await q.query<Budget>(
    `select id, name, currency from budgets where id::text = $1 or lower(name) = lower($1)
     order by id::text = $1 desc limit 1`,
    [reference],
  );
  if (budget) return budget;
  const names = (await q.query<Budget>('select name from budgets order by name')).map(({ name }) => name);
  throw new ErrToolFailed(
    names.length === 0
      ? 'There is no budget yet. Create one with budgets create.'
      : `There is no budget "${reference}". There are: ${names.join(', ')}.`,
  );
}

/** The budget that the user chose as default, otherwise the first one, if there is any. */
export async function findDefaultBudget(q: Queryable): Promise<Budget | undefined> {
  const [budget] = await q.query<Budget>(
    `select b.id, b.name, b.currency from budgets b left join settings s on s.default_budget_id = b.id
     order by s.id nulls last, b.id limit 1`,
  );
  return budget;
}

/** All budgets, and which one is the default. */
export async function readBudgets(q: Queryable): Promise<(Budget & { readonly is_default: boolean })[]> {
  const meant = await findDefaultBudget(q);
  const budgets = await q.query<Budget>('select id, name, currency from budgets order by id');
  return budgets.map((budget) => ({ ...budget, is_default: budget.id === meant?.id }));
}

type Owned = 'account' | 'category' | 'payee' | 'rule' | 'goal';

const tables: Readonly<Record<Owned, string>> = {
  account: 'accounts',
  category: 'categories',
  payee: 'payees',
  rule: 'rules',
  goal: 'goals',
};

/**
 * Finds a record of a budget by name or id. The name takes precedence, because a payee may be called 4711; other names
 * are never numbers. `lock` locks the row until the transaction ends.
 */
export async function findOwned<Row extends { readonly id: number }>(
  q: Queryable,
  what: Owned,
  budgetId: number,
  reference: string,
  lock = false,
): Promise<Row> {
  const table = tables[what];
  const [row] = await q.query<Row>(
    `select * from ${table} where budget_id = $1 and (id::text = $2 or lower(name) = lower($2))
     order by lower(name) = lower($2) desc limit 1${lock ? ' for no key update' : ''}`,
    [budgetId, reference],
  );
  if (row) return row;
  const names = await q.query<{ name: string }>(
    `select name from ${table} where budget_id = $1 order by name limit 40`,
    [budgetId],
  );
  const known = names.map(({ name }) => name).join(', ');
  throw new ErrToolFailed(`There is no ${what} "${reference}". There are: ${known || 'none yet'}.`);
}

export const findAccount = (q: Queryable, budgetId: number, reference: string): Promise<Account> =>
  findOwned<Account>(q, 'account', budgetId, reference);

export const findCategory = (q: Queryable, budgetId: number, reference: string): Promise<Category> =>
  findOwned<Category>(q, 'category', budgetId, reference);

export const findPayee = (q: Queryable, budgetId: number, reference: string): Promise<Payee> =>
  findOwned<Payee>(q, 'payee', budgetId, reference);

/** Finds the payee of that name, or creates it. */
export async function findOrAddPayee(q: Queryable, budgetId: number, name: string): Promise<Payee> {
  await q.query(
    'insert into payees (budget_id, name) values ($1, $2) on conflict (budget_id, lower(name)) do nothing',
    [budgetId, name],
  );
  const [payee] = await q.query<Payee>(
    // The key share lock keeps the payee from being deleted before this transaction ends.
    'select id, name, category_id from payees where budget_id = $1 and lower(name) = lower($2) for key share',
    [budgetId, name],
  );
  if (!payee) throw new ErrToolFailed(`The payee "${name}" has just gone. Try again.`);
  return payee;
}
