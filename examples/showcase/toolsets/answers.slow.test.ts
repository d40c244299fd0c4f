/** Answers must explain themselves to a model that sees nothing else: pages, what counts, and what was changed. */
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
    await ask('budgets', 'delete', { budget });
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
    const all = await list({ sort: 'largest', include_transfers: true });
    expect(all.amounts).toHaveLength(all.count);
    expect(sizes(all.amounts)).toEqual(sizes(all.amounts).toSorted((a, b) => b - a));
    const smallest = await list({ sort: 'smallest', include_transfers: true });
    expect(sizes(smallest.amounts)).toEqual(sizes(all.amounts).toReversed());
    const between = await list({ min_amount: '30', max_amount: '49.00' });
    expect(sizes(between.amounts).every((size) => size >= 30 && size <= 49)).toBe(true);
    expect(between.count).toBe(sizes(all.amounts).filter((size) => size >= 30 && size <= 49).length);
    const both = { include_transfers: true };
    const [paid, received] = [
      await list({ direction: 'out', ...both }),
      await list({ direction: 'in', ...both }),
    ];
    expect(paid.count + received.count).toBe(all.count);
    expect(paid.amounts.every((amount) => amount.startsWith('-'))).toBe(true);
    const own = await list({ include_transfers: false });
    expect(own.count).toBeLessThan(all.count);
    // The largest expense is no transfer to the savings.
    expect(await list({ sort: 'largest' })).toMatchObject({ count: own.count });
    expect((await list({ direction: 'out' })).count).toBeLessThan(paid.count);
    expect(await ask('transactions', 'list', { sort: 'largest' })).toContain('transfers: left out');
    expect(await ask('transactions', 'list', {})).toContain('transfers: included');
    const none = await list({ category: null });
    expect(none).toEqual(await list({ uncategorized: true }));
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
    const applied = await data<{ ids: number[]; left_ids?: number[] }>('rules', 'apply', {
      rule: 'Nowhere',
    });
    expect(applied).toMatchObject({ count: 2, by_rule: [{ rule: 'Nowhere', category: 'Books', count: 2 }] });
    const open = await ask('transactions', 'list', { uncategorized: true });
    const left = Number(/count: (\d+)/.exec(open)?.[1]);
    expect(applied).toMatchObject({ left_without_category: left });
    // Other rules match the remaining ones.
    expect(applied.left_ids).toBeUndefined();
    expect(applied.ids.toSorted()).toEqual(ids.toSorted());
    expect(await data('transactions', 'categorize', { ...order, category: 'gifts' })).toEqual({
      category: 'Gifts',
      count: 2,
      ids,
      ready_to_assign: expect.stringMatching(/^\d+\.\d\d$/),
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

describe('a new name of a payee', () => {
  it('comes with the rules that no longer match', async () => {
    await ask('transactions', 'add', { account: 'Cash', amount: '-1', payee: 'Corner Espresso' });
    expect(await data('payees', 'rename', { payee: 'Corner Espresso', name: 'Corner Bar' })).toMatchObject({
      transaction_count: 1,
      rules_that_no_longer_match: ['Coffee bars'],
    });
    expect(await data('payees', 'rename', { payee: 'Corner Bar', name: 'Corner' })).toMatchObject({
      rules_that_no_longer_match: [],
    });
  });
});

describe('transfers', () => {
  it('are listed by the account that pays and the one that receives', async () => {
    const accounts = { from_account: 'Checking', to_account: 'Savings' };
    const there = await ask('transfers', 'list', accounts);
    expect(there).toContain('Checking,Savings');
    expect(there).not.toContain('Savings,Checking');
    expect(there).not.toContain('Checking,Card');
    expect(await ask('transfers', 'list', { from_account: 'Cash' })).toContain('count: 0');
  });

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

describe('imports', () => {
  it('point out lines that were entered by hand, and can leave them out', async () => {
    const hand = { account: 'Card', amount: '-33.21', payee: 'Garage', date: '2026-03-09' };
    const { id } = await data<{ id: number }>('transactions', 'add', hand);
    const csv = '2026-03-11,GARAGE 4711,-33.21,\n2026-03-11,Florist,-9.87,';
    expect(await ask('imports', 'preview', { account: 'Card', csv })).toContain(
      `GARAGE 4711,"-33.21","",possible_duplicate,${id},2026-03-09,Garage`,
    );
    expect(await ask('imports', 'preview', { account: 'Card', csv })).toContain(
      'new: 1\nsum_of_new: "-9.87"\npossible_duplicates: 1\nsum_of_possible_duplicates: "-33.21"',
    );
    const done = await data<{ ids: number[]; import: number }>('imports', 'run', {
      account: 'Card',
      csv,
      skip_possible_duplicates: true,
    });
    expect(done).toMatchObject({
      added: 1,
      imported_before: 0,
      skipped_duplicates: 1,
      skipped: [{ date: '2026-03-11', payee: 'GARAGE 4711', amount: '-33.21', similar_id: id }],
    });
    expect(await data('transactions', 'get', { transaction: done.ids[0] })).toMatchObject({
      payee: 'Florist',
    });
    await ask('imports', 'undo', { import: done.import });
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

  it('lists what is cleared now, and books the difference in the given category or mentions that it has none', async () => {
    await ask('accounts', 'open', { name: 'Purse', kind: 'cash', opening_balance: '20' });
    const line = { account: 'Purse', amount: '-3', payee: 'Kiosk', category: 'Coffee' };
    const { id } = await data<{ id: number }>('transactions', 'add', line);
    const order = { account: 'Purse', bank_balance: '16.50', category: 'gifts' };
    const preview = await data('accounts', 'reconcile', { ...order, preview: true });
    expect(preview).toMatchObject({ would_be_cleared_count: 2, adjustment_id: null });
    const done = await data<{ adjustment_id: number; cleared_now: unknown[] }>(
      'accounts',
      'reconcile',
      order,
    );
    expect(done).toMatchObject({ adjustment: '-0.50', adjustment_category: 'Gifts', cleared_now_count: 2 });
    expect(done).not.toHaveProperty('hint');
    expect(done.cleared_now).toContainEqual({ id, date: '2026-03-16', payee: 'Kiosk', amount: '-3.00' });
    expect(await data('transactions', 'get', { transaction: done.adjustment_id })).toMatchObject({
      category: 'Gifts',
      payee: null,
      is_cleared: true,
    });
    const bare = await data('accounts', 'reconcile', { account: 'Purse', bank_balance: '16.25' });
    expect(bare).toMatchObject({
      adjustment_category: null,
      hint: expect.stringContaining('no category'),
      cleared_now_count: 0,
    });
  });
});

describe('all of this', () => {
  it('leaves books that balance', async () => {
    expect(await data('reports', 'check', { all_budgets: true })).toMatchObject({ problems: [] });
  });
});
