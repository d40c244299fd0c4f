import { isObject } from '@toolfold/schema/internal';
import { isSecretField, isSecretPair } from '../../values/secret-names.js';
import { MARK } from './find-literals.js';

const MAX_DEPTH = 16;
const MAX_VALUES = 5_000;
const MAX_CHARACTERS = 64 * 1024;

interface RedactValueOptions {
  readonly text: (text: string) => string;
  /** Whether errors are copied with their stack traces. */
  readonly keepsStacks: boolean;
}

/** A linked list of the objects around a value, innermost first, which detects cycles. */
interface Place {
  readonly object: object;
  readonly depth: number;
  readonly outer: Place | undefined;
}

/** Copies a value to redacted JSON. Parts that cannot be read, or exceed the limits, are replaced by a note in brackets. */
export function redactValue(whole: unknown, { text, keepsStacks }: RedactValueOptions): unknown {
  // All parts of a copy share the limits.
  let valuesLeft = MAX_VALUES;
  let charactersLeft = MAX_CHARACTERS;

  function copyValue(value: unknown, place: Place | undefined): unknown {
    switch (typeof value) {
      case 'string':
        return redactText(value);
      case 'number':
        return redactNumber(value);
      case 'object':
        return value === null ? null : copyObject(value, place);
      case 'boolean':
      case 'undefined':
        return value;
      case 'function':
        return redactText('[function]');
      default:
        return redactText(String(value));
    }
  }

  function redactText(given: string): string {
    if (charactersLeft === 0) return '…';
    const redacted = text(given);
    charactersLeft -= redacted.length;
    if (charactersLeft >= 0) return redacted;
    const rest = Math.max(0, redacted.length + charactersLeft);
    charactersLeft = 0;
    return text(`${redacted.slice(0, rest)}…`);
  }

  function redactNumber(given: number): unknown {
    const written = String(given);
    if (!Number.isFinite(given)) return redactText(written);
    return text(written) === written ? given : MARK;
  }

  function copyObject(object: object, outer: Place | undefined): unknown {
    const depth = (outer?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) return redactText('[too deep]');
    for (let place = outer; place; place = place.outer) {
      if (place.object === object) return redactText('[circular]');
    }
    try {
      return copyContents(object, { object, depth, outer });
    } catch {
      // A proxy or a method of the object threw.
      return redactText('[unreadable]');
    }
  }

  function copyContents(object: object, place: Place): unknown {
    if (Array.isArray(object)) return copyList(object, place);
    const source = object as Readonly<Record<string, unknown>>;
    if (typeof source['toJSON'] !== 'function' && Object.getPrototypeOf(object) === Object.prototype) {
      return copyRecord(Object.keys(object), (key) => source[key], place);
    }
    if (isError(object)) return copyError(object, place);
    if (object instanceof Map) {
      const values = [...object.values()];
      const names = Array.from(object.keys(), (key) => (isObject(key) ? '[object]' : String(key)));
      return copyRecord(names, (_, index) => values[index], place);
    }
    if (object instanceof Set) return copyList([...object], place);
    if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer) {
      return redactText(`[${object.byteLength} bytes]`);
    }
    if (typeof source['toJSON'] === 'function') return copyValue(source['toJSON'](), place);
    if (object instanceof RegExp || object instanceof URLSearchParams) return redactText(String(object));
    // Copying a String object by its keys would list its letters.
    if (boxed.has(tagOf(object))) return copyValue(object.valueOf(), place);
    return copyRecord(Object.keys(object), (key) => source[key], place);
  }

  function copyList(items: readonly unknown[], place: Place): unknown[] {
    const copy: unknown[] = [];
    for (let index = 0; index < items.length; index++) {
      if (--valuesLeft < 0) {
        copy.push(redactText('[cut]'));
        break;
      }
      copy.push(copyValue(items[index], place) ?? null);
    }
    return copy;
  }

  function copyError(error: Error, place: Place): unknown {
    const names = new Set(['name', 'message', ...Object.keys(error)]);
    for (const hidden of ['errors', 'cause']) if (Object.hasOwn(error, hidden)) names.add(hidden);
    names.delete('stack');
    // An error without frames repeats its message there.
    if (keepsStacks && /\n\s+at /.test(String(error.stack))) names.add('stack');
    return copyRecord([...names], (key) => (error as unknown as Record<string, unknown>)[key], place);
  }

  function copyRecord(
    names: readonly string[],
    read: (name: string, index: number) => unknown,
    place: Place,
  ): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      if (--valuesLeft < 0) {
        copy[redactText('…')] = redactText('[cut]');
        break;
      }
      const value = copyField(name, index, read, place);
      if (value !== undefined) setField(copy, redactText(name), index, value);
    }
    return copy;
  }

  function copyField(
    name: string,
    index: number,
    read: (name: string, index: number) => unknown,
    place: Place,
  ): unknown {
    let value: unknown;
    try {
      value = read(name, index);
    } catch {
      return redactText('[unreadable]');
    }
    if (isBlank(value)) return value;
    const isSecret = isSecretField(name, value) || (name === 'value' && isSecretPair(place.object));
    return isSecret ? MARK : copyValue(value, place);
  }

  return copyValue(whole, undefined);
}

/** Whether a value reveals only that a secret is present or absent. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean' || value === '';
}

const boxed: ReadonlySet<string> = new Set(['[object String]', '[object Number]', '[object Boolean]']);

function tagOf(object: object): string {
  return Object.prototype.toString.call(object);
}

/** Errors of another realm, such as a worker or an iframe, are no instances of this realm's `Error`. */
function isError(object: object): object is Error {
  return object instanceof Error || tagOf(object) === '[object Error]';
}

/** Sets a field. Names that became equal by redaction get a number, so that they do not overwrite each other. */
function setField(record: Record<string, unknown>, name: string, index: number, value: unknown): void {
  let free = name;
  for (let number = index + 1; Object.hasOwn(record, free); number++) free = `${name} ${number}`;
  if (free !== '__proto__') record[free] = value;
  else Object.defineProperty(record, free, { value, enumerable: true, configurable: true, writable: true });
}
