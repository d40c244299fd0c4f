import type { ContextValues } from './session-context.js';

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
