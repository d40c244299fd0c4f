import { readFileSync } from 'node:fs';
import {
  changeSeverities as severities,
  compareSurfaces,
  exitCodes,
  kindsIn,
  LOCKFILE,
  UsageError,
} from '@toolfold/analysis/internal';
import { withSignals } from '../terminal/terminal.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { describeForms, targetSpecs } from '../target/read-target.js';
import type { ChangeSeverity as Severity, Comparison } from '@toolfold/analysis';
import { configSpecs } from './config-surface.js';
import { openSide, readSides } from './read-sides.js';
import type { Side } from './read-sides.js';
import { createLineFinder, writeGithub } from './report/write-github.js';
import { writeMarkdown } from './report/write-markdown.js';
import { writeText } from './report/write-text.js';

export const diffCommand: Command = {
  summary: 'Compare two versions of a server, and judge each change',
  about: `Compare the tools of two versions of a server, and judge each change by its effect on callers.

Usage:
  toolfold diff [options] <after>
  toolfold diff [options] <before> <after>
  toolfold diff [options] [before] -- <command> [arguments]
  toolfold diff [options] --before '<command line>' --after '<command line>'
  toolfold diff [options] --config <file> [before]

A version is a lockfile, a saved tools/list, a file that exports a registry, a URL, a command, or a package: npm:<name>@<version>
runs npx -y <name>@<version>. With one version, it is compared with ${LOCKFILE} in this folder.`,
  specs: {
    before: {
      value: 'server',
      help: 'The old version: a file, a URL, npm:<package>, or a command in quotes',
    },
    after: { value: 'server', help: 'The new version, in the same forms' },
    ...configSpecs,
    'fail-on': {
      value: 'breaking|risky|minor|any',
      help: 'The least severe change that makes the command fail. Default: risky',
    },
    'allow-undecided': { help: 'Do not fail if a change cannot be judged' },
    format: { value: 'text|markdown|github|json', help: 'Format of the report. Default: text' },
    ...describeForms('With a file: the form to compare. Default: that of the lockfile, or grouped'),
    ...targetSpecs,
    json: { help: 'Print the report, or the error, as JSON' },
  },
  examples: [
    'toolfold diff server.ts',
    'toolfold diff old-tools.json https://example.com/mcp',
    'toolfold diff npm:some-server@1.2.0 npm:some-server@1.3.0',
    'toolfold diff server.ts --format markdown > comment.md',
    'toolfold diff --config mcp.json',
  ],
  exits: {
    0: 'no change is as severe as --fail-on',
    1: 'a change is breaking or undecided, or a version could not be read',
    4: 'a server rejected a request, or its answer is not valid MCP',
    5: 'the worst change is risky, or of a lower severity that --fail-on names',
    130: 'Ctrl-C',
  },
  run: diff,
};

async function diff(read: ReadArguments, terminal: Terminal): Promise<number> {
  const sides = readSides(read);
  const failOn = readFailOn(read);
  const write = readFormat(read);
  return withSignals(terminal.host, async (signal) => {
    const [before, after] = sides;
    const old = await openSide(before, { read, terminal, signal });
    const now = await openSide(after, {
      read,
      terminal,
      signal,
      form: old.form,
      kinds: kindsIn(old.entries),
    });
    const comparison = await compareSurfaces(old, now, { signal });
    write(sides, comparison, terminal);
    return exitCodeFor(comparison, failOn, read.options.has('allow-undecided'));
  });
}

type FailOn = Exclude<Severity, 'undecided' | 'compatible'>;

function readFailOn({ options }: ReadArguments): FailOn {
  const text = options.get('fail-on')?.[0] ?? 'risky';
  if (text === 'any') return 'note';
  if (text === 'breaking' || text === 'risky' || text === 'minor') return text;
  throw new UsageError(`--fail-on must be breaking, risky, minor or any, not "${text}".`);
}

function exitCodeFor({ counts }: Comparison, failOn: FailOn, allowsUndecided: boolean): number {
  if (counts.breaking > 0 || (counts.undecided > 0 && !allowsUndecided)) return exitCodes.failed;
  const failing = severities.slice(severities.indexOf('risky'), severities.indexOf(failOn) + 1);
  return failing.some((severity) => counts[severity] > 0) ? exitCodes.changed : exitCodes.done;
}

type Write = (sides: readonly [Side, Side], comparison: Comparison, terminal: Terminal) => void;

export function readFormat({ options }: ReadArguments): Write {
  const given = options.get('format')?.[0];
  if (given !== undefined && given !== 'json' && options.has('json'))
    throw new UsageError(`--json and --format ${given} exclude each other.`);
  const format = options.has('json') ? 'json' : (given ?? 'text');
  const write = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (!write) throw new UsageError(`--format must be text, markdown, github or json, not "${format}".`);
  return write;
}

const formats: Readonly<Record<string, Write>> = {
  text: (sides, comparison, terminal) => terminal.print(writeText(namesOf(sides), comparison)),
  markdown: (sides, comparison, terminal) => terminal.print(writeMarkdown(namesOf(sides), comparison)),
  json: (sides, comparison, terminal) => terminal.printJson({ ...namesOf(sides), ...comparison }),
  github: (sides, comparison, terminal) => {
    const side = sides.findLast((each) => 'lockfile' in each);
    const file = side && 'lockfile' in side ? side.lockfile : undefined;
    const text = writeGithub(
      file,
      comparison,
      createLineFinder(file === undefined ? '' : readFileSync(file, 'utf8')),
    );
    if (text !== '') terminal.print(text);
  },
};

function namesOf([before, after]: readonly [Side, Side]): { before: string; after: string } {
  return { before: before.name, after: after.name };
}
