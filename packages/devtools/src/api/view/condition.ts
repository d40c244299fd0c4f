import type { KnownAction } from './all-actions.js';

/** A rule that an action must pass to be visible. The conditions together match how views are compiled. */
export interface Condition {
  /** The setting that a developer would change, such as `view.readOnly` or `scopes`. */
  readonly cause: string;
  /** Explains why the action fails the rule. Empty if it passes. */
  readonly reasonsFor: (known: KnownAction) => readonly string[];
}
