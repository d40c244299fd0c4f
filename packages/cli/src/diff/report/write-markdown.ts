import { toLine } from 'toolfold/internal';
import type { Change, ChangeSeverity as Severity, Comparison } from '@toolfold/analysis';
import type { WordChange } from '@toolfold/analysis/internal';
import { changeSeverities as severities, withContext } from '@toolfold/analysis/internal';
import { labelOf, showWitness, summarize } from './write-text.js';
import type { Names } from './write-text.js';

const titles: Readonly<Record<Severity, string>> = {
  breaking: 'Breaking',
  undecided: 'Undecided',
  risky: 'Risky',
  minor: 'Minor',
  compatible: 'Compatible',
  note: 'Notes',
};
/** Leaves room below GitHub's limit of 65,536 characters per comment. */
const MAX_LENGTH = 60_000;
const MAX_WORDS = 1_000;

/** Formats a comparison as a pull request comment. Shows texts of servers as code, so that they cannot add markup. */
export function writeMarkdown({ before, after }: Names, comparison: Comparison): string {
  const { changes, notCompared } = comparison;
  const head = `### Changes of the tools\n\n${code(before)} → ${code(after)}: ${summarize(comparison)}`;
  const sections: string[] = [];
  let length = head.length;
  let left = changes.length;
  for (const severity of severities) {
    const own = changes.filter((change) => change.severity === severity);
    if (own.length === 0) continue;
    const items: string[] = [];
    for (const change of own) {
      const item = writeChange(change);
      if (length + item.length > MAX_LENGTH) break;
      length += item.length;
      left--;
      items.push(item);
    }
    if (items.length > 0) sections.push(`#### ${titles[severity]}\n\n${items.join('\n')}`);
  }
  return [
    head,
    ...sections,
    ...(left > 0 ? [`${left} more changes are left out.`] : []),
    ...notCompared.map((line) => `_${line}_`),
  ].join('\n\n');
}

function writeChange({ address, message, details = [], witness, words }: Change): string {
  return [
    `- ${code(address)}: ${escapeText(message)}`,
    ...details.map((detail) => `  - ${code(detail)}`),
    ...(witness ? [`  - ${labelOf(witness.acceptedBy)}: ${code(showWitness(witness.value))}`] : []),
    ...(words ? [`  - ${markWords(words)}`] : []),
  ].join('\n');
}

/** Formats a text as code. The fence is longer than any run of backticks in the text. */
function code(text: string): string {
  const line = toLine(text);
  const runs = line.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  return runs.length === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}

/** Escapes Markdown, because messages quote names of the server. */
function escapeText(text: string): string {
  return toLine(text).replaceAll(/[\\`*_[\]<>|~#@]/g, String.raw`\$&`);
}

function markWords(words: readonly WordChange[]): string {
  let length = 0;
  const parts: string[] = [];
  for (const { kind, text } of withContext(words)) {
    const line = toLine(text, MAX_WORDS - length);
    length += line.length;
    const shown = code(line);
    parts.push(kind === 'same' ? shown : kind === 'added' ? `**${shown}**` : `~~${shown}~~`);
    if (length >= MAX_WORDS - 1) break;
  }
  return parts.join(' ');
}
