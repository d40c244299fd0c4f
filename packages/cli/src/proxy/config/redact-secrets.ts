import { createHider } from 'toolfold/internal';

/** Shorter values are often common words, whose redaction would garble messages. */
const MIN_LENGTH = 6;

/** Maximum number of remembered caller values. The oldest is evicted first. */
const MAX_OF_CALLERS = 1_000;

/** Values that messages must not contain. Servers may repeat them in errors and on standard error. */
export class Secrets {
  readonly #own = new Set<string>();
  readonly #ofCallers = new Set<string>();
  #hide: ((text: string) => string) | undefined;

  add(value: string): void {
    if (value.length < MIN_LENGTH || this.#own.has(value)) return;
    this.#own.add(value);
    this.#hide = undefined;
  }

  addOfCaller(value: unknown): void {
    if (typeof value !== 'string' || value.length < MIN_LENGTH) return;
    const isKnown = this.#ofCallers.delete(value);
    // Re-insert the value, so that it becomes the newest.
    this.#ofCallers.add(value);
    if (isKnown) return;
    const [oldest] = this.#ofCallers;
    if (this.#ofCallers.size > MAX_OF_CALLERS && oldest !== undefined) this.#ofCallers.delete(oldest);
    this.#hide = undefined;
  }

  readonly redact = (text: string): string =>
    (this.#hide ??= createHider([...this.#own, ...this.#ofCallers], MIN_LENGTH))(text);
}
