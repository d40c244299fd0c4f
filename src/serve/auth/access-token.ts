import { ErrInvalidOptions } from '../../errors.js';
import { isJsonObject } from '../../values/json-value.js';
import { invalidOption } from '../../values/options.js';
import { isScope, readScopes } from './read-options.js';
const descriptions: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'The access token has expired.',
  ERR_JWKS_NO_MATCHING_KEY: 'The access token is signed with an unknown key.',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'The access token does not name the key that signed it.',
  ERR_JOSE_ALG_NOT_ALLOWED: 'The access token is signed with an algorithm that is not allowed.',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the access token is invalid.',
};

const claimErrors: Readonly<Record<string, string>> = {
  iss: 'The access token was issued by another authorization server.',
  aud: 'The access token was issued for another server.',
  nbf: 'The access token is not valid yet.',
  exp: 'The access token has no valid expiry time.',
};

/** Describes to the client why jose rejected a token; `undefined` if the error is not about the token. */
export function describeTokenError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const { code } = error;
  if (!code.startsWith('ERR_J') || code === 'ERR_JWKS_INVALID') return undefined;
  if (Object.hasOwn(descriptions, code)) return descriptions[code];
  const claim = 'claim' in error ? String(error.claim) : '';
  return Object.hasOwn(claimErrors, claim) ? claimErrors[claim] : 'The access token is malformed.';
}

/** For each broader scope, all scopes that it includes directly or through other scopes. */
export type ImpliedScopes = ReadonlyMap<string, readonly string[]>;

export function readImpliedScopes(place: string, value: unknown): ImpliedScopes {
  if (value === undefined) return new Map();
  if (!isJsonObject(value))
    throw invalidOption(place, 'an object with a list of scopes for each broader one');
  const direct = new Map(
    Object.entries(value).map(([scope, included]) => {
      if (!isScope(scope)) throw new ErrInvalidOptions(`${place}: "${scope}" is no scope.`);
      return [scope, readScopes(`${place}["${scope}"]`, included)] as const;
    }),
  );
  return new Map([...direct.keys()].map((scope) => [scope, [...reach(scope, direct)]]));
}

function reach(scope: string, direct: ImpliedScopes, seen = new Set<string>()): Set<string> {
  for (const included of direct.get(scope) ?? []) {
    if (seen.has(included)) continue;
    seen.add(included);
    reach(included, direct, seen);
  }
  return seen;
}

export function expandScopes(scopes: readonly string[], implied: ImpliedScopes): readonly string[] {
  if (implied.size === 0) return scopes;
  return [...new Set(scopes.flatMap((scope) => [scope, ...(implied.get(scope) ?? [])]))];
}

/** Reads the scopes of a token. RFC 9068 has `scope` as text with spaces; some servers send a list, or `scp`. */
export function scopesOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  const given = claims['scope'] ?? claims['scp'];
  const parts: readonly unknown[] = typeof given === 'string' ? given.split(' ') : [given].flat();
  return parts.filter(isScope);
}
