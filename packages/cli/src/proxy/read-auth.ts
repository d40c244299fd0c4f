import { ErrInvalidOptions } from 'toolfold/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import { apiKeys, oauth } from 'toolfold/web';
import type { ApiKey, Authenticator } from 'toolfold/web';
import { readJson } from '../search/read-json.js';
import { assertInstalled } from '../target/open-server.js';
import { CommandError, UsageError } from '@toolfold/analysis/internal';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import { readList } from '../terminal/read-arguments.js';
import { readTemplate } from './config/template.js';

export const authSpecs: OptionSpecs = {
  'auth-keys': {
    value: 'file',
    help: 'With --http: accept only callers with one of these API keys: { "keys": [{ "key", "clientId", "scopes" }] }',
  },
  'auth-issuer': {
    value: 'url',
    help: 'With --http: accept only callers with an access token of this OAuth issuer. Needs --public-url and jose',
  },
  'auth-audience': {
    value: 'text',
    isRepeatable: true,
    help: 'With --auth-issuer: accepted audience of tokens. Default: the public URL',
  },
};

/** Reads the authentication settings; `undefined` if anybody may call. */
export function readAuth(
  { options }: ReadArguments,
  publicUrl: URL | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Authenticator | undefined {
  const file = options.get('auth-keys')?.[0];
  const issuer = options.get('auth-issuer')?.[0];
  const audience = readList(options.get('auth-audience'));
  if (audience && issuer === undefined)
    throw new UsageError('--auth-audience works only with --auth-issuer.');
  if (file !== undefined && issuer !== undefined)
    throw new UsageError('--auth-keys and --auth-issuer exclude each other.');
  try {
    if (file !== undefined) return apiKeys({ keys: readKeys(file, env) });
    if (issuer === undefined) return undefined;
    if (!publicUrl) throw new UsageError('--auth-issuer needs --public-url, the address that clients use.');
    assertInstalled('--auth-issuer needs', 'jose');
    return oauth({ issuer, resource: publicUrl.href, ...(audience ? { audience } : {}) });
  } catch (error) {
    if (!(error instanceof ErrInvalidOptions)) throw error;
    throw new CommandError(`${file ?? '--auth-issuer'}: ${error.message}`);
  }
}

/** Reads a key file. A key may refer to an environment variable, so that the file contains no secret. */
function readKeys(file: string, env: Readonly<Record<string, string | undefined>>): ApiKey[] {
  const read = readJson(file, 'Write { "keys": [{ "key": "${GATEWAY_KEY}", "clientId": "ada" }] } into it.');
  const keys = isJsonObject(read) ? read['keys'] : read;
  if (!Array.isArray(keys)) throw new CommandError(`${file} must be { "keys": […] }.`);
  return keys.map((entry: unknown, index) => {
    if (isJsonObject(entry) && entry['key'] === undefined && entry['sha256'] !== undefined)
      return entry as unknown as ApiKey;
    const key = isJsonObject(entry) ? entry['key'] : undefined;
    if (!isJsonObject(entry) || typeof key !== 'string')
      throw new CommandError(`${file}: keys[${index}] must be { "key", "clientId", "scopes" }.`);
    const place = `${file}: keys[${index}].key`;
    return { ...entry, key: readTemplate(key, { place, env, takesSession: false }).join('') } as ApiKey;
  });
}
