import { createHash } from 'node:crypto';
import { ErrInvalidModel } from '../errors.js';

/**
 * A text that is equal for equal arguments and differs for others, whatever the order of keys. Validators make more
 * than JSON out of arguments, so it tells apart what JSON does not.
 */
export function encode(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value === null || ['undefined', 'boolean', 'number'].includes(typeof value)) return String(value);
  if (Array.isArray(value)) return `[${Array.from(value, encode).join(',')}]`;
  if (typeof value === 'object') return encodeObject(value);
  throw incomparable(typeof value);
}

/** SHA-256 in base64url, for arguments may be large, or secret. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function encodeObject(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (isPlain) return `{${encodeFields(value as Record<string, unknown>)}}`;
  const name = value.constructor?.name ?? 'object without a class';
  if (value instanceof Map || value instanceof Set) return `${name}${encode([...value])}`;
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
    return `${name}[${[...(value as Uint8Array)].join(',')}]`;
  }
  // Dates, addresses and the like say what they are.
  if ('toJSON' in value && typeof value.toJSON === 'function') return `${name}(${encode(value.toJSON())})`;
  throw incomparable(name);
}

function encodeFields(fields: Readonly<Record<string, unknown>>): string {
  return Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${encode(fields[key])}`)
    .join(',');
}

function incomparable(what: string): ErrInvalidModel {
  return new ErrInvalidModel(`Arguments with an idempotency key cannot be compared: they hold a ${what}.`);
}

export interface RecentDigestsOptions {
  /** How many texts are remembered at most, twice. */
  readonly max?: number;
  /** Milliseconds after which a text that does not come again is forgotten, or at the latest after twice that. */
  readonly period?: number;
}

/**
 * Digests of texts that come again and again. The texts may be secrets, so that they are remembered only while they
 * come: what has not come between two turns is let go. A turn comes with a timer, so that they go also when nothing
 * happens, or when there are too many.
 */
export class RecentDigests {
  readonly #max: number;
  readonly #period: number;
  #young = new Map<string, string>();
  #old = new Map<string, string>();
  #turnedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ max = 1_000, period = 5 * 60_000 }: RecentDigestsOptions = {}) {
    this.#max = max;
    this.#period = period;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  of(text: string): string {
    return this.#young.get(text) ?? this.#remember(text);
  }

  #remember(text: string): string {
    const made = this.#old.get(text) ?? digest(text);
    // Where timers end with the request that set them, this is what turns.
    if (performance.now() >= this.#turnedAt + this.#period) this.#begin();
    else if (this.#young.size >= this.#max) this.#turn();
    this.#old.delete(text);
    this.#young.set(text, made);
    return made;
  }

  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Turns now and after a period, for as long as there is something to forget. */
  #begin(): void {
    this.#turn();
    this.#turnedAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, this.#period);
    // Only in Node a timer keeps the process.
    if (typeof this.#timer === 'object') this.#timer.unref();
  }

  readonly #end = (): void => {
    if (this.size > 0) this.#begin();
    else this.#turnedAt = Number.NEGATIVE_INFINITY;
  };
}
