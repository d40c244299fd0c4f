import { typeName } from '../../values/json-value.js';

/** Text that is not data: it may be cut anywhere, and is before data is. */
export class PlainText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What is kept or dropped, but not cut inside. */
export class Whole {
  readonly size: number;
  constructor(size: number) {
    this.size = size;
  }
}

/** The entries of an object, and whether it is a collection rather than a record: many of one type. */
interface Table {
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
  readonly isMap: boolean;
}

/** An object of fewer entries is taken for a record, whose keys all mean something. */
const MAP_ENTRIES = 20;
/** Listing the keys of a large object is slow. What is cut is a copy that nobody changes, so once is enough. */
const tables = new WeakMap<object, Table>();

export function tableOf(value: object): Table {
  const known = tables.get(value);
  if (known) return known;
  const keys = Object.keys(value);
  const values: unknown[] = Object.values(value);
  if (keys.length < MAP_ENTRIES) return { keys, values, isMap: false };
  const isMap = values.every((entry) => typeName(entry) === typeName(values[0]));
  const table = { keys, values, isMap };
  tables.set(value, table);
  return table;
}
