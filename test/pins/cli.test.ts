import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callHelp, callSpecs } from '../../src/cli/call/call.js';
import { devHelp, devSpecs } from '../../src/cli/dev/dev.js';
import { diffHelp, diffSpecs } from '../../src/cli/diff/diff.js';
import { lockHelp, lockSpecs } from '../../src/cli/diff/lock.js';
import { exitCodes } from '../../src/analysis/command-error.js';
import { initHelp, initSpecs } from '../../src/cli/init/init.js';
import { inspectHelp, inspectSpecs } from '../../src/cli/inspect/inspect.js';
import { lintHelp, lintSpecs } from '../../src/cli/lint/lint.js';
import { openapiHelp, openapiSpecs } from '../../src/cli/openapi/openapi.js';
import { proxyHelp, proxySpecs } from '../../src/cli/proxy/proxy.js';
import { draftHelp, draftSpecs } from '../../src/cli/search/draft/draft.js';
import { evalHelp, evalSpecs } from '../../src/cli/search/eval/eval.js';
import { explainHelp, explainSpecs } from '../../src/cli/search/explain/explain.js';
import { learnedHelp, learnedSpecs } from '../../src/cli/search/learned/learned.js';
import { testHelp, testSpecs } from '../../src/cli/test/test.js';
import { tokensHelp, tokensSpecs } from '../../src/cli/tokens/tokens.js';
import { uiHelp, uiSpecs } from '../../src/cli/ui/ui.js';
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
    ['init', initSpecs],
    ['dev', devSpecs],
    ['ui', uiSpecs],
    ['inspect', inspectSpecs],
    ['call', callSpecs],
    ['openapi', openapiSpecs],
    ['proxy', proxySpecs],
    ['test', testSpecs],
    ['tokens', tokensSpecs],
    ['lock', lockSpecs],
    ['diff', diffSpecs],
    ['lint', lintSpecs],
    ['search draft', draftSpecs],
    ['search eval', evalSpecs],
    ['search explain', explainSpecs],
    ['search learned', learnedSpecs],
  ])('lists exactly the options of %s', (name, specs) => {
    const [, table = ''] = sectionOf(`toolfold ${name}`).split('| Flag | Meaning |\n|---|---|\n');
    const rows = table.split('\n\n')[0]?.split('\n') ?? [];
    expect(rows.filter((row) => row !== '')).toEqual(rowsOf(specs).map((row) => `| ${row} |`));
  });

  it('lists exactly the exit codes', () => {
    const codes = [...sectionOf('Exit codes').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCodes));
  });

  it.each([
    initHelp,
    devHelp,
    uiHelp,
    inspectHelp,
    callHelp,
    openapiHelp,
    proxyHelp,
    testHelp,
    tokensHelp,
    lockHelp,
    diffHelp,
    lintHelp,
    draftHelp,
    evalHelp,
    explainHelp,
    learnedHelp,
  ])('describes commands whose help has usage, options, examples and exit codes: %#', (help) => {
    expect(help).toMatch(/\nUsage:\n[\s\S]*\nOptions:\n[\s\S]*\nExamples:\n[\s\S]*\nExit codes:\n {2}0 /);
  });
});
