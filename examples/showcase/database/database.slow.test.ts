import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { openDatabase } from './open.js';
import { retryOnConflict } from './retry.js';
import { openInMemory, startPostgres } from './test-databases.js';

const server = await startPostgres();
afterAll(() => server?.stop());

const onError = (): void => {};
const postgres = async (): Promise<Database> =>
  openDatabase({ url: (await server?.createDatabase()) ?? '', onError });

describe.each([['PGlite', openInMemory] as const, ...(server ? [['PostgreSQL', postgres] as const] : [])])(
  'a database on %s',
  (_name, open) => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
      await db.script('create table things (id integer primary key, amount bigint not null)');
    }, 60_000);
    afterAll(() => db.close());

    it('returns days as text, large numbers as bigint, and timestamps as dates', async () => {
      const rows = await db.query(
        "select date '2026-03-29' as day, 9007199254740993::bigint as large, 7 as small, timestamptz '2026-03-29 12:00Z' as moment",
      );
      expect(rows).toEqual([
        {
          day: '2026-03-29',
          large: 9_007_199_254_740_993n,
          small: 7,
          moment: new Date('2026-03-29T12:00:00Z'),
        },
      ]);
    });

    it('accepts large numbers and lists as parameters', async () => {
      expect(await db.query('select $1::bigint as n, $2::integer[] as list', [2n ** 62n, [1, 2]])).toEqual([
        { n: 2n ** 62n, list: [1, 2] },
      ]);
    });

    it('rolls a failed transaction back', async () => {
      const failing = db.transaction(async (tx) => {
        await tx.query('insert into things values (1, 1)');
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await db.query('select * from things')).toEqual([]);
      await db.transaction((tx) => tx.query('insert into things values (1, 1)'));
      expect(await db.query('select * from things')).toEqual([{ id: 1, amount: 1n }]);
    });

    it('is migrated once', async () => {
      expect(await migrate(db)).toEqual([]);
    });
  },
);

describe.runIf(server)('PostgreSQL', () => {
  it('is migrated once by many processes that start at the same time', async () => {
    const url = (await server?.createDatabase()) ?? '';
    const all = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ url, onError })));
    const scripts = readdirSync(new URL('migrations/', import.meta.url)).toSorted();
    expect(await all[0]?.query('select name from migrations order by name')).toEqual(
      scripts.map((name) => ({ name })),
    );
    await Promise.all(all.map((db) => db.close()));
  });

  it('retries a transaction that conflicted with another one', async () => {
    const db = await postgres();
    await db.script(
      'create table t (id integer primary key, n integer); insert into t values (1, 0), (2, 0)',
    );
    let tries = 0;
    let isOther = Promise.resolve();
    const addTo = (first: number, second: number): Promise<unknown> =>
      db.transaction(async (tx) => {
        tries++;
        await tx.query('update t set n = n + 1 where id = $1', [first]);
        // Both transactions lock their first row before either locks its second.
        await isOther;
        await new Promise((resolve) => {
          setTimeout(resolve, 50);
        });
        return tx.query('update t set n = n + 1 where id = $1', [second]);
      });
    isOther = new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    await Promise.all([addTo(1, 2), addTo(2, 1)]);
    expect(await db.query('select n from t order by id')).toEqual([{ n: 2 }, { n: 2 }]);
    expect(tries).toBeGreaterThan(2);
    await db.close();
  });
});

describe('retries', () => {
  const conflict = Object.assign(new Error('deadlock'), { code: '40P01' });

  it('end with the first success, or with the conflict after ten attempts', async () => {
    let tries = 0;
    const third = async (): Promise<string> => {
      if (++tries < 3) throw conflict;
      return 'done';
    };
    expect(await retryOnConflict(third)).toBe('done');
    tries = -1_000;
    await expect(retryOnConflict(third)).rejects.toBe(conflict);
    expect(tries).toBe(-990);
  });

  it('do not happen for other errors', async () => {
    let tries = 0;
    const failing = async (): Promise<never> => {
      tries++;
      throw Object.assign(new Error('taken'), { code: '23505' });
    };
    await expect(retryOnConflict(failing)).rejects.toThrow('taken');
    expect(tries).toBe(1);
  });
});

describe('a database that cannot be opened', () => {
  it.each([
    ['mysql://localhost/x', 'is no address of a PostgreSQL server'],
    ['nonsense', 'is no address of a PostgreSQL server'],
    ['postgresql://ada:hunter2@127.0.0.1:1/books', 'Cannot connect to PostgreSQL at 127.0.0.1:1/books'],
  ])('is reported with the reason and without the password (%s)', async (url, problem) => {
    const opening = openDatabase({ url, onError });
    await expect(opening).rejects.toThrow(problem);
    await expect(opening).rejects.not.toThrow('hunter2');
  });
});
