import { anything, assertOptions, countOrNone, invalidOption } from '../../values/options.js';
import type { ReadHeader } from '../auth/authenticator.js';
import { LRUCache } from 'lru-cache';
import { reject } from './request-response.js';
import { REJECTED } from '../../protocol/rpc-codes.js';
import type { WholeAnswer } from './request-response.js';

/** What is wrong with where a request goes to and comes from. */
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
    // Only browsers send one.
    if (!origin || isAllowedToo(origin)) return undefined;
    const from = hostnameOf(origin);
    const [, scheme = '', authority = ''] = ORIGIN.exec(origin) ?? [];
    if (!from || !scheme) return reject(403, REJECTED, 'Invalid Origin header');
    // Pages of an editor have a scheme of their own, and are allowed by it: `vscode-webview://*`.
    const isAllowed = /^https?$/i.test(scheme)
      ? AUTHORITY.test(authority) && origins.has(from)
      : origins.has(`${scheme.toLowerCase()}://*`);
    return isAllowed ? undefined : reject(403, REJECTED, `Invalid Origin: ${scheme}://${from}`);
  };
  // The same few come with every request.
  const known = new LRUCache<string, WholeAnswer | typeof FINE>({ max: 100 });
  let lastHost: string | undefined;
  let lastOrigin: string | undefined;
  return (host, origin) => {
    if (host !== undefined && host === lastHost && origin === lastOrigin) return undefined;
    // Whatever a client sends: a header that is absent is not one that says so.
    const key = JSON.stringify([host, origin]);
    let outcome = known.get(key);
    if (outcome === undefined) known.set(key, (outcome = judge(host, origin) ?? FINE));
    if (outcome !== FINE) return outcome;
    lastHost = host;
    lastOrigin = origin;
    return undefined;
  };
}

/** A host and a port. URLs can hold more there, such as users, paths and escapes, which would hide what is asked for. */
const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const ORIGIN = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)$/i;

/** Without the port, as URLs have it; `undefined` where it is none. */
function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** A name that no request can have would lock everybody out. */
function readNames(option: string, names: readonly string[]): ReadonlySet<string> {
  for (const name of names) {
    if (/^[a-z][a-z\d+.-]*:\/\/\*$/.test(name)) continue;
    if (hostnameOf(`http://${name}`) !== name)
      throw invalidOption(`${option}: "${name}"`, 'a name without scheme, port and path, in lower case');
  }
  return new Set(names);
}

/** Which pages of other origins may call. */
export interface CorsOptions {
  /** Whose web pages may call and read the answers: `https://app.example.com`. They count as allowed origins. */
  readonly origins: readonly string[];
  /** Milliseconds for which a browser may cache the answer to a preflight. Default: 600,000. */
  readonly maxAgeMs?: number;
}

/** What browsers are told. */
export interface Cors {
  allows(origin: string | undefined): boolean;
  /** What goes with every answer. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /** The answer to a question that browsers ask before the request itself. */
  preflight(origin: string, header: ReadHeader): Readonly<Record<string, string>>;
}

/** `*` would not cover `authorization`, so that every name is written out. */
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

/** `ownHeaders` are those that only this server reads: of credentials, and of what requests say about their callers. */
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

/** Tools may have any of their fields sent as a header. The names of these, and nothing else, are given back. */
function readParameters(asked: string | undefined): string[] {
  const names = (asked ?? '').toLowerCase().split(',', MAX_PARAMETERS);
  return names
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[\w!#$%&'*+.^`|~-]{1,128}$/.test(name));
}

/** An origin is compared as it stands, so it must be written as browsers write it. */
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
