import { ErrInvalidModel } from '../errors.js';
import { digest } from '../values/digest.js';

/** The session context: values about a caller, under the keys that the operator allows. */
export type ContextValues = Readonly<Record<string, unknown>>;

/** Frozen copies made by this file. They need no second copy. */
const copies = new WeakSet<object>();

/**
 * A deeply frozen copy, because the server's part of a context is shared by all callers. Values that are not plain data, such as
 * a database client, are not copied.
 */
export function freezeContext(context: ContextValues): ContextValues {
  return copies.has(context) ? context : freezeRecord(context);
}

function freezeRecord(record: ContextValues): ContextValues {
  return keep(Object.fromEntries(Object.entries(record).map(([key, value]) => [key, freeze(value)])));
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || copies.has(value)) return value;
  if (Array.isArray(value)) return keep(Array.from(value, freeze));
  return isData(value) ? freezeRecord(value) : value;
}

function keep<T extends object>(copy: T): T {
  copies.add(copy);
  return Object.freeze(copy);
}

/** Whether an object is plain data. Objects with methods are not, because they may change themselves. */
function isData(value: object): value is ContextValues {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((entry) => typeof entry !== 'function');
}

/** A hash that is the same for equal contexts, regardless of the order of keys. */
export function hashOf(context: ContextValues): string {
  return digest(canonical(context));
}

/**
 * Text for a value: plain data by its content with sorted keys, any other object, such as a client or a date, by its identity.
 */
function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol') throw new ErrInvalidModel('A context cannot hold a symbol.');
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return String(value);
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join(',')}]`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return identityOf(value);
  const fields = value as Readonly<Record<string, unknown>>;
  const entries = Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(fields[key])}`);
  return `{${entries.join(',')}}`;
}

const identities = new WeakMap<object, string>();
let count = 0;
/** Distinguishes processes that share a store, because object 1 of one process is not object 1 of another. */
let ownName: string | undefined;

function identityOf(value: object): string {
  let identity = identities.get(value);
  if (identity === undefined) {
    ownName ??= crypto.randomUUID();
    identities.set(value, (identity = `#${ownName} ${(count += 1)}`));
  }
  return identity;
}
