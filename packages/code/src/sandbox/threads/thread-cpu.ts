import { readFileSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** Holds the nanoseconds that the thread has computed and has waited for a core, and its number of turns. Linux only. */
const SCHEDULE = '/proc/thread-self/schedstat';

const readCpuMs = (): number => Number(readFileSync(SCHEDULE, 'utf8').split(' ')[0]) / 1e6;

/** Returns a function that reads the CPU time of this thread, or `undefined` if the system does not report it. */
export function createCpuReader(): (() => number) | undefined {
  try {
    return readCpuMs() > 0 ? readCpuMs : undefined;
  } catch {
    return undefined;
  }
}

/** Lowers the priority of this thread, so that code that computes does not delay the server, however many runs there are. Linux only. */
export function lowerPriority(): void {
  try {
    const [, thread] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    // The id 0 would be the whole process.
    if (thread !== undefined) setPriority(Number(thread), constants.priority.PRIORITY_LOW);
  } catch {
    // Other systems have no priority for a single thread.
  }
}
