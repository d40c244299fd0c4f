/**
 * Replaces Node's `AsyncLocalStorage` in runtimes without it. A value is visible until the function returns, so code after an
 * `await` does not see it.
 */
export class AsyncLocalStorage<T> {
  #store: T | undefined;

  run<R>(store: T, run: () => R): R {
    const outer = this.#store;
    this.#store = store;
    try {
      return run();
    } finally {
      this.#store = outer;
    }
  }

  getStore(): T | undefined {
    return this.#store;
  }
}
