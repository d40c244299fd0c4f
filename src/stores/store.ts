/**
 * State that calls share, and that several processes may share: texts by key, each with an end. A store keeps
 * keys as confidential as values, for they name callers.
 *
 * - Any method may reject when the store cannot be reached, and none waits for ever.
 * - What one process asks for takes effect in the order in which it asked, awaited or not.
 * - Anything may be gone before its end, with a restart or for room (see `evicts`), but what is gone does not come
 *   back.
 * - `ttlMs` is above 0 and finite, or the method rejects. From its end on, an entry is not there.
 */
export interface Store {
  /** Whether it drops entries that have not ended. Then it is no place for records of what was done. */
  readonly evicts?: boolean;
  /** The value, unless there is none or its time is over. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets the value and its end, whatever was there. Where a value is too large to keep, a store that evicts has
   * nothing there afterwards; one that does not rejects, and what was there stays.
   */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** Sets the value unless there is one, in one step. Resolves to the value that was there, or `undefined`. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined>;
  /** Forgets the value. One that is not there is no error. */
  delete(key: string): Promise<void>;
}
