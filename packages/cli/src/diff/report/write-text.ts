import { toLine } from 'toolfold/internal';
import type { Change, ChangeSeverity as Severity, Comparison } from '@toolfold/analysis';
import type { WordChange } from '@toolfold/analysis/internal';
import { changeSeverities as severities, withContext } from '@toolfold/analysis/internal';

export interface Names {
  readonly before: string;
  readonly after: string;
}

const marks: Readonly<Record<Severity, string>> = {
  breaking: '✗',
  undecided: '?',
  risky: '!',
  minor: '~',
  compatible: '✓',
  note: '·',
};
const MAX_WITNESS = 300;
const MAX_WORDS = 1_000;

export function writeText({ before, after }: Names, comparison: Comparison): string {
  const { changes, notCompared } = comparison;
  return [
    `${toLine(before)} → ${toLine(after)}`,
    summarize(comparison),
    ...changes.map((change) => `\n${writeChange(change)}`),
    ...(notCompared.length > 0 ? ['', ...notCompared] : []),
  ].join('\n');
}

/** Summarises the counts in one line, such as `2 breaking, 1 note`. */
export function summarize({ counts, changes }: Comparison): string {
  if (changes.length === 0) return 'No changes.';
  return severities
    .filter((severity) => counts[severity] > 0)
    .map((severity) => `${counts[severity]} ${severity}${severity === 'note' && counts.note > 1 ? 's' : ''}`)
    .join(', ');
}

function writeChange({ severity, address, message, details = [], witness, words }: Change): string {
  return [
    `${marks[severity]} ${severity}  ${toLine(address)}`,
    `    ${toLine(message)}`,
    ...details.map((detail) => `      ${toLine(detail)}`),
    ...(witness ? [`    ${labelOf(witness.acceptedBy)}: ${showWitness(witness.value)}`] : []),
    ...(words ? [`    ${markWords(words)}`] : []),
  ].join('\n');
}

export function labelOf(acceptedBy: 'before' | 'after'): string {
  return acceptedBy === 'before' ? 'accepted before, rejected now' : 'rejected before, accepted now';
}

export function showWitness(value: unknown): string {
  return toLine(JSON.stringify(value) ?? '', MAX_WITNESS);
}

/** Marks removed words with [-…-] and added words with {+…+}, like `git diff --word-diff`. */
export function markWords(words: readonly WordChange[]): string {
  const parts = withContext(words).map(({ kind, text }) =>
    kind === 'same' ? text : kind === 'added' ? `{+${text}+}` : `[-${text}-]`,
  );
  return toLine(parts.join(' '), MAX_WORDS);
}
