import { firstDay, lastDay } from '../../../examples/showcase/dates.js';
import { toCents, toText } from '../ledger.js';
import { flow, monthsUntil, readAverages, readCategories } from './books-sql.js';
import type { CodeTask } from './code-task.js';

interface Planned {
  readonly category: string;
  readonly assigned: string;
  readonly spent: string;
}
interface Listed {
  readonly count: number;
  readonly transactions: readonly { readonly amount: string; readonly date: string }[];
}
interface ShownAccount {
  readonly name: string;
  readonly balance: string;
  readonly cleared_balance: string;
}

/** One report that needs 40 calls: two lists, and then two calls for each of 17 categories and one for each of 4 accounts. */
export const monthEndReport: CodeTask = {
  title: 'month-end report',
  question: ({ lastMonth }) =>
    `Write the report of ${lastMonth}: for every spending category what was budgeted and spent, its average of the twelve months until then, how many payments it had and the largest of them; for every account its balance and the part that the bank does not show yet. Which categories were above their budget and above their average?`,
  steps: [
    {
      query: 'budget and spending of every category in a month',
      address: 'categories/plan.month',
      args: ['month'],
    },
    {
      query: 'average spending of one category over the past months',
      address: 'reports/trend',
      args: ['category', 'months'],
    },
    {
      query: 'list transactions of a category',
      address: 'transactions/list',
      args: ['category', 'from', 'to', 'direction', 'sort', 'limit'],
    },
    { query: 'list bank accounts with their balances', address: 'accounts/list', args: [] },
    { query: 'cleared balance of one account', address: 'accounts/get', args: ['account'] },
  ],
  expected: async (db, day) => {
    const { from, to } = monthsUntil(day, 1);
    const averages = await readAverages(db, day, 12);
    const payments = await db.query<{ name: string; count: number; largest: number }>(
      `select c.name, count(*)::integer as count, max(-t.amount)::integer as largest ${flow}
       and a.budget_id = 1 and t.amount < 0 and t.date between $1 and $2 and c.id is not null group by c.name`,
      [from, to],
    );
    const accounts = await db.query<{ name: string; balance: number; open: number }>(
      `select a.name, a.balance::integer as balance, coalesce(sum(t.amount) filter (where not t.is_cleared), 0)::integer as open
       from accounts a left join transactions t on t.account_id = a.id where a.budget_id = 1 and a.closed_on is null
       group by a.id order by a.name`,
    );
    const categories = await readCategories(db, day.lastMonth);
    const isHigh = ({ name, assigned, spent }: (typeof categories)[number]): boolean =>
      spent > assigned && spent > (averages.get(name) ?? 0);
    return {
      categories: categories.map(({ name, assigned, spent }) => {
        const found = payments.find((row) => row.name === name);
        const average = toText(averages.get(name) ?? 0);
        return `${name}: ${toText(assigned)} ${toText(spent)} ${average} ${found?.count ?? 0} ${toText(found?.largest ?? 0)}`;
      }),
      accounts: accounts.map(({ name, balance, open }) => `${name}: ${toText(balance)} ${toText(open)}`),
      high: categories.filter(isHigh).map(({ name }) => name),
    };
  },
  perform: async ({ callAll }, { lastMonth }) => {
    const [plan, list] = (await callAll([
      ['categories/plan.month', { month: lastMonth }],
      ['accounts/list'],
    ])) as unknown as [{ categories: Planned[] }, { accounts: { name: string }[] }];
    const names = plan.categories.map(({ category }) => category).toSorted();
    const answers = await callAll<unknown>([
      ...names.map((category) => ['reports/trend', { category, months: 13 }] as const),
      ...names.map(
        (category) =>
          [
            'transactions/list',
            {
              category,
              from: firstDay(lastMonth),
              to: lastDay(lastMonth),
              direction: 'out',
              sort: 'largest',
              limit: 1,
            },
          ] as const,
      ),
      ...list.accounts.map(({ name }) => ['accounts/get', { account: name }] as const),
    ]);
    const trends = answers.slice(0, names.length) as { average_of_past_months: string }[];
    const lists = answers.slice(names.length, 2 * names.length) as Listed[];
    const accounts = answers.slice(2 * names.length) as ShownAccount[];
    const rows = names.map((name, index) => {
      const planned = plan.categories.find(({ category }) => category === name);
      const { assigned = '', spent = '' } = planned ?? {};
      const average = trends[index]?.average_of_past_months ?? '';
      const { count = 0, transactions = [] } = lists[index] ?? {};
      const largest = (transactions[0]?.amount ?? '0.00').replace('-', '');
      return { name, assigned, spent, average, count, largest };
    });
    const isHigh = ({ assigned, spent, average }: (typeof rows)[number]): boolean =>
      toCents(spent) > toCents(assigned) && toCents(spent) > toCents(average);
    return {
      categories: rows.map(
        (row) => `${row.name}: ${row.assigned} ${row.spent} ${row.average} ${row.count} ${row.largest}`,
      ),
      accounts: accounts
        .map(
          ({ name, balance, cleared_balance: cleared }) =>
            `${name}: ${balance} ${toText(toCents(balance) - toCents(cleared))}`,
        )
        .toSorted(),
      high: rows.filter(isHigh).map(({ name }) => name),
    };
  },
  program: async (run, { lastMonth }) => {
    await run(`const [plan, list, trend, found, account] = await Promise.all([
  tools.categories.plan.month({ month: '${lastMonth}' }), tools.accounts.list({}), tools.reports.trend({ category: 'Groceries', months: 2 }),
  tools.transactions.list({ limit: 1 }), tools.accounts.get({ account: 'Card' }),
]);
({ plan: { ...plan, categories: plan.categories?.slice(0, 1) }, list, trend, found, account })`);
    return run(`const [plan, list] = await Promise.all([tools.categories.plan.month({ month: '${lastMonth}' }), tools.accounts.list({})]);
const rows = await Promise.all(plan.categories.map(async ({ category, assigned, spent }) => {
  const period = { from: '${firstDay(lastMonth)}', to: '${lastDay(lastMonth)}' };
  const [trend, found] = await Promise.all([
    tools.reports.trend({ category, months: 13 }),
    tools.transactions.list({ category, ...period, direction: 'out', sort: 'largest', limit: 1 }),
  ]);
  const largest = (found.transactions[0]?.amount ?? '0.00').replace('-', '');
  return { name: category, assigned, spent, average: trend.average_of_past_months, count: found.count, largest };
}));
const accounts = await Promise.all(list.accounts.map(async ({ name }) => {
  const { balance, cleared_balance } = await tools.accounts.get({ account: name });
  return name + ': ' + balance + ' ' + (balance - cleared_balance).toFixed(2);
}));
rows.sort((a, b) => (a.name < b.name ? -1 : 1));
return {
  categories: rows.map((row) => row.name + ': ' + [row.assigned, row.spent, row.average, row.count, row.largest].join(' ')),
  accounts: accounts.sort(),
  high: rows.filter((row) => +row.spent > +row.assigned && +row.spent > +row.average).map(({ name }) => name),
};`);
  },
};
