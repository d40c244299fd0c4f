import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callHelp, callSpecs } from '../../src/cli/call/call.js';
import { exitCodes } from '../../src/cli/terminal/exit-codes.js';
import { inspectHelp, inspectSpecs } from '../../src/cli/inspect/inspect.js';
import { proxyHelp, proxySpecs } from '../../src/cli/proxy/proxy.js';
import type { OptionSpecs } from '../../src/cli/terminal/read-arguments.js';

const markdown = readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');
const sectionOf = (title: string): string => markdown.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

const rowsOf = (specs: OptionSpecs): string[] =>
  Object.entries(specs).map(([name, { value, withoutValue, help }]) => {
    const shown = withoutValue === undefined ? value : `[${value}]`;
    const option = `--${name}${shown === undefined ? '' : ` ${shown}`}`;
    return [option.replaceAll('|', String.raw`\|`), help]
      .map((cell, at) => (at === 0 ? `\`${cell}\`` : cell))
      .join(' | ');
  });

describe('docs/reference/cli.md', () => {
  it.each([
    ['inspect', inspectSpecs],
    ['call', callSpecs],
    ['proxy', proxySpecs],
  ])('has every option of %s, and no other', (name, specs) => {
    const [, table = ''] = sectionOf(`toolfold ${name}`).split('| flag | what |\n|---|---|\n');
    const rows = table.split('\n\n')[0]?.split('\n') ?? [];
    expect(rows.filter((row) => row !== '')).toEqual(rowsOf(specs).map((row) => `| ${row} |`));
  });

  it('has every code that it ends with, and no other', () => {
    const codes = [...sectionOf('What it ends with').matchAll(/^\| (\d+) \|/gm)].map(([, code]) =>
      Number(code),
    );
    expect(codes).toEqual(Object.values(exitCodes));
  });

  it.each([inspectHelp, callHelp, proxyHelp])(
    'is about commands that show examples and what they end with: %#',
    (help) => {
      expect(help).toMatch(/\nUsage:\n[\s\S]*\nOptions:\n[\s\S]*\nExamples:\n[\s\S]*\nIt ends with 0 /);
    },
  );
});
