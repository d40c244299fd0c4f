import { isObject } from '../../values/json-value.js';
import { isPlainName, isSecretField, isSecretPair, isSuspectName } from '../../values/secret-names.js';

const MAX_DEPTH = 16;
const MAX_VALUES = 5_000;
const MAX_CHARACTERS = 64 * 1024;

export interface RedactValueOptions {
  readonly text: (text: string) => string;
  readonly mark: string;
  /** Shorter texts cannot contain one of the given credentials. */
  readonly shortest: number;
  /** Whether errors are copied with their stack traces. */
  readonly keepsStacks?: boolean;
}

/**
 * Copies a value to redacted JSON. Parts that cannot be read, or exceed the limits, are replaced by a note in brackets. A
 * small flat object without secrets, as most arguments are, is returned itself.
 */
export function redactValue(value: unknown, options: RedactValueOptions): unknown {
  return isHarmless(value, options) ? value : new ValueCopy(options).copy(value, undefined);
}

const FEW_FIELDS = 32;
const SHORT_TEXT = 200;

function isHarmless(value: unknown, { text, shortest }: RedactValueOptions): boolean {
  try {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return false;
    const names = Object.keys(value);
    if (names.length > FEW_FIELDS) return false;
    for (const name of names) {
      if (name.length >= shortest || name === 'toJSON' || !isPlainName(name)) return false;
      const field = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof field === 'boolean' || field === null || field === undefined) continue;
      if (typeof field === 'number' && Math.abs(field) < 1_000 && Number.isInteger(field) && shortest > 4)
        continue;
      if (typeof field !== 'string' || field.length > SHORT_TEXT || text(field) !== field) return false;
    }
    return true;
  } catch {
    // A getter or proxy threw; the copy replaces that field with a note.
    return false;
  }
}

/** The objects that contain a value, innermost first. */
interface Place {
  readonly object: object;
  readonly depth: number;
  readonly outer: Place | undefined;
}

/** One copy, with the number of values and characters that it may still hold. */
class ValueCopy {
  readonly #options: RedactValueOptions;
  #values = MAX_VALUES;
  #characters = MAX_CHARACTERS;

  constructor(options: RedactValueOptions) {
    this.#options = options;
  }

  copy(value: unknown, place: Place | undefined): unknown {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return this.#number(value);
      case 'object':
        return value === null ? null : this.#object(value, place);
      case 'boolean':
      case 'undefined':
        return value;
      case 'function':
        return this.#text('[function]');
      default:
        return this.#text(String(value));
    }
  }

  #text(given: string): string {
    if (this.#characters === 0) return '…';
    const text = this.#options.text(given);
    this.#characters -= text.length;
    if (this.#characters >= 0) return text;
    const rest = Math.max(0, text.length + this.#characters);
    this.#characters = 0;
    return this.#options.text(`${text.slice(0, rest)}…`);
  }

  #name(name: string): string {
    if (name.length >= this.#options.shortest || isSuspectName(name)) return this.#text(name);
    this.#characters -= name.length;
    return this.#characters >= 0 ? name : this.#text(name);
  }

  #number(value: number): unknown {
    if (!Number.isFinite(value)) return this.#text(String(value));
    const text = String(value);
    if (text.length < this.#options.shortest) return value;
    return this.#options.text(text) === text ? value : this.#options.mark;
  }

  #object(object: object, outer: Place | undefined): unknown {
    const depth = (outer?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) return this.#text('[too deep]');
    for (let place = outer; place; place = place.outer) {
      if (place.object === object) return this.#text('[circular]');
    }
    try {
      return this.#contents(object, { object, depth, outer });
    } catch {
      // A proxy or a method of the object threw.
      return this.#text('[unreadable]');
    }
  }

  #contents(object: object, place: Place): unknown {
    if (Array.isArray(object)) return this.#list(object, place);
    const source = object as Readonly<Record<string, unknown>>;
    if (typeof source['toJSON'] !== 'function' && Object.getPrototypeOf(object) === Object.prototype) {
      return this.#record(Object.keys(object), (key) => source[key], place);
    }
    if (isError(object)) return this.#error(object, place);
    if (object instanceof Map) {
      const values = [...object.values()];
      const names = Array.from(object.keys(), (key) => (isObject(key) ? '[object]' : String(key)));
      return this.#record(names, (_, index) => values[index], place);
    }
    if (object instanceof Set) return this.#list([...object], place);
    if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer) {
      return this.#text(`[${object.byteLength} bytes]`);
    }
    if (typeof source['toJSON'] === 'function') return this.copy(source['toJSON'](), place);
    if (object instanceof RegExp || object instanceof URLSearchParams) return this.#text(String(object));
    // Copying a String object by its keys would list its letters.
    if (boxed.has(tagOf(object))) return this.copy(object.valueOf(), place);
    return this.#record(Object.keys(object), (key) => source[key], place);
  }

  #list(items: readonly unknown[], place: Place): unknown[] {
    const copy: unknown[] = [];
    for (let index = 0; index < items.length; index++) {
      if (--this.#values < 0) {
        copy.push(this.#text('[cut]'));
        break;
      }
      copy.push(this.copy(items[index], place) ?? null);
    }
    return copy;
  }

  #error(error: Error, place: Place): unknown {
    const names = new Set(['name', 'message', ...Object.keys(error)]);
    for (const hidden of ['errors', 'cause']) if (Object.hasOwn(error, hidden)) names.add(hidden);
    names.delete('stack');
    // An error without frames repeats its message there.
    if (this.#options.keepsStacks === true && /\n\s+at /.test(String(error.stack))) names.add('stack');
    return this.#record([...names], (key) => (error as unknown as Record<string, unknown>)[key], place);
  }

  #record(
    names: readonly string[],
    read: (name: string, index: number) => unknown,
    place: Place,
  ): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      if (--this.#values < 0) {
        copy[this.#text('…')] = this.#text('[cut]');
        break;
      }
      const value = this.#field(name, index, read, place);
      if (value !== undefined) setField(copy, this.#name(name), index, value);
    }
    return copy;
  }

  #field(name: string, index: number, read: (name: string, index: number) => unknown, place: Place): unknown {
    let value: unknown;
    try {
      value = read(name, index);
    } catch {
      return this.#text('[unreadable]');
    }
    if (isBlank(value)) return value;
    const isSecret = isSecretField(name, value) || (name === 'value' && isSecretPair(place.object));
    return isSecret ? this.#options.mark : this.copy(value, place);
  }
}

/** Whether a value reveals only that a secret is present or absent. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean' || value === '';
}

const boxed: ReadonlySet<string> = new Set(['[object String]', '[object Number]', '[object Boolean]']);

function tagOf(object: object): string {
  return Object.prototype.toString.call(object);
}

/** Whether an object is an error, also one of another realm. */
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
