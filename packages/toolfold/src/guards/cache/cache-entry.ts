import { ErrInvalidOptions, ErrInvalidResult } from '@toolfold/schema/errors';
import { isPlainObject } from '@toolfold/schema/internal';
import type { Store } from '../../stores/contracts.js';
import { parseJson } from '../../values/parse-json.js';

/** A text, or a list of plain data: texts, numbers, bigints, booleans, null, undefined, dates, and lists and records of them. */
export type CacheKey = string | readonly unknown[];

const MAX_DEPTH = 100;

/**
 * Encodes a key so that equal keys have equal texts and different keys different ones: `1` differs from `'1'`, and
 * `undefined` from a missing part. The order of names in a record does not matter, and `-0` equals `0`.
 */
export function encodeKey(key: CacheKey): string {
  if (typeof key !== 'string' && !Array.isArray(key)) {
    throw new ErrInvalidOptions('A cache key must be a text or a list of parts.');
  }
  return encodePart(key, 0);
}

/** Only texts begin with a quote, so no other part can be mistaken for a text. */
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
      throw invalidKey(`a ${typeof part}`);
  }
}

function encodeObject(value: object, depth: number): string {
  if (depth > MAX_DEPTH) throw invalidKey(`more than ${MAX_DEPTH} levels, or itself`);
  // Array.from reads holes as undefined, while map() would skip them.
  if (Array.isArray(value))
    return `[${Array.from(value, (item: unknown) => encodePart(item, depth)).join(',')}]`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (!isPlainObject(value)) throw invalidKey('an instance of a class');
  if (Object.getOwnPropertySymbols(value).length > 0) throw invalidKey('a symbol');
  const entries = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${encodePart((value as Record<string, unknown>)[name], depth)}`);
  return `{${entries.join(',')}}`;
}

function invalidKey(what: string): ErrInvalidOptions {
  return new ErrInvalidOptions(`A cache key must not contain ${what}.`, {
    hint: 'Use texts, numbers, booleans, dates, and lists and records of them.',
  });
}

/**
 * Writes a value as JSON, and throws for values that JSON would change, because the first caller would otherwise see
 * a different value than the second. A field that is `undefined` counts as missing. `undefined` itself has no text.
 */
export function toJsonText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    return JSON.stringify(value, assertJson);
  } catch (error) {
    if (error instanceof ErrInvalidResult) throw error;
    throw new ErrInvalidResult('A value for the cache cannot be written as JSON.', {
      hint: 'It may contain itself.',
      cause: error,
    });
  }
}

export function fromJsonText(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

/** A replacer that only checks. JSON.stringify passes the result of toJSON(), so it also checks the original value. */
function assertJson(this: unknown, key: string, written: unknown): unknown {
  const part = (this as Record<string, unknown>)[key];
  const fault = findFault(part, Array.isArray(this)) ?? findFault(written, false);
  if (fault === undefined) return written;
  const place = key === '' ? '' : ` at "${key}"`;
  throw new ErrInvalidResult(`A value for the cache contains ${fault}${place}, which JSON cannot express.`, {
    hint: 'Return plain data from the loader, such as a date as a text.',
    details: { key },
  });
}

function findFault(part: unknown, isItem: boolean): string | undefined {
  switch (typeof part) {
    case 'number':
      return Number.isFinite(part) ? undefined : String(part);
    case 'undefined':
      return isItem ? 'undefined in a list' : undefined;
    case 'bigint':
    case 'function':
    case 'symbol':
      return `a ${typeof part}`;
    case 'object':
      return part === null || isJsonObject(part) ? undefined : 'an instance of a class';
    default:
      return undefined;
  }
}

function isJsonObject(value: object): boolean {
  const hasToJson = 'toJSON' in value && typeof value.toJSON === 'function';
  return !hasToJson && (Array.isArray(value) || isPlainObject(value));
}

export function writeEntry(at: number, generations: string, text: string): string {
  return `[${at},${JSON.stringify(generations)},${text}]`;
}

export function parseEntry(text: string): [at: number, generations: string, value: unknown] | undefined {
  const parts = parseJson(text);
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [at, generations, value] = parts as unknown[];
  return typeof at === 'number' && typeof generations === 'string' ? [at, generations, value] : undefined;
}

/** Maximum number of failed deletes that a process remembers. Above it, `delete` rejects. */
export const MAX_PENDING = 10_000;

/**
 * Deletes keys even while the store is down: a failed delete is remembered and retried before this process reads the key
 * again, or as soon as the store answers.
 */
export function createPendingDeletes(store: Store, onError: (error: unknown) => void) {
  /** The failed deletes by key. Each value is a new object, so that completing an old delete keeps a newer one. */
  const failed = new Map<string, object>();
  let isDraining = false;
  /** Completes the pending deletes of these keys. Rejects if the store is still down. */
  const settle = async (keys: readonly string[]): Promise<void> => {
    if (failed.size === 0) return;
    for (const key of keys) {
      const pending = failed.get(key);
      if (!pending) continue;
      await store.delete(key);
      if (failed.get(key) === pending) failed.delete(key);
    }
  };
  /** Completes all pending deletes in the background. Call it when the store has answered: other processes read the keys too. */
  const drain = (): void => {
    if (isDraining || failed.size === 0) return;
    isDraining = true;
    settle([...failed.keys()])
      .catch(onError)
      .finally(() => {
        isDraining = false;
      });
  };
  return {
    settle,
    drain,
    /** Deletes a key now or later. Rejects only if it can be neither deleted nor remembered. */
    delete: async (key: string): Promise<void> => {
      try {
        await store.delete(key);
      } catch (error) {
        if (failed.size >= MAX_PENDING && !failed.has(key)) throw error;
        failed.set(key, {});
        onError(error);
        return;
      }
      drain();
    },
  };
}
