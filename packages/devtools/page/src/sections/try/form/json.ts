import { ExactNumber } from '../../../ui/json/exact-number.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = Readonly<Record<string, unknown>>;

/** An object, but not an array, null or an exact number. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** Whether two JSON values are equal, regardless of the order of keys. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (one instanceof ExactNumber) return other instanceof ExactNumber && one.digits === other.digits;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSame(item, other[index]))
    );
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}

/** Sets an own property, also one named `__proto__`. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Parses a JSON text. Returns the problem if it is not valid. */
export function parseJson(
  text: string,
  parse: (text: string) => unknown = JSON.parse,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string } {
  try {
    return { ok: true, value: parse(text) as Json };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
