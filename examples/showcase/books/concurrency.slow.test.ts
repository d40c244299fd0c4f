import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImbalances } from './check.js';
import { amend, lockEntry, unpost } from './postings.js';
import { record } from './record.js';
import { date, startDatabases } from './test-books.js';
import type { TestBudgets } from './test-books.js';
import { undoTransfer } from './transfers.js';

describe.each(await startDatabases())('books on %s', (_name, open) => {
  let books: TestBudgets;
  beforeAll(async () => {
    books = await open();
  }, 60_000);
  afterAll(() => books.close());

  it('equal a sequential run when transfers and payments are concurrent', async () => {
    const cents = fc.bigInt({ min: 1n, max: 1_000_000n });
    const account = fc.integer({ min: 0, max: 2 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('move' as const), from: account, to: account, amount: cents }),
      fc.record({ kind: fc.constant('pay' as const), from: account, amount: cents }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 30 }), async (steps) => {
        const { budgetId, ids } = await books.newBudget();
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
              await record(books.db, budgetId, [line]);
              return add(each.from, -each.amount);
            }
            const done = books.transfer(budgetId, idAt(each.from), idAt(each.to), each.amount);
            if (each.from === each.to) return expect(done).rejects.toThrow('two different accounts');
            await done;
            add(each.from, -each.amount);
            return add(each.to, each.amount);
          }),
        );
        expect(await books.balances(ids)).toEqual(expected);
        expect(await findImbalances(books.db)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it('balance after concurrent changes, deletions and undos', async () => {
    const what = fc.constantFrom('amend', 'delete', 'undo', 'move', 'pay');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(what, fc.nat(5), fc.bigInt(1n, 9_999n)), { minLength: 2, maxLength: 25 }),
        async (steps) => {
          const { budgetId, ids } = await books.newBudget(2);
          const [a = 0, b = 0] = ids;
          const entries = await record(
            books.db,
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
            transfers.push((await books.transfer(budgetId, a, b, BigInt(index + 1))).transfer.id);
          const results = await Promise.allSettled(
            steps.map(async ([kind, index, amount]) => {
              if (kind === 'move') return books.transfer(budgetId, b, a, amount);
              if (kind === 'pay')
                return record(books.db, budgetId, [{ accountId: a, date, amount, payee: 'Q' }]);
              if (kind === 'undo') return undoTransfer(books.db, budgetId, transfers[index] ?? 0);
              return books.db.transaction(async (tx) => {
                const entry = await lockEntry(tx, budgetId, entries[index] ?? 0);
                return kind === 'amend' ? amend(tx, entry, { amount }) : unpost(tx, [entry]);
              });
            }),
          );
          // A change fails if the transaction was deleted first; no other error is expected.
          for (const result of results)
            if (result.status === 'rejected')
              expect(String(result.reason)).toContain('There is no transaction');
          expect(await findImbalances(books.db)).toEqual([]);
        },
      ),
      { numRuns: 15 },
    );
  });
});
