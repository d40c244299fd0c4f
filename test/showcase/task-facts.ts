/** Facts about fresh books, computed with SQL and without the code of the tools. Amounts are in cents unless they are text. */
import type { Database } from '../../examples/showcase/database/database.js';
import { addMonths, firstDay, lastDay, monthOf } from '../../examples/showcase/dates.js';
import { loadMarket } from '../../examples/showcase/market/market.js';
import { toText } from './ledger.js';

type Json = Record<string, unknown>;
interface Period {
  readonly from: string;
  readonly to: string;
}

export type Facts = Awaited<ReturnType<typeof readFacts>>;

/** Spending and income of the first budget. Transfers and opening balances are neither. */
const flow = `from transactions t join accounts a on a.id = t.account_id
  left join categories c on c.id = t.category_id left join payees p on p.id = t.payee_id
  where a.budget_id = 1 and t.transfer_id is null and not t.is_opening and t.date between $1 and $2`;
const isSpending = '(c.is_income is false or (c.id is null and t.amount < 0))';
const isIncome = '(c.is_income or (c.id is null and t.amount > 0))';

export async function readFacts(db: Database, today: string) {
  const lastMonth = addMonths(monthOf(today), -1);
  const monthsUntilLast = (count: number): Period => ({
    from: firstDay(addMonths(lastMonth, 1 - count)),
    to: lastDay(lastMonth),
  });
  const quarter = monthsUntilLast(3);
  const query = <T extends object>(sql: string, values: readonly unknown[] = []): Promise<T[]> =>
    db.query<T>(sql, values);
  const balanceOf = async (account: string): Promise<number> => {
    const rows = await query<{ balance: bigint }>('select balance from accounts where name = $1', [account]);
    return Number(rows[0]?.balance ?? 0);
  };

  type Named = { name: string; cents: number };
  const spendingBy = (column: 'c.name' | 'p.name', { from, to }: Period): Promise<Named[]> =>
    query<Named>(
      `select coalesce(${column}, 'Uncategorized') as name, -sum(t.amount)::integer as cents ${flow} and ${isSpending}
       group by 1 order by 2 desc, 1`,
      [from, to],
    );
  const totals = async ({ from, to }: Period): Promise<{ income: number; spent: number }> => {
    const [row] = await query<{ income: number; spent: number }>(
      `select coalesce(sum(t.amount) filter (where ${isIncome}), 0)::integer as income,
              coalesce(-sum(t.amount) filter (where ${isSpending}), 0)::integer as spent ${flow}`,
      [from, to],
    );
    return row ?? { income: 0, spent: 0 };
  };
  const worthAt = async (month: string): Promise<string> => {
    const [row] = await query<{ cents: number }>(
      `select sum(t.amount)::integer as cents from transactions t join accounts a on a.id = t.account_id
       where a.budget_id = 1 and t.date <= $1`,
      [lastDay(month)],
    );
    return toText(row?.cents ?? 0);
  };
  const centsOf = (rows: readonly Named[], name: string): number =>
    rows.find((row) => row.name === name)?.cents ?? 0;

  const last = await spendingBy('c.name', monthsUntilLast(1));
  const before = await spendingBy('c.name', {
    from: firstDay(addMonths(lastMonth, -1)),
    to: lastDay(addMonths(lastMonth, -1)),
  });
  const half = await spendingBy('c.name', {
    from: firstDay(addMonths(lastMonth, -6)),
    to: lastDay(addMonths(lastMonth, -1)),
  });
  const [unusual] = last
    .map(({ name, cents }) => ({ name, above: cents - roundToEven(centsOf(half, name) / 6) }))
    .toSorted((a, b) => b.above - a.above);

  const now = await totals(quarter);
  const earlier = await totals({
    from: firstDay(addMonths(lastMonth, -5)),
    to: lastDay(addMonths(lastMonth, -3)),
  });
  const year = await totals(monthsUntilLast(12));
  const [largestCategory] = await spendingBy('c.name', monthsUntilLast(12));

  // All regular payments of the seed have a fixed day of the month.
  const regular = await query<{ name: string; count: number; usual: number }>(
    `select p.name, count(*)::integer as count, percentile_cont(0.5) within group (order by -t.amount)::integer as usual
     ${flow} and ${isSpending}
     group by p.name having count(distinct extract(day from t.date)) = 1
       and (count(*) >= 4 or (count(*) = 2 and count(distinct extract(month from t.date)) = 1))`,
    [firstDay(addMonths(lastMonth, -24)), today],
  );
  const perYear = regular
    .map(({ name, count, usual }) => ({ name, cents: usual * (count > 6 ? 12 : count > 2 ? 4 : 1) }))
    .toSorted((a, b) => b.cents - a.cents);

  const largest = await query<{ date: string; name: string; cents: number }>(
    `select t.date, p.name, t.amount::integer as cents ${flow} and t.amount < 0 order by t.amount, t.date desc limit 3`,
    [firstDay(lastMonth), lastDay(lastMonth)],
  );
  const goals = await query<{ name: string; left: number; due: string }>(
    'select name, (target - saved)::integer as left, due_on as due from goals where budget_id = 1 order by id',
  );
  const monthsTo = (day: string): number =>
    (Number(day.slice(0, 4)) - Number(today.slice(0, 4))) * 12 +
    Number(day.slice(5, 7)) -
    Number(today.slice(5, 7)) +
    1;
  const bicycle = goals.find(({ name }) => name === 'Bicycle') ?? { left: 0, due: today };
  const bicycleMonth = addMonths(monthOf(today), Math.ceil(bicycle.left / 20_000) - 1);

  // The money of a category: its assigned amount, and a surplus of the months before.
  const plan = await query<{ name: string; assigned: number; carried: number; spent: number }>(
    `select c.name,
            coalesce((select sum(g.amount) from assignments g where g.category_id = c.id and g.month = $1), 0)::integer as assigned,
            (coalesce((select sum(g.amount) from assignments g where g.category_id = c.id and g.month < $1), 0)
             + coalesce((select sum(t.amount) from transactions t where t.category_id = c.id and t.date < $1), 0))::integer as carried,
            coalesce((select -sum(t.amount) from transactions t where t.category_id = c.id and t.date between $1 and $2), 0)::integer as spent
     from categories c where c.budget_id = 1 and not c.is_income`,
    [firstDay(lastMonth), lastDay(lastMonth)],
  );
  const over = plan
    .map((row) => ({ ...row, over: row.spent - row.assigned - Math.max(0, row.carried) }))
    .filter((row) => row.over > 0)
    .toSorted((a, b) => b.over - a.over);
  const holidays = plan.find(({ name }) => name === 'Holidays') ?? { assigned: 0, carried: 0, spent: 0 };
  const worst = { category: over[0]?.name ?? '', over: over[0]?.over ?? 0, assigned: over[0]?.assigned ?? 0 };

  const [planned] = await query<{ now: number; groceries: number; ever: number; free: number }>(
    `select sum(g.amount) filter (where g.month = $1)::integer as now,
            sum(g.amount) filter (where g.month = $1 and c.name = 'Groceries')::integer as groceries,
            sum(g.amount)::integer as ever,
            (select sum(t.amount) from transactions t join accounts a on a.id = t.account_id left join categories d on d.id = t.category_id
             where a.budget_id = 1 and t.transfer_id is null and (d.is_income or d.id is null))::integer as free
     from assignments g join categories c on c.id = g.category_id where c.budget_id = 1`,
    [firstDay(monthOf(today))],
  );
  const { now: assignedNow = 0, groceries = 0, ever = 0, free = 0 } = planned ?? {};
  const plannedNextMonth = assignedNow - groceries + 60_000;

  const open = await query<{ matches: boolean }>(
    `select p.name ~* 'market|espresso|tank' as matches ${flow} and c.id is null`,
    ['2000-01-01', today],
  );
  const [espressos] = await query<{ count: number }>(
    "select count(*)::integer as count from transactions t join payees p on p.id = t.payee_id where p.name = 'Espresso am Eck'",
  );
  const doubles = await query<{ id: number; payee: string; cents: number }>(
    `select t.id, p.name as payee, -t.amount::integer as cents ${flow} and exists (
       select 1 from transactions u where u.id <> t.id and u.account_id = t.account_id and u.payee_id = t.payee_id
         and u.amount = t.amount and u.date = t.date) order by t.id`,
    [firstDay(lastMonth), today],
  );
  const rate = loadMarket().rate('USD', 'EUR');
  const reserve = BigInt(await balanceOf('Tax reserve')) * rate;

  return {
    today,
    lastMonth,
    quarter,
    groceries: {
      spent: toText(centsOf(last, 'Groceries')),
      change: toText(centsOf(last, 'Groceries') - centsOf(before, 'Groceries')),
    },
    merchants: (await spendingBy('p.name', quarter))
      .slice(0, 5)
      .map(({ name, cents }) => `${name} ${toText(cents)}`),
    recurring: {
      payees: perYear.map(({ name }) => name).toSorted(),
      top: perYear.slice(0, 3).map(({ name }) => name),
      perYear: toText(perYear.reduce((sum, { cents }) => sum + cents, 0)),
    },
    flow: {
      income: toText(now.income),
      spent: toText(now.spent),
      net: toText(now.income - now.spent),
      netBefore: toText(earlier.income - earlier.spent),
    },
    worth: { now: await worthAt(lastMonth), before: await worthAt(addMonths(lastMonth, -6)) },
    year: {
      income: toText(year.income),
      spent: toText(year.spent),
      category: largestCategory?.name,
      amount: toText(largestCategory?.cents ?? 0),
    },
    largest: largest.map(({ date, name, cents }) => `${date} ${name} ${toText(cents)}`),
    unusual: { category: unusual?.name, above: toText(unusual?.above ?? 0) },
    goals: goals.map(
      ({ name, left, due }) =>
        `${name} ${toText(left)} ${toText(Math.ceil(left / Math.max(1, monthsTo(due))))}`,
    ),
    bicycle: { month: bicycleMonth, isInTime: bicycleMonth <= monthOf(bicycle.due) },
    reserve: { euros: toText(Number((reserve + 500_000n) / 1_000_000n)) },
    overspent: {
      categories: over.map((row) => `${row.name} ${toText(row.over)}`).toSorted(),
      total: toText(over.reduce((sum, row) => sum + row.over, 0)),
      holidays: toText(holidays.assigned + holidays.carried - holidays.spent - worst.over),
    },
    worst,
    plannedNextMonth,
    readyNextMonth: toText(free - ever - plannedNextMonth),
    uncategorized: {
      byRules: open.filter(({ matches }) => matches).length,
      left: open.filter(({ matches }) => !matches).length,
    } as Json,
    espressos: espressos?.count ?? 0,
    duplicate: {
      payee: doubles[0]?.payee ?? '',
      cents: doubles[0]?.cents ?? 0,
      ids: doubles.map(({ id }) => id),
    },
    csv: [
      `${lastMonth}-02,City Transit,-49.00,`,
      `${lastMonth}-14,Museum Shop,-18.53,`,
      `${lastMonth}-27,Blumen Beck,-12.07,`,
    ].join('\n'),
    checking: await balanceOf('Checking'),
    savings: await balanceOf('Savings'),
    card: await balanceOf('Card'),
    cash: await balanceOf('Cash'),
  };
}

/** Halves go to the even neighbour, as in the reports. */
function roundToEven(value: number): number {
  const floor = Math.floor(value);
  return value - floor === 0.5 && floor % 2 === 0 ? floor : Math.round(value);
}
