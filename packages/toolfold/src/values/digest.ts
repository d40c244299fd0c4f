import { createHash } from '#crypto';
import { ErrInvalidModel } from '@toolfold/schema/errors';
import { presentKeys } from '@toolfold/schema/internal';
import { unrefTimer } from '../runtime/timers.js';

/**
 * Returns text that is equal for equal values and differs for others, regardless of the order of keys. `encodeOther` writes
 * functions, symbols and instances of classes. By default they are written by content, because validators produce maps, dates
 * and the like.
 */
export function encode(value: unknown, encodeOther: (value: unknown) => string = encodeInstance): string {
  const write = (part: unknown): string => encode(part, encodeOther);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value === null || ['undefined', 'boolean', 'number'].includes(typeof value)) return String(value);
  if (Array.isArray(value)) return `[${Array.from(value, write).join(',')}]`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return encodeOther(value);
  const fields = value as Readonly<Record<string, unknown>>;
  const entries = presentKeys(fields)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${write(fields[key])}`);
  return `{${entries.join(',')}}`;
}

/** Returns the SHA-256 of a text, to use instead of a text that may be long or secret. */
export function digest(text: string, encoding: 'base64url' | 'hex' = 'base64url'): string {
  return createHash('sha256').update(text).digest(encoding);
}

function encodeInstance(value: unknown): string {
  if (typeof value !== 'object' || value === null) throw incomparable(typeof value);
  const name = value.constructor?.name ?? 'object without a class';
  if (value instanceof Map || value instanceof Set) return `${name}${encode([...value])}`;
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
    return `${name}[${[...(value as Uint8Array)].join(',')}]`;
  }
  // Instances with `toJSON`, such as dates and URLs, are identified by their JSON.
  if ('toJSON' in value && typeof value.toJSON === 'function') return `${name}(${encode(value.toJSON())})`;
  throw incomparable(name);
}

function incomparable(what: string): ErrInvalidModel {
  return new ErrInvalidModel(`Arguments with an idempotency key cannot be compared: they contain a ${what}.`);
}

interface RecentDigestsOptions {
  /** Maximum number of texts in each of the two generations. */
  readonly max?: number;
  /** Milliseconds between two turns. A text that is not used for two periods is forgotten. */
  readonly period?: number;
}

/**
 * Caches digests of recurring texts. The texts may be secrets, so the cache drops texts that are no longer used: it has two
 * generations and, on each turn, drops the older one. It turns when a period ends, also without requests, or when the younger
 * generation is full.
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
    // Some runtimes stop timers when the request that set them ends, so turns also happen here.
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

  /** Turns now and again after each period, until the cache is empty. */
  #begin(): void {
    this.#turn();
    this.#turnedAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, this.#period);
    unrefTimer(this.#timer);
  }

  readonly #end = (): void => {
    if (this.size > 0) this.#begin();
    else this.#turnedAt = Number.NEGATIVE_INFINITY;
  };
}
