import { invalidOption, readAddress } from '@toolfold/schema/internal';
import { readScopes } from './scopes.js';
import type { AuthInfo } from './auth-info.js';

/** Returns a header by its lowercase name. A header that was sent several times comes joined with commas. */
export type ReadHeader = (name: string) => string | undefined;

/** The error response of an authenticator that does not admit a request. */
export interface Rejection {
  /** HTTP status, such as 401. */
  readonly status: number;
  /** The message that the client gets. */
  readonly message: string;
  /** Headers of the response, such as `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The internal error that caused the rejection. It goes to `onError` and not to the client. */
  readonly cause?: unknown;
}

/** An authenticator either names the verified caller or rejects the request. */
export type Authentication = { readonly auth: AuthInfo } | { readonly rejection: Rejection };

/** The metadata of a protected server (RFC 9728). */
export interface ResourceMetadata {
  /** The address of the server, as tokens name it. */
  readonly resource: string;
  /** The authorization servers that issue tokens for the server. */
  readonly authorization_servers: readonly string[];
  /** The scopes that clients can request. */
  readonly scopes_supported?: readonly string[];
  /** The places in which a request may carry its token. Toolfold reads only `header`. */
  readonly bearer_methods_supported?: readonly string[];
  /** Further fields of RFC 9728. */
  readonly [more: string]: unknown;
}

/** Authenticates requests. `oauth()` and `apiKeys()` create one, and you can write your own. */
export interface Authenticator {
  /** Verifies the caller by headers, before the body is read. If it throws, the client gets 500 and `onError` is called. */
  authenticate(header: ReadHeader): Authentication | Promise<Authentication>;
  /** Headers with credentials, which CORS lets browsers send. Default: `authorization`. */
  readonly headers?: readonly string[];
  /** Served at the well-known paths, where clients look for the authorization server. */
  readonly metadata?: ResourceMetadata;
  /** Rejects if the authenticator can never work. `serveHttp` awaits it before it listens. */
  ready?(): Promise<void>;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Returns the address of a server's metadata. RFC 9728 puts the well-known path before the path of the server. */
export function metadataAddress(resource: URL): string {
  return `${resource.origin}${WELL_KNOWN}${pathOf(resource)}`;
}

/** The metadata is served under the path of the server and under the root path, which some clients try. */
interface MetadataDocument {
  readonly paths: ReadonlySet<string>;
  readonly text: string;
}

export function writeMetadata(place: string, metadata: ResourceMetadata): MetadataDocument {
  const resource = readAddress(`${place}.resource`, metadata.resource);
  const servers: unknown = metadata.authorization_servers;
  if (!Array.isArray(servers) || servers.length === 0)
    throw invalidOption(`${place}.authorization_servers`, 'a list with at least one address');
  for (const server of servers) readAddress(`${place}.authorization_servers`, server);
  readScopes(`${place}.scopes_supported`, metadata.scopes_supported);
  return {
    paths: new Set([WELL_KNOWN, `${WELL_KNOWN}${pathOf(resource)}`]),
    text: JSON.stringify(metadata),
  };
}

function pathOf({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname;
}

/** Node's default limit for headers rejects longer tokens. */
const MAX_TOKEN_LENGTH = 16_384;

/** Bearer tokens (RFC 6750) have no comma, so two joined headers do not match. */
const bearer = /^bearer +([\w\-.~+/]+=*) *$/i;

/**
 * Reads the token of the `Authorization` header. Returns `undefined` if the header is absent or has another scheme, and an
 * empty text if the header is malformed.
 */
export function readBearerToken(header: ReadHeader): string | undefined {
  const value = header('authorization');
  if (value === undefined || value === '') return undefined;
  if (value.length > MAX_TOKEN_LENGTH) return '';
  const token = bearer.exec(value)?.[1];
  if (token !== undefined) return token;
  return /^bearer\b/i.test(value) || value.includes(',') ? '' : undefined;
}

export function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && value.length < MAX_TOKEN_LENGTH && bearer.test(`Bearer ${value}`);
}
