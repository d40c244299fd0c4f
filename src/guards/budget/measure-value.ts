import { PlainText, tableOf, Whole } from './cuttable-value.js';
import { sizeOfText } from './measure-text.js';

/** Deeper values are kept or dropped, but not cut inside. */
export const MAX_DEPTH = 100;
/** Shorter strings are names, dates, hashes: worth nothing in part. */
export const SHORT_TEXT = 64;

/** The sizes of lists and objects that were measured before. */
export interface Measures {
  readonly sizes: Map<object, number>;
  /** Those that are or hold something that can be cut. */
  readonly soft: Set<object>;
  /** Measuring stops above this size and gives `Infinity`. */
  readonly limit: number;
}

/** About how many characters a value takes in JSON; `Infinity` above the limit. */
export function measure(value: unknown, measures: Measures, depth = 0): number {
  const { sizes, soft, limit } = measures;
  if (typeof value === 'string') return value.length > limit ? Infinity : sizeOfText(value);
  if (typeof value !== 'object' || value === null) return String(value).length;
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
    // The entries that were not measured may be cuttable.
    canCut ||= size > limit;
  }
  if (size > limit) size = Infinity;
  sizes.set(value, size);
  if (canCut) soft.add(value);
  return size;
}

/** Whether a measured value is, or holds, something that some level can cut. */
export function isSoft(value: unknown, { soft }: Measures): boolean {
  return typeof value === 'string' ? value.length > SHORT_TEXT : soft.has(value as object);
}
