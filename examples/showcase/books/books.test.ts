import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Queryable } from '../database/database.js';
import { only } from '../database/database.js';
import { openDatabase } from '../database/open.js';
import { openInMemory, startPostgres } from '../database/test-databases.js';
import type { PostgresServer } from '../database/test-databases.js';
import { findImbalances } from './check.js';
import { assign, moveAssigned, readPlan, readyToAssign } from './plan.js';
import type { Entry } from './postings.js';
import { amend, lockEntry, post, unpost } from './postings.js';
import { record } from './record.js';
import { applyMatches, findMatches } from './rules.js';
import { makeTransfer, undoTransfer } from './transfers.js';

const server: PostgresServer | undefined = await startPostgres();
afterAll(() => server?.stop());

const databases: [string, () => Promise<Database>][] = [
  ['PGlite', openInMemory],
  ...(server
    ? ([
        ['PostgreSQL', async () => openDatabase({ url: await server.createDatabase(), onError: () => {} })],
      ] as [string, () => Promise<Database>][])
    : []),
];

describe.each(databases)('books on %s', (_name, open) => {
  let db: Database;
  let count = 0;
  beforeAll(async () => {
    db = await open();
  }, 60_000);
  afterAll(() => db.close());

  const date = '2026-03-01';
  const newBudget = async (accounts = 3): Promise<{ budgetId: number; ids: number[] }> => {
    const { id } = only(
      await db.query<{ id: number }>("insert into budgets (name, currency) values ($1, 'EUR') returning id", [
        `budget ${++count}`,
      ]),
    );
    const rows = await db.query<{ id: number }>(
      "insert into accounts (budget_id, name, kind) select $1, 'account ' || n, 'checking' from generate_series(1, $2::integer) n returning id",
      [id, accounts],
    );
    return { budgetId: id, ids: rows.map((row) => row.id) };
  };
  const newCategory = async (budgetId: number, name: string, isIncome = false): Promise<number> => {
    const values = [budgetId, name, isIncome];
    const rows = await db.query<{ id: number }>(
      "insert into categories (budget_id, section, name, is_income) values ($1, 'S', $2, $3) returning id",
      values,
    );
    return only(rows).id;
  };
  const balances = async (ids: readonly number[]): Promise<bigint[]> => {
    const rows = await db.query<{ balance: bigint }>(
      'select balance from accounts where id = any($1) order by id',
      [ids],
    );
    return rows.map(({ balance }) => balance);
  };
  const transfer = (budgetId: number, fromId: number, toId: number, amount: bigint, requestId?: string) =>
    makeTransfer(db, { budgetId, fromId, toId, amount, date, memo: '', requestId });

  it('are as if transfers and payments had come one after the other, however many come at once', async () => {
    const cents = fc.bigInt({ min: 1n, max: 1_000_000n });
    const account = fc.integer({ min: 0, max: 2 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('move' as const), from: account, to: account, amount: cents }),
      fc.record({ kind: fc.constant('pay' as const), from: account, amount: cents }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 30 }), async (steps) => {
        const { budgetId, ids } = await newBudget();
        const expected = [0n, 0n, 0n];
        const add = (index: number, amount: bigint): void => {
          expected[index] = (expected[index] ?? 0n) + amount;
        };
        const idAt = (index: number): number => ids[index] ?? 0;
        await Promise.all(
          steps.map(async (each) => {
            if (each.kind === 'pay') {
              const line = {
                accountId: idAt(each.from),
                date,
                amount: -each.amount,
                payee: `shop ${each.amount % 5n}`,
              };
              await record(db, budgetId, [line]);
              return add(each.from, -each.amount);
            }
            const done = transfer(budgetId, idAt(each.from), idAt(each.to), each.amount);
            if (each.from === each.to) return expect(done).rejects.toThrow('two different accounts');
            await done;
            add(each.from, -each.amount);
            return add(each.to, each.amount);
          }),
        );
        expect(await balances(ids)).toEqual(expected);
        expect(await findImbalances(db)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it('balance whatever is changed, deleted and undone at once', async () => {
    const what = fc.constantFrom('amend', 'delete', 'undo', 'move', 'pay');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(what, fc.nat(5), fc.bigInt(1n, 9_999n)), { minLength: 2, maxLength: 25 }),
        async (steps) => {
          const { budgetId, ids } = await newBudget(2);
          const [a = 0, b = 0] = ids;
          const entries = await record(
            db,
            budgetId,
            Array.from({ length: 6 }, (_, index) => ({
              accountId: index % 2 ? a : b,
              date,
              amount: 100n,
              payee: 'P',
            })),
          );
          const transfers: number[] = [];
          for (let index = 0; index < 6; index++)
            transfers.push((await transfer(budgetId, a, b, BigInt(index + 1))).transfer.id);
          const results = await Promise.allSettled(
            steps.map(async ([kind, index, amount]) => {
              if (kind === 'move') return transfer(budgetId, b, a, amount);
              if (kind === 'pay') return record(db, budgetId, [{ accountId: a, date, amount, payee: 'Q' }]);
              if (kind === 'undo') return undoTransfer(db, budgetId, transfers[index] ?? 0);
              return db.transaction(async (tx) => {
                const entry = await lockEntry(tx, budgetId, entries[index] ?? 0);
                return kind === 'amend' ? amend(tx, entry, { amount }) : unpost(tx, [entry]);
              });
            }),
          );
          // What is deleted first cannot be changed any more; nothing else may fail.
          for (const result of results)
            if (result.status === 'rejected')
              expect(String(result.reason)).toContain('There is no transaction');
          expect(await findImbalances(db)).toEqual([]);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('make one transfer of one request id, however often and at once it comes', async () => {
    const { budgetId, ids } = await newBudget(2);
    const [a = 0, b = 0] = ids;
    const made = await Promise.all(Array.from({ length: 12 }, () => transfer(budgetId, a, b, 500n, 'rent')));
    expect(new Set(made.map((each) => each.transfer.id)).size).toBe(1);
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await balances(ids)).toEqual([-500n, 500n]);
    await expect(transfer(budgetId, a, b, 501n, 'rent')).rejects.toThrow('used for another transfer');
  });

  it('make no second transfer of an id whose transfer was undone', async () => {
    const { budgetId, ids } = await newBudget(2);
    const [a = 0, b = 0] = ids;
    const { transfer: made } = await transfer(budgetId, a, b, 500n, 'rent');
    await Promise.all([undoTransfer(db, budgetId, made.id), undoTransfer(db, budgetId, made.id)]);
    expect((await transfer(budgetId, a, b, 500n, 'rent')).isNew).toBe(false);
    expect(await balances(ids)).toEqual([0n, 0n]);
  });

  it('add one transaction of one request id', async () => {
    const { budgetId, ids } = await newBudget(1);
    const line = { accountId: ids[0] ?? 0, date, amount: -5n, payee: 'P', requestId: 'r' };
    const added = await Promise.all(Array.from({ length: 8 }, () => record(db, budgetId, [line])));
    expect(new Set(added.flat()).size).toBe(1);
    expect(await balances(ids)).toEqual([-5n]);
    await expect(record(db, budgetId, [{ ...line, amount: -6n }])).rejects.toThrow('another transaction');
  });

  it('keep nothing of what fails halfway', async () => {
    const { budgetId, ids } = await newBudget(2);
    const [a = 0, b = 0] = ids;
    await db.query("update accounts set closed_on = '2026-01-01' where id = $1", [b]);
    await expect(transfer(budgetId, a, b, 500n)).rejects.toThrow('was closed on 2026-01-01');
    const line = { accountId: a, date, amount: 1n, payee: 'P' };
    await expect(record(db, budgetId, [line, { ...line, category: 'Nowhere' }])).rejects.toThrow(
      'There is no category "Nowhere"',
    );
    expect(await balances(ids)).toEqual([0n, 0n]);
    expect(await db.query('select 1 from transactions where account_id = any($1)', [ids])).toEqual([]);
    expect(await db.query('select 1 from transfers where budget_id = $1', [budgetId])).toEqual([]);
  });

  it('let nothing change what a closed account holds', async () => {
    const { budgetId, ids } = await newBudget(2);
    const [a = 0, b = 0] = ids;
    const { transfer: made } = await transfer(budgetId, a, b, 5n);
    const [id = 0] = await record(db, budgetId, [{ accountId: b, date, amount: -5n, payee: 'P' }]);
    await db.query("update accounts set closed_on = '2026-01-01' where id = $1", [b]);
    const closed = 'was closed on 2026-01-01';
    await expect(undoTransfer(db, budgetId, made.id)).rejects.toThrow(closed);
    const change = (work: (tx: Queryable, entry: Entry) => Promise<void>): Promise<void> =>
      db.transaction(async (tx) => work(tx, await lockEntry(tx, budgetId, id)));
    await expect(change((tx, entry) => unpost(tx, [entry]))).rejects.toThrow(closed);
    await expect(change((tx, entry) => amend(tx, entry, { amount: 1n }))).rejects.toThrow(closed);
    expect(await balances(ids)).toEqual([-5n, 0n]);
  });

  it('refuse to change one side of a transfer', async () => {
    const { budgetId, ids } = await newBudget(2);
    const { transfer: made } = await transfer(budgetId, ids[0] ?? 0, ids[1] ?? 0, 5n);
    const [side] = await db.query<Entry>('select * from transactions where transfer_id = $1', [made.id]);
    await expect(db.transaction((tx) => amend(tx, side!, { amount: 6n }))).rejects.toThrow(
      'Undo the transfer',
    );
    await expect(db.transaction((tx) => amend(tx, side!, { date: '2026-04-01' }))).rejects.toThrow(
      'Undo the transfer',
    );
  });

  it('hold amounts beyond what a number of JavaScript can', async () => {
    const { budgetId, ids } = await newBudget(1);
    const amount = 9_007_199_254_740_993n;
    await record(db, budgetId, [{ accountId: ids[0] ?? 0, date, amount, payee: 'P' }]);
    expect(await balances(ids)).toEqual([amount]);
  });

  it('are found out of balance when somebody has changed them by hand', async () => {
    const { budgetId, ids } = await newBudget(2);
    const [a = 0, b = 0] = ids;
    const { transfer: made } = await transfer(budgetId, a, b, 5n);
    await db.query('update accounts set balance = balance + 1 where id = $1', [a]);
    await db.query('delete from transactions where transfer_id = $1 and account_id = $2', [made.id, b]);
    expect(await findImbalances(db)).toEqual([
      'account "account 1" says -4, its transactions -5',
      'account "account 2" says 5, its transactions 0',
      `transfer ${made.id} has 1 sides that add up to -5`,
    ]);
    await db.query('delete from budgets where id = $1', [budgetId]);
    expect(await findImbalances(db)).toEqual([]);
  });

  it('plan months: what is left is what was given and not spent, and moving it keeps the sum', async () => {
    const { budgetId, ids } = await newBudget(1);
    const accountId = ids[0] ?? 0;
    await newCategory(budgetId, 'Pay', true);
    await newCategory(budgetId, 'Food');
    await newCategory(budgetId, 'Fun');
    await record(db, budgetId, [
      { accountId, date: '2026-02-25', amount: 1_000n, payee: 'Boss', category: 'Pay' },
      { accountId, date: '2026-02-26', amount: -30n, payee: 'Shop', category: 'Food' },
      { accountId, date: '2026-03-02', amount: -50n, payee: 'Shop', category: 'Food' },
    ]);
    await assign(db, budgetId, { category: 'Food', month: '2026-02', amount: 100n });
    await assign(db, budgetId, { category: 'Food', month: '2026-03', amount: 10n });
    const moves = Array.from({ length: 10 }, (_, index) =>
      moveAssigned(db, budgetId, {
        from: index % 2 ? 'Food' : 'Fun',
        to: index % 2 ? 'Fun' : 'Food',
        month: '2026-03',
        amount: BigInt(index),
      }),
    );
    await Promise.all(moves);
    const plan = await readPlan(db, budgetId, '2026-03');
    expect(
      plan.map(({ category, assigned, activity, available }) => [category, assigned, activity, available]),
    ).toEqual([
      ['Food', 5n, -50n, 25n],
      ['Fun', 5n, 0n, 5n],
    ]);
    expect(await readyToAssign(db, budgetId, '2026-02')).toBe(900n);
    expect(await readyToAssign(db, budgetId, '2026-03')).toBe(890n);
    await expect(assign(db, budgetId, { category: 'Pay', month: '2026-03', amount: 1n })).rejects.toThrow(
      'is income',
    );
  });

  it('give a category by the first rule that fits, letter for letter, and leave alone what has one', async () => {
    const { budgetId, ids } = await newBudget(1);
    const accountId = ids[0] ?? 0;
    const food = await newCategory(budgetId, 'Food');
    const fun = await newCategory(budgetId, 'Fun');
    await post(db, [{ accountId, date, amount: -1n }]);
    await record(db, budgetId, [
      { accountId, date, amount: -1n, payee: '100% Market' },
      { accountId, date, amount: -1n, payee: '1000 Things' },
      { accountId, date, amount: -1n, payee: '100% Market', category: 'Fun' },
    ]);
    const rule =
      'insert into rules (budget_id, name, position, payee_contains, category_id) values ($1, $2, $3, $4, $5)';
    await db.query(rule, [budgetId, 'last', 200, 'market', fun]);
    await db.query(rule, [budgetId, 'first', 100, '100%', food]);
    const matches = await findMatches(db, budgetId);
    expect(matches.map((match) => [match.payee, match.rule, match.category_id])).toEqual([
      ['100% Market', 'first', food],
    ]);
    expect(await applyMatches(db, matches)).toBe(1);
    expect(await applyMatches(db, matches)).toBe(0);
    const [id] = await record(db, budgetId, [{ accountId, date, amount: -1n, payee: 'MARKET hall' }]);
    expect(await db.query('select category_id from transactions where id = $1', [id])).toEqual([
      { category_id: fun },
    ]);
  });
});
