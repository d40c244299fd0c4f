import { PlainText, tableOf, Whole } from './cuttable-value.js';
import { sizeOfText } from './measure-text.js';

/** Deeper values are kept or dropped, but not cut inside. */
export const MAX_DEPTH = 100;
/** Shorter strings are names, dates, hashes: worth nothing in part. */
export const SHORT_TEXT = 64;

/** What is known of every list and object, so that asking again costs nothing. */
export interface Measures {
  readonly sizes: Map<object, number>;
  /** Those that are or hold something that can be cut. */
  readonly soft: Set<object>;
}

/** About what a value takes in JSON. */
export function measure(value: unknown, measures: Measures, depth = 0): number {
  if (typeof value === 'string') return sizeOfText(value);
  if (typeof value !== 'object' || value === null) return String(value).length;
  const { sizes, soft } = measures;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 2;
  let canCut = false;
  const add = (part: unknown): void => {
    size += measure(part, measures, depth + 1);
    canCut ||= isSoft(part, measures);
  };
  if (value instanceof Whole) size = value.size;
  else if (value instanceof PlainText) {
    size = sizeOfText(value.text);
    canCut = true;
  } else if (depth > MAX_DEPTH) size = sizeOfText(JSON.stringify(value));
  else if (Array.isArray(value)) {
    canCut = value.length > 0;
    for (const item of value) add(item);
    size += value.length;
  } else {
    const { keys, values, isMap } = tableOf(value);
    canCut = isMap;
    for (const entry of values) add(entry);
    for (const key of keys) size += sizeOfText(key) + 2;
  }
  sizes.set(value, size);
  if (canCut) soft.add(value);
  return size;
}

/** Whether something is or holds what can be cut, by some level; it must have been measured. */
export function isSoft(value: unknown, { soft }: Measures): boolean {
  return typeof value === 'string' ? value.length > SHORT_TEXT : soft.has(value as object);
}
