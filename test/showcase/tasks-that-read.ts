import { addMonths, firstDay, lastDay } from '../../examples/showcase/dates.js';
import type { Task } from './task-definition.js';

interface Spending {
  readonly total: string;
  readonly rows: readonly { readonly name: string; readonly spent: string; readonly change: string }[];
}
interface Flow {
  readonly income: string;
  readonly spent: string;
  readonly net: string;
}
interface Row {
  readonly id: number;
  readonly payee: string;
  readonly amount: string;
  readonly date: string;
}

export const tasksThatRead: readonly Task[] = [
  {
    title: 'spending by category against the month before',
    actions: ['reports/spending'],
    question: ({ lastMonth }) =>
      `How much did I spend on groceries in ${lastMonth}, and how much more or less was that than in the month before?`,
    expected: ({ groceries }) => groceries,
    perform: async (call, { lastMonth }) => {
      const { rows } = await call<Spending>('reports/spending', { month: lastMonth });
      const row = rows.find(({ name }) => name === 'Groceries');
      return { spent: row?.spent, change: row?.change };
    },
  },
  {
    title: 'biggest merchants',
    actions: ['payees/totals'],
    question: ({ quarter }) =>
      `Which five merchants got the most of my money from ${quarter.from} to ${quarter.to}, and how much did each get?`,
    expected: ({ merchants }) => ({ merchants }),
    perform: async (call, { quarter }) => {
      type Totals = { payees: { payee: string; spent: string }[] };
      const { payees } = await call<Totals>('payees/totals', { ...quarter, top: 5 });
      return { merchants: payees.map(({ payee, spent }) => `${payee} ${spent}`) };
    },
  },
  {
    title: 'recurring payments',
    actions: ['reports/recurring'],
    question: () =>
      'Which recurring payments do I have, which three cost the most per year, and what do all of them cost me per year?',
    expected: ({ recurring }) => recurring,
    perform: async (call) => {
      type Found = { per_year: string; recurring: { payee: string }[] };
      const { per_year: perYear, recurring } = await call<Found>('reports/recurring');
      const payees = recurring.map(({ payee }) => payee);
      return { payees: payees.toSorted(), top: payees.slice(0, 3), perYear };
    },
  },
  {
    title: 'comparison of two periods',
    actions: ['reports/cash_flow'],
    question: ({ quarter }) =>
      `What did I earn and spend in total from ${quarter.from} to ${quarter.to}, and what was left? What was left in the three months before?`,
    expected: ({ flow }) => flow,
    perform: async (call, { quarter }) => {
      type Found = { total: Flow; period_before: Flow };
      const { total, period_before: before } = await call<Found>('reports/cash_flow', { ...quarter });
      return { income: total.income, spent: total.spent, net: total.net, netBefore: before.net };
    },
  },
  {
    title: 'net worth history',
    actions: ['reports/net_worth'],
    question: ({ lastMonth }) =>
      `What was my net worth at the end of ${lastMonth}, and what was it at the end of ${addMonths(lastMonth, -6)}?`,
    expected: ({ worth }) => worth,
    perform: async (call, { lastMonth }) => {
      type Found = { months: { month: string; net: string }[] };
      const { months } = await call<Found>('reports/net_worth', { months: 7, until: lastMonth });
      const at = (month: string): string | undefined => months.find((row) => row.month === month)?.net;
      return { now: at(lastMonth), before: at(addMonths(lastMonth, -6)) };
    },
  },
  {
    title: 'summary of a year',
    actions: ['reports/year'],
    question: ({ lastMonth }) =>
      `Over the twelve months that ended with ${lastMonth}: what were my total income and spending, and which category was the largest, with how much?`,
    expected: ({ year }) => year,
    perform: async (call, { lastMonth }) => {
      const report = await call<string>('reports/year', { until: lastMonth });
      const [, income, spent] = /In ([\d.]+), out ([\d.]+)/.exec(report) ?? [];
      const [, category, amount] = /Largest categories:\n- (.+): ([\d.]+)/.exec(report) ?? [];
      return { income, spent, category, amount };
    },
  },
  {
    title: 'largest transactions',
    actions: ['transactions/list'],
    question: ({ lastMonth }) =>
      `What were my three largest single expenses in ${lastMonth}? Transfers between my accounts are no expenses.`,
    expected: ({ largest }) => ({ largest }),
    perform: async (call, { lastMonth }) => {
      const { transactions } = await call<{ transactions: Row[] }>('transactions/list', {
        from: firstDay(lastMonth),
        to: lastDay(lastMonth),
        direction: 'out',
        sort: 'largest',
        limit: 3,
      });
      return { largest: transactions.map(({ payee, amount, date }) => `${date} ${payee} ${amount}`) };
    },
  },
  {
    title: 'unusual spending',
    actions: ['reports/spending'],
    question: ({ lastMonth }) =>
      `Which category was furthest above its average of the six months before in ${lastMonth}, and by how much?`,
    expected: ({ unusual }) => unusual,
    perform: async (call, { lastMonth }) => {
      const { rows } = await call<Spending>('reports/spending', {
        month: lastMonth,
        compare_with: 'average_of_6_months',
        sort: 'change',
      });
      const [most] = rows;
      return { category: most?.name, above: most?.change };
    },
  },
  {
    title: 'progress of goals',
    actions: ['goals/list'],
    question: () =>
      'How much is left to save for each of my goals, and how much a month is needed to reach it in time?',
    expected: ({ goals }) => ({ goals }),
    perform: async (call) => {
      type Found = { goals: { name: string; left: string; needed_monthly: string }[] };
      const { goals } = await call<Found>('goals/list');
      return { goals: goals.map((goal) => `${goal.name} ${goal.left} ${goal.needed_monthly}`) };
    },
  },
  {
    title: 'what-if on a goal',
    actions: ['goals/forecast'],
    question: () =>
      'If I set aside 200 a month for the bicycle from this month on, in which month do I have enough, and is that in time?',
    expected: ({ bicycle }) => bicycle,
    perform: async (call) => {
      type Found = { reached_in_month: string; is_in_time: boolean };
      const found = await call<Found>('goals/forecast', { goal: 'Bicycle', monthly_amount: '200' });
      return { month: found.reached_in_month, isInTime: found.is_in_time };
    },
  },
  {
    title: 'conversion of a currency',
    actions: ['finance/overview', 'market/currencies.convert'],
    question: () => 'How much is the balance of the tax reserve of my studio in euros?',
    expected: ({ reserve }) => reserve,
    perform: async (call) => {
      type Found = { budgets: { currency: string; accounts: { name: string; balance: string }[] }[] };
      const { budgets } = await call<Found>('finance/overview');
      const budget = budgets.find(({ accounts }) => accounts.some(({ name }) => name === 'Tax reserve'));
      const account = budget?.accounts.find(({ name }) => name === 'Tax reserve');
      const { amount } = await call<Row>('market/currencies.convert', {
        amount: account?.balance,
        from_currency: budget?.currency,
        to_currency: 'EUR',
      });
      return { euros: amount };
    },
  },
];
