import type { OptionSpecs, ReadArguments } from './read-arguments.js';
import type { Terminal } from './terminal.js';

/** A command of the command line. */
export interface Command {
  readonly summary: string;
  readonly help: string;
  readonly specs: OptionSpecs;
  readonly run: (read: ReadArguments, terminal: Terminal) => Promise<number>;
}

/** Commands that share their first word, such as `search`. */
export interface CommandGroup {
  readonly summary: string;
  readonly help: string;
  readonly commands: Readonly<Record<string, Command>>;
}
