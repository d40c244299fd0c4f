/** Operations over many transactions or beyond them: imports, rules, reports, goals, prices. */
import { describe, expect, it } from 'vitest';
import { useTestBooks } from '../use-test-books.js';

const used = useTestBooks();
const { ask, data } = used;

describe('rules and imports', () => {
  it('add the new lines of a bank statement, categorise them, and remove them again', async () => {
    const csv = 'date,payee,amount,memo\n2026-03-10,Tankhof West,-50.00,\n2026-03-11,Oddities,-7.00,\n';
    const preview = await ask('imports', 'preview', { account: 'Card', csv });
    expect(preview).toContain('new: 2');
    const done = await data<{ import: number }>('imports', 'run', { account: 'Card', csv });
    expect(done).toMatchObject({ added: 2, imported_before: 0 });
    expect(await data('imports', 'run', { account: 'Card', csv })).toMatchObject({
      import: null,
      added: 0,
      imported_before: 2,
    });
    expect(await ask('transactions', 'list', { text: 'tankhof west' })).toContain('Fuel');
    await ask('rules', 'create', { name: 'Odd', payee_contains: 'odd', category: 'Books' });
    expect(await ask('rules', 'preview', { rule: 'Odd' })).toContain('Oddities');
    expect(await data('rules', 'apply', { rule: 'Odd' })).toMatchObject({
      count: 1,
      by_rule: [{ rule: 'Odd', category: 'Books', count: 1 }],
      ids: [expect.any(Number)],
    });
    await ask('rules', 'update', { rule: 'Odd', is_enabled: false });
    expect(await ask('rules', 'list')).toContain('Odd,100,odd,Books,false');
    await ask('rules', 'delete', { rule: 'Odd' });
    expect(await data('imports', 'undo', { import: done.import })).toMatchObject({ removed: 2 });
    expect(await ask('imports', 'list')).toContain('statement,Card,0,true');
  });
});

describe('reports', () => {
  it('add up to each other', async () => {
    const flow = await ask('reports', 'cash_flow', { months: 2 });
    const [, spent] = /\n +"?2026-02"?,"[\d.]+","([\d.]+)"/.exec(flow) ?? [];
    const report = await data<{ total: string }>('reports', 'spending', { month: '2026-02', by: 'payee' });
    expect(spent).toBe(report.total);
    const worth = await ask('reports', 'net_worth', { months: 1 });
    const { total_balance: total } = await data<{ total_balance: string }>('budgets', 'get', {
      budget: 'Household',
    });
    expect(worth).toContain(`"${total}"`);
    expect(await data('reports', 'trend', { category: 'Rent', months: 3 })).toMatchObject({
      average_of_past_months: '980.00',
    });
  });
});

describe('goals', () => {
  it('show the remaining amount, and count each contribution once', async () => {
    await ask('goals', 'create', { name: 'Piano', target: '1000', due_on: '2026-07-01' });
    const order = { goal: 'Piano', amount: '250', request_id: 'g1' };
    await ask('goals', 'contribute', order);
    expect(JSON.parse(await used.books.connect().ask('goals', 'contribute', order))).toMatchObject({
      saved: '250.00',
    });
    expect(await used.books.connect().ask('goals', 'contribute', { ...order, amount: '9' })).toContain(
      'another contribution',
    );
    expect(await data('goals', 'get', { goal: 'Piano' })).toMatchObject({
      left: '750.00',
      needed_monthly: '150.00',
      percent: 25,
    });
    expect(await ask('goals', 'contribute', { goal: 'Piano', amount: '-250.01' })).toContain(
      'Only 250.00 is saved',
    );
    await ask('goals', 'update', { goal: 'Piano', due_on: null });
    expect(await ask('goals', 'list')).toContain('Piano');
    expect(await ask('goals', 'delete', { goal: 'Piano' })).toBe('The goal "Piano" was deleted.');
  });
});

describe('the market', () => {
  it('has prices and rates for every listed symbol', async () => {
    expect(await ask('market', 'quotes.symbols')).toContain('WRLD,Whole World Index Fund,EUR');
    expect(await ask('market', 'quotes.latest', { symbols: ['anvl'] })).toContain('ANVL,2026-11-13,USD');
    const history = await ask('market', 'quotes.history', { symbol: 'KITE', from: '2026-11-12' });
    expect(history).toContain('closes[2]');
    expect(history).toContain('prices_until: 2026-11-13');
    expect(await ask('market', 'quotes.latest', { symbols: ['anvl'] })).toContain('change,days_old}');
    expect(await ask('market', 'quotes.compare', { symbols: ['FERN', 'HALO'] })).toContain('2025-11-03');
    expect(await ask('market', 'quotes.latest', { symbols: ['NOPE'] })).toContain('There are: ANVL');
    expect(
      await data('market', 'currencies.convert', { amount: '10', from_currency: 'EUR', to_currency: 'JPY' }),
    ).toEqual({
      amount: '1638',
      currency: 'JPY',
      rate: '163.820000',
      rate_source: 'generated, the same on every day',
    });
  });
});

describe('all of this', () => {
  it('leaves books that balance', async () => {
    expect(await data('reports', 'check', { all_budgets: true })).toEqual({
      budgets: ['Household', 'Studio'],
      is_balanced: true,
      problems: [],
    });
  });
});
