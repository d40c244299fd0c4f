import type { RequestOptions } from './request.js';
import type { LogToClient, ReportProgress, RequestContext } from '../define/tool-definition.js';
import type { Caller } from '../callers/caller.js';
import { ErrInvalidModel, ErrValidationFailed, ToolfoldError } from '../errors.js';
import { redactError, redactorOf } from '../guards/redact/redactor.js';
import { InputRequired } from '../protocol/input-required.js';
import { clip } from '../values/nearest-name.js';
import { isFault } from './fault-report.js';
import { readerKey } from '../callers/caller-key.js';
import { SentData } from '../guards/redact/collect-credentials.js';
import type { Redactor } from '../guards/redact/redactor.js';
import { freezeContext } from '../callers/session-context.js';
import type { ContextValues } from '../callers/session-context.js';
import type { Cache, CacheHelpers, CacheKey, CacheOptions } from '../guards/cache/cache.js';
import type { Logger } from '../values/logger.js';
import type { CallerRule } from '../callers/caller-key.js';
import { noClientToAsk, putQuestions } from '../questions/request-input.js';

/** Makes `context.app` for each request. */
export type ContextFactory<App = unknown> = (request: RequestOptions) => App | Promise<App>;

/** The services that a context needs. */
interface ContextServices {
  readonly cache: Pick<Cache, 'for'>;
  readonly keyOf: (rule: CallerRule, request: RequestOptions) => string;
  readonly logger: Logger | undefined;
}

const shared = createSharedSignal();

/** The signal of a call that cannot be cancelled. */
export function neverSignal(): AbortSignal {
  return shared ?? new AbortController().signal;
}

/** Whether a signal is the one that all calls share, which must not collect their listeners. */
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
export const noRelease = (): void => {};
export const noSession: ContextValues = Object.freeze({});

/** Returns the frozen session context that handlers see. */
export function sessionOf({ session }: RequestOptions): ContextValues {
  return session === undefined ? noSession : freezeContext(session.context);
}

/** Returns the hash that tells the session context of a request from others. */
export function contextHashOf({ session }: RequestOptions): string | undefined {
  if (session === undefined) return undefined;
  const hash: unknown = session.hash;
  if (typeof hash === 'string' && hash !== '') return hash;
  throw new ErrInvalidModel('session must have the hash of its context.', {
    hint: 'Pass the value that SessionContext.resolve() returned.',
  });
}

/** Reports progress without the credentials of the request in its messages. */
export function createProgress(request: RequestOptions, app: unknown): ReportProgress {
  const { progress } = request;
  if (!progress) return noProgress;
  return (done, total, message) =>
    progress(done, total, message === undefined ? message : redactData(message, redactorFor(request, app)));
}

/** Sends log messages without the credentials of the request. */
export function createLog(request: RequestOptions, app: unknown): LogToClient {
  const { log } = request;
  if (!log) return noLog;
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

/** Makes the context of a prompt or a resource. */
function createRequestContext(
  request: RequestOptions,
  app: unknown,
  services: ContextServices,
): RequestContext {
  const { ask } = request;
  return {
    app,
    accessToken: request.accessToken,
    signal: request.signal ?? request.lazySignal?.() ?? neverSignal(),
    progress: createProgress(request, app),
    requestInput: ask ? (questions) => putQuestions(questions, ask) : noClientToAsk,
    log: createLog(request, app),
    releaseConnection: request.release ?? noRelease,
    caller: request.caller ?? nobody,
    session: sessionOf(request),
    cache: new CallCache(services, request),
    sdk: request.sdk,
  };
}

/** The cache of one caller. The caller's key is computed on first use, because most calls never use the cache. */
export class CallCache implements CacheHelpers {
  readonly #services: ContextServices;
  readonly #request: RequestOptions;

  constructor(services: ContextServices, request: RequestOptions) {
    this.#services = services;
    this.#request = request;
  }

  static requestOf(cache: CacheHelpers): RequestOptions | undefined {
    return cache instanceof CallCache ? cache.#request : undefined;
  }

  /** Logs an error of the cache without the credentials of the request. */
  #report(error: unknown): void {
    this.#services.logger?.warn({ error: redactorFor(this.#request).failure(error) }, 'cache failed');
  }

  get #own(): CacheHelpers {
    const { cache, keyOf } = this.#services;
    return cache.for(keyOf(readerKey, this.#request), { onError: (error) => this.#report(error) });
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

  /** A shared value is shared within one session context. The hash is part of the key, so that any cache respects it. */
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

/** Returns the parts of a request that may hold credentials. */
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

/** Returns a redactor for the credentials of a request. */
export function redactorFor(request: RequestOptions, app?: unknown): Redactor {
  return redactorOf(secretsOf(request, app));
}

/**
 * Reports an error of the author's code to the server that the request came through. Rejections of the caller and cancelled calls
 * are not reported.
 */
export function reportFault(
  thrown: unknown,
  request: RequestOptions,
  { logger }: Pick<ContextServices, 'logger'>,
  address?: string,
  app?: unknown,
): void {
  try {
    const { onFault, signal, lazySignal, trace } = request;
    // The error of a resolver of defaults, which the caller sees as invalid arguments, because other arguments may help.
    const error = thrown instanceof ErrValidationFailed ? (thrown.cause ?? thrown) : thrown;
    if (!(onFault ?? trace) || !isFault(error)) return;
    const { name } = Object(error) as { name?: unknown };
    if (name === 'AbortError' && (signal ?? lazySignal?.())?.aborted === true) return;
    const redactor = redactorFor(request, app);
    trace?.fail(error, redactor);
    onFault?.(error, { address, isLogged: logger !== undefined, redactor });
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
    return await run(createRequestContext(request, app, services));
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
    reportFault(failure, request, services, address, app);
    throw failure;
  }
}
