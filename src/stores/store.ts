/**
 * State that calls share, and that several processes may share: texts by key, each with an end. A store keeps
 * keys as confidential as values, for they name callers.
 *
 * - Any method may reject when the store cannot be reached, and none waits for ever.
 * - What one process asks for takes effect in the order in which it asked, awaited or not.
 * - Anything may be gone before its end, for room or with a restart, but what is gone does not come back.
 * - `ttlMs` is above 0 and finite, or the method rejects. From its end on, an entry is not there.
 */
export interface Store {
  get(key: string): Promise<string | undefined>;
  /** Sets the value and its end, whatever was there. A value that is too large to keep leaves nothing there. */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** Sets the value unless there is one, in one step. Resolves to the value that was there, or `undefined`. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined>;
  delete(key: string): Promise<void>;
  /**
   * Adds one to a counter that starts at 0, in one step, and resolves to what it is then. The first increment
   * sets the end and later ones leave it, so that a counter that is always in use ends too. A counter is a
   * decimal text to the other methods; where another text stands, this rejects.
   */
  increment(key: string, ttlMs: number): Promise<number>;
}
