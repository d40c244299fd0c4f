import { isKept } from '../../sections/try/form/decimal.js';
import { isRecord, setOwn } from '../../sections/try/form/json.js';
import { ExactNumber, mark } from '../../ui/json/exact-number.js';
import { endOfString } from './json-text.js';

/** Longer numbers count as rounded. */
const MAX_COMPARED = 400;

/** Parses JSON. Keeps numbers that JavaScript would round as exact numbers. */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!mayLoseDigits(text)) return value;
  try {
    return JSON.parse(markRounded(text), (_, each: unknown) =>
      typeof each === 'string' && each.startsWith(mark) ? new ExactNumber(each.slice(mark.length)) : each,
    );
  } catch {
    // With a reviver, `JSON.parse` supports fewer levels.
    return value;
  }
}

/** Whether JSON may contain a number that JavaScript rounds. Digits in strings can cause a false positive. */
function mayLoseDigits(text: string): boolean {
  for (const [number] of text.matchAll(/-?\d[\d.]{15,}(?:e[+-]?\d+)?|-?\d[\d.]*e[+-]?\d+/gi))
    if (isRounded(number)) return true;
  return false;
}

/** Replaces numbers that JavaScript rounds by marked strings. */
function markRounded(text: string): string {
  let result = '';
  for (let at = 0; at < text.length;) {
    const start = text.indexOf('"', at);
    const between = text.slice(at, start < 0 ? undefined : start);
    result += between.replace(/-?\d[\d.]*(?:e[+-]?\d+)?/gi, (number) =>
      isRounded(number) ? `"${mark}${number}"` : number,
    );
    at = start < 0 ? text.length : endOfString(text, start);
    if (start >= 0) result += text.slice(start, at);
  }
  return result;
}

function isRounded(number: string): boolean {
  // Fast path: most numbers are short or written as JavaScript writes them.
  if ((number.length < 16 && !/e/i.test(number)) || String(Number(number)) === number) return false;
  return number.length > MAX_COMPARED || !isKept(number);
}

/** Restores exact numbers in a value that another parser read from the text. */
export function withExactNumbers<T>(value: T, text: string, read: (message: unknown) => unknown): T {
  if (!mayLoseDigits(text)) return value;
  try {
    return restore(value, read(readJson(text))) as T;
  } catch {
    // The value has too many levels.
    return value;
  }
}

function restore(value: unknown, exact: unknown): unknown {
  if (exact instanceof ExactNumber) return Number(exact.digits) === value ? exact : value;
  if (Array.isArray(value) && Array.isArray(exact))
    return value.map((each, index) => restore(each, exact[index]));
  if (!isRecord(value) || !isRecord(exact)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value))
    setOwn(result, key, Object.hasOwn(exact, key) ? restore(each, exact[key]) : each);
  return result;
}
