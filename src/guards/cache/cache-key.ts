import { ErrInvalidModel } from '../../errors.js';
import { isPlainObject } from '../../values/json-value.js';

/** A text, or parts: texts, numbers, bigints, booleans, null, undefined, dates, and lists and records of them. */
export type CacheKey = string | readonly unknown[];

const MAX_DEPTH = 100;

/**
 * A text that is equal for equal keys and differs for others: `1` is not `'1'`, and `undefined` is not nothing.
 * The order of names in a record does not count, and there is one zero.
 */
export function encodeKey(key: CacheKey): string {
  if (typeof key !== 'string' && !Array.isArray(key)) {
    throw new ErrInvalidModel('A cache key must be a text or a list of parts.');
  }
  return encodePart(key, 0);
}

/** Texts are quoted and nothing else begins with a quote, so no part can pass for another. */
function encodePart(part: unknown, depth: number): string {
  switch (typeof part) {
    case 'string':
      return JSON.stringify(part);
    case 'number':
      return part === 0 ? '0' : String(part);
    case 'bigint':
      return `${part}n`;
    case 'boolean':
    case 'undefined':
      return String(part);
    case 'object':
      return part === null ? 'null' : encodeObject(part, depth + 1);
    default:
      throw notAKey(`a ${typeof part}`);
  }
}

function encodeObject(value: object, depth: number): string {
  if (depth > MAX_DEPTH) throw notAKey(`more than ${MAX_DEPTH} levels, or itself`);
  // Array.from, since map() skips holes.
  if (Array.isArray(value))
    return `[${Array.from(value, (item: unknown) => encodePart(item, depth)).join(',')}]`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (!isPlainObject(value)) throw notAKey('an instance of a class');
  if (Object.getOwnPropertySymbols(value).length > 0) throw notAKey('a symbol');
  const entries = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${encodePart((value as Record<string, unknown>)[name], depth)}`);
  return `{${entries.join(',')}}`;
}

function notAKey(what: string): ErrInvalidModel {
  return new ErrInvalidModel(`A cache key must not hold ${what}.`, {
    hint: 'Use texts, numbers, booleans, dates, and lists and records of them.',
  });
}
