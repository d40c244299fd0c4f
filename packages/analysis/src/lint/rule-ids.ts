import { clientRules } from './profile-rules.js';
import { lintRules } from './rule-table.js';

/** Ids of all rules: first those of the linter, then those of the clients. */
export function ruleIds(): readonly string[] {
  return [...lintRules, ...clientRules].map(({ id }) => id);
}
