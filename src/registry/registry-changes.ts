import type { RegistryChange, Shared, Bus } from '../stores/contracts.js';
import { isJsonObject } from '../values/json-value.js';
import { unrefTimer } from '../runtime/timers.js';

/** Notifies listeners in this process, and in other processes of the server, of changes of a registry. */
export class RegistryChanges {
  readonly #listeners = new Set<(change: RegistryChange) => void>();
  readonly #share: ((change: RegistryChange) => void) | undefined;
  readonly #react: (change: RegistryChange) => void;
  #isNotifying = false;

  /** `react` is called before the listeners. */
  constructor(server: string, shared: Shared | undefined, react: (change: RegistryChange) => void) {
    this.#react = react;
    this.#share = shared?.shareChanges(server, (change) => this.#tell(change));
  }

  /** Calls the listener after every change. Returns a function that unsubscribes it. */
  listen(listener: (change: RegistryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(change: RegistryChange): void {
    // Without listeners no client is connected, so other processes need no notification of the first registrations.
    if (change.kind === 'resource' || this.#listeners.size > 0) this.#share?.(change);
    this.#tell(change);
  }

  /** Notifies of changes of several lists, and returns the errors of listeners. */
  notifyLists(kinds: readonly (typeof lists)[number][]): readonly unknown[] {
    const failures: unknown[] = [];
    for (const kind of kinds) {
      try {
        this.notify({ kind });
      } catch (failure) {
        failures.push(failure);
      }
    }
    return failures;
  }

  /** Passes on a change of a mounted registry, which tells the other processes itself if it shares its changes. */
  relay(change: RegistryChange, isShared: boolean): void {
    if (isShared) this.#tell(change);
    else this.notify(change);
  }

  /** Notifies once for several reports of the same change of the tools. */
  notifyToolsSoon(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      this.notify({ kind: 'tools' });
    });
  }

  #tell(change: RegistryChange): void {
    this.#react(change);
    const failures: unknown[] = [];
    // A listener may unsubscribe while it is called. If a listener fails, the others are still called.
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
/** Changes of several processes within this time are one notification for clients. */
const GATHER_MS = 100;
const MAX_URI = 8_192;

/** Exchanges changes with the other processes of a server. */
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
    unrefTimer(timer);
  };
  bus.subscribe(TOPIC, (message) => {
    const change = readChange(message, server);
    if (change?.kind === 'resource') hear(change);
    else if (change) gather(change.kind);
  });
  // Changes during the interruption are unknown, so clients are notified to read all lists again.
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
