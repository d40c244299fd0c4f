import type { Bus } from 'toolfold';
import type { EventLog, LoggedEvent } from 'toolfold/internal';
import { eventsAfter } from 'toolfold/internal';

interface Log {
  about: string;
  aliveUntil: number;
  isOver: boolean;
  last: number;
  events: LoggedEvent[];
}

const MAX_EVENTS = 1_000;

/** The event logs of several simulated processes. */
export function createMemoryEventLogs(): (bus: Bus) => EventLog {
  const logs = new Map<string, Log>();
  return (bus) => ({
    begin: (stream, about, leaseMs) => {
      const log = logs.get(stream) ?? { about, aliveUntil: 0, isOver: false, last: 0, events: [] };
      log.aliveUntil = Date.now() + leaseMs;
      logs.set(stream, log);
    },
    append: (stream, number, json) => {
      const log = logs.get(stream);
      if (!log) return;
      log.last = number;
      log.events = [...log.events, { number, json }].slice(-MAX_EVENTS);
      bus.publish('event', stream);
    },
    end: (stream) => {
      const log = logs.get(stream);
      if (log) log.isOver = true;
      bus.publish('event', stream);
    },
    read: async (stream, after) => {
      const log = logs.get(stream);
      const events = log && eventsAfter(log.events, after, log.last);
      return (
        events && { events, about: log.about, isOver: log.isOver, isAlive: log.aliveUntil >= Date.now() }
      );
    },
    onAppend: (listener) => bus.subscribe('event', (meant) => listener((stream) => stream === meant)),
  });
}
