import type { Change, ChangeSeverity } from '../../../../src/page-api.js';
import type { BadgeKind } from '../../ui/badge.js';

const order: readonly ChangeSeverity[] = ['breaking', 'undecided', 'risky', 'minor', 'compatible', 'note'];

export const severityKinds: Readonly<Record<ChangeSeverity, BadgeKind>> = {
  breaking: 'error',
  undecided: 'warning',
  risky: 'warning',
  minor: 'info',
  compatible: 'ok',
  note: 'plain',
};

export const severityWords: Readonly<Record<ChangeSeverity, string>> = {
  breaking: 'Calls that used to work are rejected, or results no longer match what callers expect.',
  undecided: 'Could not be decided. Counts as breaking unless you allow it.',
  risky: 'Calls still work, but may do something else.',
  minor: 'Affects only arguments that were never declared.',
  compatible: 'Existing callers are not affected.',
  note: 'No effect on calls.',
};

/** Groups the changes by severity, the worst first. Omits severities without changes. */
export function groupChanges(
  changes: readonly Change[],
): readonly { readonly severity: ChangeSeverity; readonly changes: readonly Change[] }[] {
  return order
    .map((severity) => ({ severity, changes: changes.filter((change) => change.severity === severity) }))
    .filter((group) => group.changes.length > 0);
}
