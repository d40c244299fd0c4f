/**
 * Texts by key, each with a time to live, shared by calls and possibly by processes. Keys are as confidential as values,
 * because they name callers.
 *
 * - Any method may reject when the store cannot be reached. No method waits forever.
 * - Requests of one process take effect in order, awaited or not.
 * - An entry may disappear before it expires, by a restart or by eviction (see `evicts`), but does not reappear.
 * - `ttlMs` must be finite and above 0, otherwise the method rejects. An expired entry is not found.
 */
export interface Store {
  /** Whether the store drops entries before they expire. Such a store must not hold records of executed calls. */
  readonly evicts?: boolean;
  /** Returns the value, or `undefined` if it is missing or expired. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets or replaces a value. If the value is too large, an evicting store deletes the entry, and any other store rejects
   * and keeps the old value.
   */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** Sets the value atomically if there is none. Resolves to the existing value, or `undefined`. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined>;
  /** Deletes the value. A missing value is not an error. */
  delete(key: string): Promise<void>;
}
