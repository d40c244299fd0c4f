import type { Bus } from 'toolfold';
import type { TaskStore } from 'toolfold/internal';

/** The task stores of several simulated processes. */
export function createMemoryTaskStores(): (bus: Bus) => TaskStore {
  const texts = new Map<string, string>();
  const messages = new Map<string, string[]>();
  return (bus) => ({
    get: async (id) => texts.get(id),
    exchange: async (id, expected, text) => {
      if (texts.get(id) !== expected) return false;
      texts.set(id, text);
      return true;
    },
    send: async (id, message) => {
      messages.set(id, [...(messages.get(id) ?? []), JSON.stringify(message)]);
      bus.publish('task', id);
    },
    take: async (id) => {
      const taken = messages.get(id) ?? [];
      messages.delete(id);
      return taken.map((text) => JSON.parse(text) as unknown);
    },
    onMessage: (listener) => bus.subscribe('task', (meant) => listener((id) => id === meant)),
  });
}
