/** Facts about books, computed with SQL and without the code of the tools. Amounts are in cents unless they are text. */
import type { Database } from '../../../examples/showcase/database/database.js';
import { addMonths, firstDay, lastDay, monthOf } from '../../../examples/showcase/dates.js';
import { toText } from '../ledger.js';
import type { Day } from './code-task.js';

export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The months that end with the last one that is over. */
export function monthsUntil({ lastMonth }: Day, count: number): Period {
  return { from: firstDay(addMonths(lastMonth, 1 - count)), to: lastDay(lastMonth) };
}

/** Payments and receipts of a budget. Transfers and opening balances are neither. */
export const flow = `from transactions t join accounts a on a.id = t.account_id
  left join categories c on c.id = t.category_id left join payees p on p.id = t.payee_id
  where t.transfer_id is null and not t.is_opening`;

export interface CategoryFacts {
  readonly name: string;
  readonly section: string;
  readonly assigned: number;
  readonly carried: number;
  readonly spent: number;
}

/** The plan and the spending of the categories of the first budget in a month. */
export async function readCategories(db: Database, month: string): Promise<CategoryFacts[]> {
  return db.query<CategoryFacts>(
    `select c.name, c.section,
            coalesce((select sum(g.amount) from assignments g where g.category_id = c.id and g.month = $1), 0)::integer as assigned,
            (coalesce((select sum(g.amount) from assignments g where g.category_id = c.id and g.month < $1), 0)
             + coalesce((select sum(t.amount) from transactions t where t.category_id = c.id and t.date < $1), 0))::integer as carried,
            coalesce((select -sum(t.amount) from transactions t where t.category_id = c.id and t.date between $1 and $2), 0)::integer as spent
     from categories c where c.budget_id = 1 and not c.is_income order by c.name`,
    [firstDay(month), lastDay(month)],
  );
}

/** The average that each category spent in the months before the current one, by name. */
export async function readAverages(db: Database, day: Day, months: number): Promise<Map<string, number>> {
  const { from, to } = monthsUntil(day, months);
  const rows = await db.query<{ name: string; cents: number }>(
    `select c.name, coalesce(-sum(t.amount), 0)::integer as cents from categories c
     left join transactions t on t.category_id = c.id and t.date between $1 and $2
     where c.budget_id = 1 and not c.is_income group by c.id`,
    [from, to],
  );
  return new Map(rows.map(({ name, cents }) => [name, roundToEven(cents / months)]));
}

/** How much each category overspent a month. A deficit of earlier months does not count. */
export async function readOver(db: Database, month: string): Promise<{ name: string; over: number }[]> {
  const rows = await readCategories(db, month);
  return rows
    .map(({ name, assigned, carried, spent }) => ({ name, over: spent - assigned - Math.max(0, carried) }))
    .filter(({ over }) => over > 0);
}

export async function readAssigned(db: Database, month: string): Promise<Record<string, string>> {
  const rows = await readCategories(db, month);
  return Object.fromEntries(rows.map(({ name, assigned }) => [name, toText(assigned)]));
}

export const nextMonth = ({ today }: Day): string => addMonths(monthOf(today), 1);

/** Halves go to the even neighbour, as in the reports. */
function roundToEven(value: number): number {
  const floor = Math.floor(value);
  return value - floor === 0.5 && floor % 2 === 0 ? floor : Math.round(value);
}
