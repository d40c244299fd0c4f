import { ErrModuleFailed } from 'toolfold/errors';
import { clip } from '@toolfold/schema/internal';
import type { UpstreamSettings } from '../options.js';

export type Skip = (name: string, reason: string) => void;

const MAX_REASON_LENGTH = 500;
const MAX_LISTED_REASONS = 20;

/** Collects the items that cannot be offered. They go to `onSkipped`; without it, they are an error. */
export class SkippedItems {
  readonly #settings: UpstreamSettings;
  readonly #skipped: string[] = [];

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
  }

  readonly skip: Skip = (name, text) => {
    const reason = clip(text, MAX_REASON_LENGTH);
    const { onSkipped } = this.#settings;
    if (onSkipped) onSkipped(name, reason);
    else this.#skipped.push(`"${name}": ${reason}`);
  };

  /** Throws if an item was skipped and `onSkipped` is missing. `what` names the kind of the items. */
  assertNone(what: string): void {
    const { name } = this.#settings;
    const more = this.#skipped.length - MAX_LISTED_REASONS;
    const reasons = this.#skipped.slice(0, MAX_LISTED_REASONS);
    if (reasons.length === 0) return;
    if (more > 0) reasons.push(`and ${more} more`);
    throw new ErrModuleFailed(
      `The server "${name}" has ${what} that cannot be offered: ${reasons.join('; ')}`,
      {
        hint: 'Pass onSkipped to leave them out.',
        details: { upstream: name, skipped: reasons },
      },
    );
  }
}
