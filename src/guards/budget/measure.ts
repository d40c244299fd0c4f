import { typeName } from '../../values/json-value.js';

/** Values nested deeper than this are kept or dropped as a whole. */
export const MAX_DEPTH = 100;
/** Shorter strings are names, dates or hashes, of which a part is useless. */
export const SHORT_TEXT = 64;

/** Text that is not data. It may be cut anywhere, and is cut before data is. */
export class PlainText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A part that is kept or dropped, but never cut inside. */
export class Whole {
  readonly size: number;
  constructor(size: number) {
    this.size = size;
  }
}

/** The entries of an object. An object of many entries of one type is a map, whose entries can be dropped. */
interface Table {
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
  readonly isMap: boolean;
}

/** An object with fewer entries is treated as a record, because each of its keys has a meaning. */
const MAP_ENTRIES = 20;
/** Listing the keys of a large object is slow. The objects are private copies that never change, so once is enough. */
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

/** The sizes of lists and objects that were already measured. */
export interface Measures {
  readonly sizes: Map<object, number>;
  /** The values that can be cut, or contain a value that can be cut. */
  readonly cuttable: Set<object>;
  /** Measuring stops above this size and returns `Infinity`. */
  readonly limit: number;
}

/** Approximate number of characters of a value in JSON; `Infinity` above the limit. */
export function measure(value: unknown, measures: Measures, depth = 0): number {
  const { sizes, cuttable, limit } = measures;
  if (typeof value === 'string') return value.length > limit ? Infinity : sizeOfText(value);
  if (typeof value !== 'object' || value === null) return String(value).length;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 2;
  let canCut = false;
  const add = (part: unknown): void => {
    size += measure(part, measures, depth + 1);
    canCut ||= isCuttable(part, measures);
  };
  if (value instanceof Whole) size = value.size;
  else if (value instanceof PlainText) {
    size = value.text.length > limit ? Infinity : sizeOfText(value.text);
    canCut = true;
  } else if (depth > MAX_DEPTH) size = sizeOfText(JSON.stringify(value));
  else if (Array.isArray(value)) {
    canCut = value.length > 0;
    size += value.length;
    for (const item of value) {
      if (size > limit) break;
      add(item);
    }
  } else {
    const { keys, values, isMap } = tableOf(value);
    canCut = isMap;
    for (const [index, key] of keys.entries()) {
      if (size > limit) break;
      size += sizeOfText(key) + 2;
      add(values[index]);
    }
    // The entries beyond the limit were not measured and may be cuttable.
    canCut ||= size > limit;
  }
  if (size > limit) size = Infinity;
  sizes.set(value, size);
  if (canCut) cuttable.add(value);
  return size;
}

/** Whether a measured value can be cut, or contains a value that can be cut. */
export function isCuttable(value: unknown, { cuttable }: Measures): boolean {
  return typeof value === 'string' ? value.length > SHORT_TEXT : cuttable.has(value as object);
}

/** Approximate size of a text in JSON. */
export function sizeOfText(text: string): number {
  let size = 2;
  for (let index = 0; index < text.length; index++) size += sizeOfCode(text.charCodeAt(index));
  return size;
}

/** Approximate size of a character in JSON. It only guides the search: the budget applies to the written text. */
export function sizeOfCode(code: number): number {
  if (code >= 0x80) return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  return code < 0x20 || code === 0x22 || code === 0x5c ? 2 : 1;
}

/** Counts the code points of a text. */
export function countCharacters(text: string): number {
  if (!/[\uD800-\uDBFF]/.test(text)) return text.length;
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    if (splitsPair(text, index)) count--;
  }
  return count;
}

/** The nearest index at or after `end` that does not split a code point. */
export function endOfCharacter(text: string, end: number): number {
  return splitsPair(text, end) ? end + 1 : end;
}

function splitsPair(text: string, at: number): boolean {
  return isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1));
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
