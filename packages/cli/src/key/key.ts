import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { exitCodes, CommandError, replaceFile, UsageError } from '@toolfold/analysis/internal';
import { isJsonObject } from '@toolfold/schema/internal';
import { readJson } from '../search/read-json.js';
import type { Command } from '../terminal/command.js';
import { readList } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import type { Terminal } from '../terminal/terminal.js';

const DEFAULT_FILE = 'keys.json';

export const keyCommand: Command = {
  summary: 'Make an API key for a caller',
  about: `Make an API key for a caller, and add it to a file that keyFile(…) of a server reads. The server accepts it at once.

Usage:
  toolfold key [options] <caller>

The key is printed once: the file has only its SHA-256. Keys of one caller share its limits and data, so that a new key can replace
an old one. To end a key, remove its entry from the file.`,
  specs: {
    scopes: { value: 'a,b', isRepeatable: true, help: 'Scopes of the key. Default: none' },
    file: { value: 'file', help: `The file to create or complete. Default: ${DEFAULT_FILE}` },
    json: { help: 'Print the key and its entry, or the error, as JSON' },
  },
  examples: ['toolfold key ada --scopes notes:write', 'toolfold key bob --file /etc/notes/keys.json'],
  exits: { 0: 'the key was added', 1: 'the file cannot be read or written' },
  run: makeKey,
};

async function makeKey({ options, positionals, rest }: ReadArguments, terminal: Terminal): Promise<number> {
  const [clientId, other] = positionals;
  if (clientId === undefined || clientId.trim() === '' || other !== undefined || rest)
    throw new UsageError('toolfold key takes the name of one caller: toolfold key ada');
  const scopes = readList(options.get('scopes')) ?? [];
  const wrong = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  if (wrong !== undefined) throw new UsageError(`--scopes: "${wrong}" is not a scope.`);
  const file = options.get('file')?.[0] ?? DEFAULT_FILE;
  const content = existsSync(file)
    ? readJson(file, 'Remove it, or write { "keys": [] } into it.')
    : { keys: [] };
  const keys = isJsonObject(content) ? content['keys'] : undefined;
  if (!isJsonObject(content) || !Array.isArray(keys))
    throw new CommandError(`${file} must be { "keys": […] }.`);
  const key = randomBytes(32).toString('base64url');
  const entry = { clientId, scopes, sha256: createHash('sha256').update(key).digest('hex') };
  try {
    replaceFile(
      file,
      `${JSON.stringify({ ...content, keys: [...(keys as unknown[]), entry] }, undefined, 2)}\n`,
    );
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`);
  }
  if (options.has('json')) terminal.printJson({ key, file, ...entry });
  else {
    terminal.print(key);
    terminal.notify(
      `added a key of ${clientId} to ${file}; clients send it as X-API-Key: <key> or Authorization: Bearer <key>`,
    );
  }
  return exitCodes.done;
}
