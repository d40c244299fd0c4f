import { untilAborted } from '@toolfold/schema/internal';
import type { LoadedModule } from '@toolfold/analysis/internal';
import type { Exposure } from 'toolfold/web';
import type { PageSource } from '../page-source.js';
import type { TokenThread } from '../tokens/token-thread.js';

/** A computation that concurrent requests share. */
interface Shared {
  readonly result: Promise<unknown>;
  readonly abort: AbortController;
  waiting: number;
  isDone: boolean;
}

/** The server at one revision. Requests share its analyses, which are computed once. */
export class Snapshot {
  readonly source: PageSource;
  readonly revision: number;
  readonly tokens: TokenThread;
  readonly loaded: LoadedModule;
  /** The module with the options of its Exposure instead of the Exposure, so that the page can show every tool. */
  readonly served: LoadedModule;
  /** Aborts when a newer revision replaces the snapshot. */
  readonly ended: AbortSignal;
  readonly #end = new AbortController();
  #expiresAt = Infinity;
  readonly #shared = new Map<string, Shared>();

  constructor(source: PageSource, revision: number, tokens: TokenThread) {
    this.source = source;
    this.revision = revision;
    this.tokens = tokens;
    this.loaded = source.current();
    this.served = withoutExposure(this.loaded);
    this.ended = this.#end.signal;
  }

  /** Whether to compute analyses again although no change is known, because a failed toolset may load now. */
  get isExpired(): boolean {
    return Date.now() >= this.#expiresAt;
  }

  expireIn(ms: number): void {
    this.#expiresAt = Math.min(this.#expiresAt, Date.now() + ms);
  }

  /** Aborts running computations, because their results are stale. */
  end(): void {
    this.#end.abort(new StaleSnapshot());
  }

  /**
   * Returns the result of a computation. Concurrent requests with the same key share it, and it is aborted when the last of them
   * is. Keeps a limited number of results of each kind, but no errors.
   */
  async share<T>(
    key: string,
    signal: AbortSignal,
    compute: (signal: AbortSignal) => Promise<T>,
    { isKept = true }: { readonly isKept?: boolean } = {},
  ): Promise<T> {
    signal.throwIfAborted();
    this.ended.throwIfAborted();
    let shared = this.#shared.get(key);
    if (!shared) this.#shared.set(key, (shared = this.#start(key, compute, isKept)));
    const { result, abort } = shared as Shared & { readonly result: Promise<T> };
    if (shared.isDone) return result;
    shared.waiting++;
    const leave = (): void => {
      if (--shared.waiting > 0 || shared.isDone) return;
      this.#shared.delete(key);
      abort.abort(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await untilAborted(result, signal);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #start<T>(key: string, compute: (signal: AbortSignal) => Promise<T>, isKept: boolean): Shared {
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.ended]);
    const result = compute(signal);
    const shared: Shared = { result: untilAborted(result, signal), abort, waiting: 0, isDone: false };
    const forget = (): void => {
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    };
    shared.result.then(() => {
      shared.isDone = true;
      if (!isKept) forget();
    }, forget);
    return shared;
  }
}

/** Replaces an Exposure by its options. Keeps one that another version of Toolfold created, because its options cannot be read. */
export function withoutExposure(loaded: LoadedModule): LoadedModule {
  const { options } = (loaded.exposure ?? {}) as Partial<Exposure>;
  if (!options) return loaded;
  const { registry, found } = loaded;
  return { registry, found, view: options.view, config: options.toolsets, scopes: options.scopes };
}

/** Aborts a computation because the server has changed since its start. */
export class StaleSnapshot extends Error {
  constructor() {
    super('The tools of the server have changed.');
  }
}

/** Creates a new snapshot after each change of a source. */
export class Snapshots {
  readonly #source: PageSource;
  readonly #tokens: TokenThread;
  readonly #unsubscribe: () => void;
  #revision = 1;
  #current: Snapshot | undefined;
  isClosed = false;

  constructor(source: PageSource, tokens: TokenThread) {
    this.#source = source;
    this.#tokens = tokens;
    this.#unsubscribe = source.onChange(() => {
      this.#revision++;
      this.#current?.end();
      this.#current = undefined;
    });
  }

  /** Number of changes so far. */
  get revision(): number {
    return this.#revision;
  }

  get current(): Snapshot {
    if (this.#current?.isExpired === true) this.#current = undefined;
    return (this.#current ??= new Snapshot(this.#source, this.#revision, this.#tokens));
  }

  close(): void {
    this.isClosed = true;
    this.#unsubscribe();
    this.#current?.end();
  }
}
