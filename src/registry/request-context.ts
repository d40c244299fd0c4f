import type { Caller, LogToClient, ReportProgress, RequestContext } from '../compile/tool-definition.js';
import { readerKey } from '../guard/caller-key.js';
import { collectCredentials } from '../guard/collect-credentials.js';
import { createRedactor } from '../guard/redaction.js';
import type { CacheHelpers, CacheKey, CacheOptions } from '../stores/cache.js';
import type { Collaborators } from './collaborators.js';
import type { ResolvedContext } from '../session/session-context.js';
import { createRequestInput } from './request-input.js';
import type { AskClient } from './request-input.js';
import type { EnabledToolsets, Selection } from './view-source.js';

/** What the edge knows of any request. */
export interface RequestOptions {
  /** The revision of MCP that the client speaks. */
  readonly protocolVersion?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The same where making one costs more than most calls: it is made when somebody looks at it. */
  readonly lazySignal?: (() => AbortSignal) | undefined;
  /** Lets the connection go while the call runs on. */
  readonly release?: (() => void) | undefined;
  readonly progress?: ReportProgress | undefined;
  readonly caller?: Caller | undefined;
  readonly accessToken?: string | undefined;
  /** What the request and the server say about whoever is calling. */
  readonly session?: ResolvedContext | undefined;
  /** What of the tools the request wants to see. */
  readonly selection?: Selection | undefined;
  /** What is enabled in the session of 2025 that the request belongs to. */
  readonly enabledToolsets?: EnabledToolsets | undefined;
  /** What came with the request as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Sends log messages to the client. */
  readonly log?: LogToClient | undefined;
  /** Puts questions to the person at the client. */
  readonly ask?: AskClient | undefined;
  /** The context of the MCP SDK, passed on to the handler. */
  readonly sdk?: unknown;
}

/** Makes `context.app` for each request. */
export type ContextFactory<App = unknown> = (request: RequestOptions) => App | Promise<App>;

export const never: AbortSignal = new AbortController().signal;
export const nobody: Caller = Object.freeze({});
export const noProgress: ReportProgress = async () => {};
export const noLog: LogToClient = async () => {};
export const noRelease = (): void => {};

/** The part of a context that tools, prompts and resources share. */
export function createRequestContext(
  request: RequestOptions,
  app: unknown,
  collaborators: CacheOwner,
): RequestContext {
  return {
    app,
    accessToken: request.accessToken,
    signal: request.signal ?? request.lazySignal?.() ?? never,
    progress: request.progress ?? noProgress,
    requestInput: createRequestInput(request.ask),
    log: request.log ?? noLog,
    releaseConnection: request.release ?? noRelease,
    caller: request.caller ?? nobody,
    cache: new CallCache(collaborators, request),
    sdk: request.sdk,
  };
}

type CacheOwner = Pick<Collaborators, 'cache' | 'keyOf' | 'logger'>;

/** The cache of whoever calls. Most calls never use it, so who that is is found out when one does. */
export class CallCache implements CacheHelpers {
  readonly #with: CacheOwner;
  readonly #request: RequestOptions;

  constructor(with_: CacheOwner, request: RequestOptions) {
    this.#with = with_;
    this.#request = request;
  }

  static requestOf(cache: CacheHelpers): RequestOptions | undefined {
    return cache instanceof CallCache ? cache.#request : undefined;
  }

  /** What fails behind a call may hold what the call brought. */
  #report(error: unknown): void {
    const redactor = createRedactor(collectCredentials(...secretsOf(this.#request)));
    this.#with.logger?.warn({ error: redactor.value(error) }, 'cache failed');
  }

  get #own(): CacheHelpers {
    const { cache, keyOf } = this.#with;
    return cache.for(keyOf(readerKey, this.#request), { onError: (error) => this.#report(error) });
  }

  wrap<T>(key: CacheKey, loader: () => T | Promise<T>, options: CacheOptions): Promise<T> {
    return this.#own.wrap(key, loader, options);
  }

  delete(key: CacheKey, options?: { readonly shared?: boolean }): Promise<void> {
    return this.#own.delete(key, options);
  }

  invalidate(...tags: string[]): Promise<void> {
    return this.#own.invalidate(...tags);
  }
}

/** The request that a handler works for, which its context comes from. */
export function requestOf({ cache }: RequestContext): RequestOptions | undefined {
  return CallCache.requestOf(cache);
}

/** Everything that came with a call and may hold a credential. */
export function secretsOf(
  { accessToken, caller, meta, sdk, arguments: given }: RequestOptions & { readonly arguments?: unknown },
  app?: unknown,
): readonly unknown[] {
  return [{ accessToken }, caller, app, meta, sdk, given];
}
