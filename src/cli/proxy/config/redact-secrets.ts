/** Shorter values are common words, and replacing them would garble messages. */
const MIN_LENGTH = 6;

/** How many values of callers are remembered. The oldest is forgotten first. */
const MAX_OF_CALLERS = 1_000;

/** Values that messages must not repeat. Servers may repeat them in errors and on their standard error. */
export class Secrets {
  readonly #own = new Set<string>();
  readonly #ofCallers = new Set<string>();

  /** Adds a value of the configuration file or the environment. */
  add(value: string): void {
    if (value.length >= MIN_LENGTH) this.#own.add(value);
  }

  /** Adds a value of a caller's session. */
  addOfCaller(value: unknown): void {
    if (typeof value !== 'string' || value.length < MIN_LENGTH) return;
    // The value becomes the newest.
    this.#ofCallers.delete(value);
    this.#ofCallers.add(value);
    const [oldest] = this.#ofCallers;
    if (this.#ofCallers.size > MAX_OF_CALLERS && oldest !== undefined) this.#ofCallers.delete(oldest);
  }

  readonly redact = (text: string): string =>
    [...this.#own, ...this.#ofCallers]
      // The longest come first, because one secret may contain another.
      .toSorted((one, other) => other.length - one.length)
      .reduce((line, secret) => line.replaceAll(secret, '[redacted]'), text);
}
