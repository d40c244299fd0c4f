import type { UpstreamHealth } from '../upstream-types.js';

export interface Failure {
  readonly reason: string;
  /** Counts failed checks and attempts in a row. */
  readonly failures: number;
  /** No attempt is made before this time; 0 allows one now. */
  readonly retryAt: number;
}

export class Health {
  readonly #maxFailures: number;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<(health: UpstreamHealth) => void>();
  #current: UpstreamHealth = Object.freeze({ state: 'unknown', since: Date.now(), failures: 0 });

  /** The server is down after this many failures in a row. */
  constructor(maxFailures: number, onError: (error: unknown) => void) {
    this.#maxFailures = maxFailures;
    this.#onError = onError;
  }

  get current(): UpstreamHealth {
    return this.#current;
  }

  listen(listener: (health: UpstreamHealth) => void): () => void {
    // Each registration wraps the listener, so that the same listener can be added twice.
    const own = (health: UpstreamHealth): void => listener(health);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  succeeded(): void {
    if (this.#current.state !== 'up' || this.#current.failures > 0) this.#set({ state: 'up', failures: 0 });
  }

  failed({ reason, failures, retryAt }: Failure): void {
    const isDown = failures >= this.#maxFailures || this.#current.state === 'down';
    this.#set({
      state: isDown ? 'down' : this.#current.state,
      failures,
      reason,
      ...(retryAt > Date.now() ? { retryAt } : {}),
    });
  }

  close(): void {
    this.#listeners.clear();
  }

  #set(next: Omit<UpstreamHealth, 'since'>): void {
    const { state, since } = this.#current;
    const health: UpstreamHealth = Object.freeze({
      ...next,
      since: next.state === state ? since : Date.now(),
    });
    this.#current = health;
    for (const listener of Array.from(this.#listeners)) {
      try {
        listener(health);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
