import type { WordChange } from './word-diff.js';

/**
 * The severities, the worst first. `undecided` counts as breaking unless the user allows it. `minor` changes affect only calls
 * with arguments that the old schema did not declare.
 */
export const severities = ['breaking', 'undecided', 'risky', 'minor', 'compatible', 'note'] as const;
export type Severity = (typeof severities)[number];

/** A value that shows a difference. */
export interface Witness {
  /** The version that accepts the value. The other one rejects it. */
  readonly acceptedBy: 'before' | 'after';
  readonly value: unknown;
}

/** A difference between two surfaces, judged by its effect on callers. */
export interface Change {
  readonly severity: Severity;
  /** A stable name for scripts, such as `input-narrowed`. */
  readonly kind: string;
  /** The tool, or `tool/action`. */
  readonly address: string;
  /** The change and its effect in one or two sentences. */
  readonly message: string;
  readonly details?: readonly string[];
  readonly witness?: Witness;
  readonly words?: readonly WordChange[];
}
