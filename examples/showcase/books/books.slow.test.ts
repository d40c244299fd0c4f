import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../database/database.js';
import { findImbalances } from './check.js';
import { assign, moveAssigned, readPlan, readyToAssign } from './plan.js';
import type { Entry } from './postings.js';
import { amend, lockEntry, post, unpost } from './postings.js';
import { record } from './record.js';
import { applyMatches, findMatches } from './rules.js';
import { date, startDatabases } from './test-books.js';
import type { TestBudgets } from './test-books.js';
import { undoTransfer } from './transfers.js';

describe.each(await startDatabases())('books on %s', (_name, open) => {
  let books: TestBudgets;
  beforeAll(async () => {
    books = await open();
  }, 60_000);
  afterAll(() => books.close());

  it('make one transfer for one request id, even when it is sent repeatedly and concurrently', async () => {
    const { budgetId, ids } = await books.newBudget(2);
    const [a = 0, b = 0] = ids;
    const made = await Promise.all(
      Array.from({ length: 12 }, () => books.transfer(budgetId, a, b, 500n, 'rent')),
    );
    expect(new Set(made.map((each) => each.transfer.id)).size).toBe(1);
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await books.balances(ids)).toEqual([-500n, 500n]);
    await expect(books.transfer(budgetId, a, b, 501n, 'rent')).rejects.toThrow('used for another transfer');
  });

  it('make no second transfer for a request id whose transfer was undone', async () => {
    const { budgetId, ids } = await books.newBudget(2);
    const [a = 0, b = 0] = ids;
    const { transfer: made } = await books.transfer(budgetId, a, b, 500n, 'rent');
    await Promise.all([undoTransfer(books.db, budgetId, made.id), undoTransfer(books.db, budgetId, made.id)]);
    expect((await books.transfer(budgetId, a, b, 500n, 'rent')).isNew).toBe(false);
    expect(await books.balances(ids)).toEqual([0n, 0n]);
  });

  it('add one transaction for one request id', async () => {
    const { budgetId, ids } = await books.newBudget(1);
    const line = { accountId: ids[0] ?? 0, date, amount: -5n, payee: 'P', requestId: 'r' };
    const added = await Promise.all(Array.from({ length: 8 }, () => record(books.db, budgetId, [line])));
    expect(new Set(added.flat()).size).toBe(1);
    expect(await books.balances(ids)).toEqual([-5n]);
    await expect(record(books.db, budgetId, [{ ...line, amount: -6n }])).rejects.toThrow(
      'another transaction',
    );
  });

  it('recognise a repeated request after its transaction was corrected or deleted', async () => {
    const { budgetId, ids } = await books.newBudget(1);
    const line = { accountId: ids[0] ?? 0, date, amount: -5n, payee: 'Shop', requestId: 'r' };
    const [id = 0] = await record(books.db, budgetId, [line]);
    const change = (work: (tx: Queryable, entry: Entry) => Promise<void>): Promise<void> =>
      books.db.transaction(async (tx) => work(tx, await lockEntry(tx, budgetId, id)));
    await change((tx, entry) => amend(tx, entry, { amount: -6n }));
    await books.db.query("update payees set name = 'Store' where budget_id = $1", [budgetId]);
    expect(await record(books.db, budgetId, [line])).toEqual([id]);
    expect(await books.balances(ids)).toEqual([-6n]);
    expect(await books.db.query('select name from payees where budget_id = $1', [budgetId])).toEqual([
      { name: 'Store' },
    ]);
    await expect(record(books.db, budgetId, [{ ...line, amount: -6n }])).rejects.toThrow(
      'another transaction',
    );
    await change((tx, entry) => unpost(tx, [entry]));
    await expect(record(books.db, budgetId, [line])).rejects.toThrow('was added and then deleted');
    expect(await books.balances(ids)).toEqual([0n]);
  });

  it('keep nothing of an operation that fails halfway', async () => {
    const { budgetId, ids } = await books.newBudget(2);
    const [a = 0, b = 0] = ids;
    await books.db.query("update accounts set closed_on = '2026-01-01' where id = $1", [b]);
    await expect(books.transfer(budgetId, a, b, 500n)).rejects.toThrow('was closed on 2026-01-01');
    const line = { accountId: a, date, amount: 1n, payee: 'P' };
    await expect(record(books.db, budgetId, [line, { ...line, category: 'Nowhere' }])).rejects.toThrow(
      'There is no category "Nowhere"',
    );
    expect(await books.balances(ids)).toEqual([0n, 0n]);
    expect(await books.db.query('select 1 from transactions where account_id = any($1)', [ids])).toEqual([]);
    expect(await books.db.query('select 1 from transfers where budget_id = $1', [budgetId])).toEqual([]);
  });

  it('never change the balance of a closed account', async () => {
    const { budgetId, ids } = await books.newBudget(2);
    const [a = 0, b = 0] = ids;
    const { transfer: made } = await books.transfer(budgetId, a, b, 5n);
    const [id = 0] = await record(books.db, budgetId, [{ accountId: b, date, amount: -5n, payee: 'P' }]);
    await books.db.query("update accounts set closed_on = '2026-01-01' where id = $1", [b]);
    const closed = 'was closed on 2026-01-01';
    await expect(undoTransfer(books.db, budgetId, made.id)).rejects.toThrow(closed);
    const change = (work: (tx: Queryable, entry: Entry) => Promise<void>): Promise<void> =>
      books.db.transaction(async (tx) => work(tx, await lockEntry(tx, budgetId, id)));
    await expect(change((tx, entry) => unpost(tx, [entry]))).rejects.toThrow(closed);
    await expect(change((tx, entry) => amend(tx, entry, { amount: 1n }))).rejects.toThrow(closed);
    expect(await books.balances(ids)).toEqual([-5n, 0n]);
  });

  it('reject changes to one side of a transfer', async () => {
    const { budgetId, ids } = await books.newBudget(2);
    const { transfer: made } = await books.transfer(budgetId, ids[0] ?? 0, ids[1] ?? 0, 5n);
    const [side] = await books.db.query<Entry>('select * from transactions where transfer_id = $1', [
      made.id,
    ]);
    await expect(books.db.transaction((tx) => amend(tx, side!, { amount: 6n }))).rejects.toThrow(
      'with transfers/update',
    );
    await expect(books.db.transaction((tx) => amend(tx, side!, { date: '2026-04-01' }))).rejects.toThrow(
      'with transfers/update',
    );
  });

  it('hold amounts beyond the safe integers of JavaScript', async () => {
    const { budgetId, ids } = await books.newBudget(1);
    const amount = 9_007_199_254_740_993n;
    await record(books.db, budgetId, [{ accountId: ids[0] ?? 0, date, amount, payee: 'P' }]);
    expect(await books.balances(ids)).toEqual([amount]);
  });

  it('are reported as out of balance after a manual change', async () => {
    const { budgetId, ids } = await books.newBudget(2);
    const [a = 0, b = 0] = ids;
    const { transfer: made } = await books.transfer(budgetId, a, b, 5n);
    await books.db.query('update accounts set balance = balance + 1 where id = $1', [a]);
    await books.db.query('delete from transactions where transfer_id = $1 and account_id = $2', [made.id, b]);
    expect(await findImbalances(books.db)).toEqual([
      'account "account 1" has the balance -0.04, but its transactions add up to -0.05',
      'account "account 2" has the balance 0.05, but its transactions add up to 0.00',
      `transfer ${made.id} has 1 sides that add up to -0.05`,
    ]);
    await books.db.query('delete from budgets where id = $1', [budgetId]);
    expect(await findImbalances(books.db)).toEqual([]);
  });

  it('plan months: the rest is the budget minus spending, and moving money keeps the sum', async () => {
    const { budgetId, ids } = await books.newBudget(1);
    const accountId = ids[0] ?? 0;
    await books.newCategory(budgetId, 'Pay', true);
    await books.newCategory(budgetId, 'Food');
    await books.newCategory(budgetId, 'Fun');
    await record(books.db, budgetId, [
      { accountId, date: '2026-02-25', amount: 1_000n, payee: 'Boss', category: 'Pay' },
      { accountId, date: '2026-02-26', amount: -30n, payee: 'Shop', category: 'Food' },
      { accountId, date: '2026-03-02', amount: -50n, payee: 'Shop', category: 'Food' },
    ]);
    await assign(books.db, budgetId, [{ category: 'Food', month: '2026-02', amount: 100n }]);
    await assign(books.db, budgetId, [{ category: 'Food', month: '2026-03', amount: 10n }]);
    const moves = Array.from({ length: 10 }, (_, index) =>
      moveAssigned(books.db, budgetId, {
        from: index % 2 ? 'Food' : 'Fun',
        to: index % 2 ? 'Fun' : 'Food',
        month: '2026-03',
        amount: BigInt(index),
      }),
    );
    await Promise.all(moves);
    const plan = await readPlan(books.db, budgetId, '2026-03');
    expect(
      plan.map(({ category, assigned, carried, spent, available }) => [
        category,
        assigned,
        carried,
        spent,
        available,
      ]),
    ).toEqual([
      ['Food', 5n, 70n, 50n, 25n],
      ['Fun', 5n, 0n, 0n, 5n],
    ]);
    expect(await readyToAssign(books.db, budgetId, '2026-02')).toBe(900n);
    expect(await readyToAssign(books.db, budgetId, '2026-03')).toBe(890n);
    await expect(
      assign(books.db, budgetId, [{ category: 'Pay', month: '2026-03', amount: 1n }]),
    ).rejects.toThrow('is income');
    await expect(
      moveAssigned(books.db, budgetId, { from: 'Food', to: 'Pay', month: '2026-03', amount: 1n }),
    ).rejects.toThrow('is income');
  });

  it('set the category of the first matching rule, literally, and keep existing categories', async () => {
    const { budgetId, ids } = await books.newBudget(1);
    const accountId = ids[0] ?? 0;
    const food = await books.newCategory(budgetId, 'Food');
    const fun = await books.newCategory(budgetId, 'Fun');
    await post(books.db, [{ accountId, date, amount: -1n }]);
    await record(books.db, budgetId, [
      { accountId, date, amount: -1n, payee: '100% Market' },
      { accountId, date, amount: -1n, payee: '1000 Things' },
      { accountId, date, amount: -1n, payee: '100% Market', category: 'Fun' },
    ]);
    const rule =
      'insert into rules (budget_id, name, position, payee_contains, category_id) values ($1, $2, $3, $4, $5)';
    await books.db.query(rule, [budgetId, 'last', 200, 'market', fun]);
    await books.db.query(rule, [budgetId, 'first', 100, '100%', food]);
    const matches = await findMatches(books.db, budgetId);
    expect(matches.map((match) => [match.payee, match.rule, match.category_id])).toEqual([
      ['100% Market', 'first', food],
    ]);
    expect(await applyMatches(books.db, matches)).toEqual(matches);
    expect(await applyMatches(books.db, matches)).toEqual([]);
    const [id] = await record(books.db, budgetId, [{ accountId, date, amount: -1n, payee: 'MARKET hall' }]);
    expect(await books.db.query('select category_id from transactions where id = $1', [id])).toEqual([
      { category_id: fun },
    ]);
  });
});
