import { canonicalJson } from '@toolfold/schema/internal';
import {
  compareSurfaces,
  exitCodes,
  kindsIn,
  LOCKFILE,
  readLockfile,
  saveLockfile,
  UsageError,
  writeLockfile,
  yieldToEventLoop,
} from '@toolfold/analysis/internal';
import { withSignals } from '../terminal/terminal.js';
import { serverExits } from '../terminal/command.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { describeForms, describeTarget, readOnlyTarget, targetSpecs } from '../target/read-target.js';
import { configSpecs } from './config-surface.js';
import { readFormat } from './diff.js';
import { includeSpecs, readIncluded } from './read-included.js';
import { openSide, readConfigSide } from './read-sides.js';
import type { Side } from './read-sides.js';
import type { Surface } from '@toolfold/analysis/internal';
import { count } from '../terminal/count.js';

export const lockCommand: Command = {
  summary: 'Write the tools of a server to a lockfile, or check them against it',
  about: `Write the tools of a server to a lockfile, which is reviewed and compared with later versions.

Usage:
  toolfold lock [options] <file>
  toolfold lock [options] <url>
  toolfold lock [options] -- <command> [arguments]
  toolfold lock [options] --config <file>

The lockfile holds names, aliases, texts, schemas, hints, scopes and task support, in a stable order. toolfold diff compares it with
a later version.`,
  specs: {
    output: { value: 'file', help: `The lockfile. Default: ${LOCKFILE}` },
    ...configSpecs,
    ...includeSpecs,
    check: { help: 'Write nothing, and fail if the tools differ from the lockfile' },
    ...describeForms('With a file: the form to lock. Default: grouped; with --check: that of the lockfile'),
    format: { value: 'text|markdown|github|json', help: 'With --check: format of the report. Default: text' },
    ...targetSpecs,
    json: { help: 'Print the result, or the error, as JSON' },
  },
  examples: [
    'toolfold lock server.ts',
    'toolfold lock server.ts --check',
    'toolfold lock --output vendor.lock.json -- npx -y some-server@1.2.0',
    'toolfold lock --config mcp.json',
  ],
  exits: {
    0: 'the lockfile is written; with --check: the tools equal the lockfile',
    1: 'the server could not be read, or the lockfile not written; with --check: the tools differ',
    ...serverExits,
  },
  run: lock,
};

async function lock(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const side = readSide(read);
  const file = options.get('output')?.[0] ?? LOCKFILE;
  if (file === '') throw new UsageError('--output needs the name of a file.');
  const isCheck = options.has('check');
  const write = readFormat(read);
  if (!isCheck && options.has('format')) throw new UsageError('--format works only with --check.');
  return withSignals(terminal.host, async (signal) => {
    if (!isCheck) {
      const surface = await openSide(side, { read, terminal, signal, kinds: readIncluded(read) });
      const text = writeLockfile(surface);
      await yieldToEventLoop(signal);
      saveLockfile(file, text);
      const counts = countItems(surface);
      if (options.has('json')) terminal.printJson({ file, ...counts });
      else terminal.print(`${file}: ${count(counts.tools, 'tool')}, ${count(counts.actions, 'action')}`);
      return exitCodes.done;
    }
    const locked = readLockfile(file);
    const surface = await openSide(side, {
      read,
      terminal,
      signal,
      form: locked.form,
      kinds: kindsIn(locked.entries),
    });
    write(
      [{ name: file, lockfile: file }, side],
      await compareSurfaces(locked, surface, { signal }),
      terminal,
    );
    // Detect differences without an effect on callers too, because people reviewed the exact lockfile.
    const isEqual =
      canonicalJson([locked.tools, locked.entries]) === canonicalJson([surface.tools, surface.entries]);
    if (!isEqual)
      terminal.notify(`The tools differ from ${file}. Review the changes, and run toolfold lock again.`);
    return isEqual ? exitCodes.done : exitCodes.failed;
  });
}

function readSide(read: ReadArguments): Side {
  const config = readConfigSide(read);
  if (config && (read.positionals.length > 0 || read.rest))
    throw new UsageError('Both --config and another argument name a server. Pass only one of them.');
  if (config) return config;
  const target = readOnlyTarget(read, 'lock');
  return { name: describeTarget(target), target };
}

function countItems({ tools }: Surface): { readonly tools: number; readonly actions: number } {
  return {
    tools: tools.length,
    actions: tools.reduce((sum, { actions }) => sum + (actions?.length ?? 1), 0),
  };
}
