import { createHash, timingSafeEqual } from '#crypto';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { anything, assertOptions, assertPlain, invalidOption } from '@toolfold/schema/internal';
import type { AuthInfo } from './auth-info.js';
import { readScopes } from './scopes.js';
import type { Authentication, Authenticator, ReadHeader } from './authenticator.js';
import { isBearerToken, readBearerToken } from './authenticator.js';

/** An accepted API key, and the caller that it identifies. */
export interface ApiKey {
  /** The key: at least 32 random letters, digits and `-._~+/`. */
  readonly key?: string;
  /** Instead of the key: its SHA-256 in hexadecimal digits, so that a list of keys contains no secret. */
  readonly sha256?: string;
  /** Name of the caller. Keys with the same name belong to one caller, so that keys can be rotated. */
  readonly clientId: string;
  /** Scopes that the caller gets. Default: none. */
  readonly scopes?: readonly string[];
  /** Further claims about the caller. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Passed to `apiKeys()`: the accepted keys and the header that carries them. */
export interface ApiKeysOptions {
  /** The accepted keys. A request with any other key is rejected. */
  readonly keys: readonly ApiKey[];
  /** The header with the key. Default: `x-api-key`, or `authorization` with `Bearer` before the key. */
  readonly header?: string;
}

const MIN_LENGTH = 32;
const AUTHORIZATION = 'authorization';

/** Authenticates callers by API keys. */
export function apiKeys(options: ApiKeysOptions): Authenticator {
  assertOptions('apiKeys()', options, { keys: anything, header: anything });
  const headers = readHeaderNames(options.header);
  const entries = readKeys(options.keys);
  const reject = (message: string): Authentication => ({
    rejection: {
      status: 401,
      message,
      headers: { 'www-authenticate': headers.includes(AUTHORIZATION) ? 'Bearer' : 'ApiKey' },
    },
  });

  return {
    headers,
    authenticate: (header) => {
      let key: string | undefined;
      for (const name of headers) {
        const given = readKey(header, name);
        if (given !== undefined && key !== undefined) return reject('More than one API key was given.');
        key ??= given;
      }
      if (key === undefined) return reject('An API key is needed.');
      const found = findIdentity(entries, digestOf(key));
      if (!found) return reject('The API key is not known.');
      return { auth: { token: key, ...found } };
    },
  };
}

type Identity = Omit<AuthInfo, 'token'>;

interface Entry {
  readonly digest: Uint8Array;
  readonly identity: Identity;
}

/** Compares all keys even after a match, so that the time it takes reveals nothing about any key. */
function findIdentity(entries: readonly Entry[], presented: Uint8Array): Identity | undefined {
  let found: Identity | undefined;
  for (const { digest, identity } of entries) if (timingSafeEqual(digest, presented)) found = identity;
  return found;
}

function readKey(header: ReadHeader, name: string): string | undefined {
  return name === AUTHORIZATION ? readBearerToken(header) : header(name);
}

function digestOf(key: string): Uint8Array {
  return createHash('sha256').update(key).digest();
}

function readHeaderNames(name: unknown): readonly string[] {
  if (name === undefined) return ['x-api-key', AUTHORIZATION];
  if (typeof name !== 'string' || !/^[\w-]+$/.test(name))
    throw invalidOption('apiKeys({ header })', 'the name of a header');
  return [name.toLowerCase()];
}

function readKeys(keys: unknown): readonly Entry[] {
  if (!Array.isArray(keys) || keys.length === 0)
    throw invalidOption('apiKeys({ keys })', 'a list with a key');
  const entries = keys.map((entry, index) => readEntry(`apiKeys({ keys })[${index}]`, entry as ApiKey));
  for (const [index, { digest }] of entries.entries()) {
    const first = entries.findIndex((other) => timingSafeEqual(other.digest, digest));
    if (first < index)
      throw new ErrInvalidOptions(`apiKeys({ keys })[${index}] has the key of apiKeys({ keys })[${first}].`);
  }
  return entries;
}

/** Checks a key. Error messages never contain the key itself. */
function readEntry(place: string, entry: ApiKey): Entry {
  const rules = { key: anything, sha256: anything, clientId: anything, scopes: anything, extra: anything };
  assertOptions(place, entry, rules);
  const { clientId, extra = {} } = entry;
  if (typeof clientId !== 'string' || clientId === '') throw invalidOption(`${place}.clientId`, 'text');
  assertPlain(`${place}.extra`, extra);
  const scopes = readScopes(`${place}.scopes`, entry.scopes);
  // The subject identifies the caller, so all keys of a caller share its limits and data.
  const identity = {
    clientId,
    scopes: scopes as string[],
    extra: Object.freeze({ sub: clientId, ...extra }),
  };
  return { digest: readDigest(place, entry), identity };
}

function readDigest(place: string, { key, sha256 }: ApiKey): Uint8Array {
  if (sha256 !== undefined && key === undefined) {
    if (/^[\da-f]{64}$/i.test(sha256)) return Uint8Array.from(sha256.match(/../g) ?? [], parseHex);
    throw invalidOption(`${place}.sha256`, 'the SHA-256 of a key: 64 hexadecimal digits');
  }
  if (isBearerToken(key) && key.length >= MIN_LENGTH && sha256 === undefined) return digestOf(key);
  throw invalidOption(
    `${place}.key`,
    `text of at least ${MIN_LENGTH} letters, digits and -._~+/`,
    'Make one: node -p "crypto.randomBytes(32).toString(\'base64url\')"',
  );
}

const parseHex = (digits: string): number => Number.parseInt(digits, 16);
