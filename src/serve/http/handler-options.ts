import {
  anything,
  assertOptions,
  callback,
  count,
  countOrNone,
  durationMs,
  flag,
  names,
  objectLike,
  share,
  text,
} from '../../values/options.js';
import type { Rule, Rules } from '../../values/options.js';
import type { RateLimiter } from '../../stores/rate-limiter.js';
import type { AdmissionOptions } from './admission.js';
import type { RequestLimit } from './capacity.js';
import type { SessionStore } from '../../stores/session-store.js';
import type { OfferedView } from '../../toolsets/exposure-policy.js';
import type { ToolsetConfig } from '../../toolsets/toolset-config.js';

/** How the sessions of 2025 clients are kept. */
export interface SessionOptions {
  /** How many sessions are kept; the one that was not used for longest ends first. Default: 10,000. */
  readonly max?: number;
  /** Milliseconds after which an unused session ends. Default: an hour. */
  readonly ttlMs?: number;
  /** Where sessions are kept, instead of the memory of this process. */
  readonly store?: SessionStore;
}

/** How a registry is served over HTTP, whoever listens. */
export interface HandlerOptions extends AdmissionOptions {
  /** What callers see; everything by default. */
  readonly view?: OfferedView;
  /**
   * Toolsets beside what is registered, of which each request sees what the operator allows and it selects. Default:
   * none.
   */
  readonly toolsets?: ToolsetConfig;
  /**
   * The path under which requests reach the handler. Those behind it select: `/mcp/x/users,billing`,
   * `/mcp/x/users/readonly`, `/mcp/readonly`; others are not found. Without it no path selects anything.
   */
  readonly path?: string;
  /** How many entries a page of a list has; some clients read one page only. Default: all. */
  readonly pageSize?: number;
  /** Milliseconds for which 2026 clients may cache a list. Default: 0. */
  readonly listTtlMs?: number;
  /** The names under which the server may be addressed. Default: localhost. */
  readonly allowedHosts?: readonly string[];
  /** Whose web pages may call. Default: those of localhost. */
  readonly allowedOrigins?: readonly string[];
  /** Maximum size of a request body, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * Milliseconds in which the body of a request must arrive. A body that stalls, with less than 4 KiB in 4 seconds, is cut
   * off sooner. Default: 10,000.
   */
  readonly bodyTimeoutMs?: number;
  /** How deep the JSON of a request may be nested. Default: 100. */
  readonly maxDepth?: number;
  /** How many values (objects, arrays and what is in them) the JSON of a request may have. Default: 20,000. */
  readonly maxValues?: number;
  /** How many requests are served at once; those beyond are rejected with 503. Default: 1,000. */
  readonly maxRequests?: number;
  /** How many streams may be open at once. Default: 1,000. */
  readonly maxStreams?: number;
  /**
   * The part of `maxRequests`, `maxStreams` and `sessions.max` that one caller may use, at least one request, one stream
   * and ten sessions. Requests beyond it are answered with 429; of sessions, the ones that the caller used least end.
   * Anonymous callers are told apart by address; those on this machine may use everything. Default: 0.25.
   */
  readonly callerShare?: number;
  /**
   * How many requests of all kinds one caller may send, rejected ones included; more are answered with 429. A request
   * whose selection needs a new view counts 50. Pass a `RateLimiter` to count for several processes, or `false` for no
   * limit. Default: 12,000 in 60 seconds, counted by each process.
   */
  readonly requestLimit?: RequestLimit | RateLimiter | false;
  /**
   * How many proxies in front of the server append to `X-Forwarded-For`. The address that they report identifies
   * anonymous callers. Default: 0.
   */
  readonly trustedProxies?: number;
  /** The sessions of 2025 clients. */
  readonly sessions?: SessionOptions;
  /** Told what went wrong and is not for clients. Default: nobody is told. */
  readonly onError?: (error: unknown) => void;
}

/** What each option of a handler must be. What policies, `auth` and `cors` hold is checked where they are read. */
const handlerRules: Rules<keyof HandlerOptions> = {
  auth: objectLike('oauth(…), apiKeys(…) or an object with authenticate()'),
  cors: objectLike('{ origins, maxAgeMs }'),
  view: objectLike('a view policy'),
  toolsets: objectLike('a ToolsetConfig'),
  path: [(value) => typeof value === 'string' && value.startsWith('/'), 'a path that begins with /'],
  // Checked where it is used, for servers that one attaches to as well.
  pageSize: anything,
  listTtlMs: countOrNone,
  allowedHosts: names,
  allowedOrigins: names,
  maxBodyBytes: count,
  bodyTimeoutMs: count,
  maxDepth: count,
  maxValues: count,
  maxRequests: count,
  maxStreams: count,
  callerShare: share,
  requestLimit: [
    (value) => value === false || (typeof value === 'object' && value !== null),
    '{ requests, windowMs }, a RateLimiter or false',
  ],
  sessions: objectLike('{ max, ttlMs, store }'),
  trustedProxies: countOrNone,
  onError: callback,
};

const serverRules = {
  port: [
    (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 65_536,
    'a port',
  ],
  host: text,
  maxHeaderBytes: count,
  requestTimeoutMs: durationMs,
  isReady: callback,
  graceMs: durationMs,
  closeOnSignals: flag,
} satisfies Rules;

/** Throws on an option that is not known or cannot be: a slip must not leave a server more open than it looks. */
export function assertHandlerOptions(place: string, options: object): void {
  assertOptions(place, options, handlerRules);
  const { sessions, requestLimit } = options as HandlerOptions;
  if (requestLimit && !('consume' in requestLimit))
    assertOptions(`${place}: requestLimit`, requestLimit, {
      requests: count,
      windowMs: [(value) => typeof value === 'number' && value > 0, 'a number above 0'],
    });
  if (sessions)
    assertOptions(`${place}: sessions`, sessions, {
      max: count,
      ttlMs: durationMs,
      store: objectLike('a SessionStore'),
    });
}

/** The same for a server, whose options are those of its handler and more. */
export function assertServerOptions(options: object): void {
  assertOptions('serveHttp', options, { ...handlerRules, ...serverRules });
}

/** What of a server's options is its handler's. */
export function toHandlerOptions(options: object): HandlerOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(handlerRules, name)));
}

export function assertStdioOptions(options: object): void {
  const { view, toolsets, pageSize, maxDepth, maxValues, maxRequests, onError } = handlerRules;
  const { graceMs, closeOnSignals } = serverRules;
  const auth: Rule = objectLike('what is known of the caller: { clientId, scopes }');
  assertOptions('serveStdio', options, {
    view,
    toolsets,
    auth,
    pageSize,
    maxDepth,
    maxValues,
    maxRequests,
    onError,
    graceMs,
    closeOnSignals,
  });
}
