/** What answers say to a model that sees nothing else: pages, what counts, and what was changed. */
import { describe, expect, it } from 'vitest';
import { textOf } from '../test-server.js';
import { useTestBooks } from '../use-test-books.js';

const used = useTestBooks();
const { ask, data } = used;

describe('pages', () => {
  const field = (text: string, name: string): string | undefined =>
    new RegExp(`^${name}: "?([^"\n]*)`, 'm').exec(text)?.[1];

  /** Reads all pages of a list, and checks that the framework cut none of them. */
  async function readPages(tool: string, args: Record<string, unknown>): Promise<string[]> {
    const caller = used.books.connect();
    const pages: string[] = [];
    for (let offset: string | undefined = '0'; offset !== 'null';) {
      const result = await caller.call(tool, { ...args, offset: Number(offset) });
      expect(result.isError).not.toBe(true);
      expect(result._meta?.['toolfold/cut']).toBeUndefined();
      expect(Buffer.byteLength(textOf(result))).toBeLessThanOrEqual(24_000);
      pages.push(textOf(result));
      offset = field(textOf(result), 'next_offset');
    }
    return pages;
  }

  it('of the largest size hold 200 realistic rows', async () => {
    const [first = '', ...others] = await readPages('transactions', { action: 'list', limit: 200 });
    expect(first).toContain('transactions[200]');
    expect(others.length).toBe(Math.ceil(Number(field(first, 'count')) / 200) - 1);
  });

  it('end early if the rows are as wide as the schemas allow, and say where the next one begins', async () => {
    // Characters of three bytes, and quotation marks, which are escaped.
    const wide = (length: number, end: string): string => `${'本"'.repeat(length / 2 - 2)}${end}`;
    const budget = 'Wide';
    await ask('budgets', 'create', { name: budget, currency: 'EUR' });
    for (const name of [wide(80, 'a'), wide(80, 'b')])
      await ask('accounts', 'open', { budget, name, kind: 'cash' });
    await ask('categories', 'names.create', { budget, name: wide(80, 'a'), section: wide(80, 'a') });
    const line = {
      amount: '-999999999999.99',
      payee: wide(120, 'a'),
      category: wide(80, 'a'),
      memo: wide(500, 'a'),
      date: '2026-01-01',
    };
    const added = await data('transactions', 'add_many', {
      budget,
      account: wide(80, 'a'),
      transactions: Array.from({ length: 60 }, () => line),
    });
    expect(added).toMatchObject({ added: 60 });
    for (let index = 0; index < 30; index++)
      await ask('transfers', 'make', {
        budget,
        from_account: wide(80, 'a'),
        to_account: wide(80, 'b'),
        amount: '1',
        memo: line.memo,
      });
    await used.books.db.query(
      `insert into payees (budget_id, name) select b.id, $1 || n from budgets b, generate_series(100, 400) n where b.name = $2`,
      [wide(114, ''), budget],
    );
    const csv = Array.from(
      { length: 150 },
      () => `2026-01-01,"${line.payee.replaceAll('"', '""')}",-1,x`,
    ).join('\n');
    for (const [tool, args, rows] of [
      ['transactions', { action: 'list', include_transfers: false }, 60],
      ['transfers', { action: 'list' }, 30],
      ['payees', { action: 'list' }, 302],
      ['imports', { action: 'preview', account: wide(80, 'a'), csv }, 150],
    ] as const) {
      const pages = await readPages(tool, { ...args, budget, limit: 200 });
      expect(pages.length).toBeGreaterThan(1);
      const counts = pages.map((page) => Number(/^\w+\[(\d+)\]/m.exec(page)?.[1]));
      expect([tool, counts.reduce((sum, count) => sum + count, 0)]).toEqual([tool, rows]);
    }
    await ask('budgets', 'delete', { budget, confirm: budget });
  });
});

describe('transactions', () => {
  it('are sorted and filtered by size, direction, status and kind, with their count and sum', async () => {
    interface Listed {
      amounts: string[];
      count: number;
    }
    const list = async (args: Record<string, unknown>): Promise<Listed> => {
      const text = await ask('transactions', 'list', {
        limit: 200,
        from: '2026-02-01',
        to: '2026-02-28',
        ...args,
      });
      const amounts = [...text.matchAll(/,"(-?[\d.]+)",/g)].map(([, amount = '']) => amount);
      const cents = amounts.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0);
      expect(text).toContain(`sum: "${(cents / 100).toFixed(2)}"`);
      return { amounts, count: Number(/count: (\d+)/.exec(text)?.[1]) };
    };
    const sizes = (amounts: readonly string[]): number[] => amounts.map((amount) => Math.abs(Number(amount)));
    const all = await list({ sort: 'largest' });
    expect(all.amounts).toHaveLength(all.count);
    expect(sizes(all.amounts)).toEqual(sizes(all.amounts).toSorted((a, b) => b - a));
    const smallest = await list({ sort: 'smallest' });
    expect(sizes(smallest.amounts)).toEqual(sizes(all.amounts).toReversed());
    const between = await list({ min_amount: '30', max_amount: '49.00' });
    expect(sizes(between.amounts).every((size) => size >= 30 && size <= 49)).toBe(true);
    expect(between.count).toBe(sizes(all.amounts).filter((size) => size >= 30 && size <= 49).length);
    const [paid, received] = [await list({ direction: 'out' }), await list({ direction: 'in' })];
    expect(paid.count + received.count).toBe(all.count);
    expect(paid.amounts.every((amount) => amount.startsWith('-'))).toBe(true);
    const own = await list({ include_transfers: false });
    expect(own.count).toBeLessThan(all.count);
    const [cleared, uncleared] = [await list({ status: 'cleared' }), await list({ status: 'uncleared' })];
    expect(cleared.count + uncleared.count).toBe(all.count);
  });

  it('are split among categories, to the cent, and only if the parts add up', async () => {
    const order = { account: 'Cash', amount: '-30', payee: 'Corner Shop', category: 'Groceries' };
    const { id } = await data<{ id: number }>('transactions', 'add', order);
    const parts = [
      { amount: '-20.01', category: 'Groceries' },
      { amount: '-9.99', category: 'Gifts', memo: 'candles' },
    ];
    const wrong = { transaction: id, parts: [parts[0], { ...parts[1], amount: '9.99' }] };
    expect(await ask('transactions', 'split', wrong)).toContain(
      'The parts add up to -10.02, but the amount is -30.00',
    );
    const before = await data('accounts', 'get', { account: 'Cash' });
    expect(await data('transactions', 'split', { transaction: id, parts })).toMatchObject({
      transactions: [
        { id, amount: '-20.01', category: 'Groceries', payee: 'Corner Shop' },
        { amount: '-9.99', category: 'Gifts', memo: 'candles', payee: 'Corner Shop' },
      ],
    });
    expect(await data('accounts', 'get', { account: 'Cash' })).toMatchObject({ balance: before['balance'] });
    const [side] = await used.books.db.query<{ id: number }>(
      'select id from transactions where transfer_id is not null limit 1',
    );
    expect(await ask('transactions', 'split', { transaction: side?.id, parts })).toContain(
      'one side of a transfer',
    );
  });
});

describe('writes to many transactions', () => {
  it('name the ids that they changed', async () => {
    const line = { amount: '-1', payee: 'Nowhere Known' };
    const { ids } = await data<{ ids: number[] }>('transactions', 'add_many', {
      account: 'Cash',
      transactions: [line, line],
    });
    const order = { transaction_ids: ids };
    expect(await data('transactions', 'mark_cleared', order)).toEqual({ is_cleared: true, count: 2, ids });
    const made = await data('rules', 'create', {
      name: 'Nowhere',
      payee_contains: 'nowhere',
      category: 'Books',
    });
    expect(made).toMatchObject({
      uncategorized_matches: 2,
      overlapping_rules: [],
      matching_payees: ['Nowhere Known'],
    });
    const applied = await data<{ ids: number[] }>('rules', 'apply', { rule: 'Nowhere' });
    expect(applied).toMatchObject({ count: 2, by_rule: [{ rule: 'Nowhere', category: 'Books', count: 2 }] });
    expect(applied.ids.toSorted()).toEqual(ids.toSorted());
    expect(await data('transactions', 'categorize', { ...order, category: 'gifts' })).toEqual({
      category: 'Gifts',
      count: 2,
      ids,
    });
    expect(await ask('transactions', 'mark_cleared', { transaction_ids: [ids[0], 99_999_999] })).toContain(
      'Nothing was changed. These transactions do not exist in this budget: 99999999.',
    );
  });

  it('mention a rule that already matches, and which of the two wins', async () => {
    const order = { name: 'Kaufgut', payee_contains: 'KAUFGUT', category: 'Household goods' };
    const late = await data('rules', 'create', order);
    const overlap = { rule: 'Supermarkets', payee_contains: 'market', category: 'Groceries', position: 100 };
    expect(late).toMatchObject({ overlapping_rules: [{ ...overlap, comes_first: true }] });
    const line = { account: 'Cash', amount: '-1', payee: 'Kaufgut Market' };
    expect(await data('transactions', 'add', line)).toMatchObject({ category: 'Groceries' });
    const early = await data('rules', 'update', { rule: 'Kaufgut', position: 50 });
    expect(early).toMatchObject({ overlapping_rules: [{ ...overlap, comes_first: false }] });
    expect(await data('transactions', 'add', line)).toMatchObject({ category: 'Household goods' });
    await ask('rules', 'delete', { rule: 'Kaufgut' });
  });
});

describe('transfers', () => {
  it('are changed on both sides, and recognise their repeated request afterwards', async () => {
    const order = { from_account: 'Checking', to_account: 'Savings', amount: '30', request_id: 'changed' };
    const made = await data<{ id: number; from_account_balance: string }>('transfers', 'make', order);
    const changed = await data<{ from_account_balance: string }>('transfers', 'update', {
      transfer: made.id,
      amount: '12.34',
      date: '2026-03-02',
    });
    expect(changed).toMatchObject({ amount: '12.34', date: '2026-03-02' });
    const gained = Number(changed.from_account_balance) - Number(made.from_account_balance);
    expect(gained.toFixed(2)).toBe('17.66');
    const again = await used.books.connect().ask('transfers', 'make', order);
    expect(JSON.parse(again)).toMatchObject({ id: made.id, amount: '12.34' });
    await ask('transfers', 'undo', { transfer: made.id });
    expect(await ask('transfers', 'update', { transfer: made.id, amount: '1' })).toContain('was undone');
  });
});

describe('reports', () => {
  it('count a deficit of earlier months apart from the overspending of a month', async () => {
    interface Row {
      assigned: string;
      carried_over: string;
      spent: string;
      over: string;
      available: string;
    }
    const report = await data<{ categories: Row[]; deficits_of_earlier_months: Row[]; total_over: string }>(
      'reports',
      'overspent',
      { month: '2026-02' },
    );
    const number = Number;
    let total = 0;
    for (const row of [...report.categories, ...report.deficits_of_earlier_months]) {
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
    expect(report.deficits_of_earlier_months.length).toBeGreaterThan(0);
    expect(report.deficits_of_earlier_months.every(({ over }) => over === '0.00')).toBe(true);
  });

  it('compare a month that is not over with the same days of the month before', async () => {
    const now = await data('reports', 'spending');
    expect(now).toMatchObject({
      from: '2026-03-01',
      to: '2026-03-31',
      compared_with: { from: '2026-02-01', to: '2026-02-16', is_monthly_average: false },
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
  });
});

describe('the plan of a month', () => {
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

describe('imports', () => {
  it('point out lines that were entered by hand, and can leave them out', async () => {
    const hand = { account: 'Card', amount: '-33.21', payee: 'Garage', date: '2026-03-09' };
    const { id } = await data<{ id: number }>('transactions', 'add', hand);
    const csv = '2026-03-11,GARAGE 4711,-33.21,\n2026-03-11,Florist,-9.87,';
    expect(await ask('imports', 'preview', { account: 'Card', csv })).toContain(
      `GARAGE 4711,"-33.21","",false,${id}`,
    );
    const done = await data('imports', 'run', { account: 'Card', csv, skip_possible_duplicates: true });
    expect(done).toMatchObject({ added: 1, known: 0, skipped_duplicates: 1 });
    await ask('imports', 'undo', { import: done['import'] });
  });
});

describe('a reconciliation', () => {
  it('can be previewed without a change', async () => {
    const before = await data<{ balance: string; uncleared_count: number }>('accounts', 'get', {
      account: 'Card',
    });
    const order = { account: 'Card', bank_balance: '-1', preview: true };
    const preview = await data<{ adjustment: string }>('accounts', 'reconcile', order);
    expect(preview).toMatchObject({ is_preview: true, adjustment_id: null, balance: before.balance });
    expect(Number(before.balance) + Number(preview.adjustment)).toBeCloseTo(-1, 5);
    expect(await data('accounts', 'get', { account: 'Card' })).toEqual(before);
  });
});

describe('all of this', () => {
  it('leaves books that balance', async () => {
    expect(await data('reports', 'check', { all_budgets: true })).toMatchObject({ problems: [] });
  });
});
