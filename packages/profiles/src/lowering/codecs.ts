import { hashName } from '../hash-name.js';
import { countTextValues, defaultJsonLimits, isJsonObject } from '@toolfold/schema/internal';

/** JSON types. Integers count as `number`. */
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
  /** Equal for codecs that behave the same. */
  readonly id: string;
  readonly encode: (value: unknown, depth: number) => unknown;
  readonly decode: (value: unknown, work: DecodeWork) => unknown;
}

/** Returns a hash, because codecs contain the ids of others, and the whole text would grow with every level. */
export function codecId(...parts: readonly unknown[]): string {
  const text = JSON.stringify(parts);
  return `${hashName(text)}${hashName(`${text.length} ${text}`)}`;
}

/** The remaining budget of one decoding, because arguments are untrusted. */
export interface DecodeWork {
  depth: number;
  /** The number of JSON values that parsed texts may still add. */
  values: number;
  /** The number of texts that may still look like JSON but fail to parse. */
  failures: number;
  /** Whether JSON text is also read in place of unions that the listed schema does not describe as text. */
  readonly isLenient: boolean;
}

/** Deeper values are not translated. The limits of a request reject them anyway. */
export const MAX_VALUE_DEPTH = 200;

export function newWork(isLenient: boolean): DecodeWork {
  return { depth: 0, values: defaultJsonLimits.maxValues, failures: 1_000, isLenient };
}

/** Guesses the kind of JSON value in a text from its first and last characters, because a failing parse is slow. */
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
  // Scalars are short, so a long text that begins like a number, a flag or null is no JSON.
  if (kind !== 'string' && kind !== 'array' && kind !== 'object' && text.length > 400) return NOTHING;
  const values = countTextValues(text, { maxDepth: defaultJsonLimits.maxDepth, maxValues: work.values });
  if (values === undefined) return NOTHING;
  try {
    const value = JSON.parse(text) as unknown;
    // A long number would lose digits, so it stays a text.
    if (kind === 'number' && JSON.stringify(value) !== text.trim()) return NOTHING;
    work.values -= values;
    return value;
  } catch {
    work.failures--;
    return NOTHING;
  }
}

/** How the lowered form distinguishes the kinds of a union. */
interface UnionParts {
  /** Kinds that are written as JSON text. With `string`, texts that look like JSON of these kinds are quoted. */
  readonly texts: ReadonlySet<Kind>;
  /** Kinds that are also read from JSON text, because some clients show every union to the model as text. */
  readonly lenient: ReadonlySet<Kind>;
  readonly object?: Codec | undefined;
  readonly array?: Codec | undefined;
}

/** Returns the codec of a schema with several kinds of values; `undefined` if all of them keep their form. */
export function unionCodec(parts: UnionParts): Codec | undefined {
  const { texts, lenient, object, array } = parts;
  if (texts.size === 0 && lenient.size === 0) {
    if (!object || !array) return object ?? array;
  }
  const structure = (value: unknown): Codec | undefined =>
    Array.isArray(value) ? array : isJsonObject(value) ? object : undefined;
  /** Parses a text if it contains JSON of an expected kind. Otherwise returns the text itself. */
  const readText = (text: string, work: DecodeWork): unknown => {
    if (texts.size === 0 && !work.isLenient) return text;
    const kind = kindInText(text);
    if (kind === undefined) return text;
    if (kind !== 'string' && !texts.has(kind) && !(work.isLenient && lenient.has(kind))) return text;
    const value = parseText(text, kind, work);
    if (value === NOTHING) return text;
    if (kind === 'string') return texts.has('string') || isAmbiguous(value as string, work) ? value : text;
    return texts.has(kind) ? value : (structure(value)?.decode(value, work) ?? value);
  };
  const isAmbiguous = (text: string, work: DecodeWork): boolean => {
    let inner = text;
    // A quoted text is ambiguous if the text inside is, so look through all levels of quotes.
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

/** Encoding needs no limits, because its values have been validated. */
function unbounded(): DecodeWork {
  return { depth: 0, values: Infinity, failures: Infinity, isLenient: true };
}

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
