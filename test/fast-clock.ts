import { onTestFinished, vi } from 'vitest';

/** Time that passes in this process for each real millisecond. */
const SPEED = 20;
const TICK_MS = 10;

/**
 * Makes time in this process pass faster until the test ends: an hour of limits and pauses takes minutes. Other processes keep
 * their own time.
 */
export function speedUpTime(): void {
  const setReal = setInterval;
  const clearReal = clearInterval;
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  const ticking = setReal(() => void vi.advanceTimersByTimeAsync(SPEED * TICK_MS), TICK_MS);
  onTestFinished(() => {
    clearReal(ticking);
    vi.useRealTimers();
  });
}
