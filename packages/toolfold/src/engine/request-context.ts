import type { Deadline } from './call-limits.js';
import type { RequestOptions } from './request.js';
import type { LogToClient, ReportProgress, RequestContext } from '../define/tool-definition.js';
import type { Caller } from '../callers/caller.js';
import { ErrInvalidModel, ErrValidationFailed, ToolfoldError } from '@toolfold/schema/errors';
import { redactError, redactorOf } from '../guards/redact/redactor.js';
import { InputRequired } from '../protocol/input-required.js';
import { clip } from '@toolfold/schema/internal';
import { isFault } from './fault-report.js';
import { readerKey } from '../callers/caller-key.js';
import { SentData } from '../guards/redact/collect-credentials.js';
import type { Redactor } from '../guards/redact/redactor.js';
import { freezeContext } from '../callers/session-context.js';
import type { ContextValues } from '../callers/session-context.js';
import type { Cache, CacheHelpers, CacheKey, CacheOptions } from '../guards/cache/cache.js';
import type { Logger } from '../values/logger.js';
import type { CallerRule } from '../callers/caller-key.js';
import { assertAwaited, putQuestions } from '../questions/request-input.js';

/** Makes `context.app` of each request. */
export type ContextFactory<App = unknown> = (request: RequestOptions) => App | Promise<App>;

interface ContextServices {
  readonly cache: Pick<Cache, 'for'>;
  /** Whether the author replaced the cache, so that handlers get all of its helpers. */
  readonly isInjectedCache: boolean;
  readonly keyOf: (rule: CallerRule, request: RequestOptions) => string;
  readonly logger: Logger | undefined;
}

const shared = createSharedSignal();

/** Returns the signal of calls that cannot be cancelled. */
export function neverSignal(): AbortSignal {
  return shared ?? new AbortController().signal;
}

/** All calls share this signal, so it must not collect their listeners. */
export function isNever(signal: AbortSignal): boolean {
  return signal === shared;
}

/** In workerd, a signal belongs to the request that creates it, and creating one outside of a request throws. */
function createSharedSignal(): AbortSignal | undefined {
  try {
    return new AbortController().signal;
  } catch {
    return undefined;
  }
}

export const nobody: Caller = Object.freeze({});
export const noProgress: ReportProgress = async () => {};
export const noLog: LogToClient = async () => {};
const noRelease = (): void => {};
const noSession: ContextValues = Object.freeze({});

export function sessionOf({ session }: RequestOptions): ContextValues {
  return session === undefined ? noSession : freezeContext(session.context);
}

/** Returns the key under which values of the session context are stored. */
export function contextHashOf({ session }: RequestOptions): string | undefined {
  if (session === undefined) return undefined;
  const hash: unknown = session.hash;
  if (typeof hash === 'string' && hash !== '') return hash;
  throw new ErrInvalidModel('session must have the hash of its context.', {
    hint: 'Pass the value that SessionContext.resolve() returned.',
  });
}

/** Removes the credentials of the request from progress messages. */
function redactProgress(progress: ReportProgress, request: RequestOptions, app: unknown): ReportProgress {
  return (done, total, message) =>
    progress(done, total, message === undefined ? message : redactData(message, redactorFor(request, app)));
}

/** Removes the credentials of the request from log messages. */
function redactLog(log: LogToClient, request: RequestOptions, app: unknown): LogToClient {
  return (level, data, logger) => {
    const redactor = redactorFor(request, app);
    return log(
      level,
      redactData(data, redactor),
      logger === undefined ? logger : redactData(logger, redactor),
    );
  };
}

function redactData<T>(data: T, redactor: Redactor): T {
  return (typeof data === 'string' ? redactor.text(data) : redactor.value(data)) as T;
}

/** Tools, prompts and resources share this part of their context. */
export function createRequestContext(
  request: RequestOptions,
  app: unknown,
  services: ContextServices,
  deadline?: Deadline,
): Omit<RequestContext, 'signal'> {
  const { progress, log } = request;
  const cache = new CallCache(services, request);
  return {
    app,
    accessToken: request.accessToken,
    progress: progress ? redactProgress(progress, request, app) : noProgress,
    requestInput: (questions) => putQuestions(questions, request, deadline),
    log: log ? redactLog(log, request, app) : noLog,
    releaseConnection: request.release ?? noRelease,
    caller: request.caller ?? nobody,
    session: request.session ? sessionOf(request) : noSession,
    // Handlers get all methods of the author's cache, not only those of `CacheHelpers`.
    cache: services.isInjectedCache ? cache.whole() : cache,
    sdk: request.sdk,
  };
}

/** Computes the caller's key on first use, because most calls never use the cache. */
class CallCache implements CacheHelpers {
  static readonly #wholes = new WeakMap<object, RequestOptions>();
  readonly #services: ContextServices;
  readonly #request: RequestOptions;
  #helpers: CacheHelpers | undefined;

  constructor(services: ContextServices, request: RequestOptions) {
    this.#services = services;
    this.#request = request;
  }

  static requestOf(cache: CacheHelpers): RequestOptions | undefined {
    return #request in cache ? cache.#request : CallCache.#wholes.get(cache);
  }

  /** Passes everything but the methods of `CacheHelpers` on to the author's helpers. */
  whole(): CacheHelpers {
    const whole = new Proxy<CacheHelpers>(this, {
      get: (own, name) => {
        const owner = name === 'wrap' || name === 'delete' || name === 'invalidate' ? own : this.#own;
        const value: unknown = Reflect.get(owner, name, owner);
        return typeof value === 'function' ? (value.bind(owner) as unknown) : value;
      },
      set: (_, name, value) => Reflect.set(this.#own, name, value),
      has: (_, name) => name in this.#own,
      getPrototypeOf: () => Object.getPrototypeOf(this.#own) as object | null,
    });
    CallCache.#wholes.set(whole, this.#request);
    return whole;
  }

  #report(error: unknown): void {
    this.#services.logger?.warn({ error: redactorFor(this.#request).failure(error) }, 'cache failed');
  }

  get #own(): CacheHelpers {
    const { cache, keyOf } = this.#services;
    return (this.#helpers ??= cache.for(keyOf(readerKey, this.#request), {
      onError: (error) => this.#report(error),
    }));
  }

  wrap<T>(key: CacheKey, loader: () => T | Promise<T>, options: CacheOptions): Promise<T> {
    return this.#own.wrap(this.#within(key, options), loader, options);
  }

  delete(key: CacheKey, options?: { readonly shared?: boolean }): Promise<void> {
    return this.#own.delete(this.#within(key, options), options);
  }

  /** Tags are the same in all session contexts, because a change in one may be visible in another. */
  invalidate(...tags: string[]): Promise<void> {
    return this.#own.invalidate(...tags);
  }

  /**
   * Callers with different session contexts share no value. The hash is part of the key, so that the author's cache separates
   * them too.
   */
  #within(key: CacheKey, options: { readonly shared?: boolean } | undefined): CacheKey {
    const hash = options?.shared === true ? contextHashOf(this.#request) : undefined;
    return hash === undefined ? key : [IN_CONTEXT, hash, key];
  }
}

const IN_CONTEXT = 'toolfold/context';

/** Returns the request from which the context of a handler was made. */
export function requestOf({ cache }: RequestContext): RequestOptions | undefined {
  return CallCache.requestOf(cache);
}

/**
 * Returns the access token if it identifies the caller. A token from the session context does not: it is the server's own,
 * or a claim of the client.
 */
export function identifyingToken({ accessToken, session }: RequestOptions): string | undefined {
  return session !== undefined && session.context['accessToken'] === accessToken ? undefined : accessToken;
}

export function secretsOf(
  request: RequestOptions & { readonly arguments?: unknown },
  app?: unknown,
): readonly unknown[] {
  const { accessToken, caller, meta, sdk, session, arguments: given } = request;
  const { context, credentials } = session ?? {};
  const roots: unknown[] = [caller, context, app, sdk];
  if (accessToken !== undefined) roots.push({ accessToken });
  if (credentials !== undefined) roots.push({ credentials });
  if (meta !== undefined) roots.push(new SentData(meta));
  if (given !== undefined) roots.push(new SentData(given));
  return roots;
}

export function redactorFor(request: RequestOptions, app?: unknown): Redactor {
  return redactorOf(secretsOf(request, app));
}

/** Emits an error of the author's code. Rejections of the caller and cancelled calls are no faults. */
export function emitFault(
  thrown: unknown,
  request: RequestOptions,
  { logger }: Pick<ContextServices, 'logger'>,
  address?: string,
  app?: unknown,
): void {
  try {
    const { emit, signal, lazySignal } = request;
    // The error of a resolver of defaults, which the caller sees as invalid arguments, because other arguments may help.
    const error = thrown instanceof ErrValidationFailed ? (thrown.cause ?? thrown) : thrown;
    if (!emit || !isFault(error)) return;
    const { name } = Object(error) as { name?: unknown };
    if (name === 'AbortError' && (signal ?? lazySignal?.())?.aborted === true) return;
    const redactor = redactorFor(request, app);
    emit({ kind: 'fault', error, address, isLogged: logger !== undefined, redactor });
  } catch {
    // A thrown value can be of any type, and reading it can throw.
  }
}

/** Runs a prompt or a resource. Its errors are redacted and logged like those of a call. */
export async function runWithContext<T>(
  request: RequestOptions,
  services: ContextServices & { readonly contextFactory: ContextFactory | undefined },
  run: (context: RequestContext) => Promise<T>,
): Promise<T> {
  let app: unknown;
  try {
    app = await services.contextFactory?.(request);
    const signal = request.signal ?? request.lazySignal?.() ?? neverSignal();
    const result = await run({ ...createRequestContext(request, app, services), signal });
    assertAwaited(request, 'A prompt or resource');
    return result;
  } catch (thrown) {
    if (thrown instanceof InputRequired) throw thrown;
    const redactor = redactorFor(request, app);
    const { logger } = services;
    const { name, uri } = request as { readonly name?: string; readonly uri?: string };
    const address = name === undefined ? uri : `prompt ${name}`;
    const failure = thrown instanceof ToolfoldError ? redactError(thrown, redactor) : thrown;
    const fields = { address: address && redactor.text(clip(address)), error: redactor.failure(thrown) };
    if (isFault(thrown)) logger?.error(fields, 'prompt or resource failed');
    else logger?.warn(fields, 'prompt or resource rejected');
    emitFault(failure, request, services, address, app);
    throw failure;
  }
}
