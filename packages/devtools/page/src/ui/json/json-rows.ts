import { joinPointer } from '@toolfold/schema/internal';
import { ExactNumber } from './exact-number.js';

/** A line in the tree of a JSON value. */
export type JsonRow = JsonValueRow | JsonMoreRow;

export interface JsonValueRow {
  readonly kind: 'value';
  /** The JSON pointer of the value. */
  readonly id: string;
  readonly depth: number;
  readonly key: string | undefined;
  readonly value: unknown;
  /** Number of entries of an object or array. */
  readonly size: number | undefined;
  readonly isExpanded: boolean;
  readonly position: number;
  readonly siblings: number;
}

/** A row in place of entries that are not shown yet. */
interface JsonMoreRow {
  readonly kind: 'more';
  readonly id: string;
  /** The pointer of the value that has more entries. */
  readonly parent: string;
  readonly depth: number;
  readonly left: number;
}

/** Number of entries that are shown at first, and added with every press of "more". */
export const ENTRIES = 100;
/** Rows of the whole tree that are open at first. Deeper and later rows stay closed. */
export const MAX_ROWS = 2000;
const MAX_DEPTH = 100;

export interface JsonState {
  /** Objects and arrays that the user opened or closed, by pointer. */
  readonly decided: ReadonlyMap<string, boolean>;
  /** Number of entries that are shown of long objects and arrays, by pointer. */
  readonly shown: ReadonlyMap<string, number>;
}

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
}

function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/**
 * Returns the visible rows of a value. Objects and arrays are expanded down to `openDepth` unless the user decided
 * otherwise.
 */
export function jsonRows(value: unknown, state: JsonState, openDepth: number): JsonRow[] {
  const rows: JsonRow[] = [];
  const add = (row: Omit<JsonValueRow, 'kind' | 'size' | 'isExpanded'>): void => {
    if (rows.length >= MAX_ROWS) return;
    const container = isContainer(row.value) ? row.value : undefined;
    const size = container && sizeOf(container);
    const isExpanded =
      size !== undefined &&
      size > 0 &&
      row.depth < MAX_DEPTH &&
      (state.decided.get(row.id) ?? (row.depth < openDepth && size <= ENTRIES));
    rows.push({ ...row, kind: 'value', size, isExpanded });
    if (!container || size === undefined || !isExpanded) return;
    const limit = state.shown.get(row.id) ?? ENTRIES;
    const isArray = Array.isArray(container);
    const keys = isArray ? undefined : Object.keys(container);
    for (let index = 0; index < Math.min(size, limit); index++) {
      const key = keys?.[index] ?? String(index);
      add({
        id: joinPointer(row.id, key),
        depth: row.depth + 1,
        key,
        value: (container as Record<string, unknown>)[key],
        position: index + 1,
        siblings: size,
      });
    }
    if (size > limit)
      rows.push({
        kind: 'more',
        id: `${row.id}/~more`,
        parent: row.id,
        depth: row.depth + 1,
        left: size - limit,
      });
  };
  add({ id: '', depth: 0, key: undefined, value, position: 1, siblings: 1 });
  return rows;
}
