import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandError, exitCodes, replaceFile, UsageError } from '@toolfold/analysis/internal';
import type { ReadArguments } from '../terminal/read-arguments.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { planUpgrade } from './plan-upgrade.js';
import type { MovedPath, NeededPackage, Upgrade } from './plan-upgrade.js';

export const upgradeCommand: Command = {
  summary: 'Move the imports of a project to the packages of Toolfold',
  about: `Move the imports of a project to the packages of Toolfold, such as toolfold/testing to @toolfold/testing.

Usage:
  toolfold upgrade [options] [folder]

Shows the imports and packages to change, and changes nothing without --write. Default: the current folder. Only import paths are
changed. Other quoted paths, and those in Markdown, are listed. Skips node_modules, dist, .git and files that Git ignores.`,
  specs: {
    write: { help: 'Change the files and package.json. Default: only show the changes' },
    json: { help: 'Print the changes, or the error, as JSON' },
  },
  examples: ['toolfold upgrade', 'toolfold upgrade --write', 'toolfold upgrade packages/server --json'],
  exits: {
    0: 'the changes are shown or written, or there are none',
    1: 'the folder cannot be read, or a file cannot be written',
  },
  run: upgrade,
};

/** Moves the imports of a project, or shows what would change. */
async function upgrade(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options, positionals, rest } = read;
  if (rest !== undefined || positionals.length > 1)
    throw new UsageError(
      `toolfold upgrade takes one folder, not ${[...positionals, ...(rest ?? [])].join(' ')}.`,
    );
  const folder = resolve(positionals[0] ?? '.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CommandError(`${folder} is not a folder. Name that of a project: toolfold upgrade my-server`);
  const plan = explaining(`${folder} cannot be read`, () => planUpgrade(folder));
  const isWritten = options.has('write');
  // An interrupted upgrade is continued by running the command again.
  if (isWritten)
    for (const [file, bytes] of plan.files)
      explaining(`${file} cannot be written`, () => replaceFile(file, bytes));
  const { imports, packages, mentions } = plan;
  const isAdded = isWritten && packages.every(({ manifest }) => manifest !== undefined);
  const install = isAdded ? 'npm install' : installLine(packages);
  if (options.has('json')) terminal.printJson({ folder, isWritten, imports, packages, mentions, install });
  else terminal.print(describe(plan, isWritten, install));
  return exitCodes.done;
}

/** Names the cause of a failed access to the disk instead of showing a stack. */
function explaining<T>(failure: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(`${failure}: ${(error as Error).message}`);
  }
}

function describe(
  { imports, packages, mentions, files }: Upgrade,
  isWritten: boolean,
  install: string,
): string {
  const isDone = files.size === 0 && packages.length === 0;
  const count = `${files.size} ${files.size === 1 ? 'file' : 'files'}`;
  return [
    imports.map(describePath),
    packages.length === 0 ? [] : [isWritten ? 'Install the packages:' : 'Packages to add:', `  ${install}`],
    mentions.length === 0 ? [] : ['Check these paths, which are not changed:', ...mentions.map(describePath)],
    [
      isDone
        ? 'Nothing to change: no import uses a path that has moved.'
        : isWritten
          ? `Changed ${count}.`
          : `Nothing is written. To change ${count}, add --write.`,
    ],
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function describePath({ file, line, from, to }: MovedPath): string {
  return `${file}:${line}  ${from} → ${to}`;
}

/** The command that adds packages to their sections. */
function installLine(packages: readonly NeededPackage[]): string {
  const commands = [...new Set(packages.map(({ section }) => section))].map((section) => {
    const flag = section === 'dependencies' ? '' : ` --save-${section.replace('Dependencies', '')}`;
    const own = packages.filter((each) => each.section === section);
    // Every shell understands double quotes.
    const words = own.map(({ name, range }) =>
      /^[\w.^~-]+$/.test(range) ? `${name}@${range}` : `"${name}@${range}"`,
    );
    return `npm install${flag} ${[...new Set(words)].join(' ')}`;
  });
  return commands.join(' && ');
}
