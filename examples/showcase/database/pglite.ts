import { PGlite } from '@electric-sql/pglite';
import type { PGliteInterface, Transaction } from '@electric-sql/pglite';
import type { Database, Queryable } from './database.js';
import { typeParsers } from './database.js';
import { retryOnConflict } from './retry.js';

export interface PgliteDatabase extends Database {
  /** Dumps the files, as a template for other databases. */
  dump(): Promise<Blob>;
}

/**
 * A PostgreSQL in this process, with its files in a folder, or in memory if there is no folder. It starts with the
 * files of `template`, if given.
 */
export async function openPglite(folder?: string, template?: Blob): Promise<PgliteDatabase> {
  const pglite = await PGlite.create({
    ...(folder === undefined ? {} : { dataDir: folder }),
    ...(template === undefined ? {} : { loadDataDir: template }),
    parsers: Object.fromEntries(typeParsers),
  });
  return {
    place: folder === undefined ? 'in memory' : folder,
    ...toQueryable(pglite),
    transaction: (work) => retryOnConflict(() => pglite.transaction((tx) => work(toQueryable(tx)))),
    close: () => pglite.close(),
    dump: () => pglite.dumpDataDir('none'),
  };
}

function toQueryable(connection: PGliteInterface | Transaction): Queryable {
  return {
    query: async <Row extends object>(sql: string, values: readonly unknown[] = []) =>
      (await connection.query<Row>(sql, [...values])).rows,
    script: async (sql) => void (await connection.exec(sql)),
  };
}
