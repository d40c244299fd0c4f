import { unrefTimer } from '../../values/timer.js';

/** Says again and again that a call runs, and knows what it may have said last. */
export class Renewal {
  /** What may stand in the store, the latest at the end. */
  readonly texts: string[];
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(first: string, everyMs: number, write: () => string, put: (text: string) => Promise<void>) {
    this.texts = [first];
    this.#timer = setInterval(() => {
      const text = write();
      this.texts.push(text);
      if (this.texts.length > MAX_TEXTS) this.texts.shift();
      put(text).then(
        () => void this.texts.splice(0, this.texts.indexOf(text)),
        // The next one may get through, and others do not run the call in any case.
        () => undefined,
      );
    }, everyMs);
    unrefTimer(this.#timer);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

const MAX_TEXTS = 100;
