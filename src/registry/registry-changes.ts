import type { RegistryChange, Shared } from '../stores/shared.js';

/** Tells whoever listens, here and in other processes of the server, what changes in a registry. */
export class RegistryChanges {
  readonly #listeners = new Set<(change: RegistryChange) => void>();
  readonly #share: ((change: RegistryChange) => void) | undefined;
  #isNotifying = false;

  constructor(server: string, shared: Shared | undefined) {
    this.#share = shared?.shareChanges(server, (change) => this.#tell(change));
  }

  /** Calls back once for every change; the result stops that. */
  listen(listener: (change: RegistryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(change: RegistryChange): void {
    // While nobody is served, lists are being made and not changed.
    if (change.kind === 'resource' || this.#listeners.size > 0) this.#share?.(change);
    this.#tell(change);
  }

  /** Once for all that notice the same change of the tools. */
  notifyToolsSoon(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      this.notify({ kind: 'tools' });
    });
  }

  #tell(change: RegistryChange): void {
    const failures: unknown[] = [];
    // A listener may unsubscribe while it is called, and one that fails must not keep the others from hearing.
    for (const listener of Array.from(this.#listeners)) {
      try {
        listener(change);
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
