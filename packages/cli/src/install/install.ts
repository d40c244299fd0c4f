import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { CommandError, exitCodes, replaceFile, UsageError } from '@toolfold/analysis/internal';
import { isJsonObject } from '@toolfold/schema/internal';
import { readTarget } from '../target/read-target.js';
import type { Target } from '../target/read-target.js';
import type { Command } from '../terminal/command.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import type { Terminal } from '../terminal/terminal.js';
import { createClients } from './clients.js';
import type { InstallClient, ServerEntry } from './clients.js';

const names = Object.keys(createClients());

export const installCommand: Command = {
  summary: 'Add a server to the configuration of a client',
  about: `Add a server to the configuration of a client. Without --write, only show what would be written, and a link where the client
has one.

Usage:
  toolfold install [options] ${names.join('|')} <file>
  toolfold install [options] ${names.join('|')} <url>
  toolfold install [options] ${names.join('|')} -- <command> [arguments]

A file is started with toolfold start --stdio. The configuration of claude-code, cursor and vscode is that of the current folder,
and that of the others is in your home folder. Other servers and settings of the configuration stay as they are.`,
  specs: {
    name: {
      value: 'name',
      help: 'Name of the server in the client. Default: the name of the current folder',
    },
    write: { help: 'Write the configuration. An existing file is copied to <file>.bak first' },
    header: {
      value: 'name:value',
      isRepeatable: true,
      help: 'HTTP header for every request to a server at a URL',
    },
    json: { help: 'Print the file, the entry and the link, or the error, as JSON' },
  },
  examples: [
    'toolfold install claude src/server.ts',
    'toolfold install cursor src/server.ts --write',
    'toolfold install vscode https://example.com/mcp --name example --write',
  ],
  exits: { 0: 'the entry was shown or written', 1: 'the configuration cannot be read or written' },
  run: install,
};

async function install(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options, positionals } = read;
  const [chosen = '', ...others] = positionals;
  const client = createClients()[chosen];
  if (!client) throw new UsageError(`"${chosen}" is not a client. Pass one of ${names.join(', ')}.`);
  const { target, others: rest } = readTarget({ ...read, positionals: others });
  if (rest.length > 0) throw new UsageError(`Unexpected argument "${rest[0]}". See toolfold install --help.`);
  const name = options.get('name')?.[0] ?? basename(process.cwd()).replaceAll(/[^\w-]+/g, '-');
  if (!/^[\w-]{1,64}$/.test(name)) throw new UsageError('--name may have letters, digits, _ and -.');
  const config = client.toConfig(entryOf(target, client));
  if (!config)
    throw new UsageError(`${client.title} takes commands, not addresses. Pass a file, or -- and a command.`);
  const { file } = client;
  const text =
    client.field === undefined ? addToml(file, name, config) : addJson(file, client.field, name, config);
  const link = client.toLink?.(name, config);
  const isWritten = options.has('write');
  const backup = isWritten ? write(file, text) : undefined;
  if (options.has('json'))
    terminal.printJson({ client: chosen, file, name, config, link, isWritten, backup });
  else {
    const entry =
      client.field === undefined ? writeToml(name, config) : JSON.stringify({ [name]: config }, undefined, 2);
    const lines = [
      `${client.title}: ${file}`,
      '',
      entry,
      ...(link === undefined ? [] : ['', `Link: ${link}`]),
      '',
    ];
    const kept = backup === undefined ? '' : ` The earlier file is ${backup}.`;
    terminal.print(
      [
        ...lines,
        isWritten
          ? `Written. Restart ${client.title}.${kept}`
          : 'Nothing is written. To write it, add --write.',
      ].join('\n'),
    );
  }
  return exitCodes.done;
}

/** The program of this command. A client in another folder finds it only by its path. */
const program = (): readonly string[] => [process.execPath, resolve(process.argv[1] ?? '')];

function entryOf(target: Target, { file: configuration }: InstallClient): ServerEntry {
  if ('url' in target) return { url: target.url, ...(target.headers ? { headers: target.headers } : {}) };
  if ('command' in target) return { command: target.command, args: target.args };
  const path = resolve(target.file);
  const local = relative('', path);
  const isOwn = !isAbsolute(configuration) && !local.startsWith('..') && !isAbsolute(local);
  const [command = '', ...before] = isOwn ? ['npx', 'toolfold'] : program();
  const file = isOwn ? local.replaceAll(sep, '/') : path;
  return { command, args: [...before, 'start', file, '--stdio'] };
}

function addJson(file: string, field: string, name: string, config: object): string {
  const content = readObject(file);
  const servers = content[field] ?? {};
  if (!isJsonObject(servers)) throw new CommandError(`${file}: "${field}" is not an object.`);
  return `${JSON.stringify({ ...content, [field]: { ...servers, [name]: config } }, undefined, 2)}\n`;
}

function readObject(file: string): Record<string, unknown> {
  if (!existsSync(file)) return {};
  const text = readFileSync(file, 'utf8');
  try {
    const content: unknown = text.trim() === '' ? {} : JSON.parse(text);
    if (isJsonObject(content)) return content;
  } catch {
    // Comments, for example, would be lost.
  }
  throw new CommandError(`${file} is not a JSON object without comments. Add the entry by hand.`);
}

function addToml(file: string, name: string, config: object): string {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // A table ends where the next one begins, and the tables below it belong to it.
  const own = new RegExp(
    String.raw`^\[mcp_servers\.${name}(?:\.[^\]]*)?\][^\n]*\n(?:(?!\[)[^\n]*\n?)*`,
    'gm',
  );
  const others = text.replaceAll(own, '').trimEnd();
  return `${others === '' ? '' : `${others}\n\n`}${writeToml(name, config)}\n`;
}

/** JSON texts and lists of texts are TOML too. */
function writeToml(name: string, config: object): string {
  const lines = Object.entries(config).map(([key, value]: [string, unknown]) => {
    if (!isJsonObject(value)) return `${key} = ${JSON.stringify(value)}`;
    const pairs = Object.entries(value).map(
      ([inner, text]) => `${JSON.stringify(inner)} = ${JSON.stringify(text)}`,
    );
    return `${key} = { ${pairs.join(', ')} }`;
  });
  return [`[mcp_servers.${name}]`, ...lines].join('\n');
}

/** Keeps the first backup, which has the file as it was before any of these commands. */
function write(file: string, text: string): string | undefined {
  const backup = `${file}.bak`;
  try {
    const exists = existsSync(file);
    if (exists && !existsSync(backup)) copyFileSync(file, backup);
    mkdirSync(dirname(resolve(file)), { recursive: true });
    replaceFile(file, text);
    return exists ? backup : undefined;
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
