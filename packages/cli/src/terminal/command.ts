import { describeOptions } from './read-arguments.js';
import type { OptionSpecs, ReadArguments } from './read-arguments.js';
import type { Terminal } from './terminal.js';

export interface Command {
  readonly summary: string;
  /** The first part of the help: what the command does, its usage, and its arguments. */
  readonly about: string;
  /** The options, without `--help`. */
  readonly specs: OptionSpecs;
  readonly notes?: string;
  readonly examples: readonly string[];
  /** The meaning of each exit code. Default of 2: the command line is invalid. */
  readonly exits: Readonly<Record<number, string>>;
  readonly run: (read: ReadArguments, terminal: Terminal) => Promise<number>;
}

/** Commands that share their first word, such as `search`. */
export interface CommandGroup {
  readonly summary: string;
  readonly help: string;
  readonly commands: Readonly<Record<string, Command>>;
}

/** The exit codes of commands that read a server and stop at Ctrl-C. */
export const serverExits = {
  4: 'the server rejected a request, or its answer is not valid MCP',
  130: 'Ctrl-C',
} as const;

export function optionsOf({ specs }: Command): OptionSpecs {
  return { ...specs, help: { help: 'Show this help' } };
}

export function helpOf(command: Command | CommandGroup): string {
  if ('commands' in command) return command.help;
  const exits = Object.entries({ 2: 'the command line is invalid', ...command.exits });
  return [
    command.about,
    `Options:\n${describeOptions(optionsOf(command))}`,
    ...(command.notes === undefined ? [] : [command.notes]),
    `Examples:\n${command.examples.map((line) => `  ${line}`).join('\n')}`,
    `Exit codes:\n${exits.map(([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}`).join('\n')}\n`,
  ].join('\n\n');
}
