/**
 * State that calls share, and that several processes may share: texts by key, each with an end. A store keeps
 * keys as confidential as values, for they name callers. Any method may reject when the store cannot be reached.
 */
export interface Store {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** Sets the value unless there is one, in one step. Resolves to the value that was there, or `undefined`. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined>;
  delete(key: string): Promise<void>;
  /** Adds one to a counter that starts at 0, in one step, and resolves to what it is then. */
  increment(key: string, ttlMs: number): Promise<number>;
}
