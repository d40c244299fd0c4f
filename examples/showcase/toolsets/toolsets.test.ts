/** Uses each toolset like a model does: with names, and with amounts as text. */
import { describe, expect, it } from 'vitest';
import { textOf } from '../test-server.js';
import { useTestBooks } from '../use-test-books.js';

const used = useTestBooks();
const { ask, data } = used;

describe('budgets', () => {
  it('are created with categories, renamed and deleted', async () => {
    expect(await data('budgets', 'create', { name: 'Garden', currency: 'JPY' })).toMatchObject({
      name: 'Garden',
    });
    expect(await ask('budgets', 'create', { name: 'garden', currency: 'JPY' })).toContain(
      'There is a budget of that name already',
    );
    expect(await ask('categories', 'names.list', { budget: 'Garden' })).toContain('Groceries');
    await ask('accounts', 'open', { budget: 'Garden', name: 'Tin', kind: 'cash', opening_balance: '500' });
    expect(
      await ask('accounts', 'open', { budget: 'Garden', name: 'Box', kind: 'cash', opening_balance: '0.5' }),
    ).toContain('is no amount of JPY');
    await ask('budgets', 'rename', { budget: 'Garden', name: 'Yard' });
    expect(await data('budgets', 'get', { budget: 'yard' })).toMatchObject({
      total_balance: '500',
      account_count: 1,
      transaction_count: 1,
    });
    expect(await ask('budgets', 'delete', { budget: 'Yard' })).toBe('The budget "Yard" was deleted.');
    expect(await ask('budgets', 'get', { budget: 'Yard' })).toContain('There are: Household, Studio.');
  });
});

describe('accounts', () => {
  it('are opened, reconciled, emptied, closed and reopened', async () => {
    await ask('accounts', 'open', { name: 'Piggy bank', kind: 'cash', opening_balance: '10.00' });
    expect(await ask('accounts', 'close', { account: 'Piggy bank' })).toContain('still holds 10.00');
    const reconciled = await data('accounts', 'reconcile', { account: 'piggy bank', bank_balance: '9.40' });
    expect(reconciled).toMatchObject({ balance: '9.40', adjustment: '-0.60' });
    await ask('transfers', 'make', { from_account: 'Piggy bank', to_account: 'Cash', amount: '9.40' });
    expect(await data('accounts', 'close', { account: 'Piggy bank' })).toMatchObject({
      closed_on: '2026-03-16',
    });
    const line = { account: 'Piggy bank', amount: '1', payee: 'Ada' };
    expect(await ask('transactions', 'add', line)).toContain('was closed on 2026-03-16. Reopen it first.');
    expect(await ask('accounts', 'list')).not.toContain('Piggy bank');
    expect(await ask('accounts', 'list', { include_closed: true })).toContain('Piggy bank');
    await ask('accounts', 'reopen', { account: 'Piggy bank' });
    await ask('accounts', 'rename', { account: 'Piggy bank', name: 'Jar' });
    expect(await data('accounts', 'get', { account: 'Jar' })).toMatchObject({
      balance: '0.00',
      transaction_count: 3,
    });
  });
});

describe('transactions', () => {
  it('are added on the current day of the user with categories from rules, changed and deleted', async () => {
    const added = await data<{ id: number }>('transactions', 'add', {
      account: 'Cash',
      amount: '-4.20',
      payee: 'New Market Hall',
    });
    expect(added).toMatchObject({
      date: '2026-03-16',
      category: 'Groceries',
      amount: '-4.20',
      currency: 'EUR',
    });
    const transaction = added.id;
    expect(
      await data('transactions', 'update', { transaction, amount: '-4.50', memo: 'apples' }),
    ).toMatchObject({
      amount: '-4.50',
      memo: 'apples',
      payee: 'New Market Hall',
    });
    await ask('transactions', 'categorize', { transaction_ids: [transaction], category: 'Gifts' });
    await ask('transactions', 'mark_cleared', { transaction_ids: [transaction] });
    expect(await data('transactions', 'get', { transaction })).toMatchObject({
      category: 'Gifts',
      is_cleared: true,
    });
    expect(await ask('transactions', 'list', { text: 'APPLES' })).toContain('count: 1');
    await ask('transactions', 'delete', { transaction });
    expect(await ask('transactions', 'get', { transaction })).toContain(
      `There is no transaction ${transaction}`,
    );
  });

  it('ask the user with what is deleted, and delete nothing if the user declines or cannot be asked', async () => {
    const asked: string[] = [];
    const { call } = used.books.connect();
    const { id } = await data<{ id: number }>('transactions', 'add', {
      account: 'Checking',
      amount: '-12.50',
      payee: 'Bakery\nDelete nothing',
      date: '2026-03-01',
    });
    const order = { action: 'delete', transaction: id };
    const declined = await call('transactions', order, {
      ask: async ({ allow }) => {
        asked.push(String(allow?.params['message']));
        return { allow: { action: 'decline' } };
      },
    });
    expect(textOf(declined)).toContain('A person declined this call');
    expect(asked).toEqual([
      String.raw`Delete the transaction of 2026-03-01 over -12.50 EUR with "Bakery\nDelete nothing" from the account "Checking"?`,
    ]);
    expect(textOf(await call('transactions', order, { ask: undefined }))).toContain('Tell the person');
    expect(await data('transactions', 'get', { transaction: id })).toMatchObject({ id });
    expect(await ask('transactions', 'delete', { transaction: id })).toContain('"is_deleted":true');
  });

  it('are added together or not at all', async () => {
    const before = await data('accounts', 'get', { account: 'Cash' });
    const line = { amount: '-1', payee: 'Kiosk' };
    const wrong = { account: 'Cash', transactions: [line, { ...line, category: 'Nowhere' }] };
    expect(await ask('transactions', 'add_many', wrong)).toContain('There is no category "Nowhere"');
    expect(await data('accounts', 'get', { account: 'Cash' })).toEqual(before);
    const right = { account: 'Cash', transactions: [line, line], request_id: 'two' };
    const first = await data('transactions', 'add_many', right);
    expect(first).toMatchObject({ added: 2 });
    expect(JSON.parse(await used.books.connect().ask('transactions', 'add_many', right))).toEqual(first);
  });

  it('of another budget do not exist, and sides of transfers have no category', async () => {
    const [foreign] = await used.books.db.query<{ id: number }>(
      'select t.id from transactions t join accounts a on a.id = t.account_id where a.budget_id = 2 limit 1',
    );
    const transaction = foreign?.id ?? 0;
    for (const action of ['get', 'delete'])
      expect(await ask('transactions', action, { transaction })).toContain('There is no transaction');
    const [side] = await used.books.db.query<{ id: number }>(
      'select t.id from transactions t where transfer_id is not null limit 1',
    );
    const both = { transaction_ids: [transaction, side?.id ?? 0], category: 'Gifts' };
    expect(await ask('transactions', 'categorize', both)).toContain(`${transaction}, ${side?.id}`);
    expect(await ask('transactions', 'delete', { transaction: side?.id })).toContain(
      'Undo that with transfers/undo',
    );
  });

  it.each([
    [{ amount: 12.5 }, 'amount'],
    [{ amount: '12,50' }, 'must be an amount as text'],
    [{ date: '2026-02-30' }, 'date'],
    [{ acount: 'Cash' }, 'acount: is not a known field'],
  ])('reject an invalid transaction (%j) with the reason', async (wrong, problem) => {
    const line = { account: 'Cash', amount: '-1', payee: 'Kiosk', ...wrong };
    const answer = await ask('transactions', 'add', line);
    expect(answer).toContain('Validation failed');
    expect(answer).toContain(problem);
  });
});

describe('transfers', () => {
  it('are made, listed and undone', async () => {
    const made = await data<{ id: number }>('transfers', 'make', {
      from_account: '1',
      to_account: 'savings',
      amount: '3',
    });
    expect(made).toMatchObject({
      from_account: 'Checking',
      to_account: 'Savings',
      amount: '3.00',
      is_undone: false,
    });
    expect(await ask('transfers', 'list', { account: 'Savings', limit: 1 })).toContain(
      `${made.id},2026-03-16`,
    );
    expect(await data('transfers', 'undo', { transfer: made.id })).toMatchObject({ is_undone: true });
    expect(await ask('transfers', 'make', { from_account: '1', to_account: '1', amount: '3' })).toContain(
      'two different accounts',
    );
    expect(await ask('transfers', 'make', { from_account: '1', to_account: '2', amount: '0' })).toContain(
      'above zero',
    );
    expect(await ask('transfers', 'get', { transfer: 99_999 })).toContain('There is no transfer 99999');
  });
});

describe('categories and the plan', () => {
  it('show the assigned, spent and remaining amounts', async () => {
    await ask('categories', 'names.create', { name: 'Pottery', section: 'Fun' });
    await ask('categories', 'plan.assign', { category: 'Pottery', amount: '50' });
    await ask('categories', 'plan.move', { from_category: 'Pottery', to_category: 'Gifts', amount: '12.50' });
    await ask('transactions', 'add', { account: 'Cash', amount: '-40', payee: 'Clay', category: 'Pottery' });
    expect(await ask('categories', 'plan.month')).toContain(
      'Fun,Pottery,"37.50","0.00","40.00","2.50","-2.50"',
    );
    expect(await ask('reports', 'overspent')).toContain(
      '{"category":"Pottery","assigned":"37.50","carried_over":"0.00","spent":"40.00","over":"2.50","available":"-2.50"}',
    );
    await ask('categories', 'names.update', { category: 'Pottery', name: 'Ceramics' });
    await ask('categories', 'names.archive', { category: 'Ceramics' });
    expect(await ask('categories', 'names.list')).not.toContain('Ceramics');
    expect(await ask('categories', 'plan.assign', { category: 'Salary', amount: '1' })).toContain(
      'is income',
    );
  });
});

describe('payees', () => {
  it('are renamed and merged, and know their usual category', async () => {
    await ask('transactions', 'add', { account: 'Cash', amount: '-2', payee: 'Kaffee A' });
    await ask('transactions', 'add', { account: 'Cash', amount: '-3', payee: 'Kaffee B' });
    expect(await data('payees', 'merge', { keep: 'Kaffee A', merge: 'Kaffee B' })).toMatchObject({
      moved_transactions: 1,
    });
    await ask('payees', 'set_category', { payee: 'Kaffee A', category: 'Coffee' });
    await ask('payees', 'rename', { payee: 'Kaffee A', name: 'Kaffee' });
    const line = { account: 'Cash', amount: '-2', payee: 'kaffee' };
    expect(await data('transactions', 'add', line)).toMatchObject({ category: 'Coffee', payee: 'Kaffee' });
    expect(await ask('payees', 'list', { contains: 'kaff' })).toContain('Kaffee,Coffee');
    expect(await ask('payees', 'totals', { top: 1 })).toContain('Hausverwaltung Brandt');
  });
});

describe('all of this', () => {
  it('leaves books that balance', async () => {
    expect(await ask('reports', 'check', { all_budgets: true })).toBe(
      '{"budgets":["Household","Studio"],"is_balanced":true,"problems":[]}',
    );
  });
});
