import { AsyncLocalStorage } from 'node:async_hooks';
import { toIndentedJson, toJson, toToon } from '../values/value-text.js';

/** What the pipeline needs of a formatter. */
export interface ResponseFormatting {
  /** The text of a value for a text block. Text stays as it is. */
  format(value: unknown, textFormat?: 'json' | 'toon'): string;
  /** Runs a call whose texts are to be compact, or not, or as they are by default. */
  runWithMinifyOverride<T>(minify: boolean | undefined, run: () => T): T;
}

/** How results are written as text. */
export interface ResponseFormatterOptions {
  /** Whether JSON is compact when a call does not say; true by default. */
  readonly minify?: boolean;
}

/** Writes values as text: compact JSON, JSON with line breaks, or TOON. */
export class ResponseFormatter implements ResponseFormatting {
  readonly #minify: boolean;
  /** Calls run at once; each sees its own override, however deep in its code it formats. */
  readonly #override = new AsyncLocalStorage<boolean | undefined>();
  /** Keeping track of who runs costs every promise of the process a little, so it begins with the first override. */
  #isUsed = false;

  constructor({ minify = true }: ResponseFormatterOptions = {}) {
    this.#minify = minify;
  }

  format(value: unknown, textFormat: 'json' | 'toon' = 'json'): string {
    if (typeof value === 'string') return value;
    if (textFormat === 'toon') return toToon(value);
    const isCompact = (this.#isUsed ? this.#override.getStore() : undefined) ?? this.#minify;
    return isCompact ? toJson(value) : toIndentedJson(value);
  }

  /** Whether no call has had an override yet, so that there is none to keep apart. */
  get isIdle(): boolean {
    return !this.#isUsed;
  }

  runWithMinifyOverride<T>(minify: boolean | undefined, run: () => T): T {
    if (minify === undefined && !this.#isUsed) return run();
    // A call inside another call has its own override, and none is one.
    this.#isUsed = true;
    return this.#override.run(minify, run);
  }
}
