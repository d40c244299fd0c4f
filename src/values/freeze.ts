/** Freezes an object and all objects in it, except those that are already frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const entry of Object.values(value)) deepFreeze(entry);
  return value;
}

/** A map that cannot be changed. `Object.freeze` does not stop `set` of a `Map`. */
export class FrozenMap<K, V> extends Map<K, V> implements ReadonlyMap<K, V> {
  constructor(entries: Iterable<readonly [K, V]>) {
    super();
    for (const [key, value] of entries) super.set(key, value);
  }
  override set(): never {
    throw new TypeError('A frozen map cannot be changed.');
  }
  override delete(): never {
    throw new TypeError('A frozen map cannot be changed.');
  }
  override clear(): never {
    throw new TypeError('A frozen map cannot be changed.');
  }
}
