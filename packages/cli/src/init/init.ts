import { relative, resolve } from 'node:path';
import { CommandError, exitCodes, quote, UsageError } from '@toolfold/analysis/internal';
import type { ReadArguments } from '../terminal/read-arguments.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { auths, completeChoices, transports } from './ask-choices.js';
import { findNameProblem, nameOfFolder } from './project-name.js';
import { renderTemplate } from './render-template.js';
import { assertEmpty, writeProject } from './write-project.js';

export const initCommand: Command = {
  summary: 'Create a project for a server',
  about: `Create a project for an MCP server: TypeScript, tests, configuration for clients, and a Dockerfile.

Usage:
  toolfold init [options] [folder]
  npm create toolfold [folder]

The folder is created, or is empty; a new Git repository counts as empty. Default: the current folder. At a terminal, the
command asks for what no option says. Otherwise pass --yes.`,
  specs: {
    name: { value: 'name', help: 'Name of the package. Default: the name of the folder' },
    transport: { value: transports.join('|'), help: 'How clients reach the server. Default: both' },
    auth: { value: auths.join('|'), help: 'How callers over HTTP identify themselves. Default: none' },
    yes: { help: 'Ask no questions, and use the defaults' },
    json: { help: 'Print the created files, or the error, as JSON' },
  },
  examples: [
    'toolfold init my-server',
    'toolfold init my-server --yes',
    'toolfold init . --name @acme/mail --transport http --auth api-keys',
  ],
  exits: {
    0: 'the project was created',
    1: 'the project cannot be created, for example because the folder is not empty',
    130: 'Ctrl-C; nothing was created',
  },
  run: init,
};

async function init(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options, positionals, rest } = read;
  if (rest !== undefined || positionals.length > 1)
    throw new UsageError(
      `toolfold init takes one folder, not ${[...positionals, ...(rest ?? [])].join(' ')}.`,
    );
  const [given = '.'] = positionals;
  if (given.trim() === '') throw new UsageError('The folder must have a name.');
  const folder = resolve(given);
  const name = options.get('name')?.[0];
  const problem = name === undefined ? undefined : findNameProblem(name);
  if (problem !== undefined) throw new UsageError(`--name: ${problem}`);
  const stated = {
    name,
    transport: readOneOf('transport', options.get('transport')?.[0], transports),
    auth: readOneOf('auth', options.get('auth')?.[0], auths),
  };
  if (stated.transport === 'stdio' && stated.auth === 'api-keys')
    throw new UsageError('--auth api-keys needs HTTP. Leave it out, or pass --transport both.');
  explaining(folder, () => assertEmpty(folder));
  const usesDefaults = options.has('yes');
  const choices = await completeChoices(stated, nameOfFolder(folder), { terminal, usesDefaults });
  const files = renderTemplate(choices);
  // Check again, because another program may have written to the folder while the user answered.
  explaining(folder, () => {
    assertEmpty(folder);
    writeProject(folder, files);
  });
  const path = relative('', folder);
  const place = path.startsWith('..') ? folder : path;
  const next = [...(place === '' ? [] : [`cd ${quotePath(place)}`]), 'npm install', 'npm run dev'];
  if (options.has('json')) terminal.printJson({ ...choices, folder, files: [...files.keys()], next });
  else terminal.print(describeProject(choices.name, place === '' ? '.' : place, [...files.keys()], next));
  return exitCodes.done;
}

function readOneOf<T extends string>(
  option: string,
  value: string | undefined,
  allowed: readonly T[],
): T | undefined {
  if (value === undefined || (allowed as readonly string[]).includes(value)) return value as T | undefined;
  throw new UsageError(`--${option} must be ${allowed.join(' or ')}, not "${value}".`);
}

/** Turns file system errors into messages without a stack. */
function explaining(folder: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (error instanceof CommandError || typeof code !== 'string') throw error;
    throw new CommandError(`Cannot write to ${folder}: ${String(message)}. Nothing is written.`);
  }
}

/** Quotes a path so that the user can paste it into a shell. `cmd` and PowerShell only support double quotes. */
function quotePath(path: string): string {
  if (process.platform !== 'win32') return quote(path);
  return /^[\w@%+=:,./\\-]+$/.test(path) ? path : JSON.stringify(path);
}

function describeProject(
  name: string,
  place: string,
  files: readonly string[],
  next: readonly string[],
): string {
  return [
    `Created ${name} in ${place}`,
    '',
    ...files.map((file) => `  ${file}`),
    '',
    'Next:',
    ...next.map((command) => `  ${command}`),
    '',
    'Then edit src/notes.ts, and run npm test.',
  ].join('\n');
}
