import { readFileSync, statSync } from 'node:fs';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import { apiKeys } from '../auth/api-keys.js';
import type { ApiKeysOptions } from '../auth/api-keys.js';
import type { Authenticator } from '../auth/authenticator.js';

/**
 * Authenticates callers by the API keys of a JSON file: `{ "keys": [{ "sha256", "clientId", "scopes" }] }`. `toolfold key` adds keys
 * to it. A change of the file applies to the next request. A file that is missing or invalid rejects every request.
 */
export function keyFile(path: string): Authenticator {
  let known: { readonly stamp: string; readonly auth: Authenticator } | undefined;
  const read = (): Authenticator => {
    const { mtimeMs, size, ino } = stat(path);
    const stamp = `${mtimeMs} ${size} ${ino}`;
    if (known?.stamp !== stamp) known = { stamp, auth: apiKeys({ keys: readKeys(path) }) };
    return known.auth;
  };
  return {
    headers: ['x-api-key', 'authorization'],
    ready: async () => void read(),
    authenticate: (header) => read().authenticate(header),
  };
}

function stat(path: string) {
  try {
    return statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ErrInvalidOptions(`The file of API keys ${path} cannot be read: ${code}.`, {
      hint: `Make a key: npx toolfold key ada --file ${path}`,
    });
  }
}

function readKeys(path: string): ApiKeysOptions['keys'] {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return (isJsonObject(content) ? content['keys'] : content) as ApiKeysOptions['keys'];
  } catch (cause) {
    throw new ErrInvalidOptions(`The file of API keys ${path} is not valid JSON.`, { cause });
  }
}
