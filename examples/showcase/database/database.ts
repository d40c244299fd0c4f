/** The database interface of the books, implemented for PGlite and PostgreSQL. */
export interface Queryable {
  /** Returns 64-bit integers as bigint and dates as text. */
  query<Row extends object = Record<string, unknown>>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /** Runs several statements without parameters. */
  script(sql: string): Promise<void>;
}

export interface Database extends Queryable {
  /** Kind and location of the database, for display. */
  readonly place: string;
  /** Runs `work` in a transaction. Conflicts are retried, so `work` may run several times. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** PostgreSQL types that JavaScript would change: numbers beyond 2^53, and dates, which have no time zone. */
export const typeParsers = new Map<number, (text: string) => unknown>([
  [20, BigInt],
  [1082, (text) => text],
]);

/** Returns the row of a statement that yields one. Throws if there is none. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('The statement gave no row.');
  return row;
}
