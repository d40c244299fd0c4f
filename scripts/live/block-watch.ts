/**
 * Measures how long the process works without returning to its event loop. Time in which the process waits for a
 * processor on a busy machine does not count.
 */
export class BlockWatch {
  #longest = 0;

  constructor(everyMs = 5) {
    let { at, used } = now();
    const tick = (): void => {
      const then = now();
      this.#longest = Math.max(this.#longest, Math.min(then.at - at, then.used - used));
      ({ at, used } = then);
    };
    setInterval(tick, everyMs).unref();
  }

  /** The longest block since the last reading, in milliseconds. */
  take(): number {
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }
}

function now(): { readonly at: number; readonly used: number } {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), used: (user + system) / 1_000 };
}
