/**
 * For how long the process works without coming back to its events. A process that merely waits for a processor, on a
 * machine that is busy with others, does no work meanwhile: only the time counts in which it had one.
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

  /** The longest since it was taken last, in milliseconds. */
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
