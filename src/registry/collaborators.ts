import { ErrInvalidModel } from '../errors.js';
import { ErrorHandler } from '../format/error-handler.js';
import type { ErrorHandling } from '../format/error-handler.js';
import { assertBudget } from '../format/output-budget.js';
import type { OutputBudget } from '../format/output-budget.js';
import { ResponseFormatter } from '../format/response-formatter.js';
import type { ResponseFormatting } from '../format/response-formatter.js';
import { Idempotency } from '../guard/idempotency.js';
import type { Logger } from '../guard/logger.js';
import { createRateLimiter } from '../guard/rate-limiter.js';
import type { RateLimit, RateLimiter } from '../guard/rate-limiter.js';
import { createRedactor } from '../guard/redaction.js';
import { createSecurityWrapper } from '../guard/security-wrapper.js';
import type { WithSecurityWrapper } from '../guard/security-wrapper.js';
import { Cache } from '../stores/cache.js';
import { MemoryStore } from '../stores/memory-store.js';
import type { Store } from '../stores/store.js';
import { ConcurrencyLimit } from './concurrency.js';
import type { ConcurrencyOptions } from './concurrency.js';
import type { Observe } from './observe.js';
import { InputRequired } from '../compile/input-required.js';
import type { ContextFactory } from './request-context.js';

/** What a registry works with. Each has a default, and each can be another object of the same form. */
export interface CollaboratorOptions<App = unknown> {
  /** Makes `context.app` for each call. */
  readonly contextFactory?: ContextFactory<App>;
  /** Guards every call: validation, rate limit and request log. One that is handed in replaces all three. */
  readonly withSecurityWrapper?: WithSecurityWrapper;
  readonly errorHandler?: ErrorHandling;
  readonly responseFormatter?: ResponseFormatting;
  /** What handlers keep from call to call. */
  readonly cache?: Pick<Cache, 'for'>;
  /** Where the cache and idempotency keep what they know. In memory by default. */
  readonly store?: Store;
  /** How often each caller may call each action: 3,000 times in 60 s by default. `false` for no limit. */
  readonly rateLimiter?: RateLimiter | RateLimit | false;
  /** How many calls run and wait at once; no limit by default. */
  readonly concurrency?: ConcurrencyOptions;
  /** How large results may be; no limit by default. */
  readonly outputBudget?: OutputBudget;
  /** Where requests and their outcomes are written; nowhere by default. */
  readonly logger?: Logger;
  /** The time in milliseconds. */
  readonly clock?: () => number;
  /** Sees every call from before it is looked up until its answer is there. */
  readonly observe?: Observe;
}

export const collaboratorNames = [
  'contextFactory',
  'withSecurityWrapper',
  'errorHandler',
  'responseFormatter',
  'cache',
  'store',
  'rateLimiter',
  'concurrency',
  'outputBudget',
  'logger',
  'clock',
  'observe',
] as const satisfies readonly (keyof CollaboratorOptions)[];

/** The same with all defaults in place. */
export interface Collaborators {
  /** The label of tools that have no namespace of their own. */
  readonly namespace: string;
  readonly contextFactory: ContextFactory | undefined;
  readonly withSecurityWrapper: WithSecurityWrapper;
  /** The guard is ours and looks at no result. */
  readonly isSilent: boolean;
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

export function createCollaborators(namespace: string, options: CollaboratorOptions): Collaborators {
  const ownFormatter = options.responseFormatter ? undefined : new ResponseFormatter();
  const { logger, clock = Date.now, outputBudget } = options;
  if (outputBudget) assertBudget(outputBudget, 'outputBudget');
  const onError = (error: unknown): void => {
    logger?.warn({ error: createRedactor().value(error) }, 'cache failed');
  };
  return {
    namespace,
    contextFactory: options.contextFactory,
    withSecurityWrapper:
      options.withSecurityWrapper ??
      createSecurityWrapper({ rateLimiter: toRateLimiter(options.rateLimiter), logger, clock }),
    isSilent: !options.withSecurityWrapper && ownFormatter !== undefined && !logger,
    ownFormatter,
    errorHandler: options.errorHandler ?? new ErrorHandler(),
    responseFormatter: options.responseFormatter ?? (ownFormatter as ResponseFormatter),
    cache: options.cache ?? new Cache({ store: options.store ?? new MemoryStore({ clock }), clock, onError }),
    // A store of its own, so that a full cache drops no record of what was done.
    idempotency: new Idempotency({
      store: options.store ?? new MemoryStore({ clock }),
      clock,
      changedNothing: (thrown) => thrown instanceof InputRequired,
    }),
    concurrency: options.concurrency && new ConcurrencyLimit(options.concurrency),
    outputBudget,
    logger,
    observe: options.observe,
  };
}

function toRateLimiter(given: CollaboratorOptions['rateLimiter']): RateLimiter | undefined {
  if (given === false) return undefined;
  if (given === undefined) return createRateLimiter();
  if (typeof given === 'object' && given !== null) {
    if ('consume' in given) return given;
    if ('calls' in given && 'seconds' in given) return createRateLimiter(given);
  }
  throw new ErrInvalidModel('rateLimiter must be { calls, seconds }, an object with consume(), or false.');
}
