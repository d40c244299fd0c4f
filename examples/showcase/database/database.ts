/** What the books need of a database. PGlite and PostgreSQL both give it. */
export interface Queryable {
  /** Whole numbers of 64 bits come as bigint, dates as text. */
  query<Row extends object = Record<string, unknown>>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /** Several statements without values. */
  script(sql: string): Promise<void>;
}

export interface Database extends Queryable {
  /** What it is and where, for people. */
  readonly place: string;
  /** All of it or nothing. What two writers do to each other is tried again, so `work` may run several times. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** PostgreSQL's types whose values JavaScript would change: numbers beyond 2^53, and days, which have no time zone. */
export const typeParsers = new Map<number, (text: string) => unknown>([
  [20, BigInt],
  [1082, (text) => text],
]);

/** The one row of a statement that gives one. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('The statement gave no row.');
  return row;
}
