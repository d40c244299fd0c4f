import { anything, assertOptions, countOrNone, invalidOption } from '../../values/options.js';
import type { ReadHeader } from '../auth/authenticator.js';
import { LRUCache } from 'lru-cache';
import { reject } from './request-response.js';
import { REJECTED } from '../../protocol/rpc-codes.js';
import type { WholeAnswer } from './request-response.js';

/** Returns the error response if the host or the origin of a request is not allowed. */
export type HostCheck = (host: string | undefined, origin: string | undefined) => WholeAnswer | undefined;

const FINE = Symbol('fine');
const localhost = ['localhost', '127.0.0.1', '[::1]'];

export function createHostCheck(
  allowedHosts: readonly string[] = localhost,
  allowedOrigins: readonly string[] = localhost,
  isAllowedToo: (origin: string | undefined) => boolean = () => false,
): HostCheck {
  const hosts = readNames('allowedHosts', allowedHosts);
  const origins = readNames('allowedOrigins', allowedOrigins);
  const judge: HostCheck = (host, origin) => {
    const hostname = host && AUTHORITY.test(host) ? hostnameOf(`http://${host}`) : undefined;
    if (!hostname) return reject(403, REJECTED, host ? 'Invalid Host header' : 'Missing Host header');
    if (!hosts.has(hostname)) return reject(403, REJECTED, `Invalid Host: ${hostname}`);
    // Only browsers send an Origin header.
    if (!origin || isAllowedToo(origin)) return undefined;
    const from = hostnameOf(origin);
    const [, scheme = '', authority = ''] = ORIGIN.exec(origin) ?? [];
    if (!from || !scheme) return reject(403, REJECTED, 'Invalid Origin header');
    // Web pages inside an editor have the editor's scheme and are allowed by it: `vscode-webview://*`.
    const isAllowed = /^https?$/i.test(scheme)
      ? AUTHORITY.test(authority) && origins.has(from)
      : origins.has(`${scheme.toLowerCase()}://*`);
    return isAllowed ? undefined : reject(403, REJECTED, `Invalid Origin: ${scheme}://${from}`);
  };
  // Most requests repeat a few hosts and origins, so their outcomes are cached.
  const known = new LRUCache<string, WholeAnswer | typeof FINE>({ max: 100 });
  let lastHost: string | undefined;
  let lastOrigin: string | undefined;
  return (host, origin) => {
    if (host !== undefined && host === lastHost && origin === lastOrigin) return undefined;
    // JSON keeps an absent header apart from one with the text "undefined".
    const key = JSON.stringify([host, origin]);
    let outcome = known.get(key);
    if (outcome === undefined) known.set(key, (outcome = judge(host, origin) ?? FINE));
    if (outcome !== FINE) return outcome;
    lastHost = host;
    lastOrigin = origin;
    return undefined;
  };
}

/** A host and an optional port. Users, paths and escapes are rejected, because they would hide the real host. */
const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const ORIGIN = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)$/i;

/** The host name of a URL without the port; `undefined` if the URL is invalid. */
function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** Throws on a name that no request can have, because it would lock all callers out. */
function readNames(option: string, names: readonly string[]): ReadonlySet<string> {
  for (const name of names) {
    if (/^[a-z][a-z\d+.-]*:\/\/\*$/.test(name)) continue;
    if (hostnameOf(`http://${name}`) !== name)
      throw invalidOption(`${option}: "${name}"`, 'a name without scheme, port and path, in lower case');
  }
  return new Set(names);
}

/** Lets web pages of other origins call the server. */
export interface CorsOptions {
  /** Origins whose pages may call and read responses, such as `https://app.example.com`. Adds to `allowedOrigins`. */
  readonly origins: readonly string[];
  /** Milliseconds for which a browser may cache the answer to a preflight. Default: 600,000. */
  readonly maxAgeMs?: number;
}

/** The CORS headers of a server. */
export interface Cors {
  allows(origin: string | undefined): boolean;
  /** Headers for every response to a page of this origin. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /** Headers of the response to a preflight request. */
  preflight(origin: string, header: ReadHeader): Readonly<Record<string, string>>;
}

/** All names are listed, because `*` would not cover `authorization`. */
const requestHeaders = [
  'content-type',
  'last-event-id',
  'mcp-client-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'x-mcp-exclude-tools',
  'x-mcp-readonly',
  'x-mcp-tools',
  'x-mcp-toolsets',
];
const METHODS = 'GET, POST, DELETE';
const EXPOSED = 'mcp-session-id, www-authenticate';
const MAX_PARAMETERS = 64;

/** `ownHeaders` are the headers that this server reads credentials and session context from. */
export function createCors(options: CorsOptions, ownHeaders: readonly string[]): Cors {
  assertOptions(
    'cors',
    options,
    { origins: anything, maxAgeMs: countOrNone },
    { nameOf: (name) => `cors.${name}` },
  );
  const { maxAgeMs = 600_000 } = options;
  const origins = readOrigins(options.origins);
  const names = [...new Set([...ownHeaders.map((name) => name.toLowerCase()), ...requestHeaders])];
  const allows = (origin: string | undefined): boolean => origin !== undefined && origins.has(origin);

  return {
    allows,
    headersFor: (origin) =>
      origin !== undefined && origins.has(origin)
        ? {
            'access-control-allow-origin': origin,
            'access-control-expose-headers': EXPOSED,
            vary: 'Origin',
          }
        : { vary: 'Origin' },
    preflight: (origin, header) => ({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': [
        ...names,
        ...readParameters(header('access-control-request-headers')),
      ].join(', '),
      'access-control-max-age': String(Math.floor(maxAgeMs / 1_000)),
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    }),
  };
}

/** Any argument of a tool may be sent as an `Mcp-Param-*` header, so requested names of that form are allowed. */
function readParameters(asked: string | undefined): string[] {
  const names = (asked ?? '').toLowerCase().split(',', MAX_PARAMETERS);
  return names
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[\w!#$%&'*+.^`|~-]{1,128}$/.test(name));
}

/** Origins are compared as text, so each must be written the way browsers write it. */
function readOrigins(value: unknown): ReadonlySet<string> {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidOption('cors.origins', 'a list with an origin');
  for (const [index, origin] of value.entries()) {
    const isOrigin = typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin;
    if (!isOrigin || !/^https?:/.test(origin)) {
      throw invalidOption(
        `cors.origins[${index}]`,
        'an origin such as https://app.example.com, without a path',
        'Every origin is named; there is no wildcard.',
      );
    }
  }
  return new Set(value as string[]);
}
