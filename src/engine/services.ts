import { callback, objectLike, withMethods } from '../values/options.js';
import type { Rules } from '../values/options.js';
import { ErrInvalidOptions } from '../errors.js';
import { ErrorHandler } from './error-handler.js';
import type { ErrorHandling } from './error-handler.js';
import { assertBudget } from '../guards/budget/output-budget.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import { ResponseFormatter } from './response-formatter.js';
import type { ResponseFormatting } from './response-formatter.js';
import { Idempotency } from '../guards/idempotency/idempotency.js';
import type { CallerRule } from '../callers/caller-key.js';
import { toSafeLogger } from '../values/logger.js';
import type { Logger } from '../values/logger.js';
import { createRateLimiter } from '../guards/rate-limit/rate-limiter.js';
import type { RateLimit, RateLimiter } from '../stores/rate-limiter.js';
import { createRedactor } from '../guards/redact/redactor.js';
import { createSecurityWrapper } from './security-wrapper.js';
import type { WithSecurityWrapper } from './security-wrapper.js';
import { Cache } from '../guards/cache/cache.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import type { Shared } from '../stores/shared.js';
import type { Store } from '../stores/store.js';
import { ConcurrencyLimit } from './concurrency.js';
import type { ConcurrencyOptions } from './concurrency.js';
import type { Observe } from './observe.js';
import { isInputRequired } from '../protocol/input-required.js';
import { contextHashOf, identifyingToken } from './request-context.js';
import type { ContextFactory } from './request-context.js';
import type { RequestOptions } from './request.js';

/** What a registry works with. Each has a default, and each can be another object of the same form. */
export interface ServiceOptions<App = unknown> {
  /** Makes `context.app` for each call. Default: none, and it is undefined. */
  readonly contextFactory?: ContextFactory<App>;
  /** Guards every call: validation, rate limit and request log. One that is handed in replaces all three. */
  readonly withSecurityWrapper?: WithSecurityWrapper;
  /** Makes results of what was thrown. Default: an `ErrorHandler`. */
  readonly errorHandler?: ErrorHandling;
  /** Makes results of what handlers return. Default: a `ResponseFormatter`. */
  readonly responseFormatter?: ResponseFormatting;
  /** What handlers keep from call to call. Default: a `Cache` over `store`. */
  readonly cache?: Pick<Cache, 'for'>;
  /** Where the cache and idempotency keep what they know. Default: in memory, each on its own. */
  readonly store?: Store;
  /**
   * State that several processes share, such as `redis(…)` of `toolfold/redis`: the cache, idempotency, rate limits,
   * notifications and, where the registry is served, sessions. What is given beside it wins.
   */
  readonly shared?: Shared;
  /**
   * How often each caller may call each action; `false` for no limit. Default: 3,000 times in 60 s, and 30,000 times for all
   * anonymous callers together.
   */
  readonly rateLimiter?: RateLimiter | RateLimit | false;
  /**
   * What else tells callers apart: cached values and idempotency keys of one tenant are never another's. Needed where
   * the tenant is not among the verified claims.
   */
  readonly tenant?: (request: RequestOptions) => string | undefined;
  /** How many calls run and wait at once; no limit by default. */
  readonly concurrency?: ConcurrencyOptions;
  /** How large results may be; no limit by default. */
  readonly outputBudget?: OutputBudget;
  /** Where requests and their outcomes are written; nowhere by default. */
  readonly logger?: Logger;
  /** The time in milliseconds. Default: `Date.now`, or the time that is shared. */
  readonly clock?: () => number;
  /** Sees every call from before it is looked up until its answer is there. Default: nobody does. */
  readonly observe?: Observe;
}

export const serviceRules: Rules<keyof ServiceOptions> = {
  contextFactory: callback,
  withSecurityWrapper: callback,
  errorHandler: withMethods('createValidationError', 'handleError'),
  responseFormatter: withMethods('format', 'runWithMinifyOverride'),
  cache: withMethods('for'),
  store: withMethods('get', 'set', 'setIfAbsent', 'delete'),
  shared: withMethods('createRateLimiter', 'now', 'onEvent', 'logTo', 'shareTasks', 'shareChanges', 'close'),
  tenant: callback,
  rateLimiter: [
    (value) =>
      value === false ||
      (typeof value === 'object' && value !== null && ('consume' in value || 'calls' in value)),
    '{ calls, windowMs, anonymousCalls? }, an object with consume(), or false',
  ],
  concurrency: objectLike('{ max, queue }'),
  outputBudget: objectLike('{ maxTokens } or { maxBytes }'),
  logger: withMethods('debug', 'info', 'warn', 'error'),
  clock: callback,
  observe: callback,
};

/** The same with all defaults in place. */
export interface Services {
  /** The label of tools that have no namespace of their own. */
  readonly namespace: string;
  readonly contextFactory: ContextFactory | undefined;
  readonly withSecurityWrapper: WithSecurityWrapper;
  /** The guard is not ours, so that nobody knows what it logs. */
  readonly isForeignGuard: boolean;
  /** Whose a call is, by one of the rules for that, in the tenant that `tenant` names and the context it comes with. */
  readonly keyOf: (rule: CallerRule, request: RequestOptions) => string;
  /** Who is charged for it: the same without the context, which is the client's own word. */
  readonly payerOf: (rule: CallerRule, request: RequestOptions) => string;
  /** The guard is ours and looks at no result. */
  readonly isSilent: boolean;
  /** Whether anybody looks at what clients are called. */
  readonly namesClients: boolean;
  /** The formatter where it is ours. */
  readonly ownFormatter: ResponseFormatter | undefined;
  readonly errorHandler: ErrorHandling;
  readonly responseFormatter: ResponseFormatting;
  readonly cache: Pick<Cache, 'for'>;
  readonly idempotency: Pick<Idempotency, 'run'>;
  readonly concurrency: ConcurrencyLimit | undefined;
  readonly outputBudget: OutputBudget | undefined;
  readonly logger: Logger | undefined;
  readonly observe: Observe | undefined;
}

export function createServices(namespace: string, options: ServiceOptions): Services {
  if (options.withSecurityWrapper && options.rateLimiter) {
    throw new ErrInvalidOptions('rateLimiter has no effect beside withSecurityWrapper.', {
      hint: 'Apply the limit in the wrapper.',
    });
  }
  const ownFormatter = options.responseFormatter ? undefined : new ResponseFormatter();
  const logger = options.logger && toSafeLogger(options.logger);
  const { clock = Date.now, outputBudget, shared, tenant } = options;
  const { store = shared?.cache } = options;
  // What processes share, they date alike.
  const sharedClock = options.clock ?? (shared ? () => shared.now() : Date.now);
  const keepsRecords = options.store && options.store.evicts !== true;
  const claims = keepsRecords ? undefined : shared?.claims;
  if (logger) shared?.logTo(logger);
  if (outputBudget) assertBudget(outputBudget, 'outputBudget');
  const onError = (error: unknown): void => {
    logger?.warn({ error: createRedactor().value(error) }, 'cache failed');
  };
  const payerOf: Services['payerOf'] = (rule, request) => {
    const key = rule(request.caller, identifyingToken(request));
    if (!tenant) return key;
    const named: unknown = tenant(request);
    if (named !== undefined && typeof named !== 'string')
      throw new ErrInvalidOptions('tenant must return text or undefined.');
    return JSON.stringify([named ?? null, key]);
  };
  return {
    namespace,
    contextFactory: options.contextFactory,
    withSecurityWrapper:
      options.withSecurityWrapper ??
      createSecurityWrapper({ rateLimiter: toRateLimiter(options), logger, clock }),
    isForeignGuard: options.withSecurityWrapper !== undefined,
    keyOf: (rule, request) => {
      const payer = payerOf(rule, request);
      const hash = contextHashOf(request);
      return hash === undefined ? payer : JSON.stringify(['context', payer, hash]);
    },
    payerOf,
    isSilent: !options.withSecurityWrapper && ownFormatter !== undefined,
    namesClients: [
      options.logger,
      options.observe,
      options.contextFactory,
      options.tenant,
      options.withSecurityWrapper,
    ].some(Boolean),
    ownFormatter,
    errorHandler: options.errorHandler ?? new ErrorHandler(),
    responseFormatter: options.responseFormatter ?? (ownFormatter as ResponseFormatter),
    cache:
      options.cache ?? new Cache({ store: store ?? new MemoryStore({ clock }), clock: sharedClock, onError }),
    // A store that drops nothing, for a record that is lost lets a call be done twice.
    idempotency: new Idempotency({
      store:
        (keepsRecords ? options.store : shared?.records) ??
        new MemoryStore({ clock, evicts: false, ...RECORDS }),
      results: store ?? new MemoryStore({ clock }),
      clock: sharedClock,
      ...(shared ? { sequence: shared.sequence, leaseMs: SHARED_LEASE } : {}),
      claims,
      changedNothing: isInputRequired,
    }),
    concurrency: options.concurrency && new ConcurrencyLimit(options.concurrency),
    outputBudget,
    logger,
    observe: options.observe,
  };
}

/** Others wait for so long for a process that has died. */
const SHARED_LEASE = 15_000;

/** Room for the records of what was done. */
const RECORDS = { maxEntries: 100_000, maxBytes: 256 * 1024 * 1024 };

function toRateLimiter({ rateLimiter: given, clock, shared }: ServiceOptions): RateLimiter | undefined {
  const options = clock ? { clock } : {};
  if (given === false) return undefined;
  const create = (limit?: RateLimit): RateLimiter =>
    shared ? shared.createRateLimiter(limit) : createRateLimiter(limit, options);
  if (given === undefined) return create();
  return 'consume' in given ? given : create(given);
}
