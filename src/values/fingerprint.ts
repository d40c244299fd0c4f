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
