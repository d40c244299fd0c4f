import type { AuthInfo } from './auth-info.js';
import type { JWTPayload, JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import { digest } from '../../values/digest.js';
import { anything, assertOptions, invalidOption, notInstalled, readAddress } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { readScopes, expandScopes, readImpliedScopes, scopesOf } from './scopes.js';
import type { Authentication, Authenticator, Rejection, ReadHeader } from './authenticator.js';
import { readBearerToken, metadataAddress } from './authenticator.js';
import { rejectScopes, rejectToken } from './challenge.js';
import { KeysUnavailable, RETRY_AFTER, createKeySource } from './remote-keys.js';

/** Passed to `oauth()`: which tokens the server accepts, and what it tells clients about them. */
export interface OAuthOptions {
  /** Issuer of the tokens, exactly as the tokens name it. */
  readonly issuer: string;
  /** The address under which clients know this server, such as `https://mcp.example.com/mcp`. */
  readonly resource: string;
  /** Accepted audiences of tokens. Default: `resource`. */
  readonly audience?: string | readonly string[];
  /** Address of the authorization server's keys. Default: found in its metadata. */
  readonly jwksUri?: string;
  /** Scopes that every request needs. Actions may require more. */
  readonly requiredScopes?: readonly string[];
  /** Scopes that the metadata lists for clients. Default: `requiredScopes`. */
  readonly scopesSupported?: readonly string[];
  /** Scopes that a broader scope includes: `{ admin: ['users:read', 'users:write'] }`. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>;
  /** Accepted signature algorithms. Default: all with a public key. */
  readonly algorithms?: readonly string[];
}

/** Each value is checked where `oauth()` reads it. */
const known: Rules<keyof OAuthOptions> = {
  issuer: anything,
  resource: anything,
  audience: anything,
  jwksUri: anything,
  requiredScopes: anything,
  scopesSupported: anything,
  impliedScopes: anything,
  algorithms: anything,
};

/** Algorithms with a shared secret are missing, because an attacker could sign with the public key as the secret. */
const publicKeyAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Seconds by which the clocks of two servers may differ. */
const CLOCK_TOLERANCE = 10;
/** Verified tokens are cached for this many milliseconds, because verifying a signature takes longer than a call. */
const KEPT_FOR = 60_000;
const KEPT_TOKENS = 5_000;

type Identity = Omit<AuthInfo, 'token'>;

interface Verified {
  readonly identity: Identity;
  /** Milliseconds since 1970; never after the token has expired. */
  readonly until: number;
}

/** Authenticates callers by OAuth access tokens (JSON Web Tokens), which it verifies with the `jose` package. */
export function oauth(options: OAuthOptions): Authenticator {
  assertOptions('oauth()', options, known);
  const resource = readAddress('oauth({ resource })', options.resource);
  readAddress('oauth({ issuer })', options.issuer);
  const jwksUri =
    options.jwksUri === undefined ? undefined : readAddress('oauth({ jwksUri })', options.jwksUri);
  const audience = readAudience(options.audience ?? sameAddresses(options.resource, resource));
  const algorithms = readAlgorithms(options.algorithms);
  const requiredScopes = readScopes('oauth({ requiredScopes })', options.requiredScopes);
  const scopesSupported = readScopes(
    'oauth({ scopesSupported })',
    options.scopesSupported ?? options.requiredScopes,
  );
  const implied = readImpliedScopes('oauth({ impliedScopes })', options.impliedScopes);
  const { issuer } = options;
  const resourceMetadataUrl = metadataAddress(resource);

  const loading = loadVerifier(
    { issuer, audience, algorithms, clockTolerance: CLOCK_TOLERANCE, requiredClaims: ['exp'] },
    jwksUri,
  );
  // A failure surfaces in `ready` and in every verification, so it must not be an unhandled rejection here.
  loading.catch(() => undefined);
  // Keyed by digest, so that no token stays in memory.
  const verified = new LRUCache<string, Verified>({ max: KEPT_TOKENS });

  const reject = (message: string, isPresent: boolean): Authentication => ({
    rejection: rejectToken(message, isPresent, requiredScopes, resourceMetadataUrl),
  });

  const verify = async (token: string, key: string): Promise<Authentication> => {
    const verifyToken = await loading;
    let claims: JWTPayload;
    try {
      claims = await verifyToken(token);
    } catch (error) {
      if (error instanceof KeysUnavailable) return { rejection: { ...unavailable, cause: error.cause } };
      const description = describeTokenError(error);
      if (description === undefined) throw error;
      return reject(description, true);
    }
    const scopes = expandScopes(scopesOf(claims), implied);
    if (!requiredScopes.every((scope) => scopes.includes(scope)))
      return { rejection: rejectScopes(requiredScopes, resourceMetadataUrl) };
    const identity = toIdentity(claims, scopes, resourceMetadataUrl);
    verified.set(key, { identity, until: Math.min(Date.now() + KEPT_FOR, Number(claims.exp) * 1_000) });
    return { auth: { token, ...identity } };
  };

  return {
    headers: ['authorization'],
    metadata: {
      resource: options.resource,
      authorization_servers: [issuer],
      ...(scopesSupported.length > 0 ? { scopes_supported: scopesSupported } : {}),
      bearer_methods_supported: ['header'],
    },
    ready: async () => void (await loading),
    authenticate: (header: ReadHeader) => {
      const token = readBearerToken(header);
      if (token === undefined) return reject('An access token is needed.', false);
      if (token === '') return reject('The Authorization header is malformed.', true);
      const key = digest(token);
      const kept = verified.get(key);
      return kept && Date.now() < kept.until ? { auth: { token, ...kept.identity } } : verify(token, key);
    },
  };
}

/** 503 and not 401, because the token may be valid and a 401 would make the client ask its user to log in again. */
const unavailable: Rejection = {
  status: 503,
  message: 'Tokens cannot be verified right now.',
  headers: { 'retry-after': String(RETRY_AFTER / 1_000) },
};

async function loadVerifier(
  expected: JWTVerifyOptions & { readonly issuer: string },
  jwksUri: URL | undefined,
): Promise<(token: string) => Promise<JWTPayload>> {
  const jose = await import('jose').catch((cause: unknown) => {
    throw notInstalled('oauth()', 'jose', cause);
  });
  const keys = createKeySource(jose, expected.issuer, jwksUri);
  return async (token) => (await jose.jwtVerify(token, keys, expected)).payload;
}

function toIdentity(claims: JWTPayload, scopes: readonly string[], resourceMetadataUrl: string): Identity {
  const client = claims['client_id'] ?? claims['azp'];
  return {
    clientId: typeof client === 'string' ? client : '',
    scopes: Object.freeze([...scopes]) as string[],
    expiresAt: Number(claims.exp),
    resourceMetadataUrl,
    extra: Object.freeze(claims),
  };
}

/** `https://a.example` and `https://a.example/` are one address; with a longer path they are two. */
function sameAddresses(written: string, { pathname, origin, href }: URL): string[] {
  return [...new Set(pathname === '/' ? [written, origin, `${origin}/`] : [written, href])];
}

function readAudience(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? [...value] : [value];
  if (list.length === 0 || !list.every((name) => typeof name === 'string' && name !== ''))
    throw invalidOption('oauth({ audience })', 'text, or a list of at least one');
  return list as string[];
}

function readAlgorithms(value: unknown = publicKeyAlgorithms): string[] {
  if (
    !Array.isArray(value) ||
    value.length === 0 ||
    !value.every((name) => publicKeyAlgorithms.includes(name))
  )
    throw invalidOption('oauth({ algorithms })', `a list of some of ${publicKeyAlgorithms.join(', ')}`);
  return [...value] as string[];
}

const tokenErrors: Readonly<Record<string, string>> = {
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
function describeTokenError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const { code } = error;
  if (!code.startsWith('ERR_J') || code === 'ERR_JWKS_INVALID') return undefined;
  if (Object.hasOwn(tokenErrors, code)) return tokenErrors[code];
  const claim = 'claim' in error ? String(error.claim) : '';
  return Object.hasOwn(claimErrors, claim) ? claimErrors[claim] : 'The access token is malformed.';
}
