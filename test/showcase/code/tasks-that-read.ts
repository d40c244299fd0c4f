import { loadMarket } from '../../../examples/showcase/market/market.js';
import { addMonths, firstDay, lastDay, monthOf } from '../../../examples/showcase/dates.js';
import type { Database } from '../../../examples/showcase/database/database.js';
import { toCents, toText } from '../ledger.js';
import { flow, monthsUntil } from './books-sql.js';
import type { CodeTask, Day } from './code-task.js';

interface Flows {
  readonly currency: string;
  readonly total: { readonly income: string; readonly spent: string; readonly net: string };
  readonly months: readonly { readonly month: string; readonly net: string }[];
}
interface Page {
  readonly count: number;
  readonly next_offset: number | null;
  readonly transactions: readonly { readonly date: string; readonly amount: string }[];
}

const PAGE = 200;
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthlyAmounts = ['100', '150', '200', '250'];

const spendingOfMonth: CodeTask = {
  title: 'spending of a month',
  question: ({ lastMonth }) =>
    `How much did I spend on groceries in ${lastMonth}, and how much more or less was that than in the month before?`,
  steps: [
    { query: 'how much was spent by category in a month', address: 'reports/spending', args: ['month'] },
  ],
  expected: async (db, { lastMonth }) => {
    const spentIn = async (month: string): Promise<number> => {
      const [row] = await db.query<{ cents: number }>(
        `select coalesce(-sum(t.amount), 0)::integer as cents ${flow} and c.name = 'Groceries' and t.date between $1 and $2`,
        [firstDay(month), lastDay(month)],
      );
      return row?.cents ?? 0;
    };
    const spent = await spentIn(lastMonth);
    return { spent: toText(spent), change: toText(spent - (await spentIn(addMonths(lastMonth, -1)))) };
  },
  perform: async ({ call }, { lastMonth }) => {
    type Found = { rows: { name: string; spent: string; change: string }[] };
    const { rows } = await call<Found>('reports/spending', { month: lastMonth });
    const row = rows.find(({ name }) => name === 'Groceries');
    return { spent: row?.spent, change: row?.change };
  },
  // The signature declares the result, so no program is needed to see it.
  program: (run, { lastMonth }) =>
    run(`const { rows } = await tools.reports.spending({ month: '${lastMonth}' });
const { spent, change } = rows.find(({ name }) => name === 'Groceries');
({ spent, change })`),
};

const compareBudgets: CodeTask = {
  title: 'compare budgets',
  question: ({ lastMonth }) =>
    `Compare my budgets Household and Studio over the six months until ${lastMonth}: what did each of them earn and spend in euros, what was the best month of each, and which one saved the larger share of its income?`,
  steps: [
    { query: 'income and spending by month', address: 'reports/cash_flow', args: ['budget', 'from', 'to'] },
    {
      query: 'convert dollars to euros',
      address: 'market/currencies.convert',
      args: ['amount', 'from_currency', 'to_currency'],
    },
  ],
  expected: async (db, day) => {
    const rate = loadMarket().rate('USD', 'EUR');
    const inEuros = (cents: number): string => toText(Number((BigInt(cents) * rate + 500_000n) / 1_000_000n));
    const [household, studio] = [await readFlow(db, day, 1), await readFlow(db, day, 2)];
    const share = ({ income, spent }: typeof household): number => (income - spent) / income;
    return {
      household: { income: toText(household.income), spent: toText(household.spent), best: household.best },
      studio: { income: inEuros(studio.income), spent: inEuros(studio.spent), best: studio.best },
      saver: share(household) > share(studio) ? 'Household' : 'Studio',
    };
  },
  perform: async ({ callAll }, day) => {
    const period = monthsUntil(day, 6);
    const [household, studio] = await callAll<Flows>([
      ['reports/cash_flow', { budget: 'Household', ...period }],
      ['reports/cash_flow', { budget: 'Studio', ...period }],
    ]);
    if (!household || !studio) throw new Error('A budget is missing.');
    const euros = { from_currency: studio.currency, to_currency: household.currency };
    const [income, spent] = await callAll<{ amount: string }>([
      ['market/currencies.convert', { amount: studio.total.income, ...euros }],
      ['market/currencies.convert', { amount: studio.total.spent, ...euros }],
    ]);
    const best = ({ months }: Flows): string | undefined =>
      months.toSorted((a, b) => toCents(b.net) - toCents(a.net))[0]?.month;
    const share = ({ total }: Flows): number => toCents(total.net) / toCents(total.income);
    return {
      household: { income: household.total.income, spent: household.total.spent, best: best(household) },
      studio: { income: income?.amount, spent: spent?.amount, best: best(studio) },
      saver: share(household) > share(studio) ? 'Household' : 'Studio',
    };
  },
  program: async (run, day) => {
    const { from, to } = monthsUntil(day, 6);
    await run(
      `await tools.reports.cash_flow({ budget: 'Studio', from: '${firstDay(day.lastMonth)}', to: '${to}' })`,
    );
    return run(`const result = {};
const shares = {};
for (const budget of ['Household', 'Studio']) {
  const { currency, total, months } = await tools.reports.cash_flow({ budget, from: '${from}', to: '${to}' });
  const inEuros = async (amount) =>
    (await tools.market.currencies.convert({ amount, from_currency: currency, to_currency: 'EUR' })).amount;
  const best = months.sort((a, b) => b.net - a.net)[0].month;
  result[budget] = { income: await inEuros(total.income), spent: await inEuros(total.spent), best };
  shares[budget] = total.net / total.income;
}
return { household: result.Household, studio: result.Studio, saver: shares.Household > shares.Studio ? 'Household' : 'Studio' };`);
  },
};

async function readFlow(db: Database, day: Day, budget: number) {
  const { from, to } = monthsUntil(day, 6);
  const rows = await db.query<{ month: string; income: number; spent: number }>(
    `select to_char(t.date, 'YYYY-MM') as month,
            coalesce(sum(t.amount) filter (where c.is_income or (c.id is null and t.amount > 0)), 0)::integer as income,
            coalesce(-sum(t.amount) filter (where c.is_income is false or (c.id is null and t.amount < 0)), 0)::integer as spent
     ${flow} and a.budget_id = $3 and t.date between $1 and $2 group by 1`,
    [from, to, budget],
  );
  const [best] = rows.toSorted((a, b) => b.income - b.spent - (a.income - a.spent));
  const sum = (key: 'income' | 'spent'): number => rows.reduce((total, row) => total + row[key], 0);
  return { income: sum('income'), spent: sum('spent'), best: best?.month };
}

const spendingByWeekday: CodeTask = {
  title: 'spending by weekday',
  question: ({ lastMonth }) =>
    `How much did I pay on each day of the week in the twelve months until ${lastMonth}, without transfers between my accounts?`,
  steps: [
    {
      query: 'list transactions of a period',
      address: 'transactions/list',
      args: ['from', 'to', 'direction', 'include_transfers', 'limit', 'offset'],
    },
  ],
  expected: async (db, day) => {
    const { from, to } = monthsUntil(day, 12);
    const rows = await db.query<{ weekday: number; cents: number }>(
      `select extract(dow from t.date)::integer as weekday, -sum(t.amount)::integer as cents ${flow}
       and a.budget_id = 1 and t.amount < 0 and t.date between $1 and $2 group by 1`,
      [from, to],
    );
    return Object.fromEntries(rows.map(({ weekday, cents }) => [weekdays[weekday], toText(cents)]));
  },
  perform: async ({ call, callAll }, day) => {
    const wanted = { ...monthsUntil(day, 12), direction: 'out', include_transfers: false, limit: PAGE };
    const first = await call<Page>('transactions/list', wanted);
    // The first page says how many there are, so the other pages need one more message.
    const step = first.next_offset ?? first.count;
    const offsets = Array.from(
      { length: Math.ceil(first.count / step) - 1 },
      (_, index) => (index + 1) * step,
    );
    const others = await callAll<Page>(offsets.map((offset) => ['transactions/list', { ...wanted, offset }]));
    const sums = new Map<string, number>();
    for (const { transactions } of [first, ...others])
      for (const { date, amount } of transactions) {
        const name = weekdays[new Date(date).getUTCDay()] ?? '';
        sums.set(name, (sums.get(name) ?? 0) - toCents(amount));
      }
    return Object.fromEntries([...sums].map(([name, cents]) => [name, toText(cents)]));
  },
  program: async (run, day) => {
    const { from, to } = monthsUntil(day, 12);
    await run('await tools.transactions.list({ limit: 1 })');
    return run(`const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const sums = {};
for (let offset = 0; offset !== null; ) {
  const page = await tools.transactions.list({ from: '${from}', to: '${to}', direction: 'out', include_transfers: false, limit: 200, offset });
  for (const { date, amount } of page.transactions) {
    const name = names[new Date(date).getUTCDay()];
    sums[name] = (sums[name] ?? 0) - Math.round(amount * 100);
  }
  offset = page.next_offset;
}
return Object.fromEntries(Object.entries(sums).map(([name, cents]) => [name, (cents / 100).toFixed(2)]));`);
  },
};

const dearerPayments: CodeTask = {
  title: 'recurring payments that rose',
  question: () =>
    'Which of my recurring payments cost more than in their first payment in my books, and what was that payment? What do all of them cost me per year?',
  steps: [
    { query: 'recurring payments and subscriptions', address: 'reports/recurring', args: [] },
    {
      query: 'list transactions of a payee',
      address: 'transactions/list',
      args: ['payee', 'direction', 'sort', 'limit'],
    },
  ],
  expected: async (db, { today }) => {
    // All regular payments of the seed have a fixed day of the month, and come monthly or every three months.
    const rows = await db.query<{ name: string; count: number; usual: number; first: number; last: number }>(
      `select p.name, count(*)::integer as count,
              percentile_cont(0.5) within group (order by -t.amount)::integer as usual,
              (array_agg(-t.amount order by t.date))[1]::integer as first,
              (array_agg(-t.amount order by t.date desc))[1]::integer as last
       ${flow} and a.budget_id = 1 and t.amount < 0 and t.date <= $1 group by p.name
       having count(distinct extract(day from t.date)) = 1 and count(*) >= 4`,
      [today],
    );
    const perYear = rows.reduce((sum, { count, usual }) => sum + usual * (count > 6 ? 12 : 4), 0);
    return {
      dearer: rows.filter((row) => row.last > row.first).map(({ name, first }) => `${name} ${toText(first)}`),
      perYear: toText(perYear),
    };
  },
  perform: async ({ call, callAll }) => {
    type Found = { per_year: string; recurring: { payee: string; last_amount: string }[] };
    const { per_year: perYear, recurring } = await call<Found>('reports/recurring');
    const firsts = await callAll<Page>(
      recurring.map(({ payee }) => [
        'transactions/list',
        { payee, direction: 'out', sort: 'oldest', limit: 1 },
      ]),
    );
    const dearer = recurring.flatMap(({ payee, last_amount: last }, index) => {
      const first = (firsts[index]?.transactions[0]?.amount ?? '').replace('-', '');
      return toCents(last) > toCents(first) ? [`${payee} ${first}`] : [];
    });
    return { dearer, perYear };
  },
  program: async (run) => {
    await run('[await tools.reports.recurring({}), await tools.transactions.list({ limit: 1 })]');
    return run(`const { per_year, recurring } = await tools.reports.recurring({});
const firsts = await Promise.all(recurring.map(async ({ payee, last_amount }) => {
  const { transactions } = await tools.transactions.list({ payee, direction: 'out', sort: 'oldest', limit: 1 });
  return { payee, first: transactions[0].amount.replace('-', ''), last: last_amount };
}));
return { dearer: firsts.filter((row) => +row.last > +row.first).map((row) => row.payee + ' ' + row.first), perYear: per_year };`);
  },
};

const savingPlans: CodeTask = {
  title: 'what-if on every goal',
  question: () =>
    `For each of my goals: in which month do I have enough if I set aside ${monthlyAmounts.join(', ')} a month, and what is the least of these amounts that is in time?`,
  steps: [
    { query: 'list savings goals', address: 'goals/list', args: [] },
    {
      query: 'what if I set aside an amount each month for a goal',
      address: 'goals/forecast',
      args: ['goal', 'monthly_amount'],
    },
  ],
  expected: async (db, { today }) => {
    const goals = await db.query<{ name: string; left: number; due: string }>(
      'select name, (target - saved)::integer as left, due_on as due from goals where budget_id = 1 order by id',
    );
    return Object.fromEntries(
      goals.map(({ name, left, due }) => {
        const months = monthlyAmounts.map((amount) =>
          addMonths(monthOf(today), Math.ceil(left / (Number(amount) * 100)) - 1),
        );
        const least = monthlyAmounts.find((_, index) => (months[index] ?? '') <= monthOf(due));
        return [name, { months, least: least ?? null }];
      }),
    );
  },
  perform: async ({ call, callAll }) => {
    type Forecast = { reached_in_month: string; is_in_time: boolean };
    const { goals } = await call<{ goals: { name: string }[] }>('goals/list');
    const forecasts = await callAll<Forecast>(
      goals.flatMap(({ name }) =>
        monthlyAmounts.map((amount) => ['goals/forecast', { goal: name, monthly_amount: amount }] as const),
      ),
    );
    return Object.fromEntries(
      goals.map(({ name }, index) => {
        const found = forecasts.slice(index * monthlyAmounts.length, (index + 1) * monthlyAmounts.length);
        const least = monthlyAmounts.find((_, at) => found[at]?.is_in_time === true);
        return [name, { months: found.map((each) => each.reached_in_month), least: least ?? null }];
      }),
    );
  },
  program: async (run) => {
    await run(`const list = await tools.goals.list({});
[list, await tools.goals.forecast({ goal: list.goals?.[0].name ?? '1', monthly_amount: '100' })]`);
    return run(`const amounts = ['100', '150', '200', '250'];
const { goals } = await tools.goals.list({});
const plans = {};
for (const { name } of goals) {
  const found = await Promise.all(amounts.map((monthly_amount) => tools.goals.forecast({ goal: name, monthly_amount })));
  const least = amounts.find((_, at) => found[at].is_in_time) ?? null;
  plans[name] = { months: found.map((each) => each.reached_in_month), least };
}
return plans;`);
  },
};

export const codeTasksThatRead: readonly CodeTask[] = [
  spendingOfMonth,
  compareBudgets,
  spendingByWeekday,
  dearerPayments,
  savingPlans,
];
