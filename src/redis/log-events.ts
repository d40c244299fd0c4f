import type { Logger } from '../values/logger.js';
import type { Shared, SharedEvent } from '../stores/shared.js';

/** Errors that repeat with every call are logged once per interval, in milliseconds, with a count. */
const QUIET_MS = 10_000;

const lines: Readonly<Record<SharedEvent['kind'], readonly ['info' | 'warn' | 'error', string]>> = {
  down: ['error', 'shared state is gone'],
  up: ['info', 'shared state is back'],
  degraded: ['error', 'done without shared state'],
  refused: ['error', 'refused for want of shared state'],
  invalid: ['error', 'shared state holds what is not ours'],
  unsafe: ['warn', 'shared state may be lost'],
};

/** Writes down what goes on between a process and the state that it shares. */
export function logShared(shared: Shared, logger: Logger, clock: () => number = Date.now): void {
  const said = new Map<string, { at: number; unsaid: number }>();
  shared.onEvent(({ kind, about, error }) => {
    const [level, message] = lines[kind];
    const reason = error instanceof Error ? error.message : undefined;
    const fields = { ...(about === undefined ? {} : { about }), ...(reason === undefined ? {} : { reason }) };
    if (about === undefined) {
      logger[level](fields, message);
      return;
    }
    const key = `${kind} ${about}`;
    const last = said.get(key);
    if (last && clock() - last.at < QUIET_MS) {
      last.unsaid++;
      return;
    }
    said.set(key, { at: clock(), unsaid: 0 });
    logger[level]({ ...fields, count: (last?.unsaid ?? 0) + 1 }, message);
  });
}
