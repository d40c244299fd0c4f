import type { RequestOptions } from './request.js';
import type { LogToClient, ReportProgress, RequestContext } from '../define/tool-definition.js';
import type { Caller } from '../callers/caller.js';
import { ErrInvalidModel } from '../errors.js';
import { readerKey } from '../callers/caller-key.js';
import { SentData } from '../guards/redact/collect-credentials.js';
import { redactorOf } from '../guards/redact/redactor.js';
import type { Redactor } from '../guards/redact/redactor.js';
import { freezeContext } from '../callers/context-values.js';
import type { ContextValues } from '../callers/context-values.js';
import type { CacheHelpers, CacheKey, CacheOptions } from '../guards/cache/cache.js';
import type { Services } from './services.js';
import { createRequestInput } from '../questions/request-input.js';

/** Makes `context.app` for each request. */
export type ContextFactory<App = unknown> = (request: RequestOptions) => App | Promise<App>;

export const never: AbortSignal = new AbortController().signal;
export const nobody: Caller = Object.freeze({});
const noProgress: ReportProgress = async () => {};
const noLog: LogToClient = async () => {};
export const noRelease = (): void => {};
const noSession: ContextValues = Object.freeze({});

/** What handlers see of the context of a request. */
export function sessionOf({ session }: RequestOptions): ContextValues {
  return session === undefined ? noSession : freezeContext(session.context);
}

/** What tells the context of a request from others. Without it all of them would be one. */
export function contextHashOf({ session }: RequestOptions): string | undefined {
  if (session === undefined) return undefined;
  const hash: unknown = session.hash;
  if (typeof hash === 'string' && hash !== '') return hash;
  throw new ErrInvalidModel('session must have the hash of its context.', {
    hint: 'Pass on what SessionContext.resolve() gave.',
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

/** The part of a context that tools, prompts and resources share. */
export function createRequestContext(
  request: RequestOptions,
  app: unknown,
  services: CacheOwner,
): RequestContext {
  return {
    app,
    accessToken: request.accessToken,
    signal: request.signal ?? request.lazySignal?.() ?? never,
    progress: createProgress(request, app),
    requestInput: createRequestInput(request.ask),
    log: createLog(request, app),
    releaseConnection: request.release ?? noRelease,
    caller: request.caller ?? nobody,
    session: sessionOf(request),
    cache: new CallCache(services, request),
    sdk: request.sdk,
  };
}

type CacheOwner = Pick<Services, 'cache' | 'keyOf' | 'logger'>;

/** The cache of whoever calls. Most calls never use it, so who that is is found out when one does. */
export class CallCache implements CacheHelpers {
  readonly #services: CacheOwner;
  readonly #request: RequestOptions;

  constructor(services: CacheOwner, request: RequestOptions) {
    this.#services = services;
    this.#request = request;
  }

  static requestOf(cache: CacheHelpers): RequestOptions | undefined {
    return cache instanceof CallCache ? cache.#request : undefined;
  }

  /** What fails behind a call may hold what the call brought. */
  #report(error: unknown): void {
    this.#services.logger?.warn({ error: redactorFor(this.#request).value(error) }, 'cache failed');
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

  /** Tags are the same in all contexts: what was changed in one may be seen in another. */
  invalidate(...tags: string[]): Promise<void> {
    return this.#own.invalidate(...tags);
  }

  /** Shared is among callers of one context. It is in the key, so that it counts with any cache. */
  #within(key: CacheKey, options: { readonly shared?: boolean } | undefined): CacheKey {
    const hash = options?.shared === true ? contextHashOf(this.#request) : undefined;
    return hash === undefined ? key : [IN_CONTEXT, hash, key];
  }
}

const IN_CONTEXT = 'toolfold/context';

/** The request that a handler works for, which its context comes from. */
export function requestOf({ cache }: RequestContext): RequestOptions | undefined {
  return CallCache.requestOf(cache);
}

/**
 * The access token that says who is calling. One that is in the session context is the server's own, or the word of a
 * client, who can make up any.
 */
export function identifyingToken({ accessToken, session }: RequestOptions): string | undefined {
  return session !== undefined && session.context['accessToken'] === accessToken ? undefined : accessToken;
}

/** Everything that came with a call and may hold a credential. */
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

/** Takes out of texts what came with a request, for whatever goes wrong before or beside a call. */
export function redactorFor(request: RequestOptions, app?: unknown): Redactor {
  return redactorOf(secretsOf(request, app));
}
