import { unrefTimer } from 'toolfold/internal';

/** Measures the time of a run without the time in which a person is asked. */
export class WallClock {
  readonly #limitMs: number;
  readonly #onEnd: () => void;
  #usedMs: number;
  #since: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limitMs: number, usedMs: number, onEnd: () => void) {
    this.#limitMs = limitMs;
    this.#usedMs = usedMs;
    this.#onEnd = onEnd;
  }

  get usedMs(): number {
    return this.#usedMs + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }

  /** Continues from a time, until `stop` or the limit. */
  restart(usedMs: number, limitMs = this.#limitMs): void {
    this.stop();
    this.#usedMs = usedMs;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onEnd, Math.max(0, limitMs - usedMs));
    unrefTimer(this.#timer);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#usedMs = this.usedMs;
    this.#since = undefined;
  }
}
