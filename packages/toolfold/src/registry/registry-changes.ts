import type { RegistryChange, Shared, Bus } from '../stores/contracts.js';
import { isJsonObject } from '@toolfold/schema/internal';
import { unrefTimer } from '../runtime/timers.js';

export type RegistryChanges = ReturnType<typeof createRegistryChanges>;

/** Notifies listeners in this process, and in other processes of the server, of changes of a registry. `react` is called first. */
export function createRegistryChanges(
  server: string,
  shared: Shared | undefined,
  react: (change: RegistryChange) => void,
) {
  const listeners = new Set<(change: RegistryChange) => void>();
  let isNotifying = false;
  const tell = (change: RegistryChange): void => {
    react(change);
    // A listener may unsubscribe while it is called.
    const failures = tryEach(Array.from(listeners), (listener) => listener(change));
    if (failures.length > 0) throw failures[0];
  };
  const share = shared?.shareChanges(server, tell);
  const notify = (change: RegistryChange): void => {
    // Without listeners no client is connected, so other processes need no notification of the first registrations.
    if (change.kind === 'resource' || listeners.size > 0) share?.(change);
    tell(change);
  };
  return {
    notify,
    listen: (listener: (change: RegistryChange) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notifyLists: (kinds: readonly (typeof lists)[number][]) => tryEach(kinds, (kind) => notify({ kind })),
    /** Passes on a change of a mounted registry, which tells the other processes itself if it shares its changes. */
    relay: (change: RegistryChange, isShared: boolean): void => (isShared ? tell : notify)(change),
    /** Several calls within one tick cause one notification. */
    notifyToolsSoon: (): void => {
      if (isNotifying) return;
      isNotifying = true;
      queueMicrotask(() => {
        isNotifying = false;
        notify({ kind: 'tools' });
      });
    },
  };
}

/** Runs a function for each item, also after it has thrown. Returns what it threw. */
function tryEach<T>(items: readonly T[], run: (item: T) => void): unknown[] {
  return items.flatMap((item) => {
    try {
      run(item);
      return [];
    } catch (failure) {
      return [failure];
    }
  });
}

const TOPIC = 'change';
const lists = ['tools', 'prompts', 'resources'] as const;
/** Changes of several processes within this time are one notification for clients. */
const GATHER_MS = 100;
const MAX_URI = 8_192;

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
