import { digest } from './fingerprint.js';

export interface RecentDigestsOptions {
  /** How many texts are remembered at most, twice. */
  readonly max?: number;
  /** Milliseconds after which a text that does not come again is forgotten, or at the latest after twice that. */
  readonly period?: number;
}

/**
 * Digests of texts that come again and again. The texts may be secrets, so that they are remembered only while they
 * come: what has not come between two turns is let go. A turn comes with a timer, so that they go also when nothing
 * happens, or when there are too many.
 */
export class RecentDigests {
  readonly #max: number;
  readonly #period: number;
  #young = new Map<string, string>();
  #old = new Map<string, string>();
  #turnedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ max = 1_000, period = 5 * 60_000 }: RecentDigestsOptions = {}) {
    this.#max = max;
    this.#period = period;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  of(text: string): string {
    return this.#young.get(text) ?? this.#remember(text);
  }

  #remember(text: string): string {
    const made = this.#old.get(text) ?? digest(text);
    // Where timers end with the request that set them, this is what turns.
    if (performance.now() >= this.#turnedAt + this.#period) this.#begin();
    else if (this.#young.size >= this.#max) this.#turn();
    this.#old.delete(text);
    this.#young.set(text, made);
    return made;
  }

  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Turns now and after a period, for as long as there is something to forget. */
  #begin(): void {
    this.#turn();
    this.#turnedAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, this.#period);
    // Only in Node a timer keeps the process.
    if (typeof this.#timer === 'object') this.#timer.unref();
  }

  readonly #end = (): void => {
    if (this.size > 0) this.#begin();
    else this.#turnedAt = Number.NEGATIVE_INFINITY;
  };
}
