import type { UpstreamHealth } from '../upstream-types.js';

/** A failed check or attempt to connect. */
export interface Failure {
  readonly reason: string;
  /** How many checks and attempts in a row have failed. */
  readonly failures: number;
  /** The time before which no attempt is made; 0 if the next one may be made now. */
  readonly retryAt: number;
}

/** The health of one server, as its checks and connections report it. */
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
    // A new function for each registration, so that the same listener can be added twice.
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
