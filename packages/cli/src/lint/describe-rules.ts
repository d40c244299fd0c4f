import type { Severity } from '@toolfold/analysis';
import type { RuleSource } from '@toolfold/analysis/internal';
import { clientRules, lintRules, severityOfClientRule } from '@toolfold/analysis/internal';

export interface DescribedRule extends RuleSource {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly fix: string;
  readonly isFixable: boolean;
  /** The profiles that have the rule, if it is a client rule. */
  readonly profiles?: readonly string[];
}

/** Describes all rules: first those of the linter, then those of the clients. */
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
