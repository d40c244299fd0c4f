import { encodeLines } from '@toon-format/toon';
import { inexpressible, isLostInstance } from './lossy-value.js';

/** Longer values are written as JSON, because the TOON encoder takes 100 ms for 500 kB. */
const MAX_TOON_SOURCE = 256 * 1024;
/** Maximum length of other formats relative to JSON. Indentation grows quadratically with deep nesting. */
const MAX_TOON_GROWTH = 2;
const MAX_INDENT_GROWTH = 8;
/** Text up to this length is always written in the requested format. */
const SHORT = 4_096;

/** Returns text unchanged, and any other value as compact JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value);
}

/** Writes TOON, or compact JSON if TOON would be more than twice as long or the JSON is longer than 256 KiB. */
export function toToon(value: unknown): string {
  const json = toJson(value);
  if (json.length > MAX_TOON_SOURCE) return json;
  const limit = Math.max(SHORT, json.length * MAX_TOON_GROWTH);
  const lines: string[] = [];
  let length = 0;
  for (const line of encodeLines(value)) {
    lines.push(line);
    length += line.length + 1;
    if (length > limit) return json;
  }
  return lines.join('\n');
}

/** Writes indented JSON, or compact JSON if deep nesting would make it more than eight times as long. */
export function toIndentedJson(value: unknown): string {
  const json = toJson(value);
  const limit = Math.max(SHORT, json.length * MAX_INDENT_GROWTH);
  return indentedLength(json) > limit ? json : JSON.stringify(value, undefined, 2);
}

export function toJson(value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    if (!isUnspeakable(value)) text = JSON.stringify(value);
  } catch (thrown) {
    cause = thrown;
  }
  if (text === undefined) throw inexpressible(value, cause);
  return text;
}

/** Throws if JSON would lose part of a value, which a client would see as {} or null. */
export function assertSpeakable(value: unknown): void {
  if (isUnspeakable(value)) throw inexpressible(value);
}

/** Returns the length that compact JSON would have if it were indented by two spaces. */
export function indentedLength(json: string): number {
  let length = json.length;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') at = endOfString(json, at);
    else if (char === ':') length += 1;
    else if (char === ',') length += 1 + 2 * depth;
    else if (char === '[' || char === '{') {
      const next = json[at + 1];
      if (next === ']' || next === '}') at++;
      else length += 1 + 2 * ++depth;
    } else if (char === ']' || char === '}') length += 1 + 2 * --depth;
  }
  return length;
}

/** Returns the index of the quote that ends the string starting at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

const MAX_DEPTH = 1_000;
/** Visited objects are remembered from this depth on, which is enough to detect circular values. */
const DEEP = 4;

/** Whether JSON.stringify would silently lose part of a value by writing {} or null. */
function isUnspeakable(value: unknown, depth = 0, seen?: Set<object>): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || seen?.has(value)) return false;
  const known = depth === DEEP ? new Set([value]) : seen?.add(value);
  if (Array.isArray(value)) return value.some((item) => isUnspeakable(item, depth + 1, known));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    if ('toJSON' in value) return false;
    if (isLostInstance(value)) return true;
  }
  for (const key of Object.keys(value)) {
    if (isUnspeakable((value as Record<string, unknown>)[key], depth + 1, known)) return true;
  }
  return false;
}
