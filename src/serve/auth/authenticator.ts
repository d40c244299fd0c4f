import { invalidOption } from '../../values/options.js';
import { readAddress, readScopes } from './read-options.js';
import type { AuthInfo } from '@modelcontextprotocol/server';

/** Gives a header by its name in lower case. One that came several times comes joined with commas. */
export type ReadHeader = (name: string) => string | undefined;

/** An answer that ends a request before anything has run. */
export interface Rejection {
  /** The status of the answer, such as 401. */
  readonly status: number;
  /** What the client is told. */
  readonly message: string;
  /** Sent with the answer, such as `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong on this side. It is reported to the operator, and clients are not told. */
  readonly cause?: unknown;
}

/** Who is asking, or why nobody is believed to. */
export type Authentication = { readonly auth: AuthInfo } | { readonly rejection: Rejection };

/** What RFC 9728 has a protected server say of itself. */
export interface ResourceMetadata {
  /** The address of the server, as tokens name it. */
  readonly resource: string;
  /** Who gives out tokens for it. */
  readonly authorization_servers: readonly string[];
  /** The scopes that clients can ask for. */
  readonly scopes_supported?: readonly string[];
  /** Where tokens may stand; here `header` alone. */
  readonly bearer_methods_supported?: readonly string[];
  /** What else RFC 9728 has. */
  readonly [more: string]: unknown;
}

/** Finds out who is asking. `oauth()` and `apiKeys()` make one; so may anybody. */
export interface Authenticator {
  /** Sees headers alone, before the body is read. What it throws is answered with 500 and reported. */
  authenticate(header: ReadHeader): Authentication | Promise<Authentication>;
  /** The headers with credentials, which browsers may send where CORS is open. Default: `authorization`. */
  readonly headers?: readonly string[];
  /** Served to whoever looks for the authorization server. */
  readonly metadata?: ResourceMetadata;
  /** Rejects where it can never work. `serveHttp` waits for it before it listens. */
  ready?(): Promise<void>;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Where RFC 9728 puts what a server says of itself: before the path of its address. */
export function metadataAddress(resource: URL): string {
  return `${resource.origin}${WELL_KNOWN}${pathOf(resource)}`;
}

/** The document, and the paths it is found at: the one that belongs to the server, and the root for clients that try it. */
export interface MetadataDocument {
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
