import { ErrValidationFailed } from '@toolfold/schema/errors';

/** The values by which a list is sorted, such as the date and the id of a row. Together they are unique, and they never change. */
export type RowKey = readonly (string | number)[];

/** How `paginate` reads a page. */
export interface PageRequest<Row> {
  /** The cursor that the caller sent; `undefined` for the first page. */
  readonly cursor?: string | undefined;
  /** Maximum number of rows of the page. */
  readonly limit: number;
  /** Reads up to `count` rows after the row with the key `after`, in the order of their keys; without `after`, the first rows. */
  readonly read: (after: RowKey | undefined, count: number) => readonly Row[] | Promise<readonly Row[]>;
  /** Returns the key of a row. */
  readonly keyOf: (row: Row) => RowKey;
}

/** A page of a list. */
export interface Page<Row> {
  /** The rows of the page, in the order of the list. */
  readonly rows: readonly Row[];
  /** The cursor of the next page; `null` on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Reads a page of a list. The cursor holds the key of the last row, so rows that are added or deleted between two calls neither repeat nor
 * skip others.
 */
export async function paginate<Row>({ cursor, limit, read, keyOf }: PageRequest<Row>): Promise<Page<Row>> {
  const found = await read(cursor === undefined ? undefined : readCursor(cursor), limit + 1);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, nextCursor: last === undefined ? null : writeCursor(keyOf(last)) };
}

function writeCursor(key: RowKey): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(key))));
}

function readCursor(cursor: string): RowKey {
  try {
    const bytes = Uint8Array.from(atob(cursor), (byte) => byte.charCodeAt(0));
    const key: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (Array.isArray(key) && key.every((part) => typeof part === 'string' || typeof part === 'number'))
      return key;
  } catch {
    // The error below says what to do.
  }
  throw new ErrValidationFailed(
    'Validation failed: cursor: is not the cursor of a next page. Leave it out for the first page.',
  );
}
