/** Figures that a model can explain: reports and plans whose amounts add up to each other. */
import { describe, expect, it } from 'vitest';
import { useTestBooks } from '../use-test-books.js';

const used = useTestBooks();
const { ask, data } = used;

describe('reports', () => {
  it('count a deficit of earlier months apart from the overspending of a month', async () => {
    interface Row {
      assigned: string;
      carried_over: string;
      spent: string;
      over: string;
      available: string;
    }
    const report = await data<{ categories: Row[]; only_earlier_deficits: Row[]; total_over: string }>(
      'reports',
      'overspent',
      { month: '2026-02' },
    );
    const number = Number;
    let total = 0;
    for (const row of [...report.categories, ...report.only_earlier_deficits]) {
      const over = number(row.spent) - number(row.assigned) - Math.max(0, number(row.carried_over));
      expect(Math.max(0, over)).toBeCloseTo(number(row.over), 5);
      expect(number(row.assigned) + number(row.carried_over) - number(row.spent)).toBeCloseTo(
        number(row.available),
        5,
      );
      total += number(row.over);
    }
    expect(total).toBeCloseTo(number(report.total_over), 5);
    expect(report.categories.every(({ over }) => number(over) > 0)).toBe(true);
    expect(report.only_earlier_deficits.length).toBeGreaterThan(0);
    expect(report.only_earlier_deficits.every(({ over }) => over === '0.00')).toBe(true);
    const sizes = report.categories.map(({ over }) => number(over));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  it('compare a month that is not over with the same days of the month before', async () => {
    const now = await data('reports', 'spending');
    expect(now).toMatchObject({
      from: '2026-03-01',
      to: '2026-03-31',
      compared_with: { from: '2026-02-01', to: '2026-02-16', monthly_average: null },
    });
    const past = await data('reports', 'spending', { month: '2026-02' });
    expect(past).toMatchObject({ compared_with: { from: '2026-01-01', to: '2026-01-31' } });
    const days = await data('reports', 'spending', { from: '2026-02-10', to: '2026-02-19' });
    expect(days).toMatchObject({ compared_with: { from: '2026-01-31', to: '2026-02-09' } });
    const ancient = await data('reports', 'spending', { from: '1900-01-01', to: '8999-12-31' });
    expect(ancient).toMatchObject({ compared_with: null });
    expect(await ask('reports', 'cash_flow', { from: '1900-01-01' })).toContain('up to 60 months');
  });

  it('show uncategorized spending by that name, and count no opening balance as income', async () => {
    expect(await ask('reports', 'spending', { month: '2026-03' })).toContain('"name":"Uncategorized"');
    const flow = await ask('reports', 'cash_flow', { from: '2025-03-01', to: '2025-03-31' });
    expect(flow).toContain('income: "3208.00"');
    expect(await ask('transactions', 'list', { uncategorized: true })).not.toContain('Opening balance');
  });

  it('find recurring payments, also of a payee with others, and payments that ended', async () => {
    const budget = 'Studio';
    const line = (date: string, amount: string, payee: string) => ({ date, amount, payee });
    const months = ['2025-05', '2025-06', '2025-07', '2025-08'];
    const transactions = [
      ...months.map((month) => line(`${month}-10`, '-20.00', 'Ended Club')),
      ...['2026-01', '2026-02', '2026-03'].map((month) => line(`${month}-11`, '-7.77', 'Mixed Store')),
      ...['2026-01-12', '2026-01-20', '2026-02-03'].map((date) => line(date, '-150', 'Mixed Store')),
    ];
    await ask('transactions', 'add_many', { budget, account: 'Business checking', transactions });
    const report = await ask('reports', 'recurring', { budget });
    expect(report).toMatch(
      /Ended Club,Uncategorized,monthly,"20.00","20.00",2025-08-10,2025-09-10,false,"240.00",4/,
    );
    expect(report).toMatch(
      /Mixed Store,Uncategorized,monthly,"7.77","7.77",2026-03-11,2026-04-11,true,"93.24",3/,
    );
    expect(report).not.toContain('Northern Rail');
  });

  it('check one budget or all, and name them', async () => {
    await used.books.db.query("update accounts set balance = balance + 1 where name = 'Tax reserve'");
    expect(await data('reports', 'check')).toEqual({
      budgets: ['Household'],
      is_balanced: true,
      problems: [],
    });
    const all = await data<{ problems: string[] }>('reports', 'check', { all_budgets: true });
    expect(all).toMatchObject({ budgets: ['Household', 'Studio'], is_balanced: false });
    expect(all.problems).toEqual([
      expect.stringMatching(/^account "Tax reserve" has the balance \d+\.\d\d, but/),
    ]);
    await used.books.db.query("update accounts set balance = balance - 1 where name = 'Tax reserve'");
  });

  it('compare with an average under its own name, and sort by the change', async () => {
    interface Report {
      compared_with: { total: string; monthly_average: string };
      rows: { change: string }[];
    }
    const report = await data<Report>('reports', 'spending', {
      month: '2026-02',
      compare_with: 'average_of_6_months',
      sort: 'change',
    });
    const { total, monthly_average: average } = report.compared_with;
    expect(Number(total) / 6).toBeCloseTo(Number(average), 1);
    const changes = report.rows.map(({ change }) => Number(change));
    expect(changes).toEqual(changes.toSorted((a, b) => b - a));
    expect(await ask('reports', 'spending', { month: '2026-02', to: '2026-02-03' })).toContain(
      'Give either month, or from and to.',
    );
  });

  it('show the net worth until a month, and the change between the first and the last month', async () => {
    const text = await ask('reports', 'net_worth', { months: 3, until: '2026-02' });
    const worth = [...text.matchAll(/^ +(2\d{3}-\d\d),"[\d.]+","[\d.]+","([\d.]+)"/gm)];
    expect(worth.map(([, month]) => month)).toEqual(['2025-12', '2026-01', '2026-02']);
    const change = /change: "(-?[\d.]+)"/.exec(text)?.[1];
    expect(Number(worth[2]?.[2]) - Number(worth[0]?.[2])).toBeCloseTo(Number(change), 5);
  });

  it('tell which of two equal payments is safer to delete', async () => {
    const budget = 'Studio';
    const line = { amount: '-61.07', payee: 'Twice Paid', date: '2026-03-12' };
    const { ids } = await data<{ ids: number[] }>('transactions', 'add_many', {
      budget,
      account: 'Business checking',
      transactions: [line, { ...line, memo: 'again' }],
    });
    const safer = async (): Promise<number> => {
      const text = await ask('reports', 'duplicates', { budget, from: '2026-03-12' });
      return Number(/Twice Paid,.*,(\d+)$/m.exec(text)?.[1]);
    };
    expect(await safer()).toBe(ids[1]);
    await ask('transactions', 'mark_cleared', { budget, transaction_ids: [ids[1]] });
    expect(await safer()).toBe(ids[0]);
    for (const transaction of ids) await ask('transactions', 'delete', { budget, transaction });
  });

  it('begin recurring payments where the books begin', async () => {
    expect(await ask('reports', 'recurring')).toContain('from: 2025-03-01');
  });

  it('average the whole months of a year that is not over', async () => {
    const report = await ask('reports', 'year', { year: 2026 });
    expect(report).toContain('2026-01 to 2026-12');
    expect(report).toContain('2026-03 is not over yet, so averages leave out all months from it on.');
    expect(report).not.toContain('## 2026-04');
    const flows = [...report.matchAll(/^In ([\d.]+), out ([\d.]+)/gm)].slice(1, 3);
    const average = (column: 1 | 2): number =>
      flows.reduce((sum, row) => sum + Number(row[column]), 0) / flows.length;
    const [, income, spent] = /On average of 2 whole months: in ([\d.]+), out ([\d.]+)\./.exec(report) ?? [];
    expect(Math.abs(Number(income) - average(1))).toBeLessThan(0.01);
    expect(Math.abs(Number(spent) - average(2))).toBeLessThan(0.01);
    expect(await ask('reports', 'year', { year: 2026, until: '2026-02' })).toContain(
      'Give either year or until.',
    );
  });

  it('add up the year', async () => {
    const report = await ask('reports', 'year', { until: '2026-02' });
    const flows = [...report.matchAll(/^In ([\d.]+), out ([\d.]+)/gm)].map(([, income, spent]) => [
      income,
      spent,
    ]);
    const [total, ...months] = flows;
    expect(months).toHaveLength(12);
    for (const index of [0, 1])
      expect(months.reduce((sum, row) => sum + Number(row[index]), 0)).toBeCloseTo(Number(total?.[index]), 5);
    const [, start, net, opened, end] =
      /beginning ([\d.]+), plus net ([\d.]+), plus opening balances ([\d.]+), is ([\d.]+)/.exec(report) ?? [];
    expect(Number(start) + Number(net) + Number(opened)).toBeCloseTo(Number(end), 5);
    expect(Number(opened)).toBeGreaterThan(0);
  });
});

describe('figures of a plan', () => {
  const cents = (text: string | undefined): number => Math.round(Number(text) * 100);

  it('mark the categories that are over their budget as the report does', async () => {
    const month = '2026-02';
    const plan = await ask('categories', 'plan.month', { month });
    const columns = /categories\[\d+\]\{(.+)\}:/.exec(plan)?.[1]?.split(',') ?? [];
    expect(columns.slice(-2)).toEqual(['over', 'available']);
    const marked = [...plan.matchAll(/^ +[^,]+,(.+),"[\d.-]+","[\d.-]+","[\d.-]+","([\d.]+)","[\d.-]+"$/gm)]
      .filter(([, , over]) => Number(over) > 0)
      .map(([, category]) => category);
    type Report = { categories: { category: string }[] };
    const { categories } = await data<Report>('reports', 'overspent', { month });
    expect(marked.toSorted()).toEqual(categories.map(({ category }) => category).toSorted());
    expect(marked.length).toBeGreaterThan(0);
  });

  it('explain ready_to_assign: with what categories have, it is the balance of the accounts', async () => {
    const text = await ask('categories', 'plan.month');
    const field = (name: string): string | undefined => new RegExp(`${name}: "(-?[\\d.]+)"`).exec(text)?.[1];
    const available = cents(/total:(?:\n .*)*\n +available: "(-?[\d.]+)"/.exec(text)?.[1]);
    const archived = cents(field('available_of_archived_categories'));
    expect(cents(field('ready_to_assign')) + available + archived).toBe(cents(field('balance_of_accounts')));
    const { total } = /total: "(?<total>[^"]+)"/.exec(await ask('accounts', 'list'))?.groups ?? {};
    expect(field('balance_of_accounts')).toBe(total);
    const rows = [...text.matchAll(/,"(-?[\d.]+)"$/gm)].map(([, amount]) => cents(amount));
    expect(cents(field('deficits'))).toBe(rows.reduce((sum, amount) => sum + Math.min(0, amount), 0));
    const { sum } =
      /sum: "(?<sum>[^"]+)"/.exec(await ask('transactions', 'list', { uncategorized: true }))?.groups ?? {};
    expect(field('uncategorized')).toBe(sum);
  });

  it('show after a move that overspending is covered, although a deficit of earlier months is left', async () => {
    interface Row {
      category: string;
      over: string;
      available: string;
    }
    const order = { month: '2026-02' };
    const { categories } = await data<{ categories: Row[] }>('reports', 'overspent', order);
    const covered = categories.find(({ over, available }) => Number(available) + Number(over) < 0);
    const moved = await data<{ to_category: Row }>('categories', 'plan.move', {
      ...order,
      from_category: 'Holidays',
      to_category: covered?.category,
      amount: covered?.over,
    });
    expect(moved.to_category).toMatchObject({ name: covered?.category, over: '0.00' });
    expect(Number(moved.to_category.available)).toBeLessThan(0);
    const back = { from_category: covered?.category, to_category: 'Holidays', amount: covered?.over };
    await ask('categories', 'plan.move', { ...order, ...back });
  });
});

describe('the plan of a month', () => {
  it('is copied with other amounts for some categories, in one call', async () => {
    const month = '2026-07';
    const changes = [
      { category: 'groceries', amount: '600' },
      { category: 'Coffee', amount: '0' },
    ];
    const copied = await data<{ assigned: unknown[] }>('categories', 'plan.copy', {
      month,
      source_month: '2026-03',
      changes,
    });
    expect(copied).toMatchObject({ count: 17 });
    expect(copied.assigned).toContainEqual({ category: 'Groceries', assigned: '600.00' });
    const plan = await ask('categories', 'plan.month', { month });
    expect(plan).toContain('Everyday,Groceries,"600.00"');
    expect(plan).toContain('Everyday,Coffee,"0.00"');
    const twice = { month, changes: [changes[0], { category: 'Groceries', amount: '1' }] };
    expect(await ask('categories', 'plan.copy', twice)).toContain('"Groceries" is given twice');
  });

  it('is copied to categories without an amount, and set for several at once', async () => {
    const month = '2026-05';
    await ask('categories', 'plan.assign', { month, category: 'Coffee', amount: '11' });
    const copied = await data('categories', 'plan.copy', { month, source_month: '2026-03' });
    expect(copied).toMatchObject({ month, source_month: '2026-03', count: 16 });
    expect(await data('categories', 'plan.copy', { month, source_month: '2026-03' })).toMatchObject({
      count: 0,
    });
    expect(await ask('categories', 'plan.month', { month })).toContain('Everyday,Coffee,"11.00"');
    const many = {
      month,
      assignments: [
        { category: 'Coffee', amount: '12' },
        { category: 'Nope', amount: '1' },
      ],
    };
    expect(await ask('categories', 'plan.assign_many', many)).toContain('There is no category "Nope"');
    expect(await ask('categories', 'plan.month', { month })).toContain('Everyday,Coffee,"11.00"');
  });
});

describe('all of this', () => {
  it('leaves books that balance', async () => {
    expect(await data('reports', 'check', { all_budgets: true })).toMatchObject({ problems: [] });
  });
});
