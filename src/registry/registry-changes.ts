import type { RegistryChange, Shared, Bus } from '../stores/shared.js';
import { isJsonObject } from '../values/json-value.js';

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

const TOPIC = 'change';
const lists = ['tools', 'prompts', 'resources'] as const;
/** Processes change at the same time, and clients are told once. */
const GATHER_MS = 100;
const MAX_URI = 8_192;

/** Tells other processes of a server what changes here, and here what changes there. */
export function shareChanges(
  bus: Bus,
  server: string,
  hear: (change: RegistryChange) => void,
): (change: RegistryChange) => void {
  const gathered = new Set<(typeof lists)[number]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = (): void => {
    timer = undefined;
    const kinds = [...gathered];
    gathered.clear();
    for (const kind of kinds) hear({ kind });
  };
  const gather = (...kinds: readonly (typeof lists)[number][]): void => {
    for (const kind of kinds) gathered.add(kind);
    timer ??= setTimeout(tell, GATHER_MS);
    if (typeof timer === 'object') timer.unref();
  };
  bus.subscribe(TOPIC, (message) => {
    const change = readChange(message, server);
    if (change?.kind === 'resource') hear(change);
    else if (change) gather(change.kind);
  });
  // Nobody knows what changed meanwhile, and asking again costs less than not knowing.
  bus.onGap(() => gather(...lists));
  return (change) => bus.publish(TOPIC, { server, ...change });
}

function readChange(message: unknown, server: string): RegistryChange | undefined {
  if (!isJsonObject(message) || message['server'] !== server) return undefined;
  const { kind, uri } = message;
  if (kind === 'resource')
    return typeof uri === 'string' && uri.length <= MAX_URI ? { kind, uri } : undefined;
  const list = lists.find((each) => each === kind);
  return list && { kind: list };
}
