import { toLine } from '../../../values/to-line.js';
import type { Change, Severity } from '../../../analysis/diff/change.js';
import { severities } from '../../../analysis/diff/change.js';
import type { Comparison } from '../../../analysis/diff/compare-surfaces.js';
import { withContext } from '../../../analysis/diff/word-diff.js';
import type { WordChange } from '../../../analysis/diff/word-diff.js';

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

/** Formats a comparison as text for a terminal. */
export function writeText({ before, after }: Names, comparison: Comparison): string {
  const { changes, notCompared } = comparison;
  return [
    `${toLine(before)} → ${toLine(after)}`,
    summarize(comparison),
    ...changes.map((change) => `\n${writeChange(change)}`),
    ...(notCompared.length > 0 ? ['', ...notCompared] : []),
  ].join('\n');
}

/** The counts in one line, such as `2 breaking, 1 note`. */
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

/** Marks removed words with [-…-] and added ones with {+…+}, as `git diff --word-diff` does. */
export function markWords(words: readonly WordChange[]): string {
  const parts = withContext(words).map(({ kind, text }) =>
    kind === 'same' ? text : kind === 'added' ? `{+${text}+}` : `[-${text}-]`,
  );
  return toLine(parts.join(' '), MAX_WORDS);
}
