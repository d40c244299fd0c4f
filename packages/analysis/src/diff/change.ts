import type { WordChange } from './word-diff.js';

/** The worst first. */
export const severities = ['breaking', 'undecided', 'risky', 'minor', 'compatible', 'note'] as const;
/**
 * The effect of a change on callers. `undecided` counts as breaking unless the user allows it. `minor` changes affect only calls
 * with arguments that the old schema did not declare.
 */
export type Severity = (typeof severities)[number];

/** A value that one of two schemas accepts and the other rejects. */
interface Witness {
  /** The version that accepts the value. */
  readonly acceptedBy: 'before' | 'after';
  /** The arguments or the result, as plain JSON. */
  readonly value: unknown;
}

/** A difference between two surfaces, judged by its effect on callers. */
export interface Change {
  /** The effect on callers. */
  readonly severity: Severity;
  /** Stable name for scripts, such as `input-narrowed`. */
  readonly kind: string;
  /** Name of the tool, or `tool/action`. */
  readonly address: string;
  /** What changed, in one sentence. */
  readonly message: string;
  /** The differences of a schema, one line each. */
  readonly details?: readonly string[];
  /** Proves that a schema was narrowed or widened. */
  readonly witness?: Witness;
  /** For changed texts: the words of both versions. */
  readonly words?: readonly WordChange[];
}
