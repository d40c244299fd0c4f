import { githubCommand } from '../../terminal/github-command.js';
import { toLine } from 'toolfold/internal';
import type { Change, ChangeSeverity as Severity, Comparison } from '@toolfold/analysis';
import { labelOf, markWords, showWitness } from './write-text.js';

const commands: Readonly<Record<Severity, string>> = {
  breaking: 'error',
  undecided: 'error',
  risky: 'warning',
  minor: 'notice',
  compatible: 'notice',
  note: 'notice',
};

/** Formats changes as workflow commands, which GitHub shows as annotations. `file` is the lockfile, if there is one. */
export function writeGithub(
  file: string | undefined,
  { changes }: Comparison,
  lineOf: (address: string) => number | undefined,
): string {
  return changes
    .map((change) => {
      const line = lineOf(change.address);
      const place = [
        ['file', file?.replace(/^\.\//, '')],
        ['line', file === undefined ? undefined : line],
        ['title', `${change.severity}: ${change.address}`],
      ] as const;
      return githubCommand(commands[change.severity], place, describe(change));
    })
    .join('\n');
}

function describe({ message, details = [], witness, words }: Change): string {
  return [
    message,
    ...details,
    ...(witness ? [`${labelOf(witness.acceptedBy)}: ${showWitness(witness.value)}`] : []),
    ...(words ? [markWords(words)] : []),
  ]
    .map((line) => toLine(line))
    .join('\n');
}

export function createLineFinder(text: string): (address: string) => number | undefined {
  const lines = new Map<string, number>();
  let tool = '';
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', written = ''] = /^( {6}| {10})"name": (".*?"),?$/.exec(line) ?? [];
    if (written === '') continue;
    const name = String(JSON.parse(written));
    if (indent.length === 6) tool = name;
    const address = indent.length === 6 ? name : `${tool}/${name}`;
    if (!lines.has(address)) lines.set(address, index + 1);
  }
  return (address) => lines.get(address);
}
