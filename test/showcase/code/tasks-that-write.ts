import { toCents, toText } from '../ledger.js';
import {
  flow,
  monthsUntil,
  nextMonth,
  readAssigned,
  readAverages,
  readCategories,
  readOver,
} from './books-sql.js';
import type { CodeTask } from './code-task.js';

interface Row {
  readonly id: number;
  readonly date: string;
  readonly amount: string;
}

const LUNCHES = 'Business lunches';
/** Restaurant bills from Monday to Friday. */
const lunches = `${flow} and c.name = 'Restaurants' and a.budget_id = 1 and t.date between $1 and $2
  and extract(isodow from t.date) <= 5`;

const recategorise: CodeTask = {
  title: 'find and recategorise',
  question: ({ lastMonth }) =>
    `My restaurant bills from Monday to Friday in the six months until ${lastMonth} were business lunches. Create the category ${LUNCHES} in the section Everyday and put them there. How many were they, and how much in total?`,
  steps: [
    {
      query: 'list transactions of a category',
      address: 'transactions/list',
      args: ['category', 'from', 'to', 'limit'],
    },
    { query: 'create a category', address: 'categories/names.create', args: ['name', 'section'] },
    {
      query: 'put transactions into a category',
      address: 'transactions/categorize',
      args: ['transaction_ids', 'category'],
    },
  ],
  expected: async (db, day) => {
    const { from, to } = monthsUntil(day, 6);
    const [row] = await db.query<{ count: number; cents: number }>(
      `select count(*)::integer as count, -sum(t.amount)::integer as cents ${lunches}`,
      [from, to],
    );
    return { count: row?.count, total: toText(row?.cents ?? 0) };
  },
  perform: async ({ call, callAll }, day) => {
    const [list] = await callAll<{ transactions: Row[] }>([
      ['transactions/list', { category: 'Restaurants', ...monthsUntil(day, 6), limit: 200 }],
      ['categories/names.create', { name: LUNCHES, section: 'Everyday' }],
    ]);
    const rows = (list?.transactions ?? []).filter(({ date }) => new Date(date).getUTCDay() % 6 !== 0);
    const ids = rows.map(({ id }) => id);
    const { count } = await call('transactions/categorize', { transaction_ids: ids, category: LUNCHES });
    return { count, total: toText(-rows.reduce((sum, { amount }) => sum + toCents(amount), 0)) };
  },
  program: async (run, day) => {
    const { from, to } = monthsUntil(day, 6);
    await run("await tools.transactions.list({ category: 'Restaurants', limit: 1 })");
    const { total, done } = await run<{ total: string; done: { count: number } }>(
      `const { transactions } = await tools.transactions.list({ category: 'Restaurants', from: '${from}', to: '${to}', limit: 200 });
const bills = transactions.filter(({ date }) => new Date(date).getUTCDay() % 6 !== 0);
await tools.categories.names.create({ name: '${LUNCHES}', section: 'Everyday' });
const done = await tools.transactions.categorize({ transaction_ids: bills.map(({ id }) => id), category: '${LUNCHES}' });
return { total: bills.reduce((sum, { amount }) => sum - amount, 0).toFixed(2), done };`,
    );
    return { count: done.count, total };
  },
  readBooks: async (db) => {
    const rows = await db.query<{ id: number }>(`select t.id ${flow} and c.name = $1 order by t.id`, [
      LUNCHES,
    ]);
    return rows.map(({ id }) => id);
  },
  expectedBooks: async (db, day) => {
    const { from, to } = monthsUntil(day, 6);
    const rows = await db.query<{ id: number }>(`select t.id ${lunches} order by t.id`, [from, to]);
    return rows.map(({ id }) => id);
  },
};

const coverOverspending: CodeTask = {
  title: 'cover overspending',
  question: ({ lastMonth }) =>
    `Cover every category that I overspent in ${lastMonth} with budgeted money of Holidays in that month. How much was it in total, and how much does Holidays have left?`,
  steps: [
    { query: 'where a month spent more than its budget', address: 'reports/overspent', args: ['month'] },
    {
      query: 'move budgeted money between categories',
      address: 'categories/plan.move',
      args: ['from_category', 'to_category', 'amount', 'month'],
    },
  ],
  expected: async (db, { lastMonth }) => {
    const total = (await readOver(db, lastMonth)).reduce((sum, { over }) => sum + over, 0);
    const holidays = (await readCategories(db, lastMonth)).find(({ name }) => name === 'Holidays');
    const { assigned = 0, carried = 0, spent = 0 } = holidays ?? {};
    return { total: toText(total), left: toText(assigned + carried - spent - total) };
  },
  perform: async ({ call, callAll }, { lastMonth }) => {
    type Found = { total_over: string; categories: { category: string; over: string }[] };
    const { total_over: total, categories } = await call<Found>('reports/overspent', { month: lastMonth });
    const moves = await callAll<{ from_category: { available: string } }>(
      categories.map(({ category, over }) => [
        'categories/plan.move',
        { from_category: 'Holidays', to_category: category, amount: over, month: lastMonth },
      ]),
    );
    // The moves run at once, so the smallest rest is that after all of them.
    const left = Math.min(...moves.map((move) => toCents(move.from_category.available)));
    return { total, left: toText(left) };
  },
  program: async (run, { lastMonth }) => {
    type Found = { total_over: string };
    const { total_over: total } = await run<Found>(
      `await tools.reports.overspent({ month: '${lastMonth}' })`,
    );
    type Move = { from_category: { available: string } };
    const last =
      await run<Move>(`const { categories } = await tools.reports.overspent({ month: '${lastMonth}' });
let last;
for (const { category, over } of categories)
  last = await tools.categories.plan.move({ from_category: 'Holidays', to_category: category, amount: over, month: '${lastMonth}' });
return last;`);
    return { total, left: last.from_category.available };
  },
  readBooks: (db, { lastMonth }) => readAssigned(db, lastMonth),
  expectedBooks: async (db, { lastMonth }) => {
    const over = await readOver(db, lastMonth);
    const total = over.reduce((sum, each) => sum + each.over, 0);
    const rows = (await readCategories(db, lastMonth)).map(({ name, assigned }) => {
      const added = over.find((each) => each.name === name)?.over ?? 0;
      return [name, toText(assigned + added - (name === 'Holidays' ? total : 0))];
    });
    return Object.fromEntries(rows) as unknown;
  },
};

const planNextMonth: CodeTask = {
  title: 'plan the next month',
  question: (day) =>
    `Budget ${nextMonth(day)}: give every category of the section Everyday its average of the six months until ${day.lastMonth}, rounded up to whole euros. How much is that in total?`,
  steps: [
    { query: 'list categories by section', address: 'categories/names.list', args: [] },
    {
      query: 'average spending of one category over the past months',
      address: 'reports/trend',
      args: ['category', 'months'],
    },
    {
      query: 'set the budgets of several categories',
      address: 'categories/plan.assign_many',
      args: ['assignments', 'month'],
    },
  ],
  expected: async (db, day) => {
    const averages = await readAverages(db, day, 6);
    const rows = (await readCategories(db, day.lastMonth)).filter(({ section }) => section === 'Everyday');
    const total = rows.reduce((sum, { name }) => sum + Math.ceil((averages.get(name) ?? 0) / 100), 0);
    return { total };
  },
  perform: async ({ call, callAll }, day) => {
    const list = await call<{ section: string; name: string }[]>('categories/names.list');
    const names = list.filter(({ section }) => section === 'Everyday').map(({ name }) => name);
    const trends = await callAll<{ average_of_past_months: string }>(
      names.map((category) => ['reports/trend', { category, months: 7 }]),
    );
    const amounts = trends.map((trend) => Math.ceil(toCents(trend.average_of_past_months) / 100));
    await call('categories/plan.assign_many', {
      assignments: names.map((category, index) => ({ category, amount: String(amounts[index]) })),
      month: nextMonth(day),
    });
    return { total: amounts.reduce((sum, amount) => sum + amount, 0) };
  },
  program: async (run, day) => {
    await run(
      "[await tools.categories.names.list({}), await tools.reports.trend({ category: 'Groceries', months: 1 })]",
    );
    return run(`const list = await tools.categories.names.list({});
const names = list.filter(({ section }) => section === 'Everyday').map(({ name }) => name);
const assignments = await Promise.all(names.map(async (category) => {
  const { average_of_past_months } = await tools.reports.trend({ category, months: 7 });
  return { category, amount: Math.ceil(average_of_past_months).toString() };
}));
await tools.categories.plan.assign_many({ assignments, month: '${nextMonth(day)}' });
return { total: assignments.reduce((sum, { amount }) => sum + +amount, 0) };`);
  },
  readBooks: (db, day) => readAssigned(db, nextMonth(day)),
  expectedBooks: async (db, day) => {
    const averages = await readAverages(db, day, 6);
    const rows = (await readCategories(db, nextMonth(day))).map(({ name, section, assigned }) => {
      const planned = Math.ceil((averages.get(name) ?? 0) / 100) * 100;
      return [name, toText(section === 'Everyday' ? planned : assigned)];
    });
    return Object.fromEntries(rows) as unknown;
  },
};

const doubles = `from transactions t join accounts a on a.id = t.account_id join payees p on p.id = t.payee_id
  where a.budget_id = 1 and exists (select 1 from transactions u where u.id <> t.id and u.account_id = t.account_id
    and u.payee_id = t.payee_id and u.amount = t.amount and u.date = t.date)`;

/** Deletes something for good, so the code form asks the person. Hosts ask before the destructive calls of the other forms. */
export const deleteDouble: CodeTask = {
  title: 'delete a double payment',
  question: () =>
    'I think that I entered a payment twice within the last weeks. Find it and delete one of the two. What is the balance of the account then?',
  steps: [
    { query: 'find payments that were entered twice', address: 'reports/duplicates', args: [] },
    { query: 'delete a transaction', address: 'transactions/delete', args: ['transaction'] },
  ],
  expected: async (db) => {
    const [row] = await db.query<{ payee: string; cents: number; balance: number }>(
      `select p.name as payee, t.amount::integer as cents, a.balance::integer as balance ${doubles}`,
    );
    return { payee: row?.payee, balance: toText((row?.balance ?? 0) - (row?.cents ?? 0)) };
  },
  perform: async ({ call }) => {
    type Found = { pairs: { payee: string; safer_to_delete: number }[] };
    const [pair] = (await call<Found>('reports/duplicates')).pairs;
    const { account_balance: balance } = await call('transactions/delete', {
      transaction: pair?.safer_to_delete,
    });
    return { payee: pair?.payee, balance };
  },
  program: async (run) => {
    type Found = { pairs: { payee: string; safer_to_delete: number }[] };
    const [pair] = (await run<Found>('await tools.reports.duplicates({})')).pairs;
    const { account_balance: balance } = await run(
      `await tools.transactions.delete({ transaction: ${pair?.safer_to_delete} })`,
    );
    return { payee: pair?.payee, balance };
  },
  readBooks: async (db) => [
    (await db.query(`select 1 ${doubles}`)).length,
    (await db.query<{ count: number }>('select count(*)::integer as count from transactions'))[0]?.count,
  ],
  expectedBooks: async (db) => {
    const [all] = await db.query<{ count: number }>('select count(*)::integer as count from transactions');
    return [0, (all?.count ?? 0) - 1];
  },
};

export const codeTasksThatWrite: readonly CodeTask[] = [
  recategorise,
  coverOverspending,
  planNextMonth,
  deleteDouble,
];
