/** Calls back after some time without activity. */
export class TimeLimit {
  readonly #ms: number;
  readonly #onOver: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, onOver: () => void) {
    this.#ms = ms;
    this.#onOver = onOver;
  }

  restart(): void {
    this.stop();
    this.#timer = setTimeout(this.#onOver, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
