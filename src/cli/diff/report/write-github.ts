import { toLine } from '../../terminal/terminal.js';
import type { Change, Severity } from '../change.js';
import type { Comparison } from '../compare-surfaces.js';
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
      const properties = [
        ...(file === undefined ? [] : [`file=${escapeProperty(file.replace(/^\.\//, ''))}`]),
        ...(file === undefined || line === undefined ? [] : [`line=${line}`]),
        `title=${escapeProperty(toLine(`${change.severity}: ${change.address}`))}`,
      ];
      return `::${commands[change.severity]} ${properties.join(',')}::${escapeData(describe(change))}`;
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

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Finds the line of a tool or action in the text of a lockfile. */
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
