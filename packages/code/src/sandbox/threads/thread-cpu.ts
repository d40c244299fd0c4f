import { readFileSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** Returns the folder of this thread in `/proc`, such as `7/task/9`. Linux only. */
export function findThread(): string | undefined {
  try {
    return readlinkSync('/proc/thread-self');
  } catch {
    return undefined;
  }
}

/** Reads the CPU time of a thread from its folder in `/proc`. Returns NaN if the system does not report it. */
export function readCpuMs(thread: string | undefined): number {
  if (thread === undefined) return NaN;
  try {
    // The file holds the nanoseconds that the thread has computed and has waited for a core, and its number of turns.
    return Number(readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6 || NaN;
  } catch {
    return NaN;
  }
}

/** Lowers the priority of a thread, so that code that computes does not delay the server, however many runs there are. Linux only. */
export function lowerPriority(thread: string | undefined): void {
  const [, id] = /\/task\/(\d+)$/.exec(thread ?? '') ?? [];
  // The id 0 would be the whole process.
  if (id === undefined) return;
  try {
    setPriority(Number(id), constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox of the system may forbid it.
  }
}
