import { callback, objectLike, oneOf, withMethods } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { ErrorHandler } from './error-handler.js';
import type { ErrorHandling } from './error-handler.js';
import { createFaultReporter } from './fault-report.js';
import { assertBudget } from '../guards/budget/output-budget.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import type { StructuredText } from '../guards/budget/structured-text.js';
import { assertStructuredReaders, defaultStructuredReaders } from '../callers/structured-readers.js';
import type { StructuredReader } from '../callers/structured-readers.js';
import { ResponseFormatter } from './shape-output.js';
import type { ResponseFormatting } from './shape-output.js';
import { Idempotency } from '../guards/idempotency/idempotency.js';
import type { CallerRule } from '../callers/caller-key.js';
import { toSafeLogger } from '../values/logger.js';
import type { Logger } from '../values/logger.js';
import { createRateLimiter } from '../guards/rate-limit/rate-limiter.js';
import type { RateLimit, RateLimiter, Store, Shared } from '../stores/contracts.js';
import { createRedactor } from '../guards/redact/redactor.js';
import { createSecurityWrapper } from './security-wrapper.js';
import type { WithSecurityWrapper } from './security-wrapper.js';
import { Cache } from '../guards/cache/cache.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import { createConcurrencyLimit } from './call-limits.js';
import type { ConcurrencyOptions } from './call-limits.js';
import type { FairQueue } from '../callers/fair-queue.js';
import { isInputRequired } from '../protocol/input-required.js';
import { contextHashOf, identifyingToken } from './request-context.js';
import type { ContextFactory } from './request-context.js';
import type { ExecuteRequest, RequestOptions } from './request.js';
import type { CallToolResult } from '../protocol/tool-result.js';

/** The action that a call found, for observers. The pipeline fills it in after step 1. */
export interface CallRecord {
  /** The listed name of the tool. */
  tool?: string;
  /** The address of the action, such as `platform/users.create`. */
  address?: string;
  /** The key of the action, such as `users.create`; `undefined` for a tool that is one action. */
  action?: string | undefined;
}

/** Observes a call. Its return value and its errors are ignored. */
export type Observe = (
  call: { readonly request: ExecuteRequest; readonly record: CallRecord },
  run: () => Promise<CallToolResult>,
) => unknown;

/** The services of a registry. Each has a default, and each can be replaced by an object with the same methods. */
export interface ServiceOptions<App = unknown> {
  /** Makes `context.app` for each call. Default: none, so `context.app` is undefined. */
  readonly contextFactory?: ContextFactory<App>;
  /** Guards every call. Default: a wrapper that validates, limits rates and logs requests; yours replaces all three. */
  readonly withSecurityWrapper?: WithSecurityWrapper;
  /** Turns errors into results. Default: an `ErrorHandler`. */
  readonly errorHandler?: ErrorHandling;
  /** Writes the values that handlers return as text. Default: a `ResponseFormatter`. */
  readonly responseFormatter?: ResponseFormatting;
  /** Keeps values between calls, for handlers and cached actions. Default: a `Cache` over `store`. */
  readonly cache?: Pick<Cache, 'for'>;
  /** Stores the entries of the cache and the records of idempotency. Default: a store in memory for each. */
  readonly store?: Store;
  /**
   * State that several processes share, such as `redis(…)` of `@toolfold/redis`: the cache, idempotency, rate limits,
   * notifications and, if the registry is served, sessions. The other options take precedence over it.
   */
  readonly shared?: Shared;
  /**
   * Limits how often each caller may call each action; `false` for no limit. Default: 3,000 calls in 60 s, and 30,000 calls for
   * all anonymous callers together.
   */
  readonly rateLimiter?: RateLimiter | RateLimit | false;
  /**
   * Returns the tenant of a request, so that tenants share neither cached values nor idempotency keys. Needed if the tenant
   * is not among the verified claims.
   */
  readonly tenant?: (request: RequestOptions) => string | undefined;
  /** Limits how many calls run and wait at once. Default: no limit. */
  readonly concurrency?: ConcurrencyOptions;
  /** Limits the size of results. Default: no limit. */
  readonly outputBudget?: OutputBudget;
  /**
   * The text of results with structured content: the same data, one line about it, or nothing for clients that are known to read
   * structured content. Default: `repeat`.
   */
  readonly structuredText?: StructuredText;
  /** Clients that read structured content, or do not. They come before `defaultStructuredReaders`. Default: none. */
  readonly structuredReaders?: readonly StructuredReader[];
  /** Logs requests and their outcomes. Default: none. */
  readonly logger?: Logger;
  /** Returns the time in milliseconds. Default: `Date.now`, or the clock of `shared`. */
  readonly clock?: () => number;
  /** Observes every call from before step 1 until its result. Default: none. */
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
  outputBudget: objectLike('{ bytes } or { tokens, countTokens }'),
  structuredText: oneOf('repeat', 'summary', 'omit'),
  structuredReaders: [Array.isArray, "a list of clients, such as [{ name: 'my-agent*' }]"],
  logger: withMethods('debug', 'info', 'warn', 'error'),
  clock: callback,
  observe: callback,
};

/** The options of a registry with all defaults filled in, as the pipeline uses them. */
export interface Services {
  /** Rate limits and logs use it for tools without a namespace. */
  readonly namespace: string;
  readonly contextFactory: ContextFactory | undefined;
  readonly withSecurityWrapper: WithSecurityWrapper;
  /** Whether the author replaced the security wrapper. It sees shaped results, and the pipeline logs failures for it. */
  readonly isInjectedWrapper: boolean;
  /** Returns the key of stored values: the caller by a rule, within its tenant and its session context. */
  readonly keyOf: (rule: CallerRule, request: RequestOptions) => string;
  /** Returns the key for quotas and limits. It leaves out the session context, because a client can claim any context. */
  readonly payerOf: (rule: CallerRule, request: RequestOptions) => string;
  readonly tenantOf: (request: RequestOptions) => string | undefined;
  /** Whether a service reads `caller.client`, which the edge otherwise does not parse. */
  readonly namesClients: boolean;
  readonly errorHandler: ErrorHandling;
  readonly responseFormatter: ResponseFormatting;
  /** The default formatter, unless the author replaced it. It always returns a result. */
  readonly ownFormatter: ResponseFormatter | undefined;
  readonly cache: Pick<Cache, 'for'>;
  /** Whether the author replaced the cache, so that handlers get all of its helpers. */
  readonly isInjectedCache: boolean;
  readonly idempotency: Pick<Idempotency, 'run'>;
  readonly concurrency: FairQueue | undefined;
  readonly outputBudget: OutputBudget | undefined;
  readonly structuredText: StructuredText;
  readonly structuredReaders: readonly StructuredReader[];
  readonly logger: Logger | undefined;
  readonly observe: Observe | undefined;
}

const reportFault = createFaultReporter(undefined);

export function createServices(namespace: string, options: ServiceOptions): Services {
  if (options.withSecurityWrapper && options.rateLimiter) {
    throw new ErrInvalidOptions('rateLimiter has no effect beside withSecurityWrapper.', {
      hint: 'Apply the limit in the wrapper.',
    });
  }
  const logger = options.logger && toSafeLogger(options.logger);
  const { clock = Date.now, outputBudget, shared, tenant } = options;
  const { store = shared?.cache } = options;
  // Processes that share state use its clock, because their own clocks may differ.
  const sharedClock = options.clock ?? (shared ? () => shared.now() : Date.now);
  const keepsRecords = options.store && options.store.evicts !== true;
  const claims = keepsRecords ? undefined : shared?.claims;
  if (logger) shared?.logTo(logger);
  else shared?.onEvent(({ kind, error }) => void (kind === 'down' && reportFault(error)));
  if (outputBudget) assertBudget(outputBudget, 'outputBudget');
  const { structuredText = 'repeat', structuredReaders = [] } = options;
  assertStructuredReaders(structuredReaders);
  const onError = (error: unknown): void => {
    logger?.warn({ error: createRedactor().failure(error) }, 'cache failed');
  };
  const tenantOf: Services['tenantOf'] = (request) => {
    const named: unknown = tenant?.(request);
    if (named !== undefined && typeof named !== 'string')
      throw new ErrInvalidOptions('tenant must return text or undefined.');
    return named;
  };
  const payerOf: Services['payerOf'] = (rule, request) => {
    const key = rule(request.caller, identifyingToken(request));
    return tenant ? JSON.stringify([tenantOf(request) ?? null, key]) : key;
  };
  const ownFormatter = new ResponseFormatter();
  return {
    namespace,
    contextFactory: options.contextFactory,
    withSecurityWrapper:
      options.withSecurityWrapper ??
      createSecurityWrapper({ rateLimiter: toRateLimiter(options), logger, clock }),
    isInjectedWrapper: options.withSecurityWrapper !== undefined,
    keyOf: (rule, request) => {
      const payer = payerOf(rule, request);
      const hash = contextHashOf(request);
      return hash === undefined ? payer : JSON.stringify(['context', payer, hash]);
    },
    payerOf,
    tenantOf,
    namesClients: [
      options.logger,
      options.observe,
      options.contextFactory,
      options.tenant,
      options.withSecurityWrapper,
    ].some(Boolean),
    errorHandler: options.errorHandler ?? new ErrorHandler(),
    responseFormatter: options.responseFormatter ?? ownFormatter,
    ownFormatter: options.responseFormatter ? undefined : ownFormatter,
    isInjectedCache: options.cache !== undefined,
    cache:
      options.cache ?? new Cache({ store: store ?? new MemoryStore({ clock }), clock: sharedClock, onError }),
    // Records need a store that evicts nothing, because a lost record lets a call run twice.
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
    concurrency: options.concurrency && createConcurrencyLimit(options.concurrency),
    outputBudget,
    structuredText,
    structuredReaders: [...structuredReaders.map((row) => ({ ...row })), ...defaultStructuredReaders],
    logger,
    observe: options.observe,
  };
}

/** Milliseconds for which other processes wait for a process that may have died. */
const SHARED_LEASE = 15_000;

const RECORDS = { maxEntries: 100_000, maxBytes: 256 * 1024 * 1024 };

function toRateLimiter({ rateLimiter: given, clock, shared }: ServiceOptions): RateLimiter | undefined {
  const options = clock ? { clock } : {};
  if (given === false) return undefined;
  const create = (limit?: RateLimit): RateLimiter =>
    shared ? shared.createRateLimiter(limit) : createRateLimiter(limit, options);
  if (given === undefined) return create();
  return 'consume' in given ? given : create(given);
}
