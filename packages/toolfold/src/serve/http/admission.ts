import { LRUCache } from 'lru-cache';
import type { AuthInfo } from '../auth/auth-info.js';
import { REJECTED } from '../../protocol/rpc-error.js';
import type { ToolsetConfig } from '../../toolsets/toolset-config.js';
import { anything, assertOptions, countOrNone, invalidOption, isJsonObject } from '@toolfold/schema/internal';
import { writeMetadata } from '../auth/authenticator.js';
import type { Authentication, Authenticator, ReadHeader, Rejection } from '../auth/authenticator.js';
import { reject, methodNotAllowed } from './request-response.js';
import type { EdgeRequest, WholeAnswer, WrittenAnswer } from './request-response.js';

/** Options that decide whether a request is admitted, before its body is read. */
export interface AdmissionOptions {
  /** Authenticates callers. Default: none, so that anybody may call. */
  readonly auth?: Authenticator | undefined;
  /** Lets web pages of other origins call. Default: none may. */
  readonly cors?: CorsOptions | undefined;
}

/** The part of a request that is known before its body is read. Middleware in front may have verified `auth`. */
type RequestHead = Pick<EdgeRequest, 'target' | 'header' | 'auth'> & { readonly method: string };

type Admitted =
  | { readonly answer: WrittenAnswer }
  | { readonly answer?: undefined; readonly auth?: AuthInfo | undefined };

/** Decides before the body is read: answers CORS preflights and metadata requests, and authenticates all others. */
export interface Admission {
  readonly cors: Cors | undefined;
  /** Whether the admission itself answers this path, because the server's metadata is there. */
  serves(path: string): boolean;
  admit(head: RequestHead): Admitted | Promise<Admitted>;
}

export function createAdmission({
  auth,
  cors: corsOptions,
  toolsets,
  onError = () => {},
}: AdmissionOptions & {
  readonly toolsets?: Pick<ToolsetConfig, 'sessionContext'> | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}): Admission {
  if (auth !== undefined) assertAuthenticator(auth);
  const cors =
    corsOptions === undefined
      ? undefined
      : createCors(corsOptions, [...headersOf(auth), ...contextHeaders(toolsets)]);
  const metadata = auth?.metadata && writeMetadata('auth.metadata', auth.metadata);

  // If an authenticator neither names nor rejects a caller, the request fails.
  const settle = (outcome: Authentication): Admitted => {
    const isRejected = 'rejection' in outcome && outcome.rejection !== undefined;
    if (!isRejected && 'auth' in outcome && isJsonObject(outcome.auth)) return { auth: outcome.auth };
    if (!isRejected) throw new TypeError('auth.authenticate() returned neither auth nor rejection.');
    if (outcome.rejection.cause !== undefined) onError(outcome.rejection.cause);
    return { answer: toAnswer(outcome.rejection) };
  };

  return {
    cors,
    serves: (path) => metadata?.paths.has(path) === true,
    admit: (head) => {
      if (head.method === 'OPTIONS') return { answer: answerOptions(head, cors) };
      if (metadata?.paths.has(pathOf(head.target)))
        return { answer: answerMetadata(head.method, metadata.text) };
      if (!auth || head.auth) return { auth: head.auth as AuthInfo | undefined };
      const outcome = auth.authenticate(head.header);
      return outcome instanceof Promise ? outcome.then(settle) : settle(outcome);
    },
  };
}

export function toAnswer(
  { status, message, headers = {} }: Rejection,
  id: string | number | null = null,
): WrittenAnswer {
  return reject(status, REJECTED, message, { id, headers });
}

function answerOptions({ header }: RequestHead, cors: Cors | undefined): WrittenAnswer {
  const origin = header('origin');
  const isPreflight = header('access-control-request-method') !== undefined;
  if (cors && origin !== undefined && isPreflight && cors.allows(origin))
    return { status: 204, headers: cors.preflight(origin, header), body: '' };
  return methodNotAllowed(METHODS);
}

function answerMetadata(method: string, text: string): WrittenAnswer {
  if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed('GET, HEAD');
  return {
    status: 200,
    headers: { 'cache-control': 'public, max-age=300' },
    body: text,
  };
}

function headersOf(auth: Authenticator | undefined): readonly string[] {
  return auth ? (auth.headers ?? ['authorization']) : [];
}

function contextHeaders({ sessionContext }: Pick<ToolsetConfig, 'sessionContext'> = {}): readonly string[] {
  const { enabled = true, header } = sessionContext ?? {};
  return enabled && header ? [header.name] : [];
}

function assertAuthenticator(auth: unknown): void {
  if (!isJsonObject(auth) || typeof auth['authenticate'] !== 'function')
    throw invalidOption('auth', 'oauth(…), apiKeys(…) or an object with authenticate()');
  const { headers } = auth;
  if (headers !== undefined && !(Array.isArray(headers) && headers.every(isHeaderName)))
    throw invalidOption('auth.headers', 'a list of names of headers');
}

function isHeaderName(name: unknown): boolean {
  return typeof name === 'string' && /^[\w-]+$/.test(name);
}

/** Returns the path of a request's target, which is a path with a query or a whole URL. */
export function pathOf(url: string): string {
  if (!url.startsWith('/')) return URL.canParse(url) ? new URL(url).pathname : url;
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

export type HostCheck = (host: string | undefined, origin: string | undefined) => WholeAnswer | undefined;

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
  // Requests repeat a few hosts and origins.
  const known = new LRUCache<string, WholeAnswer | 'allowed'>({ max: 100 });
  return (host, origin) => {
    // An absent header is judged like an empty one, and no header can contain a line break.
    const key = `${host ?? ''}\n${origin ?? ''}`;
    const outcome = known.get(key) ?? judge(host, origin) ?? 'allowed';
    if (!known.has(key)) known.set(key, outcome);
    return outcome === 'allowed' ? undefined : outcome;
  };
}

/** A host and an optional port. Users, paths and escapes are rejected, because they would hide the real host. */
const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const ORIGIN = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)$/i;

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

interface Cors {
  allows(origin: string | undefined): boolean;
  /** Returns the headers for every response to a page of this origin, errors included. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
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
export const METHODS = 'GET, POST, DELETE';
const EXPOSED = 'mcp-session-id, www-authenticate';
const MAX_PARAMETERS = 64;

/** `ownHeaders` are the headers that this server reads credentials and session context from. */
function createCors(options: CorsOptions, ownHeaders: readonly string[]): Cors {
  assertOptions(
    'cors',
    options,
    { origins: anything, maxAgeMs: countOrNone },
    { nameOf: (name) => `cors.${name}` },
  );
  const { maxAgeMs = 600_000 } = options;
  const origins = readOrigins(options.origins);
  const names = [...new Set([...ownHeaders.map((name) => name.toLowerCase()), ...requestHeaders])];

  return {
    allows: (origin = '') => origins.has(origin),
    headersFor: (origin = '') =>
      origins.has(origin)
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
