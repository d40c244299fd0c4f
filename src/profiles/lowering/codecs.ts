import { hashName } from '../../protocol/wire-name.js';
import { countTextValues, defaultJsonLimits } from '../../values/json-limits.js';
import { isJsonObject } from '../../values/json-value.js';

/** The JSON types of values; integers are numbers. */
export const kinds = ['string', 'number', 'boolean', 'null', 'array', 'object'] as const;
export type Kind = (typeof kinds)[number];

export function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

/**
 * Translates values between the form of the author and the form of a lowered schema. `decode(encode(x))` equals `x` for every JSON
 * value `x`, whether it is valid or not. A schema that keeps its values has no codec.
 */
export interface Codec {
  /** Equal for codecs that behave in the same way. */
  readonly id: string;
  readonly encode: (value: unknown, depth: number) => unknown;
  readonly decode: (value: unknown, work: DecodeWork) => unknown;
}

/** A short text that is equal for equal parts. Codecs contain the ids of others, so the whole text would grow with every level. */
export function codecId(...parts: readonly unknown[]): string {
  const text = JSON.stringify(parts);
  return `${hashName(text)}${hashName(`${text.length} ${text}`)}`;
}

/** The remaining budget of one decoding, because arguments are untrusted. */
export interface DecodeWork {
  depth: number;
  /** JSON values that texts may still add. */
  values: number;
  /** Texts that look like JSON but cannot be parsed, at most. */
  failures: number;
}

/** Values below this depth are left as they are. The limits of a request reject deeper ones. */
export const MAX_VALUE_DEPTH = 200;

export function newWork(): DecodeWork {
  return { depth: 0, values: defaultJsonLimits.maxValues, failures: 1_000 };
}

/** The kind of JSON value that a text may contain, by its first and last characters, because failing to parse is slow. */
function kindInText(text: string): Kind | undefined {
  const first = text.charAt(skipSpace(text, 0, 1));
  const last = text.charAt(skipSpace(text, text.length - 1, -1));
  if (first === '{') {
    const second = text.charAt(skipSpace(text, skipSpace(text, 0, 1) + 1, 1));
    return last === '}' && (second === '"' || second === '}') ? 'object' : undefined;
  }
  if (first === '[') return last === ']' ? 'array' : undefined;
  if (first === '"') return last === '"' && text.length > 1 ? 'string' : undefined;
  if (first === 't' || first === 'f') return 'boolean';
  if (first === 'n') return 'null';
  return first === '-' || (first >= '0' && first <= '9') ? 'number' : undefined;
}

function skipSpace(text: string, from: number, step: 1 | -1): number {
  let at = from;
  while (at >= 0 && at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += step;
  return at;
}

const NOTHING = Symbol('not JSON');

function parseText(text: string, kind: Kind, work: DecodeWork): unknown {
  if (work.failures <= 0) return NOTHING;
  // Scalars are short; a long text that begins like one is no JSON.
  if (kind !== 'string' && kind !== 'array' && kind !== 'object' && text.length > 400) return NOTHING;
  const values = countTextValues(text, { maxDepth: defaultJsonLimits.maxDepth, maxValues: work.values });
  if (values === undefined) return NOTHING;
  try {
    const value = JSON.parse(text) as unknown;
    // A long number would lose digits, so it stays text.
    if (kind === 'number' && JSON.stringify(value) !== text.trim()) return NOTHING;
    work.values -= values;
    return value;
  } catch {
    work.failures--;
    return NOTHING;
  }
}

/** How the values of a union are told apart in the lowered form. */
export interface UnionParts {
  /** Kinds that are written as JSON text. With `string`, texts that look like JSON of these kinds are quoted. */
  readonly texts: ReadonlySet<Kind>;
  /** Kinds that are also read from JSON text, because some clients show every union to the model as text. */
  readonly lenient: ReadonlySet<Kind>;
  readonly object?: Codec | undefined;
  readonly array?: Codec | undefined;
}

/** The codec of a schema with several kinds of values; `undefined` if all of them keep their form. */
export function unionCodec(parts: UnionParts): Codec | undefined {
  const { texts, lenient, object, array } = parts;
  if (texts.size === 0 && lenient.size === 0) {
    if (!object || !array) return object ?? array;
  }
  const structure = (value: unknown): Codec | undefined =>
    Array.isArray(value) ? array : isJsonObject(value) ? object : undefined;
  /** The value of a text, or the text itself if it is no JSON of these kinds. */
  const readText = (text: string, work: DecodeWork): unknown => {
    const kind = kindInText(text);
    if (kind === undefined || (kind !== 'string' && !texts.has(kind) && !lenient.has(kind))) return text;
    const value = parseText(text, kind, work);
    if (value === NOTHING) return text;
    if (kind === 'string') return texts.has('string') || isAmbiguous(value as string, work) ? value : text;
    return texts.has(kind) ? value : (structure(value)?.decode(value, work) ?? value);
  };
  const isAmbiguous = (text: string, work: DecodeWork): boolean => {
    let inner = text;
    // Text in quotes is ambiguous if the text inside is, so look through all quotes.
    for (;;) {
      const kind = kindInText(inner);
      if (kind === undefined) return false;
      if (kind !== 'string' && !texts.has(kind) && !lenient.has(kind)) return false;
      const value = parseText(inner, kind, work);
      if (value === NOTHING) return false;
      if (kind !== 'string' || texts.has('string')) return true;
      inner = value as string;
    }
  };
  return {
    id: codecId('union', [...texts].join(), [...lenient].join(), object?.id, array?.id),
    encode: (value, depth) => {
      const kind = kindOf(value);
      if (kind === 'string') return isAmbiguous(value as string, unbounded()) ? JSON.stringify(value) : value;
      if (texts.has(kind)) return JSON.stringify(value ?? null);
      const codec = structure(value);
      return codec ? codec.encode(value, depth) : value;
    },
    decode: (value, work) => {
      if (typeof value === 'string') return readText(value, work);
      const codec = structure(value);
      return codec ? codec.decode(value, work) : value;
    },
  };
}

/** Encoding gets values that have been validated. */
function unbounded(): DecodeWork {
  return { depth: 0, values: Infinity, failures: Infinity };
}

/** The codec of an array whose items have one. */
export function arrayCodec(items: Codec | undefined): Codec | undefined {
  if (!items) return undefined;
  return {
    id: codecId('array', items.id),
    encode: (value, depth) =>
      Array.isArray(value) && depth < MAX_VALUE_DEPTH
        ? (value as unknown[]).map((item) => items.encode(item, depth + 1))
        : value,
    decode: (value, work) => {
      if (!Array.isArray(value) || work.depth >= MAX_VALUE_DEPTH) return value;
      work.depth++;
      let copy: unknown[] | undefined;
      for (const [index, item] of (value as unknown[]).entries()) {
        const decoded = items.decode(item, work);
        if (decoded === item) continue;
        copy ??= [...(value as unknown[])];
        copy[index] = decoded;
      }
      work.depth--;
      return copy ?? value;
    },
  };
}
