import { existsSync, statSync } from 'node:fs';
import { isSecure } from '../../values/assert-option.js';
import { UsageError } from '../terminal/exit-codes.js';
import { isRunner } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';

export interface CommandTarget {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface AddressTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FileTarget {
  readonly file: string;
}

export type ServerTarget = CommandTarget | AddressTarget;
export type Target = ServerTarget | FileTarget;

/** The server that is meant, and what else stands on the command line. */
export interface ReadTarget<T extends Target = Target> {
  readonly target: T;
  readonly others: readonly string[];
}

/** A server that runs: a command after `--`, or an address. */
export function readServer(read: ReadArguments): ReadTarget<ServerTarget> {
  const found = readTarget(read, false);
  return found as ReadTarget<ServerTarget>;
}

/** A file, an address, or a command after `--`. Where there is a command, nothing before it is a server. */
export function readTarget({ options, positionals, rest }: ReadArguments, takesFiles = true): ReadTarget {
  const headers = options.get('header');
  if (rest !== undefined) {
    const [first] = positionals;
    if (first !== undefined && (isAddress(first) || (takesFiles && isFile(first))))
      throw new UsageError(
        `"${first}" stands before --: a server is a command or ${takesFiles ? 'a file or ' : ''}an address.`,
      );
    if (headers) throw new UsageError('--header is for servers at an address.');
    return { target: readCommand(rest), others: positionals };
  }
  const [first, ...others] = positionals;
  const kinds = takesFiles
    ? 'its file, its address, or -- and its command'
    : '-- and its command, or its address';
  if (first === undefined) throw new UsageError(`Which server? Write ${kinds}.`);
  if (isAddress(first)) return { target: toAddress(first, headers), others };
  if (takesFiles && isFile(first)) {
    if (headers) throw new UsageError('--header is for servers at an address.');
    return { target: { file: first }, others };
  }
  throw noServer(first, others, takesFiles);
}

function noServer(first: string, others: readonly string[], takesFiles: boolean): UsageError {
  const command = [first, ...others].map(quote).join(' ');
  if (isRunner(first) && others.length > 0) return new UsageError(`A command stands after --: -- ${command}`);
  if (/^(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?(\/|$)/.test(first) && /^localhost|:\d|\//.test(first))
    return new UsageError(`"${first}" is no address. Write https:// or http:// before it.`);
  if (takesFiles && existsSync(first))
    return new UsageError(`"${first}" is no file. Write the file that exports the registry.`);
  if (takesFiles && (/[\\/]/.test(first) || /\.[cm]?[jt]sx?$/.test(first)))
    return new UsageError(`There is no file "${first}".`);
  const what = takesFiles ? 'neither a file nor an address' : 'no address';
  return new UsageError(`"${first}" is ${what} of https or http. A command stands after --: -- ${command}`);
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function isFile(text: string): boolean {
  return existsSync(text) && statSync(text).isFile();
}

function readCommand([command, ...args]: readonly string[]): CommandTarget {
  if (command === undefined) throw new UsageError('There is no command after --.');
  // Whoever writes the command expects it to run as it does without us.
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return { command, args, env };
}

function toAddress(text: string, lines: readonly string[] | undefined): AddressTarget {
  if (!URL.canParse(text)) throw new UsageError(`"${text}" is no address.`);
  const url = new URL(text);
  // What it holds may be a secret, and is not repeated.
  if (url.username !== '' || url.password !== '')
    throw new UsageError('The address must have no credentials. Put them into --header.');
  if (!lines) return { url: text };
  if (!isSecure(url)) throw new UsageError('Headers are sent to https, and to http on this machine, alone.');
  return { url: text, headers: readHeaders(lines) };
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*\S)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new UsageError('--header must be name:value.');
      // Which it is may be a secret, and is not repeated.
      if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value))
        throw new UsageError(`--header: the value of ${name} has a character that headers cannot have.`);
      return [name, value];
    }),
  );
}
