import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '@toolfold/analysis/internal';
import { commands } from '../../packages/cli/src/run.js';
import { helpOf, optionsOf } from '../../packages/cli/src/terminal/command.js';
import type { Command } from '../../packages/cli/src/terminal/command.js';

const markdown = readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');
const sectionOf = (title: string): string => markdown.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

const all: readonly (readonly [name: string, command: Command])[] = Object.entries(commands).flatMap(
  ([name, command]) =>
    'commands' in command
      ? Object.entries(command.commands).map(([inner, each]) => [`${name} ${inner}`, each] as const)
      : [[name, command] as const],
);

const rowsOf = (command: Command): string[] =>
  Object.entries(optionsOf(command)).map(([name, { value, withoutValue, help }]) => {
    const shown = withoutValue === undefined ? value : `[${value}]`;
    const option = `--${name}${shown === undefined ? '' : ` ${shown}`}`;
    return [option.replaceAll('|', String.raw`\|`), help]
      .map((cell, at) => (at === 0 ? `\`${cell}\`` : cell))
      .join(' | ');
  });

it('knows all commands', () => {
  expect(all).toHaveLength(19);
});

describe('docs/reference/cli.md', () => {
  it.each(all)('lists exactly the options of %s', (name, command) => {
    const [, table = ''] = sectionOf(`toolfold ${name}`).split('| Flag | Meaning |\n|---|---|\n');
    const rows = table.split('\n\n')[0]?.split('\n') ?? [];
    expect(rows.filter((row) => row !== '')).toEqual(rowsOf(command).map((row) => `| ${row} |`));
  });

  it('lists exactly the exit codes', () => {
    const codes = [...sectionOf('Exit codes').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCodes));
  });

  it.each(all)('describes %s, whose help has usage, options, examples and exit codes', (_, command) => {
    expect(helpOf(command)).toMatch(
      /\nUsage:\n[\s\S]*\nOptions:\n[\s\S]*\nExamples:\n[\s\S]*\nExit codes:\n {2}0 /,
    );
  });
});
