import { ErrInvalidModel } from '../errors.js';
import { digest } from '../values/digest.js';
import type { ContextValues } from './session-context.js';

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
