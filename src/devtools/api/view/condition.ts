import type { KnownAction } from './all-actions.js';

/** One of the rules that an action must pass to be visible. Together they are those with which views are compiled. */
export interface Condition {
  /** The setting that a developer would change, such as `view.readOnly` or `scopes`. */
  readonly cause: string;
  /** Why the action does not pass. Empty if it does. */
  readonly reasonsFor: (known: KnownAction) => readonly string[];
}
