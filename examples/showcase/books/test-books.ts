/** Empty budgets for tests, on each available database. */
import { openDatabase } from '../database/open.js';
import { only } from '../database/database.js';
import type { Database } from '../database/database.js';
import { openInMemory, startPostgres } from '../database/test-databases.js';
import { makeTransfer } from './transfers.js';

export const date = '2026-03-01';

/** Starts a server for each caller, because the test files of a worker share this module, and each of them stops its server. */
export async function startDatabases(): Promise<
  readonly (readonly [name: string, open: () => Promise<TestBudgets>])[]
> {
  const server = await startPostgres();
  return [
    ['PGlite', async () => toBudgets(await openInMemory())],
    ...(server
      ? ([
          [
            'PostgreSQL',
            async () =>
              toBudgets(await openDatabase({ url: await server.createDatabase(), onError: () => {} }), () =>
                server.stop(),
              ),
          ],
        ] as const)
      : []),
  ];
}

export type TestBudgets = ReturnType<typeof toBudgets>;

function toBudgets(db: Database, afterClose: () => Promise<void> = async () => {}) {
  let count = 0;
  return {
    db,
    newBudget: async (accounts = 3): Promise<{ budgetId: number; ids: number[] }> => {
      const { id } = only(
        await db.query<{ id: number }>(
          "insert into budgets (name, currency) values ($1, 'EUR') returning id",
          [`budget ${++count}`],
        ),
      );
      const rows = await db.query<{ id: number }>(
        `insert into accounts (budget_id, name, kind)
         select $1, 'account ' || n, 'checking' from generate_series(1, $2::integer) n returning id`,
        [id, accounts],
      );
      return { budgetId: id, ids: rows.map((row) => row.id) };
    },
    newCategory: async (budgetId: number, name: string, isIncome = false): Promise<number> => {
      const rows = await db.query<{ id: number }>(
        "insert into categories (budget_id, section, name, is_income) values ($1, 'S', $2, $3) returning id",
        [budgetId, name, isIncome],
      );
      return only(rows).id;
    },
    balances: async (ids: readonly number[]): Promise<bigint[]> => {
      const rows = await db.query<{ balance: bigint }>(
        'select balance from accounts where id = any($1) order by id',
        [ids],
      );
      return rows.map(({ balance }) => balance);
    },
    transfer: (budgetId: number, fromId: number, toId: number, amount: bigint, requestId?: string) =>
      makeTransfer(db, { budgetId, fromId, toId, amount, date, memo: '', requestId }),
    close: async (): Promise<void> => {
      await db.close();
      await afterClose();
    },
  };
}
