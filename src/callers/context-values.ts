import { ErrInvalidModel } from '../errors.js';
import { digest } from '../values/digest.js';

/** What is known of a caller, by the keys that the operator allows. */
export type ContextValues = Readonly<Record<string, unknown>>;

/** What was copied here, and needs no second copy. */
const copies = new WeakSet<object>();

/**
 * A copy that nobody can change, for the server's own part of it is in the context of every caller. What is not plain
 * data, such as a client of a service, is the same in the copy.
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

/** What has methods may change itself. */
function isData(value: object): value is ContextValues {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((entry) => typeof entry !== 'function');
}

/** Equal for equal contexts, whatever the order of keys at any depth, and different for others. */
export function hashOf(context: ContextValues): string {
  return digest(canonical(context));
}

/** Plain data by what it holds, whatever the order of keys; anything else, such as a client or a date, by which one it is. */
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
/** Processes may share a store, and the first client of one is not that of another. */
let ownName: string | undefined;

function identityOf(value: object): string {
  let identity = identities.get(value);
  if (identity === undefined) {
    ownName ??= crypto.randomUUID();
    identities.set(value, (identity = `#${ownName} ${(count += 1)}`));
  }
  return identity;
}
