import { existsSync, readFileSync } from 'node:fs';

const clockFile = '/proc/thread-self/schedstat';

/**
 * The processor time of the event loop's thread, in milliseconds.
 *
 * Other processes may occupy the cores, and other threads compile and collect garbage. Only the time in which the event
 * loop thread worked counts, so a block is at most its processor time, if Linux reports it.
 */
export const readThreadTime = existsSync(clockFile)
  ? () => Number(readFileSync(clockFile, 'latin1').split(' ', 1)[0]) / 1_000_000
  : () => performance.now();
const readClocks = () => ({ wall: performance.now(), cpu: readThreadTime() });

/**
 * Watches the event loop of this process with a timer of 1 ms.
 *
 * @returns {() => number} a function that returns the milliseconds of the longest block since its last call
 */
export function watchBlocking() {
  let last = readClocks();
  let longest = 0;
  const tick = () => {
    const now = readClocks();
    longest = Math.max(longest, Math.min(now.wall - last.wall, now.cpu - last.cpu));
    last = now;
  };
  setInterval(tick, 1);
  return () => {
    tick();
    const found = longest;
    longest = 0;
    return found;
  };
}
