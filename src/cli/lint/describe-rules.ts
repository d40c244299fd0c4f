import type { RuleSource, Severity } from '../../analysis/lint/finding.js';
import { clientRules, severityOfClientRule } from '../../analysis/lint/profile-rules.js';
import { lintRules } from '../../analysis/lint/rule-table.js';

/** A rule, for the reference and for reports. */
export interface DescribedRule extends RuleSource {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly fix: string;
  readonly isFixable: boolean;
  /** The profiles of a rule of clients. */
  readonly profiles?: readonly string[];
}

/** Describes every rule: those of the linter, then those of the clients. */
export function describeRules(): readonly DescribedRule[] {
  return [
    ...lintRules.map(({ id, severity, summary, fix, source, date, isFixable = false }) => ({
      id,
      severity,
      summary,
      fix,
      source,
      date,
      isFixable,
    })),
    ...clientRules.map((rule) => ({
      id: rule.id,
      severity: severityOfClientRule(rule),
      summary: rule.reason,
      fix: rule.lowering,
      source: rule.source,
      date: rule.date,
      isFixable: true,
      profiles: rule.profiles,
    })),
  ];
}
