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
  oneOf,
  share,
  text,
  withMethods,
} from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { RateLimiter, SessionStore } from '../../stores/contracts.js';
import type { ReportFault } from '../../engine/request.js';
import type { CacheHints, MethodOptions } from '../../registry/methods.js';
import type { AdmissionOptions } from './admission.js';
import type { Capacity, RequestLimit } from './capacity.js';
import type { Exposure } from '../../toolsets/exposure.js';
import type { OfferedView } from '../../toolsets/exposure-policy.js';
import type { ToolsetConfig } from '../../toolsets/toolset-config.js';

/** Limits and storage for the sessions that 2025 clients open. */
export interface SessionOptions {
  /** Maximum number of sessions. The least recently used session ends first. Default: 10,000. */
  readonly max?: number;
  /** Milliseconds after which an unused session ends. Default: an hour. */
  readonly ttlMs?: number;
  /** Stores sessions outside the memory of this process. */
  readonly store?: SessionStore;
}

/** The options of every transport: what clients see, and within which limits. */
export interface OfferOptions<App = unknown> {
  /** The view that clients see. Default: everything. */
  readonly view?: OfferedView;
  /**
   * Toolsets in addition to the registered tools. A request sees the toolsets that the configuration allows and that it
   * selects. Default: none.
   */
  readonly toolsets?: ToolsetConfig<App>;
  /**
   * With `hide`, callers neither list nor reach actions for which they lack a scope. With `challenge`, they see them, and a call
   * answers which scope is missing. Default: `challenge`.
   */
  readonly scopes?: 'challenge' | 'hide';
  /** Number of entries on a page of a list. Some clients read only the first page. Default: all. */
  readonly pageSize?: number;
  /** Maximum nesting depth of the JSON of a message. Default: 100. */
  readonly maxDepth?: number;
  /** Maximum number of values (objects, arrays and their entries) in the JSON of a message. Default: 20,000. */
  readonly maxValues?: number;
  /**
   * Called with the errors of handlers, and with errors that clients must not see. Default: errors of your code go to standard
   * error, one line each, unless the registry's logger has them.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Decides what each request sees, in place of `view` and `toolsets`. `toolfold dev` replaces it while the server runs.
   *
   * @internal
   */
  readonly exposure?: Exposure;
}

/** Passed to `createHandler`: what a server offers over HTTP, to whom, and within which limits. */
export interface HandlerOptions<App = unknown> extends OfferOptions<App>, AdmissionOptions {
  /**
   * The path under which requests reach the handler. Paths below it select toolsets: `/mcp/x/users,billing`,
   * `/mcp/x/users/readonly`, `/mcp/readonly`; other paths are not found. Without this option, paths select nothing.
   */
  readonly path?: string;
  /** Milliseconds for which 2026 clients may cache a list. Default: 0. */
  readonly listTtlMs?: number;
  /** Host names under which clients may address the server. Default: localhost. */
  readonly allowedHosts?: readonly string[];
  /** Host names whose web pages may call the server. Default: localhost. */
  readonly allowedOrigins?: readonly string[];
  /** Maximum size of a request body, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * Milliseconds in which the body of a request must arrive. A body that stalls, with less than 4 KiB in 4 seconds, is cut
   * off sooner. Default: 10,000.
   */
  readonly bodyTimeoutMs?: number;
  /** Maximum number of concurrent requests. Further requests are rejected with 503. Default: 1,000. */
  readonly maxRequests?: number;
  /** Maximum number of open streams. Further streams are rejected with 503. Default: 1,000. */
  readonly maxStreams?: number;
  /**
   * The part of `maxRequests`, `maxStreams` and `sessions.max` that one caller may use, at least one request, one stream
   * and ten sessions. Further requests are rejected with 429; of its sessions, the least recently used one ends.
   * Anonymous callers are identified by address; those on this machine may use everything. Default: 0.25.
   */
  readonly callerShare?: number;
  /**
   * Maximum number of requests that one caller may send, rejected ones included. Further requests are rejected with 429. A
   * request whose selection needs a new view counts as 50. Pass a `RateLimiter` to count for several processes, or `false` for no
   * limit. Default: 12,000 in 60 seconds, counted by each process.
   */
  readonly requestLimit?: RequestLimit | RateLimiter | false;
  /**
   * Number of proxies in front of the server that append to `X-Forwarded-For`. The address that they report identifies
   * anonymous callers. Default: 0.
   */
  readonly trustedProxies?: number;
  /** Limits and storage for the sessions that 2025 clients open. */
  readonly sessions?: SessionOptions;
}

/** Shared by the answers to 2026 requests, to sessions and of the SDK. */
export interface ServingOptions extends MethodOptions {
  readonly cacheHints: CacheHints;
  readonly exposure: Exposure;
  readonly capacity: Capacity;
  readonly onError: ReportFault;
}

/** The contents of policies are checked where they are read. */
export const offerRules: Rules<keyof OfferOptions> = {
  view: objectLike('a view policy'),
  toolsets: objectLike('a ToolsetConfig'),
  scopes: oneOf('challenge', 'hide'),
  // Checked where it is used, because attached servers take it too.
  pageSize: anything,
  maxDepth: count,
  maxValues: count,
  onError: callback,
  exposure: withMethods('viewFor'),
};

/** The contents of `auth` and `cors` are checked where they are read. */
const handlerRules: Rules<keyof HandlerOptions> = {
  ...offerRules,
  auth: objectLike('oauth(…), apiKeys(…) or an object with authenticate()'),
  cors: objectLike('{ origins, maxAgeMs }'),
  path: [(value) => typeof value === 'string' && value.startsWith('/'), 'a path that begins with /'],
  listTtlMs: countOrNone,
  allowedHosts: names,
  allowedOrigins: names,
  maxBodyBytes: count,
  bodyTimeoutMs: count,
  maxRequests: count,
  maxStreams: count,
  callerShare: share,
  requestLimit: [
    (value) => value === false || (typeof value === 'object' && value !== null),
    '{ requests, windowMs }, a RateLimiter or false',
  ],
  sessions: objectLike('{ max, ttlMs, store }'),
  trustedProxies: countOrNone,
};

const serverRules = {
  port: [
    (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 65_536,
    'a whole number from 0 to 65535',
  ],
  host: text,
  maxHeaderBytes: count,
  requestTimeoutMs: durationMs,
  isReady: callback,
  health: callback,
  graceMs: durationMs,
  closeOnSignals: flag,
} satisfies Rules;

/** Throws on unknown and invalid options, because a typo must not leave a server more open than its author intends. */
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

/** Throws on unknown and invalid options of `serveHttp`, which takes all options of a handler. */
export function assertServerOptions(options: object): void {
  assertOptions('serveHttp', options, { ...handlerRules, ...serverRules });
}

/** Picks the options of `serveHttp` that belong to the handler. */
export function toHandlerOptions(options: object): HandlerOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(handlerRules, name)));
}

export function assertStdioOptions(options: object): void {
  const { graceMs, closeOnSignals } = serverRules;
  const auth = objectLike('what is known of the caller: { clientId, scopes }');
  assertOptions('serveStdio', options, { ...offerRules, auth, maxRequests: count, graceMs, closeOnSignals });
}
