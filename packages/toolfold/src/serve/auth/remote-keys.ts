import { isJsonObject, isSecure, sharesPendingWork } from '@toolfold/schema/internal';
import type * as jose from 'jose';
import type { JWTVerifyGetKey, RemoteJWKSet } from 'jose';

/** Thrown while the keys cannot be fetched. Tokens can then not be verified, although they may be valid. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

/** Limits in milliseconds and bytes, because the authorization server is outside of our control. */
const TIMEOUT = 5_000;
const MAX_BYTES = 512 * 1024;
/** Milliseconds without a further attempt after a failure, so that requests do not flood a server that is down. */
export const RETRY_AFTER = 5_000;
/** Milliseconds between two fetches for unknown keys, because clients can invent key names. */
const COOLDOWN = 30_000;
/** Milliseconds after which keys are fetched again, so that a withdrawn key stops working. */
const MAX_AGE = 10 * 60_000;

/** Without `jwksUri`, the metadata of the authorization server names the address of the keys. */
export function createKeySource(
  { createRemoteJWKSet, customFetch }: typeof jose,
  issuer: string,
  jwksUri: URL | undefined,
): JWTVerifyGetKey {
  const attempt = createPause();
  const open = (url: URL): RemoteJWKSet =>
    createRemoteJWKSet(url, {
      timeoutDuration: TIMEOUT,
      cooldownDuration: COOLDOWN,
      cacheMaxAge: MAX_AGE,
      [customFetch]: async (address: string) => Response.json(await attempt(() => downloadKeys(address))),
    });
  let keys = jwksUri ? open(jwksUri) : undefined;
  let search: Promise<RemoteJWKSet> | undefined;
  const find = (): Promise<RemoteJWKSet> => {
    if (!sharesPendingWork()) search = undefined;
    return (search ??= attempt(() => locateKeys(issuer))
      .then(open)
      .finally(() => (search = undefined)));
  };
  return async (header, token) => {
    const known = (keys ??= await find());
    try {
      return await known(header, token);
    } catch (error) {
      // The keys may have moved, so their address is looked up again. Keys that are still fresh are kept.
      if (error instanceof KeysUnavailable && !jwksUri && !known.fresh && keys === known) keys = undefined;
      throw error;
    }
  };
}

/** Creates a function that runs work, and rejects for a while after the work has failed. */
function createPause(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let until = 0;
  return async (work) => {
    if (Date.now() < until) throw new KeysUnavailable('The authorization server failed a moment ago.');
    try {
      return await work();
    } catch (cause) {
      until = Date.now() + RETRY_AFTER;
      throw new KeysUnavailable('The authorization server gave no keys.', { cause });
    }
  };
}

async function downloadKeys(url: string): Promise<unknown> {
  const set = await downloadJson(url);
  if (!isJsonObject(set) || !Array.isArray(set['keys']) || !set['keys'].every(isJsonObject))
    throw new Error(`${url} has no set of keys.`);
  return set;
}

/** Tries the well-known addresses of authorization server metadata, in the order that MCP gives to clients. */
async function locateKeys(issuer: string): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]);
  const failures: unknown[] = [];
  for (const place of places) {
    try {
      return readKeyAddress(await downloadJson(place), issuer);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `${issuer} does not say where its keys are.`);
}

/** Reads the address of the keys from metadata. Metadata of another issuer is rejected. */
function readKeyAddress(document: unknown, issuer: string): URL {
  const { issuer: named, jwks_uri: address } = isJsonObject(document) ? document : {};
  if (named !== issuer) throw new Error(`The document was issued by another issuer than ${issuer}.`);
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !isSecure(url)) throw new Error('The document has no jwks_uri with https.');
  return url;
}

async function downloadJson(url: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (response.status !== 200) throw new Error(`${url} answered with ${response.status}.`);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return JSON.parse(text + decoder.decode()) as unknown;
}
