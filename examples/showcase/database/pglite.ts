import { PGlite } from '@electric-sql/pglite';
import type { PGliteInterface, Transaction } from '@electric-sql/pglite';
import type { Database, Queryable } from './database.js';
import { typeParsers } from './database.js';
import { retryOnConflict } from './retry.js';

export interface PgliteDatabase extends Database {
  /** Its files, as a template for others. */
  dump(): Promise<Blob>;
}

/**
 * A PostgreSQL in this process, which keeps its files in a folder, or nothing at all where there is none. It begins with the
 * files of `template`, where that is given.
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
