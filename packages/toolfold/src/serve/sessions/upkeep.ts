import { startInterval } from '../../runtime/timers.js';

/**
 * Runs a function at regular intervals from its first `start` on. Workers allow no timers before the first request, and end a timer
 * with the request that set it. So each `start` sets a new timer, and makes up for a run that is overdue.
 */
export class Upkeep {
  readonly #run: () => void;
  readonly #everyMs: number;
  #lastRun: number | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(run: () => void, everyMs: number) {
    this.#run = run;
    this.#everyMs = everyMs;
  }

  start(): void {
    if (this.#isClosed) return;
    const now = performance.now();
    this.#lastRun ??= now;
    if (now - this.#lastRun >= this.#everyMs) this.#tick();
    clearInterval(this.#timer);
    this.#timer = startInterval(() => this.#tick(), this.#everyMs);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#lastRun = performance.now();
    this.#run();
  }
}
