import pg from 'pg';
import type { PoolClient } from 'pg';
import { StartError } from '../errors.js';
import type { Database, Queryable } from './database.js';
import { typeParsers } from './database.js';
import { retryOnConflict } from './retry.js';

const MAX_CONNECTIONS = 10;

/** A PostgreSQL server. Several processes may share it. */
export async function openPostgres(url: string, onError: (error: unknown) => void): Promise<Database> {
  const place = describe(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: 5_000,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        typeParsers.get(oid) ?? (pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown),
    },
  });
  // Idle connections may be lost; the pool opens new ones on demand.
  pool.on('error', onError);
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    throw new StartError(
      `Cannot connect to ${place}: ${reasonOf(error)}. Check DATABASE_URL and that the server runs, or unset ` +
        'DATABASE_URL to keep the books in a folder.',
    );
  }
  return {
    place,
    ...toQueryable(pool),
    transaction: (work) => retryOnConflict(() => runIn(pool, work)),
    close: () => pool.end(),
  };
}

/** READ COMMITTED is enough, because rows are locked in the order of their ids before they are changed. */
async function runIn<T>(pool: pg.Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(toQueryable(client));
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that cannot roll back is discarded.
    await client.query('rollback').catch((broken: Error) => (failure = broken));
    throw error;
  } finally {
    client.release(failure);
  }
}

function toQueryable(connection: pg.Pool | PoolClient): Queryable {
  return {
    query: async <Row extends object>(sql: string, values: readonly unknown[] = []) =>
      (await connection.query<Row & pg.QueryResultRow>(sql, [...values])).rows,
    script: async (sql) => void (await connection.query(sql)),
  };
}

/** Returns the address without the password. */
function describe(url: string): string {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new StartError(
      'DATABASE_URL is no address of a PostgreSQL server. Write postgresql://user:password@host:5432/database.',
    );
  const { host, pathname } = new URL(url);
  return `PostgreSQL at ${host}${pathname}`;
}

function reasonOf(error: unknown): string {
  const { message, code, errors } = error as {
    message?: string;
    code?: string;
    errors?: { message: string }[];
  };
  return (message || errors?.[0]?.message || code || String(error)).replace(/\.$/, '');
}
