import type { Bus } from 'toolfold';

type Listener = (message: unknown) => void;

/** The buses of several simulated processes. */
export function createMemoryBuses(): () => Bus {
  const buses = new Set<Map<string, Set<Listener>>>();
  return () => {
    const own = new Map<string, Set<Listener>>();
    buses.add(own);
    return {
      publish: (topic, message) => {
        const text = JSON.stringify(message);
        for (const bus of buses) {
          if (bus === own) continue;
          for (const listener of bus.get(topic) ?? []) queueMicrotask(() => call(listener, JSON.parse(text)));
        }
      },
      subscribe: (topic, listener) => {
        const listeners = own.get(topic) ?? new Set();
        own.set(topic, listeners.add(listener));
        return () => listeners.delete(listener);
      },
      onGap: () => () => undefined,
    };
  };
}

function call(listener: Listener, message: unknown): void {
  try {
    listener(message);
  } catch {
    // As over a network, the sender does not receive its own message.
  }
}
